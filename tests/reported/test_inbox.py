"""What users met with messages: half-written, early, late, twice, moved and linked."""

import json
import os
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from board.log.file import open_log
from board.log.store import Store
from board.log.tail import Tail
from board.process.engine.decide import Refusal
from board.services import instances, tasks
from board.services.inbox import AT_ONCE, Inbox
from board.services.tasks import Place
from tests.reported.playing import OLGA, Case

TABLE = """
    task,role,depends_on,script,collection,parent,not_by
    each,,,,unit,,
    delivery,system,,,,each,
    review,analyst,delivery,,,each,
    sign,lead,each,,,,review
    load,system,,load.sh,,,
    """


class Post:
    """A store with an instance `i` of two units, and its inbox."""

    def __init__(self, root: Path) -> None:
        self.store = Store(root / "store").ensure()
        self.case = Case(TABLE, ["north", "süd"], tail=Tail(open_log(self.store)))
        self.inbox = Inbox(self.case.tail, self.store)

    def put(self, name: str, **said: Any) -> Path:
        path = self.store.inbox / name
        path.write_text(json.dumps(said))
        return path

    def rejected(self, name: str) -> str:
        """The code with which a file was refused, from the reason beside it."""
        return (self.store.failed / f"{name}.error").read_text().partition(":")[0]


@pytest.fixture
def post(tmp_path: Path) -> Post:
    return Post(tmp_path)


def test_a_message_still_being_written_is_left_until_it_is_whole(post: Post) -> None:
    """Users met: a message was taken in while it was still being written."""
    with (post.store.inbox / "m.json").open("w") as file:
        file.write('{"task": "delivery", "ele')
        file.flush()
        assert post.inbox.take_in().pending == ["m.json"]
        file.write('ment": "north"}')
    assert list(post.inbox.take_in().applied) == ["m.json"]
    assert post.case.status("delivery", "north") == "done"


def test_what_was_left_half_written_is_refused_with_a_reason_beside_it(post: Post) -> None:
    """Users met: a message was taken in while it was still being written."""
    (post.store.inbox / "m.json").write_text('{"task": "deliv')
    (post.store.inbox / "empty.json").write_text("")
    assert post.inbox.take_in().rejected == {"m.json": "unreadable", "empty.json": "unreadable"}
    assert post.rejected("m.json") == "unreadable"
    assert (post.store.failed / "m.json").read_text() == '{"task": "deliv'  # kept as it came


def test_temporary_and_hidden_files_are_left_alone_until_they_are_renamed(post: Post) -> None:
    """Users met: a message was taken in while it was still being written."""
    path = post.put("m.json.tmp", task="delivery", element="north")
    post.put(".n.json", task="delivery", element="süd")
    (post.store.inbox / "folder.json").mkdir()
    report = post.inbox.take_in()
    assert (report.applied, report.rejected, report.pending) == ({}, {}, [])
    path.rename(post.store.inbox / "m.json")
    assert list(post.inbox.take_in().applied) == ["m.json"]


def test_a_message_sent_again_under_its_name_is_applied_once(post: Post) -> None:
    """Users met: a message counted twice, or one that came too early was lost."""
    for _ in range(2):
        post.put("m.json", task="delivery", element="north")
        post.inbox.take_in()
    assert len(post.case.events("delivery")) == 1
    assert not (post.store.inbox / "m.json").exists()


def test_a_message_for_an_instance_that_is_not_there_yet_waits_for_it(post: Post) -> None:
    """Users met: a message counted twice, or one that came too early was lost."""
    post.put("m.json", instance="later", task="load")
    for _ in range(3):
        assert post.inbox.take_in().pending == ["m.json"]
    Case(TABLE, ["north"], tail=post.case.tail, instance="later")
    assert list(post.inbox.take_in().applied) == ["m.json"]


def test_a_result_for_a_task_that_is_not_ready_is_kept_and_counts_when_its_turn_comes(post: Post) -> None:
    """Users met: a message counted twice, or one that came too early was lost."""
    post.put("m.json", task="review", element="north", actor="platform")
    assert list(post.inbox.take_in().applied) == ["m.json"]
    assert post.case.status("review", "north") == "done"
    assert post.case.status("sign") == "blocked"


def test_of_two_opposite_results_both_are_in_the_log_and_the_later_counts(post: Post) -> None:
    """Users met: a message counted twice, or one that came too early was lost."""
    post.put("1.json", task="delivery", element="north", value="complete")
    post.put("2.json", task="delivery", element="north", value="partial")
    post.inbox.take_in()
    assert [(e.value, e.ref) for e in post.case.events("delivery")] == [("complete", "1.json"), ("partial", "2.json")]
    assert post.case.status("delivery", "north") == "partial"


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ({"task": "delivry", "element": "north"}, "unknown_task"),
        ({"task": "delivery", "element": "west"}, "unknown_element"),
        ({"task": "delivery"}, "element_missing"),
        ({"task": "sign", "value": "done"}, "people_only"),
        ({"task": "load", "field": "attempt", "value": "7"}, "worker_field"),
        ({"task": "load", "value": "skipped"}, "bad_status"),
        ({"task": "@instance", "field": "cancelled", "value": "x"}, "reserved_task"),
        ({"task": "load", "instance": "../../etc"}, "bad_instance"),
    ],
)
def test_what_can_never_apply_is_put_aside_with_its_code(post: Post, said: dict[str, str], code: str) -> None:
    """Users met: a message counted twice, or one that came too early was lost."""
    post.put("m.json", **said)
    assert post.inbox.take_in().rejected == {"m.json": code}
    assert post.rejected("m.json") == code


