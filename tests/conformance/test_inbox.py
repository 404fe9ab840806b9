"""The conformance data of messages: what becomes of every file, in a store on disk and read anew by another process."""

import json
from pathlib import Path
from typing import Any

import pytest

from board.log.file import open_log
from board.log.store import Store
from board.log.tail import Tail
from board.process.definition.table import ElementList, ProcessTable
from board.process.engine.actor import Actor
from board.services import instances
from board.services.inbox import Inbox, Report

HERE = Path(__file__).parent
SETUPS: dict[str, Any] = json.loads((HERE / "inbox_setup.json").read_text())["setups"]
CASES: list[dict[str, Any]] = json.loads((HERE / "inbox.json").read_text())
OLGA = Actor("olga", operator=True)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
@pytest.mark.parametrize("kept", [True, False], ids=["one inbox kept", "a new inbox each time"])
def test_messages_become_what_the_conformance_data_say(case: dict[str, Any], kept: bool, tmp_path: Path) -> None:
    store = Store(tmp_path / "store").ensure()
    tail = Tail(open_log(store))
    inbox = Inbox(tail, store)
    for batch, expected in zip(case["batches"], case["expected"], strict=True):
        start(tail, batch["start"], SETUPS[case["setup"]])
        for put in batch["put"]:
            (store.inbox / put["file"]).write_text(put["raw"])
        if not kept:
            tail = Tail(open_log(store))
            inbox = Inbox(tail, store)
        report = inbox.take_in()
        assert len(report.applied) == expected["applied"]
        outcomes = [outcome(report, entry["file"], store) for entry in expected["files"]]
        assert outcomes == [without_nothing(entry) for entry in expected["files"]]


def start(tail: Tail, ids: list[str], setup: dict[str, Any]) -> None:
    table = ProcessTable.from_rows(setup["process"])
    for instance_id in ids:
        instances.start(tail, OLGA, "P", instance_id, ElementList.from_ids(setup["elements"]), table=table)


def outcome(report: Report, file: str, store: Store) -> dict[str, Any]:
    if file in report.applied:
        event = report.applied[file]
        keys = ("instance", "task", "field", "value", "actor", "element", "ref")
        said = {key: value for key in keys if (value := getattr(event, key))}
        assert (store.processed / file).is_file()
        assert not (store.inbox / file).exists()
        return {"file": file, "outcome": "ok", "event": said}
    if file in report.rejected:
        assert (store.failed / f"{file}.error").read_text().startswith(report.rejected[file] + ": ")
        assert (store.failed / file).is_file()
        return {"file": file, "outcome": "reject", "reason": report.rejected[file]}
    if file in report.duplicate:
        assert not (store.inbox / file).exists()
        return {"file": file, "outcome": "duplicate"}
    assert (store.inbox / file).exists()
    return {"file": file, "outcome": "pending" if file in report.pending else "ignored"}


def without_nothing(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if value is not None}
