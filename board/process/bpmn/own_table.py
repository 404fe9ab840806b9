"""A file this product wrote comes back: the table it held, with what was changed in the drawing since.

Cell by cell: what the drawing says as it did when it was written leaves the cell as it was, so a file
that nobody changed gives the very same table; what it says otherwise is taken from the drawing.
"""

from collections.abc import Mapping

from board.process.definition.cells import dependencies
from board.process.definition.table import COLUMNS, ProcessTable, Row

Cells = dict[str, str]


def merged(own: ProcessTable, base: ProcessTable, theirs: ProcessTable, copies: Mapping[str, Cells]) -> ProcessTable:
    """Merge the table kept in a file, the table its drawing meant when written, and the one it means now.

    `copies`: by task id of `theirs`, the cells of the row an element was copied from.
    """
    if theirs.rows == base.rows:
        return own
    kept = _kept(own, base, theirs)
    for row in theirs.rows:
        if own.row(row.task) is None and base.row(row.task) is None:
            _insert(kept, copies.get(row.task, {}) | row.cells(), _before(theirs, row.task))
    _complete(kept, theirs)
    used = dict.fromkeys(column for cells in kept for column in cells)
    columns = [*own.columns, *(column for column in (*COLUMNS, *used) if column in used)]
    return ProcessTable.from_rows(kept, dict.fromkeys(columns))


def _kept(own: ProcessTable, base: ProcessTable, theirs: ProcessTable) -> list[Cells]:
    kept = []
    for row in own.rows:
        then, now = base.row(row.task), theirs.row(row.task)
        if now is not None:
            kept.append(_cells(row.cells(), then.cells() if then else {}, now.cells()))
        elif then is None:
            kept.append(row.cells())
    return kept


def _cells(own: Cells, then: Cells, now: Cells) -> Cells:
    for column in (*then, *now):
        if then.get(column) != now.get(column):
            own = own | {column: now.get(column, "")}
    return {column: cell for column, cell in own.items() if cell}


def _before(table: ProcessTable, task: str) -> str:
    """The task before a row, `""` for the first."""
    tasks = [row.task for row in table.rows]
    at = tasks.index(task)
    return tasks[at - 1] if at else ""


def _insert(rows: list[Cells], cells: Cells, after: str) -> None:
    at = next((n for n, row in enumerate(rows) if row.get("task") == after), len(rows) - 1 if after else -1)
    rows.insert(at + 1, cells)


def _complete(rows: list[Cells], theirs: ProcessTable) -> None:
    """Add rows that changed cells name and only the drawing has: gateways that ask."""
    tasks = {row.get("task", "") for row in rows}
    todo = list(rows)
    while todo:
        row = todo.pop()
        named = [*(d.task for d in dependencies(row.get("depends_on", ""))), row.get("parent", "")]
        for task in named:
            found: Row | None = theirs.row(task) if task not in tasks else None
            if found:
                tasks.add(task)
                _insert(rows, found.cells(), _before(theirs, task))
                todo.append(found.cells())
