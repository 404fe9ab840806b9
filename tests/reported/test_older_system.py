"""What an older system with the same table and log was seen to do, and must not happen here."""

import json
import time
from pathlib import Path

import pytest

from board.log.event import Event, encode
from board.log.file import open_log
from board.log.store import Store
from board.log.tail import Tail
from board.process.definition.quorum import need
from board.services.inbox import Inbox
from tests.reported.playing import Case
from tests.worker.site import Site

GROUP_WITH_FIX = """
    task,role,depends_on,collection,parent
    each,,,unit,
    qa,analyst,,,each
    fix,analyst,qa:false,,each
    end,lead,each,,
    """


def test_a_failed_dependency_opens_nothing_and_counts_towards_no_gate() -> None:
    case = Case(
        """
        task,role,depends_on,script,collection,parent,complete_when
        each,,,,unit,,2
        load,system,,load.sh,,each,
        after,analyst,each,,,,
        """,
        ["a", "b", "c"],
    )
    case.runs("load", "failed", "a")
    case.runs("load", element="b")
    assert case.status("after") == "blocked"
    case.runs("load", element="c")
    assert case.status("after") == "open"


def test_a_group_of_check_and_fix_closes_when_no_fix_was_needed() -> None:
    case = Case(GROUP_WITH_FIX, ["a", "b"])
    case.tell("qa", "true", "a")
    case.tell("qa", "false", "b")
    assert case.statuses("fix", "end") == {"fix@a": "skipped", "fix@b": "open", "end": "blocked"}
    case.finish("fix", element="b")
    assert case.status("end") == "open"


def test_of_two_tasks_that_ask_for_each_other_the_first_begins() -> None:
    case = Case("task,role,depends_on\na,analyst,b\nb,analyst,a")
    assert case.statuses() == {"a": "open", "b": "blocked"}


def test_what_waited_for_a_skipped_branch_does_not_wait_for_ever() -> None:
    case = Case("task,role,depends_on\nq,analyst,\nx,analyst,q:yes\ny,analyst,x\nz,analyst,q:no")
    case.finish("q", "no")
    assert case.statuses() == {"q": "no", "x": "skipped", "y": "skipped", "z": "open"}
    case.finish("z")
    assert case.instance.state == "complete"


@pytest.mark.parametrize(
    ("spec", "n", "enough"), [("7%", 100, 7), ("14%", 50, 7), ("55%", 20, 11), ("pct=1.1", 1000, 11)]
)
def test_percentages_are_exact(spec: str, n: int, enough: int) -> None:
    assert need(spec, n) == enough


def test_a_fix_that_comes_by_message_runs_the_check_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "store").ensure()
    case = Case(
        "task,role,depends_on,script\nqa,system,,qa.py\nfix,,qa:false,\nend,lead,qa:true,", tail=Tail(open_log(store))
    )
    inbox = Inbox(case.tail, store)
    for number in range(3):
        case.runs("qa", "false")
        (store.inbox / f"{number}.json").write_text(json.dumps({"task": "fix", "actor": "platform"}))
        inbox.take_in()
        assert case.statuses("qa", "fix") == {"qa": "open", "fix": "done"}
    assert case.events("qa")[-1].actor == "platform (re-arm)"


def test_a_store_with_odd_characters_in_its_path_is_a_store_like_any_other(tmp_path: Path) -> None:
    site = Site(tmp_path / "a [b] {c} 'd' ü")
    site.script("s.sh", "printf '::process-output note=\\377::\\n'; echo ::process-output rows=1::")
    site.start([{"task": "t", "role": "system", "script": "s.sh"}])
    assert site.work() == 0
    assert site.values("output.rows") == ["1"]
    assert site.values("output.note") == ["\ufffd"]  # one byte that is not UTF-8 stops nobody


def test_elements_that_look_like_numbers_stay_what_they_are(tmp_path: Path) -> None:
    elements = ["007", "7", "7.0", "1e5", "100000", "12345678901234567890", "-0", "TRUE", "null"]
    site = Site(tmp_path)
    site.script("s.sh", 'printf %s "$PROC_ELEMENT"')
    rows = [{"task": "each", "collection": "unit"}, {"task": "t", "role": "system", "script": "s.sh", "parent": "each"}]
    site.start(rows, elements)
    site.work()
    assert [site.log("t", element) for element in elements] == elements


def test_a_look_at_thousands_of_rows_with_thousands_of_events_is_quick(tmp_path: Path) -> None:
    store = Store(tmp_path / "store").ensure()
    elements = [f"n{n}" for n in range(2115)]
    case = Case(
        """
        task,role,depends_on,collection,parent
        each,,,unit,
        a,analyst,,,each
        b,analyst,a,,each
        c,analyst,b,,each
        end,lead,each,,
        """,
        elements,
        tail=Tail(open_log(store)),
    )
    assert case.status("end") == "blocked"
    lines = [encode(Event("2026-11-29T16:00:00Z", "i", t, "status", "done", "ana", e)) for t in "abc" for e in elements]
    with store.events_path.open("ab") as file:
        file.write(b"".join(lines[:6000]))
    started = time.perf_counter()
    assert case.status("end") == "blocked"
    taken_in_s = time.perf_counter() - started
    started = time.perf_counter()
    for line in lines[6000:6020]:
        with store.events_path.open("ab") as file:
            file.write(line)
        assert case.instance.counts("c").done
    one_s = (time.perf_counter() - started) / 20
    assert one_s < taken_in_s / 20  # an event costs what it changes, however many there were before
