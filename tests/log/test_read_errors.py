"""A disk that fails for a moment: whoever looks is told, and the next look finds everything as it was."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from board.log.errors import ReadError
from board.log.file import FileView, open_log
from board.log.tail import Tail
from tests.log.writing import done, start, statuses
from worker.instances import Served


@contextmanager
def failing(tail: Tail) -> Iterator[None]:
    """Every read of the log fails inside: its open file stands for one that cannot be read."""
    view = tail.log.view()
    assert isinstance(view, FileView)
    assert view._file is not None
    fd = view._file.fd
    kept = os.dup(fd)
    unreadable = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(unreadable, fd)
        yield
    finally:
        os.dup2(kept, fd)
        os.close(kept)
        os.close(unreadable)


@pytest.fixture
def tail(tmp_path: Path) -> Tail:
    log = open_log(tmp_path)
    log.append([*start("i", "a", "b"), *start("j", "a"), done("i", "review", "a")])
    found = Tail(log)
    found.refresh()
    return found


def test_an_instance_that_could_not_be_read_for_a_moment_is_there_at_the_next_look(tail: Tail) -> None:
    with failing(tail):
        for _ in range(2):
            with pytest.raises(ReadError, match="cannot be read at byte"):
                tail.get("i")
    assert statuses(tail.get("i")) == ["done", "open", "blocked"]
    assert [head.broken for head in tail.ids()] == ["", ""]


def test_what_is_folded_needs_no_disk(tail: Tail) -> None:
    tail.get("i")
    with failing(tail):
        assert statuses(tail.get("i")) == ["done", "open", "blocked"]
        with pytest.raises(ReadError):
            tail.get("j")
    assert statuses(tail.get("j")) == ["open", "blocked"]


def test_a_replay_that_could_not_be_read_is_made_at_the_next_look(tail: Tail) -> None:
    first = tail.seqs("i")[-1]
    with failing(tail), pytest.raises(ReadError):
        tail.get_at("i", first)
    assert tail.get_at("i", first) is not None
    assert statuses(tail.get("i")) == ["done", "open", "blocked"]


def test_a_log_that_could_not_be_read_on_is_read_on_at_the_next_look(tail: Tail) -> None:
    tail.get("i")
    tail.log.append([done("i", "review", "b")])
    with failing(tail), pytest.raises(ReadError):
        tail.refresh()
    assert statuses(tail.get("i")) == ["done", "done", "open"]


def test_the_worker_meets_and_judges_again_what_it_could_not_read(tail: Tail) -> None:
    served = Served(tail)
    served.look()
    with failing(tail):
        for _ in range(2):
            with pytest.raises(ReadError):
                served.meet()
    while served.meet():
        pass
    assert set(served.standings()) == {"i", "j"}
    tail.log.append([done("j", "review", "a"), done("i", "review", "b")])
    tail.refresh()
    tail.cool("i")
    with failing(tail), pytest.raises(ReadError):
        served.look()
    assert served.look() == ["i", "j"]


def test_a_fault_of_what_the_log_holds_stays(tail: Tail, caplog: pytest.LogCaptureFixture) -> None:
    fold, calls = tail._fold, 0

    def counted(*args: object) -> object:
        nonlocal calls
        calls += 1
        raise KeyError("boom " * 1000)

    tail._fold = counted  # type: ignore[assignment]
    for _ in range(3):
        assert tail.get("i") is None
    tail._fold = fold
    assert tail.get("i") is None
    assert calls == 1
    head = tail.head("i")
    assert head is not None
    assert "Foldboard itself" in head.broken
    assert "instance i: KeyError: 'boom boom" in head.broken
    assert len(head.broken) <= 500
    assert "Instance i cannot be folded" in caplog.text
