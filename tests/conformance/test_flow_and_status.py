"""The conformance data of flows and statuses: every case, every row."""

import json
from pathlib import Path
from typing import Any

import pytest

from board.process.definition.table import ElementList, ProcessTable
from board.process.engine.instance import Instance
from board.process.flow.flow import compile_flow
from tests.process.engine.events import happened

HERE = Path(__file__).parent
COUNTS = ("total", "required", "open", "doing", "blocked", "skipped", "failed", "done")


def cases(name: str) -> list[Any]:
    read: list[Any] = json.loads((HERE / name).read_text())
    return read


@pytest.mark.parametrize("case", cases("flow.json"), ids=lambda c: c["name"])
def test_a_table_compiles_to_the_agreed_flow(case: dict[str, Any]) -> None:
    flow = compile_flow(ProcessTable.from_rows(case["process"]))
    compiled = {
        task: {
            "flow": [list(d) for d in flow.flow(task)],
            "loop_backs": flow.loop_backs(task),
            "rearmed_by": [list(d) for d in flow.rearmed_by(task)],
        }
        for task in flow.tasks
    }
    assert compiled == case["expected"]


@pytest.mark.parametrize("case", cases("status.json"), ids=lambda c: c["name"])
def test_events_fold_to_the_agreed_statuses(case: dict[str, Any]) -> None:
    instance = Instance("i", ProcessTable.from_rows(case["process"]), ElementList.from_ids(case["elements"]))
    for event in case["events"]:
        instance.apply(happened(event["task"], event["value"], event.get("element") or "", field=event["field"]))
    rows = []
    for row in range(instance.size):
        waiting = instance.waiting(row)
        element = instance.element_of(row) or None
        shown = (instance.status(row), waiting.id if waiting else None)
        rows.append({"task": instance.task_of(row), "element": element, "status": shown[0], "waiting": shown[1]})
    key = lambda r: (r["task"], r["element"] or "")  # noqa: E731
    assert sorted(rows, key=key) == sorted(case["expected"]["rows"], key=key)
    repeated = [task for task in instance.flow.tasks if instance.repeats(task)]
    counts = [{"task": t} | dict(zip(COUNTS, instance.counts(t), strict=True)) for t in repeated]
    assert sorted(counts, key=lambda c: c["task"]) == sorted(case["expected"]["counts"], key=lambda c: c["task"])
    assert instance.state == case["expected"]["state"]
