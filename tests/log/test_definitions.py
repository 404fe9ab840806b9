"""Saved processes and messages are known; odd lines, broken starts and a replaced log are stood."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from board.log.base import Log
from board.log.event import MAX_LINE, Event, encode
from board.log.file import open_log
from board.log.memory import MemoryLog
from board.log.tail import Tail
from board.process.engine.instance import Instance
from tests.log.writing import NOW, done, event, start, statuses, table


def save(name: str, note: str, ts: str = NOW, columns: object = None) -> list[Event]:
    fields = {"process": json.dumps(columns or table().to_columns()), "version": "x", "note": note}
    return [Event(ts, "@processes", name, field, value, "ed") for field, value in fields.items()]


def test_saved_versions_of_processes(log: Log) -> None:
    log.append(save("Collection", "first"))
    log.append(save("Collection", "second", "2026-11-30T00:00:00Z", {"task": ["x"], "name": ["X"]}))
    log.append(list(reversed(save("Another", "note before"))))
    tail = Tail(log)
    assert [(d.note, d.version, d.actor) for d in tail.versions("Collection")] == [
        ("first", table().version, "ed"),
        ("second", tail.versions("Collection")[1].table.version, "ed"),
    ]
    assert list(tail.definitions()) == ["Another", "Collection"]
    newest = tail.definition("Collection")
    assert newest is not None
    assert newest.note == "second"
    another = tail.definition("Another")
    assert another is not None
    assert another.note == "note before"
    assert tail.definition("none") is None
    assert tail.versions("none") == []
    assert tail.ids() == []


def test_an_unreadable_saved_process_is_left_out_and_told(log: Log) -> None:
    log.append(save("Collection", "good"))
    log.append([Event(NOW, "@processes", "Collection", "process", value, "x") for value in ("{", "3", "[[")])
    tail = Tail(log)
    assert [d.note for d in tail.versions("Collection")] == ["good"]
    assert len(tail.unreadable_definitions()) == 3


def test_refs_of_messages_are_known(log: Log) -> None:
    log.append([Event(NOW, "i", "t", "status", "done", "x", ref="001.json")])
    tail = Tail(log)
    assert tail.has_ref("001.json")
    assert not tail.has_ref("002.json")
    log.append([Event(NOW, "i", "t", "status", "done", "x", ref="002.json")])
    assert tail.has_ref("002.json")


@contextmanager
def one_good_one_odd(log: Log, odd: Sequence[Event]) -> Iterator[Tail]:
    log.append(start("good", "a"))
    log.append(odd)
    tail = Tail(log)
    yield tail
    assert statuses(tail.get("good")) == ["open", "blocked"]
    assert {h.id for h in tail.ids()} == {"good", "odd"}


@pytest.mark.parametrize(
    "process", ["", "{", "3", "[]", '"x"', "null", '{"task":["a"],"parent":["a"],"collection":["u"]}']
)
def test_an_unreadable_start_is_listed_with_its_reason_and_breaks_nothing_else(log: Log, process: str) -> None:
    with one_good_one_odd(log, [Event(NOW, "odd", "@instance", "process", process, "x")]) as tail:
        tail.get("odd")
        head = tail.head("odd")
        assert head is not None
        assert head.broken or process.startswith('{"')
        assert tail.newest() in ("good", "odd")


def test_a_start_without_a_process_is_broken_until_the_process_comes(log: Log) -> None:
    first, *rest = start("odd", "a")
    with one_good_one_odd(log, [first]) as tail:
        assert tail.get("odd") is None
        head = tail.head("odd")
        assert head is not None
        assert "process" in head.broken
        assert tail.newest() == "good"
    for part in rest:
        log.append([part])
        tail.get("odd")
    assert statuses(tail.get("odd")) == ["open", "blocked"]
    assert tail.newest() == "odd"


def test_a_fold_that_fails_breaks_its_own_instance_only(log: Log) -> None:
    class Fragile(Instance):
        def apply(self, event: object) -> set[int]:
            if getattr(event, "value", "") == "boom":
                raise KeyError("boom")
            return super().apply(event)  # type: ignore[arg-type]

    log.append(start("good", "a") + start("odd", "a"))
    tail = Tail(log, Fragile.from_start)
    assert tail.get("odd") is not None
    log.append([event("boom", instance="odd"), done("good", "review", "a")])
    assert tail.get("odd") is None
    head = tail.head("odd")
    assert head is not None
    assert "boom" in head.broken
    assert statuses(tail.get("good")) == ["done", "open"]


def test_a_second_start_changes_nothing(log: Log) -> None:
    log.append(start("i", "a"))
    log.append([done("i", "review", "a")])
    log.append(start("i", "x", "y", name="Other"))
    assert statuses(Tail(log).get("i")) == ["done", "open"]
    assert Tail(log).ids()[0].name == "Collection"


def test_cancelling_shows_in_the_head(log: Log) -> None:
    log.append(start("i", "a"))
    tail = Tail(log)
    log.append([Event(NOW, "i", "@instance", "cancelled", "no money", "olga")])
    assert tail.ids()[0].cancelled == "no money"
    log.append([Event(NOW, "i", "@instance", "cancelled", "", "olga")])
    assert tail.ids()[0].cancelled == ""


def test_bad_lines_are_counted_and_the_same_as_a_full_reading_finds(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.append(start("i", "a"))
    odd = [
        b"half", b"", b'{"instance":"i","task":"review","field":"x","note":"\xff"}',
        b'{"instance":7,"task":"t","field":"f","ref":5}', b'{"instance":"i","task":"t"}',
        b'{"instance":"i","task":"","field":"f","ref":"no reason"}',
        b'{"instance":"a/b","task":"@instance","field":"process","value":"{}","ref":"no id"}',
        b'{"instance":"i","task":"a/b","field":"status","value":"done"}',
        b'{"instance":"i","task":"review","element":"a\\nb","field":"status","value":"done"}',
        b'{"instance":"@processes","task":"@new","field":"process","value":"{}"}',
        b'{"instance":"i","task":"review","field":"note","value":"' + b"x" * MAX_LINE + b'"}',
    ]  # fmt: skip
    with log.path.open("ab") as file:
        file.write(b"".join(line + b"\n" for line in odd))
    tail = Tail(log)
    assert tail.bad_lines() == log.read().bad
    assert tail.bad_count == 10
    assert tail.bad_lines(1) == log.read().bad[:1]
    assert tail.has_ref("5")
    assert not tail.has_ref("no id")
    assert [head.id for head in tail.ids()] == ["i"]
    assert tail.definitions() == {}
    assert statuses(tail.get("i")) == ["open", "blocked"]


@settings(max_examples=60)
@given(
    st.lists(
        st.binary(max_size=60) | st.sampled_from([encode(e) for e in [*start("i", "a"), done("i", "review", "a")]]),
        max_size=12,
    ),
    st.data(),
)
def test_reading_in_any_steps_is_reading_at_once(pieces: list[bytes], data: st.DataObject) -> None:
    log = MemoryLog()
    stepwise = Tail(log)
    for piece in pieces:
        log.put(piece)
        if data.draw(st.booleans()):
            stepwise.get("i")
    at_once = Tail(log)
    assert stepwise.ids() == at_once.ids() or any(h.broken for h in stepwise.ids())
    assert stepwise.bad_lines() == at_once.bad_lines() == log.read().bad
    assert [e.event for e in reversed(stepwise.history())] == log.read().events
    folded, again = stepwise.get("i"), at_once.get("i")
    assert (folded is None) == (again is None)
    if folded is not None:
        assert statuses(folded) == statuses(again)


def test_a_replaced_log_is_folded_anew(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.append([*start("i", "a"), done("i", "review", "a"), Event(NOW, "i", "t", "x", "", "", ref="r")])
    tail = Tail(log)
    position = tail.refresh()
    assert statuses(tail.get("i")) == ["done", "open"]
    other = open_log(tmp_path / "other")
    other.append(start("i", "a") + start("j", "a") + [done("i", "review", "a")] * 9)
    other.path.replace(log.path)
    assert tail.changed_since("i", position) is None
    assert [h.id for h in tail.ids()] == ["j", "i"]
    assert not tail.has_ref("r")
    log.path.unlink()
    assert tail.ids() == []