def test_a_result_that_comes_after_a_cancellation_is_refused_and_says_so(post: Post) -> None:
    """Users met: a message counted twice, or one that came too early was lost."""
    instances.cancel(post.case.tail, "i", OLGA, "not this quarter")
    post.put("m.json", task="delivery", element="north")
    assert post.inbox.take_in().rejected == {"m.json": "cancelled"}


def test_a_script_that_a_message_finished_is_late_when_it_ends_itself(post: Post) -> None:
    """Users met: a message counted twice, or one that came too early was lost."""
    attempt = post.case.begin("load")
    post.put("m.json", task="load", value="done")
    post.inbox.take_in()
    post.case.end(attempt, "failed")
    assert post.case.status("load") == "done"
    assert [e.value for e in post.case.events("load", "late")] == ["failed"]


def test_four_eyes_are_not_passed_by_a_message(post: Post) -> None:
    for element in ("north", "süd"):
        post.put(f"d-{element}.json", task="delivery", element=element)
        post.put(f"r-{element}.json", task="review", element=element)
    post.inbox.take_in()
    for element in ("north", "süd"):
        tasks.reopen(post.case.tail, "i", Place("review", element), OLGA, "by hand please")
        post.case.finish("review", element=element, who="ana")
    with pytest.raises(Refusal, match="somebody else"):
        post.case.finish("sign", who="ana")
    post.put("s.json", task="sign", actor="ben")
    assert post.inbox.take_in().rejected == {"s.json": "people_only"}


def test_however_a_file_comes_it_is_found_in_the_order_of_the_names(post: Post, tmp_path: Path) -> None:
    """Users met: files that were moved, linked or oddly named were not seen, or held up the rest."""
    beside = tmp_path / "beside.json"
    beside.write_text(json.dumps({"task": "load", "field": "note", "value": "linked"}))
    os.link(beside, post.store.inbox / "1.json")
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"task": "load", "field": "note", "value": "moved"}))
    other.rename(post.store.inbox / "2.json")
    post.put("3.json", task="load", field="note", value="written")
    assert list(post.inbox.take_in().applied) == ["1.json", "2.json", "3.json"]
    assert [e.value for e in post.case.events("load", "note")] == ["linked", "moved", "written"]
    assert beside.exists()


def test_odd_names_links_and_pipes_hold_nobody_up(post: Post, tmp_path: Path) -> None:
    """Users met: files that were moved, linked or oddly named were not seen, or held up the rest.

    A link led out of the folder that was checked by its text alone.
    """
    secret = tmp_path / "secret.json"
    secret.write_text(json.dumps({"task": "load"}))
    (post.store.inbox / "link.json").symlink_to(secret)
    os.mkfifo(post.store.inbox / "pipe.json")
    os.close(os.open(os.fsencode(post.store.inbox) + b"/not\xff.json", os.O_CREAT | os.O_WRONLY))
    name = unicodedata.normalize("NFD", "Lieferung für\nSüd.json")
    post.put(name, task="delivery", element="süd")
    started = time.perf_counter()
    report = post.inbox.take_in()
    assert time.perf_counter() - started < 2
    assert list(report.applied) == [name]
    assert set(report.rejected.values()) == {"unreadable"}
    assert len(report.rejected) == 3
    assert post.case.status("load") == "open"
    again = post.inbox.take_in()
    assert (again.rejected, again.stuck) == ({}, {})  # told once and not each second


def test_a_file_that_cannot_be_moved_is_applied_once_and_told_once(post: Post) -> None:
    os.rmdir(post.store.processed)
    post.store.processed.write_text("a file where the folder was")
    post.put("m.json", task="delivery", element="north")
    assert list(post.inbox.take_in().stuck) == ["m.json"]
    for _ in range(3):
        report = post.inbox.take_in()
        assert (report.applied, report.stuck) == ({}, {})
    assert len(post.case.events("delivery")) == 1


def test_more_messages_than_are_taken_at_once_keep_their_order(post: Post) -> None:
    """Users met: files that were moved, linked or oddly named were not seen, or held up the rest."""
    for n in range(AT_ONCE + 100):
        post.put(f"{n:05}.json", task="load", field="note", value=f"n{n}")
    assert len(post.inbox.take_in().applied) == AT_ONCE + 100
    assert [e.value for e in post.case.events("load", "note")] == [f"n{n}" for n in range(AT_ONCE + 100)]
