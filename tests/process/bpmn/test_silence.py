"""What a drawing says is never lost without a word: what is taken plays the same."""

from board.process.engine.dry_run import Move, play
from tests.process.bpmn.test_tokens import open_rows
from tests.process.bpmn.text import imported, node, tasks, waits

BEGIN, END = node("startEvent", "s"), node("endEvent", "e")
GATEWAYS = "".join(
    (
        node("parallelGateway", "fork"),
        node("exclusiveGateway", "large", name="Large amount?"),
        node("exclusiveGateway", "merge"),
        node("parallelGateway", "join"),
    )
)
CHOICE_BESIDE_WORK = """
    s -> check
    check -> fork
    fork -> pack
    fork -> large
    large -> quotes: yes
    large -> label: no
    quotes -> merge
    label -> merge
    merge -> join
    pack -> join
    join -> ship
    ship -> e
"""


def test_a_choice_on_one_way_of_a_parallel_split_cannot_be_skipped() -> None:
    people = tasks("check", "pack", "quotes", "label", "ship")
    table = imported(BEGIN + END + GATEWAYS + people, CHOICE_BESIDE_WORK).table
    assert waits(table)["pack"] == "check:yes, check:no [any]"  # `done` is no answer of the row that is asked
    for answer, way in (("yes", "quotes"), ("no", "label")):
        moves = [Move("check", "", answer), Move("pack", "", "done"), Move(way, "", "done")]
        seen = [open_rows(play(table, moves[:n]).instance, table) for n in range(1, 4)]
        assert seen == [{"pack", way}, {way}, {"ship"}]
