"""Starting, cancelling and resuming instances."""

from __future__ import annotations

from board.log.event import Event, utcnow
from board.log.store import id_problem
from board.log.tail import Tail
from board.process.definition.table import ElementList, ProcessTable
from board.process.engine import decide
from board.process.engine.actor import Actor
from board.process.engine.decide import Refusal
from board.process.engine.instance import InstanceError
from board.process.engine.start import start_drafts
from board.process.validation.problems import check
from board.services.write import Clock, events_of, write


def start(
    tail: Tail,
    who: Actor,
    name: str,
    instance_id: str,
    elements: ElementList | None = None,
    *,
    table: ProcessTable | None = None,
    now: Clock = utcnow,
) -> list[Event]:
    """Start an instance of a saved definition, or of `table` under that name; raises Refusal.

    The table is stamped into the log: editing the definition later changes nothing here.
    """
    if not (who.may_operate or who.may_edit):
        raise Refusal("no_right", "Only an operator or a process editor may start an instance.")
    check_id(instance_id)
    with tail.acting() as acting:
        # ids that differ in case only would share a folder on some disks
        there = next((head.id for head in tail.ids() if head.id.casefold() == instance_id.casefold()), None)
        if there is not None:
            raise Refusal("exists", f"There is an instance “{there}” already: choose another id.")
        if table is None:
            definition = tail.definition(name)
            if definition is None:
                raise Refusal("no_process", f"There is no process “{name}”: see the list of processes.")
            table = definition.table
        _check_table(name, table)
        moment = now()
        try:
            drafts = start_drafts(table, elements, name=name, created=moment, actor=who.name)
        except InstanceError as error:
            raise Refusal("elements", str(error)[:1].upper() + str(error)[1:] + ".") from error
        return acting.append(events_of(instance_id, drafts, moment))


def cancel(tail: Tail, instance_id: str, who: Actor, reason: str, *, now: Clock = utcnow) -> list[Event]:
    """End an instance, for a reason."""
    return write(tail, instance_id, lambda i: decide.cancel(i, who, reason), now)


def resume(tail: Tail, instance_id: str, who: Actor, *, now: Clock = utcnow) -> list[Event]:
    """Take a cancellation back."""
    return write(tail, instance_id, lambda i: decide.resume(i, who), now)


def check_id(instance_id: str) -> None:
    """Refuse what cannot be an instance id (letters, digits, `. _ -`, at most 64, not starting with `.` or `-`)."""
    problem = id_problem(instance_id)
    if problem:
        raise Refusal("instance_id", problem)


def _check_table(name: str, table: ProcessTable) -> None:
    errors = [p for p in check(table) if p.level == "error"]
    if errors:
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise Refusal("errors", f"“{name}” has errors and cannot be started{more}: {errors[0].message}")
