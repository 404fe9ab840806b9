"""A process played by the services over a log in memory: tables as CSV, a step a line, milliseconds a case."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from textwrap import dedent

from board.log.event import Event
from board.log.memory import MemoryLog
from board.log.tail import Tail
from board.process.definition.table import ElementList, ProcessTable
from board.process.engine import decide
from board.process.engine.actor import Actor
from board.process.engine.instance import Instance
from board.services import attempts, instances, tasks
from board.services.actor import anybody
from board.services.tasks import Place
from board.services.write import write

OLGA = Actor("olga", operator=True)


def table_of(text: str) -> ProcessTable:
    """A table written as comma-separated lines, the heading first."""
    return ProcessTable.from_rows(csv.DictReader(io.StringIO(dedent(text).strip())))


class Case:
    """One instance of a table, and whoever plays it."""

    def __init__(
        self, text: str, elements: Iterable[str] | None = None, *, tail: Tail | None = None, instance: str = "i"
    ) -> None:
        self.tail = tail if tail is not None else Tail(MemoryLog())
        self.id = instance
        listed = None if elements is None else ElementList.from_ids(list(elements))
        instances.start(self.tail, anybody("olga"), "P", instance, listed, table=table_of(text))

    @property
    def instance(self) -> Instance:
        """The instance as the log stands."""
        self.tail.refresh()
        instance = self.tail.get(self.id)
        assert instance is not None
        return instance

    def row(self, task: str, element: str = "") -> int:
        """The number of a row."""
        row = self.instance.find(task, element)
        assert row is not None
        return row

    def status(self, task: str, element: str = "") -> str:
        """What people see of a row."""
        return self.instance.status(self.row(task, element))

    def statuses(self, *names: str) -> dict[str, str]:
        """What people see of every row (or of those of some tasks), as `task` or `task@element`."""
        instance = self.instance
        statuses = {}
        for row in range(instance.size):
            task, element = instance.task_of(row), instance.element_of(row)
            if not names or task in names:
                statuses[f"{task}@{element}" if element else task] = instance.status(row)
        return statuses

    def finish(self, task: str, value: str = "done", element: str = "", *, who: str = "ana", note: str = "") -> None:
        """A person who holds every role finishes a row by the services, with a note where one is asked for."""
        tasks.finish(self.tail, self.id, Place(task, element), Actor(who, admin=True), value, note or "because")

    def tell(self, task: str, value: str, element: str = "", *, actor: str = "platform") -> list[Event]:
        """A status that comes from outside (a message), with its consequences."""
        row = self.row(task, element)
        return write(self.tail, self.id, lambda i: decide.finishing(i, row, value, actor))

    def begin(self, task: str, element: str = "") -> attempts.Attempt:
        """The worker starts a row."""
        with self.tail.acting() as acting:
            instance = acting.instance(self.id)
            assert instance is not None
            attempt = attempts.next_attempt(instance, self.row(task, element), f"{self.id}/logs/{task}.log")
            assert attempts.begin(acting, attempt, "c0de"), f"{task} is not ready: {instance.status(attempt.row)}"
        return attempt

    def end(self, attempt: attempts.Attempt, status: str = "done", error: str = "") -> attempts.Finished:
        """What the worker started ends."""
        with self.tail.acting() as acting:
            return attempts.finish(acting, attempt, attempts.Result(status, 0.1, error))

    def runs(self, task: str, status: str = "done", element: str = "") -> attempts.Finished:
        """One whole attempt of the worker."""
        return self.end(self.begin(task, element), status)

    def events(self, task: str = "", field: str = "status") -> list[Event]:
        """The events of a task (and field), oldest first."""
        events = [e for e in self.tail.log.read().events if e.instance == self.id and e.field == field]
        return [e for e in events if e.task == task or not task]
