"""What users met when retries run out, and with what comes after the task that failed."""

from board.process.engine import decide
from board.process.engine.actor import Actor
from board.services import tasks
from board.services.tasks import Place
from tests.reported.playing import OLGA, Case

CHAIN = """
    task,role,depends_on,script,retry
    a,system,,a.sh,2
    b,system,a,b.sh,
    c,analyst,b,,
    d,analyst,c,,
    """


def exhausted(table: str = CHAIN) -> Case:
    case = Case(table)
    for left in (True, True, False):
        assert (case.runs("a", "failed").retry_in_s is not None) is left
    return case


def test_a_failed_task_holds_back_all_that_follows_and_says_so() -> None:
    case = exhausted()
    assert case.statuses() == {"a": "failed", "b": "blocked", "c": "blocked", "d": "blocked"}
    waiting = case.instance.waiting(case.row("b"))
    assert waiting is not None
    assert (waiting.id, waiting.failed) == ("a", True)
    assert case.instance.state == "stuck"
    assert case.instance.sentence() == "Stuck: failed: a (retry or repair it)"


def test_after_a_retry_by_hand_the_chain_goes_on_by_itself() -> None:
    """Users met: after a repair by hand everything behind it had to be freed one by one."""
    case = exhausted()
    tasks.retry(case.tail, "i", Place("a"), OLGA)
    case.runs("a")
    case.runs("b")
    assert case.statuses() == {"a": "done", "b": "done", "c": "open", "d": "blocked"}
    assert {e.task for e in case.events()} == {"a", "b"}  # nothing was freed by an event of its own


def test_after_a_repair_from_outside_the_chain_goes_on_by_itself() -> None:
    """Users met: after a repair by hand everything behind it had to be freed one by one."""
    case = exhausted()
    case.tell("a", "done", actor="olga")
    assert case.statuses() == {"a": "done", "b": "open", "c": "blocked", "d": "blocked"}
    assert case.instance.state == "active"


def test_a_retry_by_hand_begins_a_new_budget_and_the_numbers_go_on() -> None:
    """Users met: the number of attempts was wrong after a retry by hand."""
    case = exhausted()
    tasks.retry(case.tail, "i", Place("a"), OLGA)
    for left in (True, True, False):
        assert (case.runs("a", "failed").retry_in_s is not None) is left
    starts = [e.attempt for e in case.events("a") if e.value == "doing"]
    assert starts == [1, 2, 3, 4, 5, 6]
    opened = [e.actor for e in case.events("a") if e.value == "open"]
    assert opened == ["worker (retry 1/2)", "worker (retry 2/2)", "olga", "worker (retry 1/2)", "worker (retry 2/2)"]


def test_clicks_messages_and_comments_spend_no_retry() -> None:
    case = Case(CHAIN)
    tasks.fail(case.tail, "i", Place("a"), OLGA, "wrong file")
    tasks.retry(case.tail, "i", Place("a"), OLGA)
    tasks.comment(case.tail, "i", Place("a"), OLGA, "the file is right now")
    assert [case.runs("a", "failed").retry_in_s is not None for _ in range(3)] == [True, True, False]


def test_a_second_failure_is_as_loud_as_the_first() -> None:
    """Users met: the first failure was told, the second was silent."""
    case = exhausted()
    said = case.instance.sentence()
    tasks.retry(case.tail, "i", Place("a"), OLGA)
    assert case.instance.sentence() == "The worker may run: a"
    for _ in range(3):
        case.runs("a", "failed")
    assert (case.instance.sentence(), case.instance.state) == (said, "stuck")


PARALLEL = """
    task,role,depends_on,script,collection,parent,retry
    each,,,,unit,,
    load,system,,load.sh,,each,
    check,analyst,load,,,each,
    join,analyst,each,,,,
    side,system,,side.sh,,,
    after,analyst,side,,,,
    """


def test_one_failed_element_stops_neither_its_siblings_nor_what_is_beside_it() -> None:
    """Users met: one failed element stopped its siblings, or what did not depend on it."""
    elements = [f"e{n}" for n in range(10)]
    case = Case(PARALLEL, elements)
    case.runs("load", "failed", "e3")
    for element in elements:
        if element != "e3":
            case.runs("load", element=element)
            case.finish("check", element=element)
    case.runs("side")
    case.finish("after")
    left = {name: status for name, status in case.statuses().items() if status != "done"}
    assert left == {"load@e3": "failed", "check@e3": "blocked", "join": "blocked"}
    waiting = case.instance.waiting(case.row("join"))
    assert waiting is not None
    assert (waiting.id, waiting.failed) == ("each", True)
    assert case.instance.sentence() == "Stuck: failed: load (retry or repair it)"
    tasks.retry(case.tail, "i", Place("load", "e3"), OLGA)
    case.runs("load", element="e3")
    case.finish("check", element="e3")
    assert case.status("join") == "open"


def test_while_siblings_run_the_failure_is_named_already() -> None:
    case = Case(PARALLEL, ["a", "b"])
    case.runs("load", "failed", "a")
    case.begin("load", "b")
    assert case.instance.state == "active"
    assert case.instance.sentence().endswith("failed: load")


def test_a_failure_somebody_asks_for_is_a_way_on_and_makes_nothing_stuck() -> None:
    case = Case("""
        task,role,depends_on,script
        load,system,,load.sh
        use,analyst,load,
        call,analyst,load:failed,
        """)
    case.runs("load", "failed")
    assert case.statuses() == {"load": "failed", "use": "skipped", "call": "open"}
    case.finish("call")
    assert case.instance.state == "complete"


def test_only_operators_are_offered_the_retry() -> None:
    case = exhausted()
    row = case.row("a")
    assert decide.may("retry", case.instance, row, OLGA)
    ana = Actor("ana", frozenset({"analyst"}))
    assert not decide.may("retry", case.instance, row, ana)
