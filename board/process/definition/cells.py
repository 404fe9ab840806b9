"""What the cells of a row mean, one small reader a kind of cell.

A reader gives None (or an empty reading) for what it cannot read; it never raises, so a
running instance with an odd cell goes on and validation says what is wrong.
"""

import re
from typing import NamedTuple

SYSTEM = "system"
HOUR_S = 3600
MAX_DUE_S = 36525 * 24 * HOUR_S

ID_HINT = "a letter or `_`, then letters, digits, `_`, `.` or `-`, at most 64 characters"
RESERVED_ANSWERS = frozenset({"open", "doing", "blocked", "skipped"})

_WHOLE = re.compile(r"[0-9]{1,9}")
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?|\.[0-9]{1,9}")
_DUE = re.compile(r"([0-9]{1,9})\s*([wdhm])", re.IGNORECASE)
_UNIT_S = {"w": 7 * 24 * HOUR_S, "d": 24 * HOUR_S, "h": HOUR_S, "m": 60}

# What spreadsheets of several languages write for a ticked cell, and what people type.
YES = frozenset({"true", "yes", "y", "1", "x", "wahr", "ja", "vrai", "oui", "verdadero", "sí", "si", "vero", "waar"})
NO = frozenset({"false", "no", "n", "0", "-", "falsch", "nein", "faux", "non", "falso", "onwaar", "nee"})


class Dependency(NamedTuple):
    """One entry of `depends_on`: a task or group and the answer asked of it, `""` for any."""

    task: str
    label: str

    def __str__(self) -> str:
        return f"{self.task}:{self.label}" if self.label else self.task


def is_id(text: str) -> bool:
    """Say whether a text is a well-formed task id (`@…` never is)."""
    return 0 < len(text) <= 64 and _starts_id(text[0]) and all(map(_continues_id, text))


def _starts_id(character: str) -> bool:
    return character.isalpha() or character == "_"


def _continues_id(character: str) -> bool:
    return _starts_id(character) or character.isdecimal() or character in ".-"


def names(cell: str) -> tuple[str, ...]:
    """Read a comma-separated list: trimmed, nothing twice, in the order written."""
    if not cell:
        return ()
    return tuple(dict.fromkeys(part for part in map(str.strip, cell.split(",")) if part))


def dependencies(cell: str) -> tuple[Dependency, ...]:
    """Read `depends_on`: `task` or `task:label`, split at the first colon, nothing twice, in order."""
    if not cell:
        return ()
    split = (part.partition(":") for part in names(cell))
    return tuple(dict.fromkeys(Dependency(task.strip(), label.strip()) for task, _, label in split))


def whole(cell: str) -> int | None:
    """Read a whole number of at most 9 digits."""
    return int(cell) if _WHOLE.fullmatch(cell) else None


def seconds(cell: str) -> float | None:
    """Read seconds as a number with or without decimals."""
    return float(cell) if _SECONDS.fullmatch(cell) else None


def due(cell: str) -> int | None:
    """Read a deadline such as `5d`, `36h`, `90m`, `2w` in seconds, at most 100 years."""
    match = _DUE.fullmatch(cell)
    length = int(match[1]) * _UNIT_S[match[2].lower()] if match else MAX_DUE_S + 1
    return length if length <= MAX_DUE_S else None


def yes(cell: str) -> bool:
    """Say whether a cell is ticked (`TRUE`, `WAHR`, `x`, `1`, …)."""
    return cell.lower() in YES
