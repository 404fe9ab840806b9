"""What users met with groups of no, one and many elements."""

import re
import threading
from pathlib import Path

import pytest

from board.log.file import open_log
from board.log.store import Store
from board.log.tail import Tail, shared
from board.process.definition.elements import ElementError, ElementList
from board.process.engine.actor import Actor
from board.process.engine.decide import Refusal
from board.process.files import Unreadable, read_elements
from board.process.validation.problems import check
from board.services import definitions, instances, tasks
from board.services.tasks import Place
from tests.reported.playing import OLGA, Case, table_of
from tests.views.conftest import Login

CHAIN = """
    task,role,depends_on,collection,parent
    g1,,,unit,
    a,analyst,,,g1
    g2,,g1,unit,
    b,analyst,,,g2
    g3,,g2,unit,
    c,analyst,,,g3
    end,lead,g3,,
    """


def test_a_chain_of_empty_groups_is_complete_and_what_follows_is_open() -> None:
    """Users met: several empty groups in a row made the run fail."""
    case = Case(CHAIN, [])
    assert case.statuses() == {"end": "open"}
    assert case.instance.counts("a") == (0, 0, 0, 0, 0, 0, 0, 0)
    case.finish("end")
    assert case.instance.state == "complete"


def test_groups_whose_source_has_not_run_wait_and_are_not_skipped() -> None:
    """Users met: a group whose list was not known yet was taken for an empty one."""
    case = Case(
        """
        task,role,depends_on,collection,parent
        a,analyst,,,
        d,analyst,,,
        g1,,a,unit,
        b,analyst,,,g1
        g2,,g1,unit,
        c,analyst,,,g2
        e,lead,"g2,d",,
        """,
        ["x", "y"],
    )
    before = {name: status for name, status in case.statuses().items() if name not in ("a", "d")}
    assert set(before.values()) == {"blocked"}
    case.finish("a")
    case.finish("d")
    for task in ("b", "c"):
        assert case.statuses(task) == {f"{task}@x": "open", f"{task}@y": "open"}
        assert case.status("e") == "blocked"
        for element in ("x", "y"):
            case.finish(task, element=element)
    assert case.status("e") == "open"


def test_a_process_with_a_group_is_not_started_without_its_list() -> None:
    """Users met: a missing list was read as an empty one, and the run went on without elements."""
    tail = Case("task,role\na,analyst").tail
    with pytest.raises(Refusal, match="repeats per unit"):
        instances.start(tail, OLGA, "P", "second", table=table_of(CHAIN))
    assert tail.get("second") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'["a", "a"]', "“a”"),
        (b'[1, "1"]', "“1”"),
        (b'["a", {"b": 1}]', "no text and no number"),
        (b"unit;region\na;x\na;y\n", "“a”"),
        (b"{", "This is no JSON"),
        (b'["a",', "This is no JSON"),
    ],
)
def test_a_list_with_something_wrong_is_refused_with_the_reason_and_never_shortened(text: bytes, said: str) -> None:
    """Users met: a missing list was read as an empty one, and the run went on without elements."""
    with pytest.raises((ElementError, Unreadable), match=re.escape(said)):
        read_elements(text)


def test_a_list_of_a_hundred_thousand_is_read_whole() -> None:
    """Users met: a missing list was read as an empty one, and the run went on without elements."""
    ids = [f"n{n}" for n in range(100_000)]
    assert len(ElementList.from_ids(ids).ids) == 100_000
    with pytest.raises(ElementError):
        ElementList.from_ids([*ids, "n7"])


THREE_OF_FIVE = """
    task,role,depends_on,collection,parent,complete_when,sequential
    each,,,unit,,{enough},{sequential}
    check,analyst,,,each,,
    next,lead,each,,,,
    """


def three_of_five(enough: str = "3", elements: str = "abcde", sequential: str = "") -> Case:
    return Case(THREE_OF_FIVE.format(enough=enough, sequential=sequential), elements)


@pytest.mark.parametrize("sequential", ["", "true"])
def test_a_group_closes_once_with_the_third_of_five_and_the_rest_is_no_longer_needed(sequential: str) -> None:
    """Users met: groups closed too early, twice or never, and what was left stayed in people's lists."""
    case = three_of_five(sequential=sequential)
    for element in "ab":
        case.finish("check", element=element)
        assert case.status("next") == "blocked"
    case.finish("check", element="c")
    assert case.status("next") == "open"
    assert [case.instance.element_of(row) for row in sorted(case.instance.left_over())] == ["d", "e"]
    assert case.instance.counts("check").required == 3
    case.finish("check", element="d")  # workable all the same
    case.finish("next")
    assert case.instance.state == "complete"


def test_the_condition_may_be_met_by_the_very_last_element() -> None:
    """Users met: groups closed too early, twice or never, and what was left stayed in people's lists."""
    case = three_of_five("all")
    for element in "abcde":
        assert case.status("next") == "blocked"
        case.finish("check", element=element)
    assert case.status("next") == "open"


