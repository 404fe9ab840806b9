"""The element list an instance repeats its groups over (semantics, section 2.4)."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from board.process.definition.text import MARK, clean, shown

ASSIGNEE = "assignee"
MAX_LENGTH = 128
MAX_ELEMENTS = 100_000
MAX_COLUMNS = 200
MAX_TOLD = 200  # problems that are listed; how many more there are is said
_MIRRORED = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


class ElementError(ValueError):
    """The list cannot be used; `problems` has one full sentence for each thing that is wrong."""

    def __init__(self, problems: Sequence[str]) -> None:
        more = len(problems) - MAX_TOLD
        self.problems = (*problems[:MAX_TOLD], f"and {more:,} more of the kind") if more > 1 else tuple(problems)
        super().__init__("\n".join(self.problems))

    def __reduce__(self) -> tuple[type["ElementError"], tuple[Sequence[str]]]:
        return ElementError, (self.problems,)


@dataclass(frozen=True)
class ElementList:
    """Elements in order: ids from the first column, every other column a facet to filter by.

    `columns` are the names as given, `cells[i]` is the column `columns[i]`, all of the same length.
    """

    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]

    @classmethod
    def from_columns(cls, columns: Mapping[str, Sequence[str | None]]) -> "ElementList":
        """Make a list of one array a column; raises ElementError with every problem at once."""
        names = tuple(clean(name) for name in columns)
        check_size(len(names), max((len(column) for column in columns.values() if isinstance(column, list)), default=0))
        lists = [[clean(cell) for cell in _as_list(column)] for column in columns.values()]
        length = max(map(len, lists), default=0)
        rows = [tuple(column[i] if i < len(column) else "" for column in lists) for i in range(length)]
        return cls.from_rows(names, rows)

    @classmethod
    def from_rows(cls, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> "ElementList":
        """Make a list of its column names and rows of cells; raises ElementError with every problem at once."""
        names = tuple(clean(name) for name in columns) or ("element",)
        rows = list(rows)
        check_size(len(names), len(rows))
        texts = [tuple(clean(cell) for cell in row) for row in rows]
        padded = [row + ("",) * (len(names) - len(row)) for row in texts]
        problems = [*_problems_of_columns(names), *_problems_of_rows(names, padded)]
        if problems:
            raise ElementError(problems)
        filled = [row for row in padded if any(row)]
        return cls(names, tuple(tuple(row[i] for row in filled) for i in range(len(names))))

    @classmethod
    def from_ids(cls, ids: Iterable[str], column: str = "element") -> "ElementList":
        """Make a list of ids alone; raises ElementError with every problem at once."""
        return cls.from_rows((column,), ([element] for element in ids))

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids: the first column."""
        return self.cells[0]

    def to_columns(self) -> dict[str, list[str]]:
        """Give one array a column, the shape of the `elements` field of an instance."""
        return {name: list(column) for name, column in zip(self.columns, self.cells, strict=True)}

    def facets(self, element: str) -> dict[str, str]:
        """Give the further cells of an element that are not empty, its assignee left out."""
        at = self._position.get(element)
        further = zip(self.columns[1:], self.cells[1:], strict=True)
        return {} if at is None else {name: cells[at] for name, cells in further if cells[at] and name != ASSIGNEE}

    def values_of(self, collection: str) -> tuple[str, ...]:
        """Give the elements a group of this collection repeats over; raises ElementError if one is no element id.

        They are the ids, unless there is a column of that name: then its distinct values in order.
        """
        values = tuple(dict.fromkeys(cell for cell in self._column(collection) if cell))
        wrong = [f"column `{collection}`, value “{shown(v)}”: {why}" for v in values if (why := id_problem(v))]
        if wrong:
            raise ElementError(wrong)
        return values

    def assignee(self, element: str, collection: str = "") -> str:
        """Give who the list assigns an element of this collection to, the first one named; `""` for nobody."""
        return self._assignees(collection).get(element, "")

    def _assignees(self, collection: str) -> dict[str, str]:
        """By element who the list assigns it to, worked out once a collection: a start asks for every row."""
        made = self._assignees_of.get(collection)
        if made is None:
            people = self.cells[self.columns.index(ASSIGNEE, 1)] if ASSIGNEE in self.columns[1:] else ()
            made = self._assignees_of[collection] = {}
            for value, person in zip(self._column(collection), people, strict=False):
                if person:
                    made.setdefault(value, person)
        return made

    @cached_property
    def _assignees_of(self) -> dict[str, dict[str, str]]:
        return {}

    def _column(self, collection: str) -> tuple[str, ...]:
        return self.cells[self.columns.index(collection)] if collection in self.columns else self.ids

    @cached_property
    def _position(self) -> dict[str, int]:
        return {element: i for i, element in enumerate(self.ids)}


def check_size(columns: int, rows: int) -> None:
    """Raise ElementError for a list that is too large: asked before anything is made of it."""
    if columns > MAX_COLUMNS:
        raise ElementError([f"the list has {columns:,} columns, at most {MAX_COLUMNS} are possible"])
    if rows > MAX_ELEMENTS:
        raise ElementError([f"the list has {rows:,} rows, at most {MAX_ELEMENTS:,} are possible"])


def _as_list(column: Sequence[str | None]) -> list[str | None]:
    # R writes a column of one row as a plain text, and a foreign program whatever it likes.
    return list(column) if isinstance(column, (list, tuple)) else [clean(column)]


def _problems_of_columns(names: Sequence[str]) -> list[str]:
    twice = dict.fromkeys(name for name in names if names.count(name) > 1)
    unnamed = [f"column {i + 1} has no name: give it one in the first line" for i, name in enumerate(names) if not name]
    return unnamed + [f"column `{shown(name)}` is there twice: rename or remove one" for name in twice if name]


def _problems_of_rows(names: Sequence[str], rows: Sequence[tuple[str, ...]]) -> list[str]:
    problems: list[str] = []
    first: dict[str, int] = {}
    for number, row in enumerate(rows, start=1):
        if not any(row):
            continue
        if len(row) > len(names) and any(row[len(names) :]):
            problems.append(f"row {number}: {len(row)} cells, but there are {len(names)} columns")
        if why := id_problem(row[0]):
            problems.append(f"row {number}, “{shown(row[0])}”: {why}")
        elif row[0] in first:
            problems.append(
                f"row {number}, “{shown(row[0])}”: already in row {first[row[0]]}; every element id must be unique"
            )
        first.setdefault(row[0], number)
    return problems


def id_problem(text: str) -> str:
    """Say why this can be no element id, `""` if it can."""
    if not text:
        return "the first column holds the element's id and may not be empty"
    if text != text.strip():
        return "begins or ends with a space: remove it"
    if len(text) > MAX_LENGTH:
        return f"{len(text)} characters, at most {MAX_LENGTH} are allowed"
    if text.isprintable() and MARK not in text:
        return ""  # nearly every id: nothing of the below is printable
    odd = next((c for c in text if c in _MIRRORED or unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")), "")
    odd = MARK if MARK in text else odd
    return f"holds the character U+{ord(odd):04X}, which cannot be printed: remove it" if odd else ""
