"""The QA check: does life expectancy fall anywhere by more than can be believed, and if so, was it reconciled?

Params: `max_fall` (years of life lost from one figure to the next), `note_of` (the task whose note answers the
findings), `sent_back_by` (the task whose `rejected` asks for another note).
Outputs: `findings`, the `worst` one, and the answer `status`: `true`, or `false` until the note is there.
Writes qa.csv, a line for each finding.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from figures import Figure, artifacts, need, output, param, read_figures, reconciliation, write_table


class Fall(NamedTuple):
    """Life expectancy fell from one figure to the next, by this many years."""

    country: str
    year: int
    before: float
    after: float
    by: float


def falls(figures: dict[str, list[Figure]], max_fall: float) -> list[Fall]:
    """Every fall of more than so many years, the steepest first."""
    found = []
    for country, series in figures.items():
        for earlier, later in pairwise(series):
            by = round(earlier.life - later.life, 3)
            if by > max_fall:
                found.append(Fall(country, later.year, earlier.life, later.life, by))
    return sorted(found, key=lambda fall: -fall.by)


def main() -> None:
    """Look for falls, write them down, and answer."""
    folder = artifacts()
    found = falls(read_figures(folder / "consolidated.csv"), param("max_fall", 8))
    write_table(folder / "qa.csv", Fall._fields, [tuple(fall) for fall in found])
    for fall in found:
        print(f"{fall.country} {fall.year}: life expectancy fell by {fall.by:.1f} years, {fall.before} to {fall.after}")
    note, sent_back = reconciliation(need("PROC_INSTANCE"))
    if note:
        print(f"Reconciled by {note.actor} on {note.ts}: {note.value}")
    elif sent_back:
        print("Management sent the figures back: a new reconciliation note is needed.")
    elif found:
        print("Nobody has reconciled this yet: the note is missing.")
    output("findings", len(found))
    if found:
        output("worst", f"{found[0].country} {found[0].year}, down {found[0].by:.1f} years")
    output("status", "true" if note or not (found or sent_back) else "false")


if __name__ == "__main__":
    main()
