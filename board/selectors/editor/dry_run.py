"""A dry run as a page: the rows by task, what the last step brought about, the picture coloured by state."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from board.process.definition.table import ProcessTable
from board.process.engine.decide import Refusal
from board.process.engine.dry_run import Move, Play, play
from board.process.engine.events import Draft
from board.process.engine.instance import Instance
from board.selectors import current
from board.selectors.instance import picture
from board.selectors.instance.rows import RowView, Section, Sheet

ALL = "*"  # the element of a move that is meant for every open row of its task


class Effect(NamedTuple):
    """What became of a row by the last step: `opened`, `skipped`, `put back` or `waiting`."""

    word: str
    label: str
    kind: str


class Spot(NamedTuple):
    """A row: how it looks, whether the last step changed it, the answers that can be given now and, for scripts, the
    failure; each with the move as the form sends it."""

    view: RowView
    is_new: bool
    answers: tuple[tuple[str, str], ...]
    fails: str


class Part(NamedTuple):
    """The rows of one task, and the answers that can be given for all that are open at once."""

    section: Section
    spots: tuple[Spot, ...]
    answers: tuple[tuple[str, str], ...]

    @property
    def open(self) -> int:
        return sum(bool(spot.answers) for spot in self.spots)


class Step(NamedTuple):
    """A step that was taken, in words, and what it put back to open."""

    number: int
    label: str
    value: str
    back: tuple[str, ...]


class DryRun(NamedTuple):
    """How far the player has come; `moves` are those that could be played, `problem` is why one could not."""

    moves: tuple[Move, ...]
    problem: str
    state: str
    sentence: str
    parts: tuple[Part, ...]
    effects: tuple[Effect, ...]
    steps: tuple[Step, ...]
    picture: str
    repeats: bool


def dry_run(table: ProcessTable, name: str, moves: Sequence[Move], since: int | None = None) -> DryRun:
    """Play as many of the moves as can be played; raises InstanceError for a table that cannot be started.

    What was brought about is told since `since` moves, by default by the last one.
    """
    reached, problem = _as_far_as_it_goes(table, moves)
    played = tuple(moves[: len(reached.brought)])
    since = len(played) - 1 if since is None or since >= len(played) else since
    was, instance = play(table, played[: max(0, since)]).instance, reached.instance
    changed = {row for row in range(instance.size) if played and instance.status(row) != was.status(row)}
    sheet = Sheet(instance, current.zone())
    return DryRun(
        played,
        problem,
        instance.state,
        instance.sentence(),
        tuple(_part(instance, sheet, section, changed) for section in sheet.sections),
        tuple(_effects(reached, sheet, sorted(changed), played, max(0, since))),
        tuple(
            _step(instance, n, move, back)
            for n, (move, back) in enumerate(zip(played, reached.brought, strict=True), 1)
        ),
        picture.drawn(sheet, instance.flow, name),
        bool(instance.flow.groups),
    )


def _as_far_as_it_goes(table: ProcessTable, moves: Sequence[Move]) -> tuple[Play, str]:
    """Return the longest beginning of the moves that can be played, and why the next one cannot, "" if all can."""
    try:
        return play(table, moves), ""
    except Refusal as refusal:
        problem = refusal.message
    good, bad = 0, len(moves)
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            play(table, moves[:middle])
            good = middle
        except Refusal as refusal:
            bad, problem = middle, refusal.message
    return play(table, moves[:good]), problem


def _part(instance: Instance, sheet: Sheet, section: Section, changed: set[int]) -> Part:
    task, offered = section.task, instance.flow.answers(section.task)
    spots = []
    for row in section.rows:
        status, element = instance.status(row), instance.element_of(row)
        can = status in ("open", "doing", "failed")
        answers = tuple((answer, _said(task, element, answer)) for answer in offered) if can else ()
        fails = can and status != "failed" and instance.definition(row).is_script
        spots.append(Spot(sheet.views[row], row in changed, answers, _said(task, element, "failed") if fails else ""))
    return Part(section, tuple(spots), tuple((answer, _said(task, ALL, answer)) for answer in offered))


def _said(task: str, element: str, answer: str) -> str:
    """Return a move as the form sends it."""
    return json.dumps([task, element, answer], ensure_ascii=False)


def _effects(reached: Play, sheet: Sheet, changed: list[int], played: Sequence[Move], since: int) -> list[Effect]:
    """Return what the last steps brought about beside the rows they finished."""
    instance = reached.instance
    finished = {instance.find(move.task, move.element) for move in played[since:]}
    back = {instance.find(draft.task, draft.element) for drafts in reached.brought[since:] for draft in drafts}
    effects = []
    for row in changed:
        if row in finished - back:
            continue
        status, view = instance.status(row), sheet.views[row]
        word = {"open": "opened", "skipped": "skipped", "blocked": "waits again"}.get(status, status)
        effects.append(Effect("put back to open" if row in back else word, view.label, view.kind))
    return effects


def _step(instance: Instance, number: int, move: Move, back: Sequence[Draft]) -> Step:
    return Step(number, _label(instance, move.task, move.element), move.value, tuple(_labels(instance, back)))


def _labels(instance: Instance, drafts: Sequence[Draft]) -> list[str]:
    return list(dict.fromkeys(_label(instance, draft.task, draft.element) for draft in drafts))


def _label(instance: Instance, task: str, element: str) -> str:
    name = instance.name_of(task)
    return f"{name} · {element}" if element else name
