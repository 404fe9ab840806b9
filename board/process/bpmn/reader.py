"""The steps of reading one process of a file into a table."""

from board.process.bpmn.conversion.build import Builder, TooDeep
from board.process.bpmn.conversion.dissolve import Dissolver
from board.process.bpmn.conversion.rows import Rows
from board.process.bpmn.own_table import merged
from board.process.bpmn.parsing import parse
from board.process.bpmn.parsing.model import ACTIVITIES, Document, FlowNode, Other, Process, Scope
from board.process.bpmn.report import Report
from board.process.bpmn.writing.document import elements
from board.process.definition.table import MAX_ROWS, ProcessTable
from board.process.definition.unreadable import Unreadable


def chosen(document: Document, pool: str | None) -> Process:
    """Give the process to import: the one asked for by id or name, else the one with the most activities."""
    if pool is None:
        return max(document.processes, key=lambda process: process.size)
    found = next((process for process in document.processes if process.is_called(pool)), None)
    if found is None:
        known = ", ".join(f"“{called(process)}”" for process in document.processes)
        raise Unreadable(f"There is no pool “{pool}” in the file.", f"Choose one of: {known}.")
    return found


def called(process: Process) -> str:
    """Give the name people know a process by."""
    return named(process) or process.id


def named(process: Process) -> str:
    """Give the name of a process or of its pool, `""` when the drawing has none."""
    return process.name or process.pool_name


def derived(process: Process, tasks: dict[str, str], report: Report) -> ProcessTable:
    """Make the table of a process by what is drawn alone; what became of its elements goes into the report."""
    return _built(process, tasks, report)[0]


def restored(process: Process, tasks: dict[str, str], report: Report) -> ProcessTable:
    """Make the table of a process this product wrote: the one kept in it, with what was changed in the drawing."""
    own = ProcessTable.from_rows(process.rows, process.columns)
    root, _ = elements(own, process.name)
    written = parse.document(root).processes[0]
    before = Report()
    base = derived(written, {}, before)
    theirs, builder = _built(process, tasks, report)
    report.without(before)
    copies = {draft.task: draft.node.own for draft in builder.drafts if draft.node and draft.node.own}
    return merged(own, base, theirs, copies)


def _built(process: Process, tasks: dict[str, str], report: Report) -> tuple[ProcessTable, Builder]:
    if process.size > MAX_ROWS:
        many = f"The process has {process.size:,} activities, at most {MAX_ROWS:,} are possible."
        raise Unreadable(many, "Split it, or repeat a part of it by several instances.")
    builder = Builder(process, tasks, report)
    try:
        builder.build()
    except TooDeep as error:
        raise Unreadable(str(error), "Draw it flatter.") from None
    for region in builder.regions:
        Dissolver(builder, region).dissolve()
    table = ProcessTable.from_rows(Rows(builder).rows())
    if not table.rows:
        nothing = f"The process “{called(process)}” has no task: there is nothing to put into a table."
        raise Unreadable(nothing, "Choose a file, or a pool, with tasks in it.")
    _tell_rest(process.scope, {draft.node.id: draft.task for draft in builder.drafts if draft.node}, report)
    return table, builder


def tell_others(document: Document, process: Process, report: Report) -> None:
    """Tell of all that is beside the process: other pools, message flows, what is broken in the picture."""
    for other in document.processes:
        if other is not process:
            element = Other(other.pool_id or other.id, called(other), "participant" if other.pool_id else "process")
            message = f"Another process, with {other.size} activities: one table is one process."
            report.dropped(element, message, f"Import it by itself: choose the pool “{called(other)}”.")
    for element in document.others:
        if element.type == "messageFlow":
            message = f"No message is sent between pools ({element.text})."
            report.dropped(
                element, message, "A row that waits for a message is completed through the inbox or the API."
            )
        else:
            report.dropped(element, f"A pool from outside: {element.text}.")
    for element in document.diagram:
        report.dropped(element, f"Broken in the picture and ignored, the process decides: {element.text}.")


def _tell_rest(scope: Scope, rows: dict[str, str], report: Report) -> None:
    told = {remark.element_id for remark in report.remarks}
    for node in _nodes(scope):
        if node.id not in told:
            report.taken(node, _taken(node, rows.get(node.id, "")))


def _nodes(scope: Scope) -> list[FlowNode]:
    found: list[FlowNode] = []
    for node in scope.nodes:
        found.append(node)
        if node.scope and not node.triggered:
            found += _nodes(node.scope)
    return found


def _taken(node: FlowNode, task: str) -> str:
    if task:
        return f"The row `{task}`."
    if node.type in ACTIVITIES and node.loop:
        return "A group with one row in it."
    return "Dissolved: the rows after it say what they wait for."
