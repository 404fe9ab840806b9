"""A dry run: a definition played through with the very engine that runs instances, and nothing written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from board.process.definition.table import ElementList, ProcessTable
from board.process.engine.decide import Refusal, finishing
from board.process.engine.events import Draft
from board.process.engine.instance import Instance

MADE_UP = ("first", "second", "third")
MAX_MOVES = 500


class Move(NamedTuple):
    """One step of the player: a row finished with an answer; `failed` is one too."""

    task: str
    element: str
    value: str


class _Told(NamedTuple):
    task: str
    field: str
    value: str
    actor: str
    element: str
    attempt: int | str
    ref: str
    ts: str


class Play(NamedTuple):
    """How far the player has come: the instance, and what each move brought about beside itself."""

    instance: Instance
    brought: tuple[tuple[Draft, ...], ...]


def play(table: ProcessTable, moves: Iterable[Move], elements: Iterable[str] = MADE_UP) -> Play:
    """Play moves from the start; raises InstanceError for a table that cannot start, Refusal for an impossible move."""
    instance = Instance("dry-run", table, ElementList.from_ids(elements))
    brought: list[tuple[Draft, ...]] = []
    for number, move in enumerate(moves):
        row = instance.find(move.task, move.element)
        if row is None or number >= MAX_MOVES:
            raise Refusal("move", f"There is no “{move.task}” to finish here: begin the dry run anew.")
        if instance.status(row) not in ("open", "doing", "failed"):
            raise Refusal("move", f"“{move.task}” is not open at this point: begin the dry run anew.")
        drafts = finishing(instance, row, move.value, "you")
        for draft in drafts:
            instance.apply(_Told(*draft, ts="2000-01-01T00:00:00Z"))
        brought.append(tuple(drafts[1:]))
    return Play(instance, tuple(brought))
