"""Given an instance and a wish: the events to append, or a Refusal that says why (semantics, sections 6 and 7).

Nothing here writes or knows the time. The same decision is asked again under the append lock, against the log as it
then stands, so two people cannot both win.

    Refusal
      code    what kind: finished, not_ready, no_right, assigned, four_eyes, note_needed, answer, cancelled, unchanged
      message a whole sentence for people: who was first and when, or the remedy
"""

from __future__ import annotations

from collections.abc import Iterable

from board.process.definition.table import Row
from board.process.engine.actor import Actor
from board.process.engine.events import INSTANCE, REGISTER, Draft, account, author, signature
from board.process.engine.instance import Instance
from board.process.engine.status.status import is_finished


class Refusal(Exception):
    """A wish that cannot be granted; `code` for programs, `message` a sentence for people, `row` where it happened."""

    def __init__(self, code: str, message: str, row: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.row = row


def take(instance: Instance, row: int, who: Actor) -> list[Draft]:
    """Assign an unfinished row to oneself; taking over another's is the same event (semantics, section 7.2)."""
    _check_holder(instance, row, who)
    _check_not_cancelled(instance)
    _check_unfinished(instance, row)
    if instance.value(row, "assignee") == who.name:
        raise Refusal("unchanged", f"{title(instance, row)} is yours already.", row)
    return [_draft(instance, row, "assignee", who.name, who)]


def start(instance: Instance, row: int, who: Actor) -> list[Draft]:
    """Say that one is at it; an unassigned row becomes one's own."""
    _check_holder(instance, row, who)
    _check_ready(instance, row)
    _check_assigned(instance, row, who)
    if instance.status(row) == "doing":
        raise Refusal("unchanged", f"{title(instance, row)} is in progress already{_since(instance, row)}.", row)
    mine = [] if instance.value(row, "assignee") else [_draft(instance, row, "assignee", who.name, who)]
    return [*mine, _draft(instance, row, "status", "doing", who)]


def finish(instance: Instance, row: int, who: Actor, value: str, note: str = "") -> list[Draft]:
    """Finish a row with `done` or an answer, consequences included."""
    value, note = value.strip(), note.strip()
    definition = instance.definition(row)
    receive = definition.is_receive and who.may_operate
    if not receive:
        _check_holder(instance, row, who)
    _check_ready(instance, row)
    _check_assigned(instance, row, who)
    _check_four_eyes(instance, row, who)
    offered = instance.flow.answers(definition.task)
    if value not in offered:
        raise Refusal("answer", f"“{value}” is no answer of {definition.name}: choose {_either(offered)}.", row)
    if not note and (receive or instance.flow.asks_note(definition.task, value)):
        raise Refusal("note_needed", f"Finishing {title(instance, row)} with “{value}” asks for a note: say why.", row)
    notes = [_draft(instance, row, "note", note, who)] if note else []
    return [*notes, *finishing(instance, row, value, who.name)]


def finishing(
    instance: Instance, row: int, value: str, actor: str, *, attempt: int | str = "", ref: str = ""
) -> list[Draft]:
    """The status event of a finish and what it puts back to open, whoever is behind it."""
    draft = Draft(instance.task_of(row), "status", value, actor, instance.element_of(row), attempt, ref)
    return [draft, *instance.rearm_drafts(instance.consequences(row, value), actor, ref)]


def reopen(instance: Instance, row: int, who: Actor, note: str, *, along: bool = False) -> list[Draft]:
    """Put a finished row, or one in progress, back to open; `along` takes everything after it with it."""
    _check_may_reopen(instance, row, who)
    status = instance.status(row)
    if status not in ("doing", "failed") and not is_finished(status):
        raise Refusal("unchanged", f"{title(instance, row)} is not finished: there is nothing to reopen.", row)
    if not note.strip():
        raise Refusal("note_needed", f"Reopening {title(instance, row)} asks for a note: say why.", row)
    rows = [row, *(would_reopen(instance, row) if along else ())]
    return [
        _draft(instance, row, "note", note.strip(), who),
        *(_draft(instance, r, "status", "open", who) for r in rows),
    ]


def would_reopen(instance: Instance, row: int) -> list[int]:
    """The rows after a row that reopening it can take along: finished or in progress, in flow order."""
    flow = instance.flow
    found: set[int] = {row}
    todo = [row]
    while todo:
        at = todo.pop()
        for t in flow.forward[instance.statuses.task[at]]:
            new = [r for r in instance.related(at, t) if r not in found]
            found.update(new)
            todo.extend(new)
    found.discard(row)
    moved = (r for r in found if instance.status(r) == "doing" or is_finished(instance.stored(r)))
    return sorted(moved, key=lambda r: (flow.rank[instance.statuses.task[r]], r))


def comment(instance: Instance, row: int, who: Actor, text: str) -> list[Draft]:
    """Say something about a row; about what the system does it is the operators who have something to say."""
    if instance.definition(row).role != "system" or not who.may_operate:
        _check_holder(instance, row, who)
    if not text.strip():
        raise Refusal("note_needed", "There is nothing to say: write the comment first.", row)
    last = instance.latest(row, "note")
    if last is not None and (signature(last), last.value) == (who.name, text.strip()):
        raise Refusal("unchanged", f"{who.name} said that of {title(instance, row)} already.", row)
    return [_draft(instance, row, "note", text.strip(), who)]


def assign(instance: Instance, row: int, who: Actor, assignee: str, *, holds_role: bool = True) -> list[Draft]:
    """Assign an unfinished row to somebody who holds its role; "" takes the assignment away."""
    definition = instance.definition(row)
    if definition.role == "system":
        raise Refusal("no_right", f"{definition.name} is done by the system: it is assigned to nobody.", row)
    if not who.may_operate:
        _check_holder(instance, row, who)
    _check_not_cancelled(instance)
    _check_unfinished(instance, row)
    if assignee and not holds_role:
        raise Refusal("no_right", f"{assignee} does not hold {_roles_of(definition)}.", row)
    if instance.value(row, "assignee") == assignee:
        raise Refusal("unchanged", f"{title(instance, row)} is assigned to {assignee or 'nobody'} already.", row)
    return [_draft(instance, row, "assignee", assignee, who)]


def set_due(instance: Instance, row: int, who: Actor, due: str) -> list[Draft]:
    """Give a row a deadline of its own (a date, or a date and time); "" returns to the table's."""
    if not who.may_operate:
        _check_holder(instance, row, who)
    _check_not_cancelled(instance)
    if instance.value(row, "due") == due:
        raise Refusal("unchanged", f"{title(instance, row)} has that deadline already.", row)
    return [_draft(instance, row, "due", due, who)]


def retry(instance: Instance, row: int, who: Actor) -> list[Draft]:
    """Let the worker try a failed script again, with its retries counted anew."""
    _check_operates_script(instance, row, who, "retry")
    if instance.status(row) != "failed":
        raise Refusal("unchanged", f"{title(instance, row)} has not failed: there is nothing to retry.", row)
    return [_draft(instance, row, "status", "open", who)]


def fail(instance: Instance, row: int, who: Actor, note: str) -> list[Draft]:
    """End a script that runs or waits for its turn, as failed."""
    _check_operates_script(instance, row, who, "fail")
    if instance.status(row) not in ("open", "doing"):
        raise Refusal("unchanged", f"{title(instance, row)} neither runs nor is ready{_since(instance, row)}.", row)
    if not note.strip():
        raise Refusal("note_needed", f"Failing {title(instance, row)} asks for a note: say why.", row)
    return [_draft(instance, row, "note", note.strip(), who), *finishing(instance, row, "failed", who.name)]


def cancel(instance: Instance, who: Actor, reason: str) -> list[Draft]:
    """End an instance as a whole: scripts that run are ended, nothing opens, messages are refused.

    Semantics, section 5.3.
    """
    _check_operator(who, "cancel an instance")
    if not reason.strip():
        raise Refusal("note_needed", "Cancelling an instance asks for a reason.")
    if instance.cancelled:
        raise Refusal("cancelled", f"{instance.id} is cancelled already, by {instance.cancelled_by}.")
    return [Draft(INSTANCE, "cancelled", reason.strip(), who.name)]


def resume(instance: Instance, who: Actor) -> list[Draft]:
    """Take a cancellation back."""
    _check_operator(who, "resume an instance")
    if not instance.cancelled:
        raise Refusal("unchanged", f"{instance.id} is not cancelled: it goes on already.")
    return [Draft(INSTANCE, "cancelled", "", who.name)]


def title(instance: Instance, row: int) -> str:
    """How people call a row: its task's name, and its element."""
    element = instance.element_of(row)
    name = instance.definition(row).name
    return f"{name} · {element}" if element else name


def may(wish: str, instance: Instance, row: int, who: Actor) -> bool:
    """Whether an actor could do this to the row as it stands, given an answer and a note where they are asked for."""
    task = instance.task_of(row)
    tries = {
        "take": lambda: take(instance, row, who),
        "start": lambda: start(instance, row, who),
        "finish": lambda: finish(instance, row, who, instance.flow.answers(task)[0], "…"),
        "reopen": lambda: reopen(instance, row, who, "…"),
        "comment": lambda: comment(instance, row, who, "…"),
        "assign": lambda: assign(instance, row, who, "…"),
        "retry": lambda: retry(instance, row, who),
        "fail": lambda: fail(instance, row, who, "…"),
    }
    try:
        tries[wish]()
    except Refusal:
        return False
    return True


def _draft(instance: Instance, row: int, field: str, value: str, who: Actor) -> Draft:
    return Draft(instance.task_of(row), field, value, who.name, instance.element_of(row))


def _check_not_cancelled(instance: Instance) -> None:
    if instance.cancelled:
        raise Refusal("cancelled", f"{instance.id} is cancelled: an operator may resume it.")


def _check_operator(who: Actor, wish: str) -> None:
    if not who.may_operate:
        raise Refusal("no_right", f"Only an operator may {wish}.")


def _check_holder(instance: Instance, row: int, who: Actor) -> None:
    definition = instance.definition(row)
    if definition.role == "system":
        by = "a script" if definition.is_script else "a message"
        raise Refusal("no_right", f"{definition.name} is done by {by}, not by people.", row)
    if not who.holds(definition, instance.flow):
        role = _roles_of(definition)
        raise Refusal("no_right", f"{definition.name} is for {role}, which {who.name} does not hold.", row)


def _roles_of(definition: Row) -> str:
    one = "the role" if len(definition.roles) == 1 else "any of the roles"
    return f"{one} {', '.join(definition.roles)}" if definition.roles else "a role of this process"


def _check_may_reopen(instance: Instance, row: int, who: Actor) -> None:
    _check_not_cancelled(instance)
    if not who.may_operate:
        _check_holder(instance, row, who)


def _check_operates_script(instance: Instance, row: int, who: Actor, wish: str) -> None:
    _check_operator(who, f"{wish} a script task")
    _check_not_cancelled(instance)
    if not instance.definition(row).is_script:
        raise Refusal("no_right", f"{instance.definition(row).name} is done by no script.", row)


def _check_unfinished(instance: Instance, row: int) -> None:
    status = instance.status(row)
    if is_finished(status):
        raise Refusal("finished", f"{title(instance, row)} is already “{status}”{_since(instance, row)}.", row)


def _check_ready(instance: Instance, row: int) -> None:
    _check_not_cancelled(instance)
    _check_unfinished(instance, row)
    if instance.status(row) == "skipped":
        raise Refusal("not_ready", f"{title(instance, row)} is not needed: what it waits for went another way.", row)
    waiting = instance.held_by(row)
    if waiting is not None:
        failed = ", which has failed" if waiting.failed else ""
        name = instance.name_of(waiting.id)
        raise Refusal("not_ready", f"{title(instance, row)} waits for {name}{failed}.", row)


def _check_assigned(instance: Instance, row: int, who: Actor) -> None:
    event = instance.latest(row, "assignee")
    if event is not None and event.value and event.value != who.name:
        by = "" if author(event) in (event.value, REGISTER) else f"{author(event)}, "
        raise Refusal(
            "assigned",
            f"{title(instance, row)} is assigned to {event.value} ({by}{event.ts}): take it over first.",
            row,
        )


def _check_four_eyes(instance: Instance, row: int, who: Actor) -> None:
    for task in instance.definition(row).not_by_tasks:
        t = instance.flow.index.get(task)
        rows: Iterable[int] = () if t is None else instance.related(row, t)
        for other in rows:
            if who.name in {account(event.actor) for event in instance.signers(other)}:
                raise Refusal(
                    "four_eyes",
                    f"{who.name} finished {title(instance, other)} and so may not finish {title(instance, row)}:"
                    " it takes somebody else.",
                    row,
                )


def _since(instance: Instance, row: int) -> str:
    event = instance.latest(row, "status")
    return f": {signature(event)} was first, {event.ts}" if event is not None else ""


def _either(answers: tuple[str, ...]) -> str:
    return " or ".join(f"“{answer}”" for answer in answers)
