"""Where an instance stands as a whole, in a word and in a sentence (semantics, section 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

from board.process.definition.table import Row
from board.process.engine.fold import Fold
from board.process.engine.status.status import NEVER, UNFINISHED, is_finished

State = Literal["active", "complete", "stuck", "cancelled"]


def left_over(instance: Fold) -> frozenset[int]:
    """The unfinished rows of groups of which enough elements are complete, that nothing outside still waits for."""
    found: set[int] = set()
    for group in instance.flow.groups.values():
        if not instance.statuses.group_complete(group.row.task):
            continue
        rows = {row for t in group.members for row in instance.rows_of(instance.flow.tasks[t])}
        rest = {
            row for row in rows if _is_unfinished(instance, row) and not _is_complete(instance, group.row.task, row)
        }
        if rest:
            found |= rest - _wanted_outside(instance, rows)
    return frozenset(found)


def state(instance: Fold, rest: frozenset[int]) -> State:
    """The state in a word; `rest` are the rows left over."""
    if instance.cancelled:
        return "cancelled"
    under_way, held_up = (
        sum(_number(instance, name, rest) for name in names) for names in (("open", "doing"), ("blocked", "failed"))
    )
    return "active" if under_way else "stuck" if held_up else "complete"


def sentence(instance: Fold, rest: frozenset[int]) -> str:
    """The state in a sentence: what the worker runs or may run, and whom or what the instance waits for."""
    word = state(instance, rest)
    if word == "cancelled":
        return f"Cancelled by {instance.cancelled_by}: {instance.cancelled}"
    if word == "complete":
        return "Complete: nothing is left to do"
    if word == "stuck":
        return "Stuck: " + "; ".join(_troubles(instance, rest))
    parts = [
        ("the worker is running: ", _names(instance, "doing", lambda r: r.is_script, rest)),
        ("the worker may run: ", _names(instance, "open", lambda r: r.is_script, rest)),
        ("waiting for people on: ", _names(instance, ("open", "doing"), lambda r: r.role != "system", rest)),
        ("waiting for messages on: ", _names(instance, ("open", "doing"), lambda r: r.is_receive, rest)),
        ("failed: ", _names(instance, "failed", lambda _: True, rest, unasked=True)),
    ]
    said = "; ".join(start + ", ".join(names) for start, names in parts if names)
    return said[:1].upper() + said[1:]


def asked_again(instance: Fold, row: int) -> str:
    """The task whose answer skips a row only for now, as it is on its way to be answered anew; "" for any other row."""
    seen, todo = {row}, [row]
    while todo:
        at = todo.pop()
        if instance.status(at) != "skipped":
            if is_finished(instance.status(at)) and _is_on_its_way(instance, at):
                return instance.task_of(at)
            continue
        nevers = (gate for gate, state in instance.statuses.gates(at) if state == NEVER and gate.kind == "task")
        sources = {r for gate in nevers for r in instance.statuses.source_rows(at, gate)} - seen
        seen |= sources
        todo.extend(sorted(sources))
    return ""


def _is_on_its_way(instance: Fold, row: int) -> bool:
    """Whether something unfinished will put a finished row back to open: a fix of it, or a step of its next round."""
    flow, t = instance.flow, instance.statuses.task[row]
    for x in flow.cycles[flow.cycle_of(t)] if flow.cycle_of(t) < len(flow.cycles) else ():
        again = any(each.source == x and not each.label for each in flow.rearms[t])
        round_ = [answer for answer in flow.answers(flow.tasks[x]) if t in flow.between(x, answer)]
        for other in instance.related(row, x) if again or round_ else ():
            if instance.status(other) in UNFINISHED - {"skipped"} and (again or instance.finished(other) is not None):
                return True
    return False


def _troubles(instance: Fold, rest: frozenset[int]) -> Iterable[str]:
    failed = _names(instance, "failed", lambda _: True, rest, unasked=True)
    if failed:
        yield "failed: " + ", ".join(failed) + " (retry or repair it)"
        return
    reasons: dict[str, None] = {}
    for t, task in enumerate(instance.flow.tasks):
        if instance.tally(t)["blocked"]:
            first = next(r for r in instance.rows_of(task) if instance.status(r) == "blocked")
            waiting = instance.held_by(first)
            if waiting is not None:
                reasons[f"{instance.name_of(task)} waits for {instance.name_of(waiting.id)}"] = None
    yield from list(reasons)[:3]


def _names(
    instance: Fold,
    states: str | tuple[str, ...],
    chosen: Callable[[Row], bool],
    rest: frozenset[int],
    *,
    unasked: bool = False,
) -> list[str]:
    """The names of the tasks with rows in one of these states, with their number when there is more than one."""
    found: list[str] = []
    wanted = (states,) if isinstance(states, str) else states
    for t in instance.flow.order:
        definition = instance.flow.rows[t]
        if not chosen(definition) or (unasked and instance.flow.is_asked(t, "failed")):
            continue
        number = sum(instance.tally(t)[name] for name in wanted)
        if number and rest:
            number -= sum(
                1 for row in instance.rows_of(definition.task) if row in rest and instance.status(row) in wanted
            )
        if number:
            found.append(definition.name + (f" ({number})" if number > 1 else ""))
    return found


def _number(instance: Fold, name: str, rest: frozenset[int]) -> int:
    """How many rows that count are in a state; a failure somebody asks for is settled."""
    found = 0
    for t in range(len(instance.flow.tasks)):
        if name == "failed" and instance.flow.is_asked(t, "failed"):
            continue
        found += instance.tally(t)[name]
    return found - sum(1 for row in rest if instance.status(row) == name and _counts_as(instance, row, name))


def _counts_as(instance: Fold, row: int, name: str) -> bool:
    return name != "failed" or not instance.flow.is_asked(instance.statuses.task[row], "failed")


def _is_unfinished(instance: Fold, row: int) -> bool:
    return instance.status(row) in ("open", "doing", "blocked", "failed") and _counts_as(
        instance, row, instance.status(row)
    )


def _is_complete(instance: Fold, group: str, row: int) -> bool:
    return instance.statuses.is_element_complete(group, row - instance.statuses.base[instance.statuses.task[row]])


def _wanted_outside(instance: Fold, rows: set[int]) -> set[int]:
    """Every row that a blocked row outside `rows` waits for, directly or through other rows."""
    wanted: set[int] = set()
    todo = [row for row in range(instance.size) if row not in rows and instance.status(row) == "blocked"]
    seen = set(todo)
    while todo:
        for row in instance.statuses.waits_for(todo.pop()):
            if row not in seen:
                seen.add(row)
                wanted.add(row)
                todo.append(row)
    return wanted
