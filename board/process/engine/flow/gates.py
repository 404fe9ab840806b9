"""What a flow is made of: gates, gate sets, groups, and who re-arms whom. Tasks are numbers, in table order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from board.process.definition.table import Row

Kind = Literal["unknown", "empty", "task", "group"]


@dataclass(frozen=True, slots=True)
class Gate:
    """One dependency that can hold a row back.

    `id` and `label` as written. `task` is the task's number for kind "task"; `members` and `exits` are task numbers for
    kind "group", without those left out. `per_element`: judged for the asking row's own element (or from a single
    source); otherwise the source's elements are counted.
    """

    id: str
    label: str
    kind: Kind
    task: int = -1
    members: tuple[int, ...] = ()
    exits: tuple[int, ...] = ()
    per_element: bool = True


@dataclass(frozen=True, slots=True)
class GateSet:
    """Gates judged together by one `join`: a row's own, or those of its group (`group` is its id)."""

    join: str
    gates: tuple[Gate, ...]
    group: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """A sub-process: its row, the tasks in it (numbers, table order), the ones it begins and ends with."""

    row: Row
    members: tuple[int, ...]
    entries: tuple[int, ...]
    exits: tuple[int, ...]
    outer: tuple[str, ...]

    @property
    def collection(self) -> str:
        return self.row.collection


@dataclass(frozen=True, slots=True)
class Rearm:
    """Who puts a task back to open: a finish of `source` with `label` ("" any but failed)."""

    source: int
    label: str
    is_fix: bool = False
