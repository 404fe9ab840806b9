"""What is wrong with single cells: ids, numbers, quorums, params, scripts."""

from collections.abc import Iterator

from board.process.definition import cells
from board.process.definition.params import ParamsError, parse_params
from board.process.definition.quorum import QuorumError, is_inclusive, need
from board.process.definition.script_cell import why_not
from board.process.definition.table import ProcessTable, Row
from board.process.definition.text import shown
from board.process.validation.finding import Problem, numbered, problem

_NUMBERS = (
    ("retry", cells.whole, "a whole number such as `2`"),
    ("retry_delay", cells.seconds, "seconds such as `30` or `0.5`"),
    ("timeout", cells.seconds, "seconds such as `600` or `0.5` (`0` for no limit)"),
    ("due", cells.due, "a number and a unit such as `5d`, `36h`, `90m` or `2w`, at most 100 years"),
)


def of_cells(table: ProcessTable) -> Iterator[Problem]:
    """Give every problem that can be seen in one cell (and, for ids, in its column)."""
    if not any(not row.is_group for row in table.rows):
        yield Problem(
            "error", 0, "", "task", "", "The table has no task: add at least one row with a `task`.", "no-task"
        )
    first: dict[str, int] = {}
    for number, row in numbered(table):
        yield from _of_id(number, row, first.setdefault(row.task, number))
        yield from _of_numbers(number, row)
        yield from _of_quorums(number, row)
        yield from _of_params(number, row)
        yield from _of_script(number, row)
        yield from _of_words(number, row)


def _of_id(number: int, row: Row, first: int) -> Iterator[Problem]:
    def wrong(message: str, code: str) -> Problem:
        return problem("error", number, row, "task", row.task, message, code)

    if not row.task:
        yield wrong(f"The row has no task id: write {cells.ID_HINT}.", "id-missing")
        return
    if row.task.startswith("@"):
        yield wrong(f"“{shown(row.task)}” is reserved: an id is {cells.ID_HINT}.", "id-reserved")
    elif not cells.is_id(row.task):
        yield wrong(f"“{shown(row.task)}” is no task id: an id is {cells.ID_HINT}.", "id-malformed")
    if first != number:
        yield wrong(
            f"“{shown(row.task)}” is already the id of row {first}: give each row an id of its own.", "id-repeated"
        )


def _of_numbers(number: int, row: Row) -> Iterator[Problem]:
    for column, read, hint in _NUMBERS:
        text = row.cell(column)
        if text and read(text) is None:
            message = f"“{shown(text)}” cannot be read as `{column}`: write {hint}."
            yield problem("error", number, row, column, text, message, f"{column.replace('_', '-')}-unreadable")


def _of_quorums(number: int, row: Row) -> Iterator[Problem]:
    for column, text in (("join", row.join), ("complete_when", row.complete_when)):
        if column == "join" and is_inclusive(text):
            continue
        try:
            need(text, 1)
        except QuorumError as error:
            also = ", or `inclusive`" if column == "join" else ""
            code = f"{column.replace('_', '-')}-unreadable"
            yield problem("error", number, row, column, text, f"{error}{also}.", code)


def _of_params(number: int, row: Row) -> Iterator[Problem]:
    try:
        parse_params(row.params)
    except ParamsError as error:
        message = f"{str(error)[0].upper()}{str(error)[1:]}; write `key=value; key2=value2`."
        yield problem("error", number, row, "params", row.params, message, "params-unreadable")


def _of_script(number: int, row: Row) -> Iterator[Problem]:
    text = row.script
    if text and row.role != cells.SYSTEM:
        message = f"A script is run by nobody but the worker: write `system` under `role`, or remove “{shown(text)}”."
        yield problem("error", number, row, "script", text, message, "script-not-system")
    if text and (why := why_not(text)):
        message = f"“{shown(text)}” can never run: {why}."
        yield problem("error", number, row, "script", text, message, "script-refused")
    if not text:
        for column in ("retry", "retry_delay", "timeout"):
            if cell := row.cell(column):
                message = f"`{column}` means nothing here, as no script is run: remove it, or name the script."
                yield problem("warning", number, row, column, cell, message, f"{column.replace('_', '-')}-no-script")


def _of_words(number: int, row: Row) -> Iterator[Problem]:
    if row.sequential and row.sequential.lower() not in cells.YES | cells.NO:
        message = f"“{shown(row.sequential)}” reads as no: write `true`, or nothing."
        yield problem("warning", number, row, "sequential", row.sequential, message, "sequential-unread")
    if row.rearm and row.rearm.lower() not in cells.YES | {"no"}:
        message = f"“{shown(row.rearm)}” says nothing here: write `no`, or nothing."
        yield problem("warning", number, row, "rearm", row.rearm, message, "rearm-unread")
