"""The rows of an instance: one a task, or one a task and element, each with its status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from board.process.definition.table import ElementError, ElementList, ProcessTable, Row
from board.process.engine.status.status import Statuses, Waiting
from board.process.flow.flow import Flow, compile_flow
from board.process.validation.bounds import MAX_INSTANCE_ROWS


class InstanceError(ValueError):
    """What the log holds of an instance cannot be read as one; the message says what and the remedy."""


class Rows:
    """A flow laid out over elements. A row is an int from 0: task by task in table order, then element by element."""

    def __init__(self, table: ProcessTable, elements: ElementList | None) -> None:
        self.elements = elements if elements is not None else ElementList.from_ids(())
        self.flow: Flow = compile_flow(table)
        if self.flow.nested:
            raise InstanceError("groups inside groups cannot be started yet: take the inner group out of the outer one")
        self._element_ids = self._all_element_ids()
        places: dict[str, dict[str, int]] = {}
        for task, ids in enumerate(self._element_ids):
            if ids is not None and self.flow.collection_of(task) not in places:
                places[self.flow.collection_of(task)] = {element: place for place, element in enumerate(ids)}
        self._place = [places.get(self.flow.collection_of(task), {}) for task in range(len(self._element_ids))]
        self.statuses = Statuses(self.flow, [None if ids is None else len(ids) for ids in self._element_ids])
        self.size = len(self.statuses.shown)

    def _all_element_ids(self) -> list[tuple[str, ...] | None]:
        """By task the elements it repeats over, None for a single task; the tasks of a collection share them."""
        shared: dict[str, tuple[str, ...]] = {}
        by_task: list[tuple[str, ...] | None] = []
        rows = 0
        for task in range(len(self.flow.tasks)):
            collection = self.flow.collection_of(task)
            if collection and collection not in shared:
                shared[collection] = self._values_of(collection)
            ids = shared[collection] if collection else None
            rows += 1 if ids is None else len(ids)
            if rows > MAX_INSTANCE_ROWS:
                raise InstanceError(
                    f"its tasks and elements make more than {MAX_INSTANCE_ROWS:,} rows: give fewer elements to each"
                )
            by_task.append(ids)
        return by_task

    def _values_of(self, collection: str) -> tuple[str, ...]:
        try:
            return self.elements.values_of(collection)
        except ElementError as error:
            raise InstanceError(str(error)) from error

    # which row

    def find(self, task: str, element: str = "") -> int | None:
        """The row of a task (and element); None if there is none."""
        number = self.flow.index.get(task)
        if number is None:
            return None
        if self._element_ids[number] is None:
            return None if element else self.statuses.base[number]
        place = self._place[number].get(element)
        return None if place is None else self.statuses.base[number] + place

    def rows_of(self, task: str) -> range:
        return self.statuses.rows_of(self.flow.index[task])

    def related(self, row: int, task: int) -> Sequence[int]:
        """The rows of a task (number) that belong to a row: its own element's, the single one, or all."""
        own, base = self.statuses.task[row], self.statuses.base
        if self._element_ids[task] is None:
            return (base[task],)
        if self._element_ids[own] is not None and self.is_alike(task, own):
            return (base[task] + row - base[own],)
        return self.statuses.rows_of(task)

    def is_alike(self, one: int, other: int) -> bool:
        """Whether two tasks (numbers) repeat over the same collection, or neither repeats."""
        return self.flow.collection_of(one) == self.flow.collection_of(other)

    # what it is

    def task_of(self, row: int) -> str:
        return self.flow.tasks[self.statuses.task[row]]

    def element_of(self, row: int) -> str:
        task = self.statuses.task[row]
        ids = self._element_ids[task]
        return "" if ids is None else ids[row - self.statuses.base[task]]

    def definition(self, row: int) -> Row:
        return self.flow.rows[self.statuses.task[row]]

    def repeats(self, task: str) -> bool:
        return self._element_ids[self.flow.index[task]] is not None

    def facets(self, row: int) -> Mapping[str, str]:
        """The further columns of the row's element."""
        element = self.element_of(row)
        return self.elements.facets(element) if element else {}

    def name_of(self, task_or_group: str) -> str:
        """The label people see of a task or a group; an unknown id reads as itself."""
        row = self.flow.table.row(task_or_group)
        return row.name if row is not None else task_or_group

    # how it stands

    def status(self, row: int) -> str:
        """What people see: open, doing, blocked, skipped, failed, done or an answer."""
        return self.statuses.shown[row]

    def stored(self, row: int) -> str:
        return self.statuses.stored[row]

    def waiting(self, row: int) -> Waiting | None:
        """The first gate of a blocked row that waits; None for an inclusive join held by what goes round again."""
        return self.statuses.waiting(row)

    def held_by(self, row: int) -> Waiting | None:
        """What a blocked row waits for first, in words for people: a task or group, or one that goes round again."""
        again = next(self.statuses.coming_rows(row), None)
        return self.waiting(row) or (None if again is None else Waiting(self.task_of(again), "", failed=False))
