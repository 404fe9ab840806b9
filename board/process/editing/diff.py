"""What changed between two tables, cell by cell, and two people's changes put together."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from board.process.definition.table import COLUMNS, ProcessTable

Kind = Literal["added", "removed", "moved", "changed"]
Side = Literal["mine", "theirs"]
Key = tuple[str, int]  # a task id and how often it stood further up: drafts may repeat ids
ORDER = ""  # the column and task of a conflict about the order of the rows


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a row or a cell.

    A row `added` or `removed` has no column and its name as `after` or `before`; a row `moved` has the id of the row
    above it (`""`: it is the first) as `before` and `after`; a cell `changed` has its column and both texts. A column
    of the user's own that was added or removed has no task.
    """

    kind: Kind
    task: str
    column: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """A cell both sides changed, each otherwise; without a column: a row one removed and the other changed.

    There the cells are the row's name, `""` on the side that removed it. Without a task too: the order of the rows,
    ids separated by commas.
    """

    task: str
    column: str
    base: str
    mine: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Merge:
    """Two edits of one table put together; where they conflict, `table` has what was chosen, else mine."""

    table: ProcessTable
    conflicts: tuple[Conflict, ...]


def diff(old: ProcessTable, new: ProcessTable) -> list[Change]:
    """List what changed, in the order of the new table, then what was removed; rows are known by their id."""
    before, after = _keyed(old), _keyed(new)
    moved = _moved([key for key in before if key in after], [key for key in after if key in before])
    changes: list[Change] = []
    for key, row in after.items():
        if key not in before:
            changes.append(Change("added", key[0], "", "", row.get("name", key[0])))
            continue
        if key in moved:
            changes.append(Change("moved", key[0], "", _above(before, key), _above(after, key)))
        changes += _cells(key[0], before[key], row)
    changes += [Change("removed", k[0], "", row.get("name", k[0]), "") for k, row in before.items() if k not in after]
    return [*_columns(old, new), *changes]


def merge(
    base: ProcessTable,
    mine: ProcessTable,
    theirs: ProcessTable,
    chosen: Mapping[tuple[str, str], Side] | None = None,
) -> Merge:
    """Put together what two people made of one table; what collides is mine and listed, unless `chosen` settles it.

    `chosen` is by task and column as in the conflicts (`("", "")` for the order of the rows).
    """
    return _Merger(base, mine, theirs, chosen or {}).merge()


def _keyed(table: ProcessTable) -> dict[Key, dict[str, str]]:
    seen: Counter[str] = Counter()
    keyed: dict[Key, dict[str, str]] = {}
    for row in table.rows:
        keyed[(row.task, seen[row.task])] = row.cells()
        seen[row.task] += 1
    return keyed


def _cells(task: str, before: Mapping[str, str], after: Mapping[str, str]) -> list[Change]:
    columns = dict.fromkeys((*COLUMNS, *after, *before))
    pairs = ((column, before.get(column, ""), after.get(column, "")) for column in columns)
    return [Change("changed", task, column, one, other) for column, one, other in pairs if one != other]


def _columns(old: ProcessTable, new: ProcessTable) -> list[Change]:
    """Columns of the user's own that came or went; an empty column of ours says nothing."""
    ours = frozenset(COLUMNS)
    came = [Change("added", "", c, "", c) for c in new.columns if c not in old.columns and c not in ours]
    return came + [Change("removed", "", c, c, "") for c in old.columns if c not in new.columns and c not in ours]


def _above(rows: Iterable[Key], key: Key) -> str:
    above = ""
    for each in rows:
        if each == key:
            break
        above = each[0]
    return above


