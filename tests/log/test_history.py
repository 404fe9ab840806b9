"""What happened, newest first, and an instance as it was."""

from pathlib import Path

from board.log.base import Log
from board.log.event import Event
from board.log.file import open_log
from board.log.tail import Tail
from tests.log.writing import NOW, done, start, statuses


def test_history_is_newest_first_filtered_and_paged(log: Log) -> None:
    log.append(start("i", "a", "b") + start("j", "a"))
    log.append([done("i", "review", "a" if n % 2 else "b", f"v{n}") for n in range(1200)])
    log.append([Event(NOW, "i", "approve", "note", 'é \\ " / 10', "émile", element="10")])
    tail = Tail(log)
    pages, before = [], None
    while page := tail.history("i", task="review", element="a", before=before, limit=100):
        pages.append(page)
        before = page[-1].seq
    values = [entry.event.value for page in pages for entry in page]
    assert values == [f"v{n}" for n in range(1199, -1, -1) if n % 2]
    assert [len(page) for page in pages] == [100] * 6
    assert len(tail.history("i", actor="émile")) == 1
    assert len(tail.history("i", element="10")) == 1
    assert len(tail.history("i", field="note", task="approve", actor="émile", element="10")) == 1
    assert tail.history("i", task="approve", element="") == []
    assert len(tail.history("j", field="created")) == 1
    assert tail.history("nobody") == []


def test_history_of_all_instances(log: Log) -> None:
    log.append(start("i", "a") + start("j", "a"))
    tail = Tail(log)
    assert [e.event for e in tail.history()] == list(reversed(log.read().events))
    newest = tail.history(limit=2)
    assert tail.history(before=newest[1].seq) == tail.history()[2:]
    assert tail.history(after=newest[1].seq) == newest[:1]
    assert {e.event.instance for e in tail.history(field="created")} == {"i", "j"}


def test_history_finds_what_other_programs_wrote_their_way(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.append(start("i", "a"))
    with log.path.open("ab") as file:
        file.write(b'{"instance":"i","task":"rev\\u0069ew","field":"status","value":1,"element":10,"actor":true}\n')
    tail = Tail(log)
    assert len(tail.history("i", task="review", element="10", actor="true", field="status")) == 1


def test_an_instance_as_it_was_after_any_event(log: Log) -> None:
    log.append(start("i", "a"))
    log.append([done("i", "review", "a"), done("i", "approve")])
    tail = Tail(log)
    seqs = tail.seqs("i")
    assert statuses(tail.get_at("i", seqs[-2])) == ["done", "open"]
    assert statuses(tail.get_at("i", seqs[-1])) == ["done", "done"]
    assert tail.get_at("i", seqs[0]) is None
    assert statuses(tail.get("i")) == ["done", "done"]
    assert list(tail.seqs("nobody")) == []
