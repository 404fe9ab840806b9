"""A dry run plays a definition with the engine itself."""

import pytest

from board.process.definition.table import ProcessTable
from board.process.engine.decide import Refusal
from board.process.engine.dry_run import Move, play

TABLE = ProcessTable.from_rows(
    [
        {"task": "each", "collection": "unit"},
        {"task": "load", "parent": "each", "role": "system", "script": "load.py"},
        {"task": "qa", "depends_on": "each, fix"},
        {"task": "fix", "depends_on": "qa:false"},
        {"task": "end", "depends_on": "qa:true"},
    ]
)


def test_a_definition_is_played_through_its_loop_to_the_end() -> None:
    moves = [Move("load", element, "done") for element in ("first", "second", "third")]
    moves += [Move("qa", "", "false"), Move("fix", "", "done"), Move("qa", "", "true"), Move("end", "", "done")]
    found = play(TABLE, moves)
    assert found.instance.state == "complete"
    assert [[d.task for d in each] for each in found.brought] == [[], [], [], [], ["qa"], [], []]
    assert play(TABLE, moves[:3]).instance.status(found.instance.find("qa") or 0) == "open"


def test_what_is_not_open_cannot_be_finished() -> None:
    with pytest.raises(Refusal, match="not open"):
        play(TABLE, [Move("end", "", "done")])
    with pytest.raises(Refusal, match="no “gone”"):
        play(TABLE, [Move("gone", "", "done")])


def test_a_failure_can_be_repaired() -> None:
    found = play(TABLE, [Move("load", "first", "failed"), Move("load", "first", "done")])
    assert found.instance.counts("load").done == 1
