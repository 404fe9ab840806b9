"""What a place in the flow waits for, as a small formula over answers of rows.

`always` is the start, `never` a flow that was put aside; `and or xor n` are joins. `xor` keeps the
start among its parts: it is an entrance beside which loops come back.
"""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

Join = Literal["and", "or", "xor", "n"]


class Atom(NamedTuple):
    """The finish of row number `row` with `label`, `""` for any."""

    row: int
    label: str = ""


class Op(NamedTuple):
    """Parts joined; `need` is the quorum of `n`, `explicit` says that a gateway is drawn for it."""

    join: Join
    parts: tuple["Formula", ...]
    explicit: bool = True
    need: str = ""


class Constant(NamedTuple):
    always: bool


ALWAYS, NEVER = Constant(True), Constant(False)
Formula = Atom | Op | Constant


def joined(join: Join, parts: Iterable[Formula], explicit: bool = True, need: str = "") -> Formula:
    """Join parts: what is put aside goes, the same twice counts once, one part is itself."""
    kept = [part for part in dict.fromkeys(parts) if part != NEVER]
    if join == "and":
        kept = [part for part in kept if part != ALWAYS] or kept[:1]
    if len(kept) > 1:
        kept = list(dict.fromkeys(_flat(join, kept)))
    return NEVER if not kept else kept[0] if len(kept) == 1 else Op(join, tuple(kept), explicit, need)


def _flat(join: Join, parts: Iterable[Formula]) -> Iterable[Formula]:
    for part in parts:
        if isinstance(part, Op) and part.join == join != "n":
            yield from part.parts
        else:
            yield part


def atoms(formula: Formula) -> tuple[Atom, ...]:
    """Give the atoms of a formula in order, each once."""
    found: dict[Atom, None] = {}
    seen: set[int] = set()
    stack: list[Formula] = [formula]
    while stack:
        part = stack.pop()
        if isinstance(part, Atom):
            found[part] = None
        elif isinstance(part, Op) and id(part) not in seen:
            seen.add(id(part))
            stack.extend(reversed(part.parts))
    return tuple(found)


def together(formula: Formula, wanted: frozenset[Atom]) -> Iterable[frozenset[Atom]]:
    """Give, for each join of all in a formula, which of the wanted atoms it joins."""
    for part in formula.parts if isinstance(formula, Op) else ():
        yield from together(part, wanted)
    if isinstance(formula, Op) and formula.join == "and":
        yield wanted.intersection(atoms(formula))


def starts(formula: Formula) -> bool:
    """Say whether the start of the process leads here without a row between."""
    if isinstance(formula, Op):
        return formula.join != "and" and any(map(starts, formula.parts))
    return formula == ALWAYS


def relabelled(formula: Formula, labels: Mapping[int, Iterable[str]]) -> Formula:
    """Ask the rows in `labels` for one of their labels wherever they were asked for any answer."""
    if isinstance(formula, Op):
        parts = (relabelled(part, labels) for part in formula.parts)
        return joined(formula.join, parts, formula.explicit, formula.need)
    if isinstance(formula, Atom) and not formula.label and formula.row in labels:
        return joined("xor", (Atom(formula.row, label) for label in labels[formula.row]))
    return formula


def less(formula: Formula, dropped: frozenset[Atom]) -> Formula:
    """Leave out atoms: loops, which hold nothing back."""
    if isinstance(formula, Op):
        return joined(formula.join, (less(part, dropped) for part in formula.parts), formula.explicit, formula.need)
    return NEVER if formula in dropped else formula


def holding(formula: Formula) -> Formula:
    """Leave out the start beside other parts: what is left is what a row waits for."""
    if isinstance(formula, Op):
        parts = (holding(part) for part in formula.parts)
        return joined(formula.join, (part for part in parts if part != ALWAYS), formula.explicit, formula.need)
    return formula


def bounded(formula: Formula, most: int = 200) -> Formula:
    """Give up the inner order of a formula that has grown too large: wait for whatever still comes of its atoms."""
    stack, size = [formula], 0
    while stack and size <= most:
        part = stack.pop()
        size += 1
        if isinstance(part, Op):
            stack.extend(part.parts)
    return formula if size <= most else joined("or", atoms(formula))
