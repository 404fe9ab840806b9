"""From a form to a service: what was wished for, whether it was granted, and what to tell the person.

The same for a button of the board, the row's page and My work, with scripts or without.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from board.accounts.names import shown
from board.accounts.people import holds, roles_for
from board.log.event import Event
from board.log.tail import Tail
from board.process.engine.actor import Actor
from board.process.engine.decide import Refusal, title
from board.process.engine.events import REARM, author, read_author
from board.process.engine.instance import Instance
from board.services import tasks
from board.services.tasks import Place
from board.services.write import row_of

FORBIDDEN = frozenset({"no_right", "four_eyes"})
UNREADABLE = frozenset({"note_needed", "answer", "due", "assignee", "wish"})
MAX_NOTE = 20_000


@dataclass(frozen=True, slots=True)
class Wish:
    """What a form asks for one row."""

    do: str
    value: str = ""
    note: str = ""
    along: bool = False
    assignee: str = ""
    due: str = ""

    @classmethod
    def read(cls, form: Mapping[str, str]) -> Wish:
        """The wish of a form as it was sent, a button `finish:ANSWER` or a `value`; nothing missing is guessed."""
        do, _, answer = form.get("do", "").partition(":")
        return cls(
            do,
            answer or form.get("value", "").strip(),
            form.get("note", "").strip()[:MAX_NOTE],
            form.get("along", "") == "yes",
            form.get("assignee", "").strip(),
            form.get("due", "").strip(),
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a wish: the events, and the sentence that says so. A wish granted before has no events."""

    said: str
    events: list[Event]


def status_of(refusal: Refusal) -> int:
    """The answer a refusal is sent with: 403 no right to it, 404 no such row, 422 the form is wrong, 409 too late."""
    if refusal.code in FORBIDDEN:
        return 403
    if refusal.code in UNREADABLE:
        return 422
    return 404 if refusal.code in ("no_instance", "unknown_task", "unknown_element") else 409


def act(tail: Tail, instance: str, at: Place, who: Actor, wish: Wish) -> Outcome:
    """Do what the form asks for, or raise Refusal; sent twice, the second one changes nothing and says the same."""
    try:
        events = _do(tail, instance, at, who, wish)
    except Refusal as refusal:
        if not _was_granted(tail, instance, at, who, wish, refusal):
            raise
        events = []
    with tail.reading():
        found = tail.get(instance)
        name = title(found, row_of(found, *at)) if found is not None else at.task
    return Outcome(_said(wish, name, events), events)


def _do(tail: Tail, instance: str, at: Place, who: Actor, wish: Wish) -> list[Event]:
    match wish.do:
        case "take":
            return tasks.take(tail, instance, at, who)
        case "start":
            return tasks.start(tail, instance, at, who)
        case "finish":
            return tasks.finish(tail, instance, at, who, wish.value, wish.note)
        case "reopen":
            return tasks.reopen(tail, instance, at, who, wish.note, along=wish.along)
        case "comment":
            return tasks.comment(tail, instance, at, who, wish.note)
        case "assign":
            held = not wish.assignee or holds(wish.assignee, _roles(tail, instance, at))
            return tasks.assign(tail, instance, at, who, wish.assignee, holds_role=held)
        case "due":
            return tasks.set_due(tail, instance, at, who, wish.due)
        case "retry":
            return tasks.retry(tail, instance, at, who)
        case "fail":
            return tasks.fail(tail, instance, at, who, wish.note)
    raise Refusal("wish", "The form did not say what to do: press one of its buttons.")


def _roles(tail: Tail, instance: str, at: Place) -> Collection[str]:
    with tail.reading():
        found = tail.get(instance)
        return () if found is None else roles_for(found.definition(row_of(found, *at)), found.flow)


def _said(wish: Wish, name: str, events: Iterable[Event]) -> str:
    again = sum(event.field == "status" and read_author(event.actor).occasion == REARM for event in events)
    answer = "finished" if wish.value == "done" else f"answered “{wish.value}”"
    return {
        "take": f"{name} is yours now.",
        "start": f"{name}: started.",
        "finish": f"{name}: {answer}.{f' {again} more opened again.' if again else ''}",
        "reopen": f"{name}: reopened{', with what comes after it' if wish.along else ''}.",
        "comment": f"Your comment on {name} is in the log.",
        "assign": f"{name}: assigned to {shown(wish.assignee) if wish.assignee else 'nobody'}.",
        "due": f"{name}: due {wish.due or 'as the process says'}.",
        "retry": f"{name}: the worker tries again.",
        "fail": f"{name}: ended as failed.",
    }[wish.do]


def _leaves(wish: Wish, who: Actor) -> tuple[str, str]:
    """The field an action leaves behind, and its value."""
    return {
        "take": ("assignee", who.name),
        "start": ("status", "doing"),
        "finish": ("status", wish.value),
        "reopen": ("status", "open"),
        "comment": ("note", wish.note),
        "assign": ("assignee", wish.assignee),
        "due": ("due", wish.due),
        "retry": ("status", "open"),
        "fail": ("status", "failed"),
    }[wish.do]


def _was_granted(tail: Tail, instance: str, at: Place, who: Actor, wish: Wish, refusal: Refusal) -> bool:
    """Whether the row is as wished already, by the same person: a double click, a form sent again."""
    if refusal.code not in ("unchanged", "finished"):
        return False
    with tail.reading():
        found = tail.get(instance)
        if found is None:
            return False
        field, value = _leaves(wish, who)
        event = found.latest(row_of(found, *at), field)
    return event is not None and event.value == value and author(event) == who.name


def at_place(instance: Instance, row: int) -> Place:
    """A row by name."""
    return Place(instance.task_of(row), instance.element_of(row))
