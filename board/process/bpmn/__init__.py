"""BPMN 2.0 in and out: `read` makes a table of a file and says what became of each element."""

from dataclasses import dataclass

from lxml import etree

from board.process.bpmn import reader, xml
from board.process.bpmn.parsing import parse
from board.process.bpmn.report import Remark, Report, is_whole
from board.process.bpmn.writing import picture
from board.process.bpmn.writing.document import elements
from board.process.bpmn.xml import LIMIT_BYTES
from board.process.definition.table import ProcessTable
from board.process.definition.unreadable import Unreadable

__all__ = ["LIMIT_BYTES", "BpmnReading", "Remark", "Unreadable", "read", "write"]


@dataclass(frozen=True, slots=True)
class BpmnReading:
    """A table from a BPMN file; `whole` says that everything was taken as it is; `pools`: what else can be chosen."""

    name: str
    table: ProcessTable
    remarks: list[Remark]
    whole: bool
    pools: tuple[str, ...] = ()


def read(data: bytes, *, pool: str | None = None, limit_bytes: int = LIMIT_BYTES) -> BpmnReading:
    """Read one process of a BPMN 2.0 file (`pool`: its id or name, by default the one with the most activities).

    Raises Unreadable with the reason when the bytes are no BPMN file or have no process in them.
    """
    document = parse.document(xml.parse(data, limit_bytes))
    process = reader.chosen(document, pool)
    report = Report()
    make = reader.derived if process.columns is None else reader.restored
    table = make(process, document.tasks, report)
    reader.tell_others(document, process, report)
    pools = tuple(reader.called(each) for each in document.processes)
    return BpmnReading(reader.named(process), table, report.remarks, is_whole(report.remarks), pools)


def write(table: ProcessTable, name: str = "") -> bytes:
    """Write a table as BPMN 2.0 XML with its picture; reading it again gives the same table."""
    root, notation = elements(table, name)
    picture.draw(root, notation)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)
