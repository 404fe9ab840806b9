"""One instance: what pages, decisions and the worker ask of the fold of its events.

Three layers, each a class on the one before: `Rows` (which rows there are and their statuses), `Fold` (what happened to
them), `Instance` (where it stands, and what follows from a finish).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from board.process.definition.table import ElementList, ProcessTable
from board.process.definition.text import heading
from board.process.definition.times import read_deadline, read_time
from board.process.engine import summary
from board.process.engine.events import INSTANCE, Draft, EventLike
from board.process.engine.fold import STATES, Counts, Fold, state_class
from board.process.engine.rows import InstanceError
from board.process.engine.status.status import is_finished
from board.process.validation.bounds import read_elements, read_table
from board.process.validation.problems import error_of_a_start

__all__ = ["STATES", "Counts", "Instance", "InstanceError", "state_class"]


class Instance(Fold):
    """A running process."""

    def __init__(self, instance_id: str, table: ProcessTable, elements: ElementList | None, *, name: str = "") -> None:
        super().__init__(table, elements)
        self.id = instance_id
        self.name = name
        self.version = table.version
        self.created = ""
        self.created_by = ""
        self._left_over: tuple[int, frozenset[int]] | None = None

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
            if problem := error_of_a_start(table):
                raise InstanceError(f"its table has an {problem}")
            raw = first["elements"].value if "elements" in first else ""
            elements = read_elements(raw) if raw else None
            instance = cls(instance_id, table, elements, name=heading(first["name"].value) if "name" in first else "")
        except (ValueError, RecursionError) as error:
            raise InstanceError(f"instance {instance_id} cannot be read: {error}") from error
        instance._begin(first.get("created", first["process"]))
        return instance

    def _begin(self, start: EventLike) -> None:
        self.created = heading(start.value if start.field == "created" else start.ts)
        self.created_by = heading(start.actor)
        self._opened.update(dict.fromkeys(self._open, start.ts))

    # where it stands

    @property
    def state(self) -> str:
        """`active`, `complete`, `stuck` or `cancelled`."""
        return summary.state(self, self.left_over())

    def sentence(self) -> str:
        """One sentence that says where the instance stands."""
        return summary.sentence(self, self.left_over())

    def left_over(self) -> frozenset[int]:
        """The rows that are no longer needed: they stay workable, but nothing waits for them."""
        if self._left_over is None or self._left_over[0] != self.seq:
            self._left_over = (self.seq, summary.left_over(self))
        return self._left_over[1]

    def is_left_over(self, row: int) -> bool:
        return row in self.left_over()

    def ready_scripts(self) -> Iterator[int]:
        """Open rows that a script does and that are needed, an earlier element first; single tasks before all."""
        left_over = self.left_over()
        return (row for _, row in self._scripts if row not in left_over)

    def asked_again(self, row: int) -> str:
        """The task because of whose answer a row is skipped for now, as it will be answered anew; "" if it stays so."""
        return summary.asked_again(self, row) if self.status(row) == "skipped" else ""

    def is_stale(self, row: int) -> bool:
        """Whether something a finished row depends on finished or was reopened after it (cycles aside)."""
        if not is_finished(self.status(row)):
            return False
        task = self.statuses.task[row]
        sources = (source for gate, _ in self.statuses.gates(row) for source in gate.sources)
        return any(self.moved_after(row, source) for source in sources if not self.flow.same_cycle(source, task))

    def due(self, row: int, zone: ZoneInfo) -> datetime | None:
        """The deadline of an unfinished row: the `due` event, else the time it became open plus the table's `due`."""
        if is_finished(self.status(row)) or self.status(row) == "skipped":
            return None
        said = read_deadline(self.value(row, "due"), zone)
        if said is not None:
            return said
        seconds, start = self.definition(row).due_s, read_time(self.opened_at(row))
        return start + timedelta(seconds=seconds) if start and seconds is not None else None

    # attempts of the worker

    def attempts(self, row: int) -> int:
        """How often the worker started this row."""
        return self.attempt_counts.started(row)

    def failures(self, row: int) -> int:
        """Failed attempts since the row was last opened by somebody or re-armed."""
        return self.attempt_counts.failed(row)

    def interrupted(self, row: int) -> int:
        """Attempts lost in a row, the latest ones."""
        return self.attempt_counts.interrupted(row)

    def suspects(self) -> list[int]:
        """Return the rows that may be what takes the worker down: they run alone, so that no other fails with them."""
        return self.attempt_counts.suspects()

    def script_rounds(self, row: int) -> int:
        """How often the worker finished this row since anybody else had a hand in its cycle."""
        return self.attempt_counts.rounds(row, self.flow.cycle_of(self.statuses.task[row]))

    # what follows from a finish

    def consequences(self, row: int, value: str) -> list[int]:
        """The finished rows that go back to open when this row finishes with `value` (section 6)."""
        return self.rearming.consequences(row, value)

    def rearm_drafts(self, rows: Iterable[int], actor: str, ref: str = "") -> list[Draft]:
        """One event a row: back to open, on behalf of whoever, or of the message that, finished what re-arms it."""
        return self.rearming.drafts(rows, actor, ref)

    def owed(self) -> list[Draft]:
        """The re-arming that another program's finish left out."""
        return self.rearming.owed()
