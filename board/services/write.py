"""The one way anything is written: under the append lock, against the log as it then stands.

Semantics, section 7.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from board.log.event import Event, utcnow
from board.log.tail import Acting, Tail
from board.process.engine.decide import Refusal
from board.process.engine.events import Draft
from board.process.engine.instance import Instance

Clock = Callable[[], str]


def events_of(instance_id: str, drafts: Iterable[Draft], now: str) -> list[Event]:
    """Drafts as events of an instance at a time (UTC)."""
    return [Event(now, instance_id, d.task, d.field, d.value, d.actor, d.element, d.ref, d.attempt) for d in drafts]


def write(
    tail: Tail, instance_id: str, decide: Callable[[Instance], Sequence[Draft]], now: Clock = utcnow
) -> list[Event]:
    """Ask a decision under the append lock and append what it says with one call; raises Refusal."""
    with tail.acting() as acting:
        instance = existing(acting, instance_id)
        return acting.append(events_of(instance.id, decide(instance), now()))


def existing(acting: Acting, instance_id: str) -> Instance:
    """The instance as the log stands under the lock; raises Refusal if there is none."""
    instance = acting.instance(instance_id)
    if instance is None:
        raise Refusal("no_instance", f"There is no instance “{instance_id}”: see the list of instances.")
    return instance


def row_of(instance: Instance, task: str, element: str = "") -> int:
    """The row of a task and element; raises Refusal that says which of them is unknown."""
    row = instance.find(task, element)
    if row is not None:
        return row
    if task in instance.flow.groups:
        raise Refusal("group_row", f"“{task}” is a group: act on its tasks.")
    if task not in instance.flow.index:
        raise Refusal("unknown_task", f"{instance.id} has no task “{task}”.")
    if not element:
        raise Refusal("element_missing", f"“{task}” is done once per element: name the element.")
    if not instance.repeats(task):
        raise Refusal("element_on_single", f"“{task}” does not repeat: leave the element out.")
    raise Refusal("unknown_element", f"{instance.id} has no element “{element}”.")
