"""Events for tests of the pure core, without a log."""

from typing import NamedTuple

from board.process.engine.events import Draft


class Happened(NamedTuple):
    """The least that the fold reads of an event."""

    task: str
    field: str
    value: str
    actor: str
    element: str = ""
    attempt: int | str = ""
    ref: str = ""
    ts: str = "2026-11-29T16:00:00Z"


def happened(task: str, value: str, element: str = "", *, field: str = "status", actor: str = "ana") -> Happened:
    return Happened(task, field, value, actor, element)


def written(draft: Draft, ts: str = "2026-11-29T16:00:00Z") -> Happened:
    return Happened(**draft._asdict(), ts=ts)
