"""The drawing of every table there is: nothing on anything else, flows clear of shapes, few crossings, in time."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import pytest

from board.process import files
from board.process.definition.table import ProcessTable
from board.process.flow.flow import compile_flow
from board.process.picture.layout import Graph, Layout, graph_of, layout
from tests.process.bpmn.drawing import crossings, faults
from tests.process.engine.made_up import made_up

ROOT = Path(__file__).resolve().parents[3]
TABLES = sorted([*ROOT.glob("jobs/*.csv"), *ROOT.glob("board/process_templates/*.csv")])
PARTS = 6
LEAST_TABLES = 5  # the demo's process and the templates


def drawn(table: ProcessTable) -> tuple[Graph, Layout]:
    graph = graph_of(compile_flow(table))
    return graph, layout(graph)


def from_rows(*rows: dict[str, str]) -> tuple[Graph, Layout]:
    return drawn(ProcessTable.from_rows(rows))


def conformance() -> Iterator[ProcessTable]:
    """Every table of the conformance data, once."""
    seen: set[str] = set()
    for name in ("flow", "status"):
        for case in json.loads((ROOT / f"tests/conformance/{name}.json").read_text()):
            table = ProcessTable.from_rows(case["process"])
            if table.version not in seen:
                seen.add(table.version)
                yield table


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_every_table_that_ships_is_drawn_clean(path: Path) -> None:
    assert faults(*drawn(files.read(path.read_bytes(), path.name).table)) == []


def test_there_are_tables_that_ship() -> None:
    assert len(TABLES) >= LEAST_TABLES


@pytest.mark.parametrize("part", range(PARTS))
def test_every_conformance_table_is_drawn_clean(part: int) -> None:
    tables = list(conformance())[part::PARTS]
    assert [(table.to_rows(), fault) for table in tables for fault in faults(*drawn(table))] == []


@pytest.mark.parametrize("first", range(0, 200, 40))
def test_200_made_up_tables_are_drawn_clean(first: int) -> None:
    found = [(number, fault) for number in range(first, first + 40) for fault in faults(*drawn(made_up(number)))]
    assert found == []


def test_made_up_tables_reach_60_tasks() -> None:
    assert max(len(compile_flow(made_up(number)).tasks) for number in range(200)) == 60


def test_the_demo_has_no_crossing_and_little_more_than_its_columns() -> None:
    path = ROOT / "jobs/quarterly.csv"
    _, at = drawn(files.read(path.read_bytes(), path.name).table)
    assert crossings(at) == 0
    assert at.width < 1800
    assert at.height < 520


def test_flows_lead_to_the_right_and_loop_backs_to_the_left() -> None:
    graph, at = from_rows(
        {"task": "draft", "role": "author", "depends_on": "check:rejected"},
        {"task": "check", "role": "steward", "depends_on": "draft"},
        {"task": "publish", "role": "author", "depends_on": "check:approved"},
    )
    for edge in graph.edges:
        source, target = at.nodes[edge.source], at.nodes[edge.target]
        assert (source.right <= target.x) != edge.loop_back
    assert [edge.label for edge in graph.edges if edge.loop_back] == ["rejected"]


def test_the_lanes_are_the_roles_and_one_for_rows_without() -> None:
    graph, at = from_rows(
        {"task": "a", "role": "analyst"}, {"task": "b", "depends_on": "a"}, {"task": "c", "role": "system"}
    )
    assert {lane.id: lane.label for lane in graph.lanes} == {"analyst": "analyst", "": "anyone", "system": "system"}
    assert set(at.lanes) == {"analyst", "", "system"}


def test_a_role_called_anyone_keeps_its_own_lane() -> None:
    graph, _ = from_rows({"task": "a", "role": "anyone"}, {"task": "b"})
    assert [lane.label for lane in graph.lanes] == ["anyone", "anyone (no role)"]


def test_lanes_that_hand_over_to_one_another_lie_side_by_side() -> None:
    rows = [{"task": "x", "role": "far"}]
    for n in range(4):
        rows.append({"task": f"a{n}", "role": "one", "depends_on": f"b{n - 1}" if n else "x"})
        rows.append({"task": f"b{n}", "role": "two", "depends_on": f"a{n}"})
    _, at = from_rows(*rows)
    order = list(at.lanes)
    assert abs(order.index("one") - order.index("two")) == 1


def test_what_is_asked_of_a_check_stands_at_its_split() -> None:
    graph, at = from_rows(
        {"task": "qa", "role": "system", "script": "qa.py"},
        {"task": "fix", "depends_on": "qa:false"},
        {"task": "publish", "depends_on": "qa:true"},
    )
    kinds = {node.id: node.kind for node in graph.nodes}
    assert kinds["qa@split"] == "exclusive"
    assert sorted(edge.label for edge in graph.edges if edge.id in at.labels) == ["false", "true"]
    back = next(edge for edge in graph.edges if edge.loop_back)
    assert (back.source, back.target) == ("fix", "qa")  # the short form: the fix runs the check again


@pytest.mark.parametrize(
    ("join", "kind", "note"),
    [
        ("", "parallel", ""),
        ("any", "exclusive", ""),
        ("inclusive", "inclusive", ""),
        ("n=2", "complex", "2 of 3"),
        ("60%", "complex", "2 of 3"),
        ("??", "complex", "?"),
    ],
)
def test_a_join_is_the_gateway_that_its_words_mean(join: str, kind: str, note: str) -> None:
    graph, at = from_rows(
        {"task": "a"}, {"task": "b"}, {"task": "c"}, {"task": "d", "depends_on": "a,b,c", "join": join}
    )
    gateway = next(node for node in graph.nodes if node.id == "d@join")
    assert (gateway.kind, gateway.note) == (kind, note)
    assert ("d@join" in at.labels) == bool(note)


def test_answers_that_open_several_tasks_leave_by_an_inclusive_split() -> None:
    graph, _ = from_rows(
        {"task": "a"},
        {"task": "b", "depends_on": "a:yes"},
        {"task": "c", "depends_on": "a:yes"},
        {"task": "d", "depends_on": "a:no"},
    )
    assert next(node.kind for node in graph.nodes if node.id == "a@split") == "inclusive"


def test_a_failure_that_is_asked_for_is_one_way_of_two() -> None:
    graph, _ = from_rows(
        {"task": "load", "role": "system", "script": "l.py"},
        {"task": "alarm", "depends_on": "load:failed"},
        {"task": "next", "depends_on": "load"},
    )
    assert next(node.kind for node in graph.nodes if node.id == "load@split") == "exclusive"
    assert [(e.target, e.label, e.default) for e in graph.edges if e.source == "load@split"] == [
        ("alarm", "failed", False),
        ("next", "", True),
    ]


def test_a_group_is_a_frame_around_its_members_across_lanes() -> None:
    graph, at = from_rows(
        {"task": "plan", "role": "x"},
        {"task": "each", "name": "Each unit", "collection": "unit", "depends_on": "plan", "sequential": "yes"},
        {"task": "m", "parent": "each", "role": "x"},
        {"task": "n", "parent": "each", "role": "y", "depends_on": "m"},
        {"task": "end", "depends_on": "each", "role": "y"},
    )
    frame = at.groups["each"]
    assert graph.groups[0].sequential
    assert frame.y < at.nodes["m"].y
    assert frame.bottom > at.nodes["n"].bottom
    into = next(edge for edge in graph.edges if edge.target == "each")
    assert at.edges[into.id][-1].x == frame.x


def test_a_dependency_on_nothing_is_drawn_as_unknown() -> None:
    graph, at = from_rows({"task": "a", "depends_on": "nothing:yes"})
    unknown = next(node for node in graph.nodes if node.kind == "unknown")
    assert unknown.label == "nothing"
    assert unknown.id in at.nodes


def test_the_same_table_gives_the_same_drawing_in_every_process() -> None:
    code = (
        "from tests.process.picture.test_layout import drawn, made_up\n"
        "import hashlib\n"
        "print(hashlib.sha256(repr([drawn(made_up(n)) for n in (50, 120, 199)]).encode()).hexdigest())\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_a_drawing_is_worked_out_once() -> None:
    first, second = (layout(graph_of(compile_flow(made_up(80)))) for _ in range(2))
    assert first is second


def test_60_tasks_are_laid_out_in_time() -> None:
    graph = graph_of(compile_flow(made_up(199)))
    times = []
    for _ in range(3):
        start = process_time()
        layout.__wrapped__(graph)
        times.append(process_time() - start)
    assert min(times) < 0.25  # seconds; about 0.05 on an idle machine