def test_two_elements_finished_in_one_second_close_the_group_once() -> None:
    """Users met: groups closed too early, twice or never, and what was left stayed in people's lists."""
    case = three_of_five()
    for element in "abcd":
        tasks.finish(
            case.tail, "i", Place("check", element), Actor("ana", admin=True), now=lambda: "2026-11-29T16:00:00Z"
        )
    assert case.status("next") == "open"
    assert [e.task for e in case.events() if e.task == "next"] == []


def test_reworking_one_of_the_three_opens_the_group_again_until_it_is_done() -> None:
    """Users met: groups closed too early, twice or never, and what was left stayed in people's lists."""
    case = three_of_five()
    for element in "abc":
        case.finish("check", element=element)
    tasks.reopen(case.tail, "i", Place("check", "b"), OLGA, "the figures came anew")
    assert case.status("next") == "blocked"
    assert case.instance.left_over() == frozenset()
    case.finish("check", element="e")  # any third one will do
    assert case.status("next") == "open"


def test_reworking_one_of_the_three_after_the_next_step_was_finished_marks_that_stale() -> None:
    """Users met: groups closed too early, twice or never, and what was left stayed in people's lists."""
    case = three_of_five()
    for element in "abc":
        case.finish("check", element=element)
    case.finish("next")
    tasks.reopen(case.tail, "i", Place("check", "b"), OLGA, "the figures came anew")
    assert case.status("next") == "done"
    assert case.instance.is_stale(case.row("next"))
    assert case.instance.state == "active"


def test_a_threshold_above_the_number_of_elements_is_all_of_them() -> None:
    """Users met: groups closed too early, twice or never, and what was left stayed in people's lists."""
    case = three_of_five("6")
    assert case.instance.counts("check").required == 5
    for element in "abcde":
        case.finish("check", element=element)
    assert case.status("next") == "open"


def test_a_threshold_that_is_none_is_an_error_before_anything_starts() -> None:
    told = check(table_of(THREE_OF_FIVE.format(enough="most", sequential="")))
    assert [(p.level, p.row, p.column, p.text) for p in told] == [("error", 1, "complete_when", "most")]


def test_a_group_of_one_element_closes_with_it() -> None:
    """Users met: groups closed too early, twice or never, and what was left stayed in people's lists."""
    case = three_of_five("any", "a")
    case.finish("check", element="a")
    assert case.status("next") == "open"


def test_an_element_whose_rows_are_all_skipped_counts_for_no_completion() -> None:
    case = Case(
        """
        task,role,depends_on,collection,parent,complete_when
        want,analyst,,,,
        each,,want:yes,unit,,any
        check,analyst,,,each,
        next,lead,each,,,
        """,
        ["a", "b"],
    )
    case.tell("want", "no")
    assert case.statuses() == {"want": "no", "check@a": "skipped", "check@b": "skipped", "next": "skipped"}
    assert case.instance.state == "complete"


def test_two_hundred_elements_finished_by_twenty_at_once_open_what_follows_once(tmp_path: Path) -> None:
    """Users met: many elements that finished at once lost completions."""
    case = Case(CHAIN, ids := [f"n{n}" for n in range(200)], tail=Tail(open_log(Store(tmp_path / "store").ensure())))
    troubles: list[Exception] = []

    def go(mine: list[str]) -> None:
        try:
            for element in mine:
                case.finish("a", element=element)
        except Exception as error:
            troubles.append(error)

    threads = [threading.Thread(target=go, args=(ids[n::20],)) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert troubles == []
    assert case.instance.counts("a").done == case.instance.counts("b").open == 200
    assert sorted(e.element for e in case.events("a")) == sorted(ids)
    assert case.events("b") == []


@pytest.mark.parametrize(("text", "none", "starts"), [("unit", "", False), ("unit", "yes", True), ("north", "", True)])
def test_a_list_that_is_only_a_heading_is_asked_about_before_it_counts_as_none(
    login: Login, store: Path, text: str, none: str, starts: bool
) -> None:
    definitions.save(shared(store), Actor("ed", editor=True), "P", table_of(CHAIN), "first")
    typed = {"process": "P", "id": "first", "elements": text, "none": none}
    answer = login("olga").post("/instances/-/start/", typed)
    assert answer.status_code == (302 if starts else 422)
    assert (shared(store).get("first") is not None) is starts
    if not starts:
        assert "has no element in it" in answer.content.decode()


APPROVED_FIRST = """
    task,collection,parent,depends_on
    approve,,,
    each,unit,,approve:yes
    load,,each,
    publish,,,each
    """


def test_nothing_passes_a_group_without_elements_before_or_despite_what_it_waits_for() -> None:
    case = Case(APPROVED_FIRST, elements=[])
    assert case.status("publish") == "blocked"
    case.finish("approve", "yes")
    assert case.status("publish") == "open"
    rejected = Case(APPROVED_FIRST, elements=[])
    rejected.tell("approve", "no")
    assert (rejected.status("publish"), rejected.instance.state) == ("skipped", "complete")
