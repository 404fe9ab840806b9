"""What is wrong between rows by their ids alone: parents, dependencies, `not_by`."""

from collections.abc import Iterator
from difflib import get_close_matches

from board.process.definition.cells import RESERVED_ANSWERS
from board.process.definition.table import Dependency, ProcessTable, Row
from board.process.definition.text import shown
from board.process.validation.finding import Problem, numbered, problem

_NEAR_IDS = 500
_NEAR_ASKED = 20


def of_links(table: ProcessTable) -> Iterator[Problem]:
    """Give every problem of a row that names another one."""
    links = _Links(table)
    for number, row in numbered(table):
        yield from links.of_parent(number, row)
        for dependency in row.dependencies:
            yield from links.of_dependency(number, row, dependency)
        yield from links.of_not_by(number, row)
    yield from links.of_groups()


class _Links:
    def __init__(self, table: ProcessTable) -> None:
        self.table = table
        self.rows: dict[str, Row] = {}
        self.number: dict[str, int] = {}
        for number, row in numbered(table):
            self.rows.setdefault(row.task, row)
            self.number.setdefault(row.task, number)
        self.parents = {row.parent for row in table.rows}
        self.asked = 0

    def of_parent(self, number: int, row: Row) -> Iterator[Problem]:
        def wrong(message: str, code: str) -> Problem:
            return problem("error", number, row, "parent", row.parent, message, code)

        parent = self.rows.get(row.parent)
        if not row.parent:
            return
        if parent is None:
            yield wrong(
                f"There is no row “{shown(row.parent)}”{self._near(row.parent)}: name a group.", "parent-unknown"
            )
        elif not parent.is_group:
            message = f"“{shown(row.parent)}” is no group: give it a `collection`, or name a row that has one."
            yield wrong(message, "parent-no-group")
        if row.task in self._around(row):
            message = (
                f"“{shown(row.task)}” is inside itself by way of its `parent`: make one of these rows the outermost."
            )
            yield wrong(message, "parent-cycle")

    def of_dependency(self, number: int, row: Row, dependency: Dependency) -> Iterator[Problem]:
        def wrong(message: str, code: str) -> Problem:
            return problem("error", number, row, "depends_on", str(dependency), message, code)

        name = shown(dependency.task)
        if dependency.label in RESERVED_ANSWERS:
            message = f"`{dependency.label}` is a state and never an answer: ask for another label."
            yield wrong(message, "label-reserved")
        if dependency.task == row.task:
            yield wrong(f"“{name}” waits for itself: remove it here.", "dependency-itself")
        elif dependency.task not in self.rows or not dependency.task:
            near = self._near(dependency.task)
            yield wrong(f"There is no task “{name}”{near}: name a task or group of this table.", "dependency-unknown")
        elif row.is_group and row.task in self._around(self.rows[dependency.task]):
            message = f"The group waits for its own member “{name}”: let the member's own row wait, or remove it here."
            yield wrong(message, "group-own-member")
        elif dependency.task in self._around(row):
            message = f"The row waits for the group “{name}” it is in: wait for a member of it instead."
            yield wrong(message, "member-own-group")

    def of_not_by(self, number: int, row: Row) -> Iterator[Problem]:
        for task in row.not_by_tasks:
            named = self.rows.get(task)
            if named is None or named.is_group or task == row.task:
                message = (
                    f"“{shown(task)}” is no other task{self._near(task)}, so it keeps nobody from finishing this one."
                )
                yield problem("warning", number, row, "not_by", task, message, "not-by-unknown")

    def of_groups(self) -> Iterator[Problem]:
        for number, row in numbered(self.table):
            if row.is_group and row.task not in self.parents:
                message = f"The group has no members: write “{shown(row.task)}” under `parent` of the rows in it."
                yield problem("error", number, row, "collection", row.collection, message, "group-empty")

    def _around(self, row: Row) -> set[str]:
        """The ids of the rows around a row by `parent`, its own among them only if it is inside itself."""
        found: set[str] = set()
        at: Row | None = row
        while at is not None and at.parent and at.parent not in found:
            found.add(at.parent)
            at = self.rows.get(at.parent)
        return found

    def _near(self, name: str) -> str:
        # Comparing spellings is slow work: only for the first ids, of a sane length, in tables of a sane size.
        self.asked += 1
        if self.asked > _NEAR_ASKED:
            return ""
        known = [task for task in self.rows if len(task) <= 64] if len(name) <= 64 else []
        close = get_close_matches(name, known, n=1) if len(known) <= _NEAR_IDS else []
        return f" (is `{close[0]}` meant?)" if close and name else ""
