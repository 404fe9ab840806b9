"""One instance: the fold of its events.

`Instance.apply` takes in one event and costs what the event can change. Everything pages and decisions ask is a reading
of what was folded; nothing here knows the time.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from board.process.definition.table import ElementError, ElementList, ProcessTable, Row
from board.process.definition.text import heading
from board.process.definition.times import read_deadline, read_time
from board.process.engine import summary
from board.process.engine.attempts import Attempts
from board.process.engine.events import INSTANCE, Draft, EventLike, account
from board.process.engine.flow.flow import Flow, compile_flow
from board.process.engine.status.status import Statuses, Waiting, is_finished
from board.process.validation.bounds import MAX_INSTANCE_ROWS, read_elements, read_table
from board.process.validation.problems import error_of_a_start

STATES = ("open", "doing", "blocked", "skipped", "failed", "done")


class InstanceError(ValueError):
    """What the log holds of an instance cannot be read as one; the message says what and the remedy."""


class Counts(NamedTuple):
    """Rows of one task by state; `required` is how many are enough, `done` is finished without failed."""

    total: int
    required: int
    open: int
    doing: int
    blocked: int
    skipped: int
    failed: int
    done: int


def state_class(status: str) -> str:
    """The state a status counts as: itself, or `done` for any answer."""
    return status if status in STATES else "done"


class Instance:
    """A running process: its flow, its elements and the state of every row (an int from 0)."""

    def __init__(self, instance_id: str, table: ProcessTable, elements: ElementList | None, *, name: str = "") -> None:
        self.id = instance_id
        self.name = name
        self.version = table.version
        self.created = ""
        self.created_by = ""
        self.cancelled = ""
        self.cancelled_by = ""
        self.elements = elements if elements is not None else ElementList.from_ids(())
        self.flow: Flow = compile_flow(table)
        if self.flow.nested:
            raise InstanceError("groups inside groups cannot be started yet: take the inner group out of the outer one")
        self._ids = self._all_element_ids()
        places: dict[str, dict[str, int]] = {}
        for t, ids in enumerate(self._ids):
            if ids is not None and self.flow.collection_of(t) not in places:
                places[self.flow.collection_of(t)] = {element: n for n, element in enumerate(ids)}
        self._place = [places.get(self.flow.collection_of(t), {}) for t in range(len(self._ids))]
        self.statuses = Statuses(self.flow, [None if ids is None else len(ids) for ids in self._ids])
        self.size = len(self.statuses.shown)
        self.seq = 0
        self._fields: dict[int, dict[str, EventLike]] = {}
        self._outputs: dict[int, dict[str, str]] = {}
        self._opened: dict[int, str] = {}
        self._finished: dict[int, EventLike] = {}
        self._signed: dict[int, EventLike] = {}
        self._finishes: dict[int, int] = {}
        self._moved: dict[int, int] = {}
        self._moved_task = [0] * len(self.flow.tasks)
        self._attempts = Attempts()
        self._owed: dict[int, tuple[EventLike, int]] = {}  # by row: the finish that re-arms it, and of which row
        self._tally = [dict.fromkeys(STATES, 0) for _ in self.flow.tasks]
        self._ready: list[tuple[int, int]] = []
        self._doing: set[int] = set()
        self._left_over: tuple[int, frozenset[int]] | None = None
        self._open: set[int] = set()
        for row, shown in enumerate(self.statuses.shown):
            self._tally[self.statuses.task[row]][state_class(shown)] += 1
            self._enter(row, shown, "")
        self._ready.sort()

    @classmethod
    def from_start(cls, instance_id: str, events: Iterable[EventLike]) -> Instance:
        """The instance that the `@instance` events of a start describe; raises InstanceError."""
        first: dict[str, EventLike] = {}
        for event in events:
            if event.task == INSTANCE:
                first.setdefault(event.field, event)
        if "process" not in first:
            raise InstanceError(f"instance {instance_id} has no process in the log: start it again under another id")
        try:
            table = read_table(first["process"].value)
            if error := error_of_a_start(table):
                raise InstanceError(f"its table has an {error}")
            raw = first["elements"].value if "elements" in first else ""
            elements = read_elements(raw) if raw else None
            found = cls(instance_id, table, elements, name=heading(first["name"].value) if "name" in first else "")
        except (ValueError, RecursionError) as wrong:
            raise InstanceError(f"instance {instance_id} cannot be read: {wrong}") from wrong
        start = first.get("created", first["process"])
        found.created = heading(start.value if start.field == "created" else start.ts)
        found.created_by = heading(start.actor)
        for row in found._open:
            found._opened[row] = start.ts
        return found

    # rows

    def find(self, task: str, element: str = "") -> int | None:
        """The row of a task (and element); None if there is none."""
        t = self.flow.index.get(task)
        if t is None:
            return None
        ids = self._ids[t]
        if ids is None:
            return None if element else self.statuses.base[t]
        e = self._place[t].get(element)
        return None if e is None else self.statuses.base[t] + e

    def task_of(self, row: int) -> str:
        return self.flow.tasks[self.statuses.task[row]]

    def element_of(self, row: int) -> str:
        t = self.statuses.task[row]
        ids = self._ids[t]
        return "" if ids is None else ids[row - self.statuses.base[t]]

    def rows_of(self, task: str) -> range:
        t = self.flow.index[task]
        return range(self.statuses.base[t], self.statuses.base[t + 1])

    def definition(self, row: int) -> Row:
        return self.flow.rows[self.statuses.task[row]]

    def repeats(self, task: str) -> bool:
        return self._ids[self.flow.index[task]] is not None

    def facets(self, row: int) -> Mapping[str, str]:
        """The further columns of the row's element."""
        element = self.element_of(row)
        return self.elements.facets(element) if element else {}

    # states

    def status(self, row: int) -> str:
        """What people see: open, doing, blocked, skipped, failed, done or an answer."""
        return self.statuses.shown[row]

    def stored(self, row: int) -> str:
        return self.statuses.stored[row]

    def waiting(self, row: int) -> Waiting | None:
        """What a blocked row waits for first."""
        return self.statuses.waiting(row)

    def asked_again(self, row: int) -> str:
        """The task because of whose answer a row is skipped for now, as it will be answered anew; "" if it stays so."""
        return summary.asked_again(self, row) if self.status(row) == "skipped" else ""

    def name_of(self, task_or_group: str) -> str:
        """The label people see of a task or a group; an unknown id reads as itself."""
        row = self.flow.table.row(task_or_group)
        return row.name if row is not None else task_or_group

    def counts(self, task: str) -> Counts:
        t = self.flow.index[task]
        tally = self._tally[t]
        size = self.statuses.base[t + 1] - self.statuses.base[t]
        return Counts(size, self.statuses.required(t), *(tally[state] for state in STATES))

    def tally(self, t: int) -> Mapping[str, int]:
        """How many rows of task number `t` are in each state."""
        return self._tally[t]

    @property
    def state(self) -> str:
        """`active`, `complete`, `stuck` or `cancelled`."""
        return summary.state(self)

    def sentence(self) -> str:
        """One sentence that says where the instance stands."""
        return summary.sentence(self)

    def left_over(self) -> frozenset[int]:
        """The rows that are no longer needed: they stay workable, but nothing waits for them."""
        if self._left_over is None or self._left_over[0] != self.seq:
            self._left_over = (self.seq, summary.left_over(self))
        return self._left_over[1]

    def is_left_over(self, row: int) -> bool:
        return row in self.left_over()

    def open_rows(self) -> Iterator[int]:
        return iter(sorted(self._open))

    def doing_rows(self) -> Iterator[int]:
        return iter(sorted(self._doing))

    def ready_scripts(self) -> Iterator[int]:
        """Open rows that a script does and that are needed, an earlier element first; single tasks before all."""
        rest = self.left_over()
        return (row for _, row in self._ready if row not in rest)

    # fields

    def latest(self, row: int, field: str) -> EventLike | None:
        return self._fields.get(row, {}).get(field)

    def value(self, row: int, field: str) -> str:
        event = self.latest(row, field)
        return event.value if event is not None else ""

    def fields(self, row: int) -> Mapping[str, EventLike]:
        return self._fields.get(row, {})

    def outputs(self, row: int) -> Mapping[str, str]:
        """What the latest attempt of a row handed on, by key."""
        return self._outputs.get(row, {})

    def finished(self, row: int) -> EventLike | None:
        """The event by which the row was last finished, also when it was reopened since."""
        return self._finished.get(row)

    def signers(self, row: int) -> list[EventLike]:
        """The last finish of a row, and the last that came by no message: one message does not undo who signed.

        Semantics, section 7.2.
        """
        return [ends[row] for ends in (self._finished, self._signed) if row in ends]

    def opened_at(self, row: int) -> str:
        """When an open row, or one somebody is at, became open; "" for any other."""
        return self._opened.get(row, "")

    def due(self, row: int, zone: ZoneInfo) -> datetime | None:
        """The deadline of an unfinished row: the `due` event, else the time it became open plus the table's `due`.

        Semantics, section 7.5.
        """
        if is_finished(self.status(row)) or self.status(row) == "skipped":
            return None
        said = read_deadline(self.value(row, "due"), zone)
        if said is not None:
            return said
        seconds, start = self.definition(row).due_s, read_time(self._opened.get(row, ""))
        return start + timedelta(seconds=seconds) if start and seconds is not None else None

    # attempts of the worker

    def attempts(self, row: int) -> int:
        """How often the worker started this row."""
        return self._attempts.started(row)

    def failures(self, row: int) -> int:
        """Failed attempts since the row was last opened by somebody or re-armed."""
        return self._attempts.failed(row)

    def interrupted(self, row: int) -> int:
        """Attempts lost in a row, the latest ones."""
        return self._attempts.interrupted(row)

    def script_rounds(self, row: int) -> int:
        """How often the worker finished this row since anybody else had a hand in its cycle."""
        return self._attempts.rounds(row, self.flow.cycle_of(self.statuses.task[row]))

    # consequences

    def related(self, row: int, t: int) -> Sequence[int]:
        """The rows of task `t` that belong to a row: its own element's, the single one, or all."""
        base = self.statuses.base
        if self._ids[t] is None:
            return (base[t],)
        if self._ids[self.statuses.task[row]] is not None and self._alike(t, self.statuses.task[row]):
            return (base[t] + row - base[self.statuses.task[row]],)
        return range(base[t], base[t + 1])

    def consequences(self, row: int, value: str) -> list[int]:
        """The finished rows that go back to open when this row finishes with `value` (semantics, section 6.2)."""
        if not is_finished(value):
            return []
        x = self.statuses.task[row]
        found: dict[int, None] = {}
        for s in self.flow.rearms_of[x]:
            for rearm in self.flow.rearms[s]:
                if rearm.source != x or not self.flow.meets(x, rearm.label, value):
                    continue
                counted = self._ids[x] is not None and not self._alike(s, x)
                if not counted or self.statuses.turns_met(row, rearm.label, value):
                    found.update(dict.fromkeys(self.related(row, s)))
        if self._finishes.get(row, 0):
            for t in self.flow.between(x, value):
                found.update(dict.fromkeys(self.related(row, t)))
        return [r for r in found if r != row and is_finished(self.stored(r)) and self.stored(r) != "skipped"]

    def rearm_drafts(self, rows: Iterable[int], actor: str, ref: str = "") -> list[Draft]:
        """One event a row: back to open, on behalf of whoever, or of the message that, finished what re-arms it."""
        behalf = f"{account(actor)} (re-arm)"
        return [Draft(self.task_of(r), "status", "open", behalf, self.element_of(r), ref=ref) for r in rows]

    def owed(self) -> list[Draft]:
        """The re-arming that another program's finish left out (semantics, section 6.2)."""
        return [draft for row, (by, _) in self._owed.items() for draft in self.rearm_drafts([row], by.actor, by.ref)]

    # staleness

    def is_stale(self, row: int) -> bool:
        """Whether something a finished row depends on finished or was reopened after it (cycles aside).

        Semantics, section 6.6.
        """
        if not is_finished(self.status(row)):
            return False
        at = self._moved.get(row, 0)
        t = self.statuses.task[row]
        for gate, _ in self.statuses.gates(row):
            for s in (gate.task,) if gate.kind == "task" else gate.members:
                if self._moved_task[s] <= at or self.flow.same_cycle(s, t):
                    continue
                if any(self._moved.get(r, 0) > at for r in self.related(row, s)):
                    return True
        return False

    # the fold

    def apply(self, event: EventLike) -> set[int]:
        """Take in one event of this instance; returns the rows that look different for it."""
        self.seq += 1
        if event.task == INSTANCE:
            if event.field == "cancelled":
                self.cancelled, self.cancelled_by = event.value, event.actor
            return set()
        row = self.find(event.task, event.element)
        if row is None:
            return set()
        self._fields.setdefault(row, {})[event.field] = event
        if event.field == "status":
            return self._apply_status(row, event)
        if event.field.startswith("output."):
            self._outputs.setdefault(row, {})[event.field.removeprefix("output.")] = event.value
        return {row}

    def _apply_status(self, row: int, event: EventLike) -> set[int]:
        value = "open" if event.value in ("", "blocked") else event.value
        self._settle_owed(row, value)
        cycle = self.flow.cycle_of(self.statuses.task[row])
        if self._attempts.take_in(row, cycle, value, event, self.seq):
            self._outputs.pop(row, None)
        if is_finished(value):
            self._owed.update(dict.fromkeys(self.consequences(row, value), (event, row)))
            self._finished[row] = event
            if not event.ref:
                self._signed[row] = event
            self._finishes[row] = self._finishes.get(row, 0) + 1
        if is_finished(value) or (is_finished(self.stored(row)) and value == "open"):
            self._moved[row] = self._moved_task[self.statuses.task[row]] = self.seq
        touched = self.statuses.store(row, value) | {row}
        for changed, before in self.statuses.changed:
            self._move(changed, before, event.ts)
        if value == "open" and self.status(row) == "open":
            self._opened[row] = event.ts
        return touched

    def _settle_owed(self, row: int, value: str) -> None:
        """A row that moves is owed nothing more; one that moves on from its finish (a retry) owes nothing more."""
        self._owed.pop(row, None)
        if not is_finished(value) and self._owed:
            self._owed = {r: owed for r, owed in self._owed.items() if owed[1] != row}

    def _move(self, row: int, before: str, ts: str) -> None:
        shown = self.status(row)
        tally = self._tally[self.statuses.task[row]]
        tally[state_class(before)] -= 1
        tally[state_class(shown)] += 1
        if before == "open":
            self._open.discard(row)
            self._unready(row)
        elif before == "doing":
            self._doing.discard(row)
        if shown not in ("open", "doing"):  # a deadline runs on while somebody is at it
            self._opened.pop(row, None)
        self._enter(row, shown, ts, keep_sorted=True)

    def _enter(self, row: int, shown: str, ts: str, *, keep_sorted: bool = False) -> None:
        if shown == "doing":
            self._doing.add(row)
        if shown != "open":
            return
        self._open.add(row)
        if ts:
            self._opened[row] = ts
        if self.definition(row).is_script:
            if keep_sorted:
                insort(self._ready, self._turn(row))
            else:
                self._ready.append(self._turn(row))

    def _unready(self, row: int) -> None:
        at = bisect_left(self._ready, self._turn(row))
        if at < len(self._ready) and self._ready[at][1] == row:
            del self._ready[at]

    def _turn(self, row: int) -> tuple[int, int]:
        t = self.statuses.task[row]
        return (-1 if self._ids[t] is None else row - self.statuses.base[t], row)

    def _alike(self, a: int, b: int) -> bool:
        """Whether two tasks repeat over the same collection, or neither repeats."""
        return self._ids[a] is self._ids[b] or self.flow.collection_of(a) == self.flow.collection_of(b)

    def _all_element_ids(self) -> list[tuple[str, ...] | None]:
        """By task the elements it repeats over, None for a single task; the tasks of a collection share them."""
        shared: dict[str, tuple[str, ...]] = {}
        found: list[tuple[str, ...] | None] = []
        rows = 0
        for t in range(len(self.flow.tasks)):
            collection = self.flow.collection_of(t)
            if collection and collection not in shared:
                shared[collection] = self._values_of(collection)
            ids = shared[collection] if collection else None
            rows += 1 if ids is None else len(ids)
            if rows > MAX_INSTANCE_ROWS:
                raise InstanceError(
                    f"its tasks and elements make more than {MAX_INSTANCE_ROWS:,} rows: give fewer elements to each"
                )
            found.append(ids)
        return found

    def _values_of(self, collection: str) -> tuple[str, ...]:
        try:
            return self.elements.values_of(collection)
        except ElementError as error:
            raise InstanceError(str(error)) from error
