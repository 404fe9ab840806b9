"""Everything that is wrong with a process table, at once (semantics, section 1.2).

Errors keep a definition from being saved or started, warnings do not. Each problem says where it
is and what would be right. What needs facts from outside the table (who holds a role, which scripts
exist) is handed in.
"""

from collections.abc import Callable, Collection, Iterator

from board.process.definition.script_cell import why_not
from board.process.definition.table import COLUMNS, MAX_ROWS, ProcessTable
from board.process.definition.text import shown
from board.process.validation.bounds import of_size
from board.process.validation.cells import of_cells
from board.process.validation.finding import Problem, listed, numbered, problem
from board.process.validation.flow import of_flow
from board.process.validation.links import of_links

__all__ = ["MAX_ROWS", "Problem", "check", "error_of_a_start", "has_errors"]

_TOO_LARGE = frozenset({"too-many-rows", "too-many-columns", "too-many-links", "too-deep", "cell-too-long"})
_BORNE = frozenset({"dependency-unknown", "script-refused"})
_PLACE = {column: i for i, column in enumerate(COLUMNS)}


def check(
    table: ProcessTable,
    *,
    roles_held: Collection[str] | None = None,
    scripts_found: Callable[[str], bool] | None = None,
) -> list[Problem]:
    """List every error and warning in table order; never raises, however odd the table.

    `roles_held`: the roles somebody holds; `scripts_found`: whether the jobs directory has a script. None: not asked.
    """
    found = [*of_size(table), *of_cells(table)]
    if not any(each.code in _TOO_LARGE for each in found):
        found += [*of_links(table), *of_flow(table)]
    if roles_held is not None:
        found += _of_roles(table, roles_held)
    if scripts_found is not None:
        found += _of_scripts(table, scripts_found)
    return sorted(found, key=_place)


def _place(each: Problem) -> tuple[int, int, str, str]:
    return each.row, _PLACE.get(each.column, len(COLUMNS)), each.level, each.code


def has_errors(problems: Collection[Problem]) -> bool:
    """Say whether the problems keep the table from being saved or started."""
    return any(each.level == "error" for each in problems)


def error_of_a_start(table: ProcessTable) -> Problem | None:
    """Give the first error that keeps a table in the log from being run; None when it can be.

    What an instance says for itself keeps nothing else of it from going on: a row that waits for a task that is not
    there waits, a script that leaves the jobs directory is never run, and its attempt says why.
    """
    found = (*of_size(table), *of_cells(table), *of_links(table))
    return next((each for each in found if each.level == "error" and each.code not in _BORNE), None)


def _of_roles(table: ProcessTable, held: Collection[str]) -> Iterator[Problem]:
    for number, row in numbered(table):
        for role in () if row.is_group else row.roles:
            if role not in held:
                some = f" (roles that are held: {listed(sorted(held)[:8])})" if held else ""
                message = f"Nobody holds the role “{shown(role)}”{some}: give it to an account, or name another."
                yield problem("warning", number, row, "role", role, message, "role-unheld")


def _of_scripts(table: ProcessTable, exists: Callable[[str], bool]) -> Iterator[Problem]:
    for number, row in numbered(table):
        if row.is_script and not why_not(row.script) and not exists(row.script):
            message = f"There is no “{shown(row.script)}” in the jobs directory: put it there, or name another script."
            yield problem("warning", number, row, "script", row.script, message, "script-not-found")
