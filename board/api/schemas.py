"""What goes in and out of the API."""

from __future__ import annotations

from typing import Literal

from ninja import Field, Schema


class Error(Schema):
    """Why a request was not granted: a code for programs, a sentence for people."""

    code: str
    message: str


class Head(Schema):
    """One instance in the list."""

    instance: str
    process: str
    version: str
    created: str
    created_by: str
    state: str
    sentence: str


class RowOut(Schema):
    """One row: a task, and its element when it repeats."""

    task: str
    element: str | None
    status: str
    waiting: str | None
    assignee: str | None
    due: str | None


class CountsOut(Schema):
    """The rows of one repeated task by state."""

    task: str
    total: int
    required: int
    open: int
    doing: int
    blocked: int
    skipped: int
    failed: int
    done: int


class InstanceOut(Head):
    """One instance whole."""

    position: str
    rows: list[RowOut]
    counts: list[CountsOut]


class StartIn(Schema):
    """A new instance of a saved process."""

    process: str
    instance: str
    elements: list[str] | dict[str, list[str]] | None = Field(
        None, description="ids, or one array per column with the ids in the first"
    )


class EventOut(Schema):
    """One event of the log."""

    ts: str
    instance: str
    task: str
    field: str
    value: str
    actor: str
    element: str = ""
    ref: str = ""
    attempt: int | str = ""


class EventsOut(Schema):
    """Events after a position, and the position to ask from next."""

    position: str
    events: list[EventOut]


class ActIn(Schema):
    """A wish for one row."""

    task: str
    element: str = ""
    do: Literal["take", "start", "finish", "reopen", "comment", "assign", "due", "retry", "fail"]
    value: str = Field("", description="the answer to finish with, the assignee, or the deadline")
    note: str = ""
    along: bool = Field(False, description="with reopen: take everything after it along")


class MessageIn(Schema):
    """A message from another system, as a file in the inbox would carry it."""

    task: str
    instance: str = "latest"
    element: str = ""
    field: str = "status"
    value: str = "done"


class MessageOut(Schema):
    """What became of a message: `applied`, `duplicate`, or `pending` until its instance is started."""

    ref: str
    outcome: Literal["applied", "duplicate"]


class ProcessOut(Schema):
    """One saved definition: the table with one array per column."""

    name: str
    version: str
    note: str
    saved: str
    saved_by: str
    table: dict[str, list[str]]