def _moved(before: Sequence[Key], after: Sequence[Key]) -> set[Key]:
    """Give the fewest rows that have to move to get from one order to the other: all but a longest kept sequence."""
    place = {key: i for i, key in enumerate(before)}
    ends: list[int] = []  # the last place of the best kept sequence of each length
    lengths: list[int] = []
    for key in after:
        length = bisect_left(ends, place[key])
        ends[length : length + 1] = [place[key]]
        lengths.append(length)
    kept: set[Key] = set()
    wanted = len(ends) - 1
    last = len(before)
    for key, length in zip(reversed(after), reversed(lengths), strict=True):
        if length == wanted and place[key] < last:
            kept.add(key)
            wanted, last = wanted - 1, place[key]
    return set(after) - kept


class _Merger:
    def __init__(
        self,
        base: ProcessTable,
        mine: ProcessTable,
        theirs: ProcessTable,
        chosen: Mapping[tuple[str, str], Side],
    ) -> None:
        self.tables = base, mine, theirs
        self.base, self.mine, self.theirs = map(_keyed, self.tables)
        self.chosen = chosen
        self.conflicts: list[Conflict] = []

    def merge(self) -> Merge:
        rows = {key: row for key in self._order() if (row := self._row(key)) is not None}
        return Merge(ProcessTable.from_rows(rows.values(), self._columns()), tuple(self.conflicts))

    def _row(self, key: Key) -> dict[str, str] | None:
        base, mine, theirs = (side.get(key) for side in (self.base, self.mine, self.theirs))
        if mine is not None and theirs is not None:
            return self._merged(key[0], base or {}, mine, theirs)
        here = mine if mine is not None else theirs
        if base is None or here is None:
            return here
        if here == base:
            return None  # removed by one, left alone by the other
        names = [row.get("name", key[0]) if row is not None else "" for row in (base, mine, theirs)]
        conflict = Conflict(key[0], "", names[0], names[1], names[2])
        return mine if self._takes_mine(conflict) else theirs

    def _merged(
        self, task: str, base: Mapping[str, str], mine: Mapping[str, str], theirs: Mapping[str, str]
    ) -> dict[str, str]:
        return {column: self._cell(task, column, base, mine, theirs) for column in dict.fromkeys((*mine, *theirs))}

    def _cell(
        self, task: str, column: str, base: Mapping[str, str], mine: Mapping[str, str], theirs: Mapping[str, str]
    ) -> str:
        was, one, other = (side.get(column, "") for side in (base, mine, theirs))
        if one == other or other == was:
            return one
        if one == was:
            return other
        return one if self._takes_mine(Conflict(task, column, was, one, other)) else other

    def _takes_mine(self, conflict: Conflict) -> bool:
        side = self.chosen.get((conflict.task, conflict.column))
        if side is None:
            self.conflicts.append(conflict)
        return side != "theirs"

    def _order(self) -> list[Key]:
        """The rows of both in the order of the side that moved rows, the other's new rows after their neighbours."""
        common = [key for key in self.base if key in self.mine and key in self.theirs]
        mine, theirs = ([key for key in side if key in set(common)] for side in (self.mine, self.theirs))
        first, second = self.mine, self.theirs
        if mine == common:
            first, second = self.theirs, self.mine
        elif theirs not in (common, mine):
            said = (", ".join(task for task, _ in order) for order in (common, mine, theirs))
            if not self._takes_mine(Conflict(ORDER, ORDER, *said)):
                first, second = self.theirs, self.mine
        return _with_new(list(first), list(second))

    def _columns(self) -> list[str]:
        base, mine, theirs = (table.columns for table in self.tables)
        if mine == base:
            return list(theirs)
        gone = set(base) - set(theirs)
        return _with_new([column for column in mine if column not in gone], [c for c in theirs if c not in base])


def _with_new[T](order: list[T], other: list[T]) -> list[T]:
    """Add what only the other order has, each after the neighbour it has there."""
    merged = list(order)
    known = set(merged)
    for i, item in enumerate(other):
        if item not in known:
            merged.insert(
                merged.index(other[i - 1]) + 1 if i and other[i - 1] in known else (len(merged) if i else 0), item
            )
            known.add(item)
    return merged
