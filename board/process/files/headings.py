"""Column names: ours however they are spelled, and those of other tools."""

import re
from dataclasses import dataclass

from board.process.definition.legacy_per import PER
from board.process.definition.table import COLUMNS
from board.process.definition.text import clean, shown
from board.process.files.reading import Remark

_OURS = frozenset({*COLUMNS, PER})
_BETWEEN = re.compile(r"[\s\-_./]+")

_OTHERS = {
    "task": "id taskid step stepid activityid nodeid key job jobid stepname activity taskkey vorgang",
    "name": "title label taskname activityname summary displayname bezeichnung titel",
    "role": "owner responsible performer actor lane swimlane team resource resources resourcename resourcenames "
    "accountable who candidategroups rolle verantwortlich zuständig",
    "depends_on": "depends dependson dependency dependencies deps predecessor predecessors prerequisite prerequisites "
    "requires waitsfor upstream blockedby needs after vorgänger prédécesseurs prédécesseur",
    "script": "command cmd program executable",
    "collection": "foreach repeat repeatfor multiinstance",
    "parent": "parentid parenttask group subprocess",
    "complete_when": "completionwhen completioncondition",
    "sequential": "serial oneatatime issequential",
    "retry": "retries maxretries",
    "retry_delay": "retrydelay retrydelays retrydelayseconds",
    "timeout": "timeouts timeoutseconds timelimit",
    "params": "parameters parameter arguments args",
    "assignee": "assignedto assigned",
    "due": "deadline duein sla frist",
    "not_by": "notby foureyes notsameas",
    "description": "notes note instructions instruction details documentation beschreibung",
}
_TARGET = {alias: column for column, aliases in _OTHERS.items() for alias in aliases.split()}
_TARGET |= {_BETWEEN.sub("", column): column for column in _OURS}


@dataclass(frozen=True, slots=True)
class Headings:
    """The columns of a file: `names[i]` is what its column `i` is called in the table, all of them different."""

    names: tuple[str, ...]
    remarks: tuple[Remark, ...]
    foreign: frozenset[str]  # columns of ours that came under a name of another tool


def is_known(heading: str) -> bool:
    """Say whether a heading names one of our columns, in whatever spelling."""
    return target_of(clean(heading)) != ""


def read_headings(cells: list[str], line: int = 0) -> Headings:
    """Name the columns of a header: exact names first, then other spellings, then other tools' names."""
    texts = [clean(cell) for cell in cells]
    names: list[str] = ["" for _ in texts]
    remarks: list[Remark] = []
    foreign: set[str] = set()
    for strangeness in (0, 1, 2):
        for i, text in enumerate(texts):
            column = text if text in _OURS else target_of(text)
            if column and column not in names and _strangeness(text, column) == strangeness:
                names[i] = column
                remarks += [_renamed(text, column, line)] if strangeness else []
                foreign |= {column} if strangeness == 2 else set()
    for i, text in enumerate(texts):
        if not names[i]:
            names[i] = _free(text or f"column {i + 1}", set(names))
            remarks += _kept(text, names[i], target_of(text), line)
    return Headings(tuple(names), tuple(remarks), frozenset(foreign))


def target_of(text: str) -> str:
    """Give the column of ours a heading names, `""` for none."""
    return _TARGET.get(_squeezed(text), "")


def _strangeness(text: str, column: str) -> int:
    """Say how far a heading is from the column it names: 0 our word, 1 our word spelled otherwise, 2 another word."""
    if text == column:
        return 0
    return 1 if _squeezed(text) == _BETWEEN.sub("", column) else 2


def _squeezed(text: str) -> str:
    return _BETWEEN.sub("", text.casefold().strip("*: \ufeff\u200b"))


def _free(text: str, taken: set[str]) -> str:
    spellings = (text if n == 1 else f"{text} ({n})" for n in range(1, len(taken) + 2))
    return next(spelling for spelling in spellings if spelling not in taken)


def _renamed(text: str, column: str, line: int) -> Remark:
    return Remark(f"The column “{shown(text)}” is read as `{column}`.", "column-mapped", line=line, column=column)


def _kept(text: str, name: str, target: str, line: int) -> list[Remark]:
    if not text:
        message = f"A column has cells but no name: it is kept as “{name}”."
    elif target:
        message = f"There is a `{target}` already, so the column “{shown(text)}” is kept as “{shown(name)}”."
    else:
        return []
    return [Remark(message, "column-kept", line=line, column=name)]
