"""XML from strangers: namespaces in every spelling read alike, what is harmful or broken is refused with a reason."""

import re
import time

import pytest

from board.process.bpmn import Unreadable, read
from tests.process.bpmn.text import BPMN, drawing, imported, tasks, waits

FLOWS = "s -> a\na -> g\ng -> b: yes\ng -> c: no"
NODES = '<startEvent id="s"/><exclusiveGateway id="g"/>' + tasks("a", "b", "c")
EXPECTED = {"a": "", "b": "a:yes", "c": "a:no"}


def prefixed(prefix: str) -> str:
    plain = drawing(NODES, FLOWS).decode()
    return re.sub(r"<(/?)(\w)", rf"<\1{prefix}:\2", plain).replace("xmlns=", f"xmlns:{prefix}=")


@pytest.mark.parametrize("prefix", ["bpmn", "bpmn2", "semantic", "ns5"])
def test_any_prefix_reads_alike(prefix: str) -> None:
    assert waits(read(prefixed(prefix).encode()).table) == EXPECTED


def test_prefixes_of_single_elements_read_alike() -> None:
    mixed = drawing(NODES, FLOWS).decode().replace("<userTask", f'<q17:userTask xmlns:q17="{BPMN}" xmlns=""')
    assert waits(read(mixed.encode()).table) == EXPECTED


def test_references_may_carry_a_prefix() -> None:
    data = drawing(NODES, FLOWS).replace(b'sourceRef="', b'sourceRef="tns:')
    assert waits(read(data).table) == EXPECTED


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-8"])
def test_encodings_read_alike(encoding: str) -> None:
    name = "utf-8" if encoding == "utf-8-sig" else encoding
    text = f'<?xml version="1.0" encoding="{name}"?>' + drawing(NODES, FLOWS).decode().replace(
        'name="b"', 'name="Prüfung"'
    )
    table = read(text.encode(encoding)).table
    assert waits(table) == EXPECTED
    assert [row.name for row in table.rows] == ["a", "Prüfung", "c"]


def test_blank_lines_before_the_declaration_do_no_harm() -> None:
    data = b'\n  <?xml version="1.0"?>' + drawing(NODES, FLOWS)
    assert waits(read(data).table) == EXPECTED


BOMB = '<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize("declared", [BOMB, OUTSIDE, "<!DOCTYPE d>", '<!DOCTYPE d SYSTEM "http://127.0.0.1:9/x.dtd">'])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_a_document_type_is_refused_before_anything_of_it_is_read(declared: str, encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?>\n{declared}' + drawing(NODES, FLOWS).decode()
    with pytest.raises(Unreadable, match="document type"):
        read(text.encode(encoding))


def test_a_document_type_is_refused_with_its_line() -> None:
    with pytest.raises(Unreadable, match="line 3"):
        read(b'<?xml version="1.0"?>\n\n<!DOCTYPE d>' + drawing(NODES))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \n ", "empty"),
        (b"task,name\na,A\n", "no XML"),
        (b'{"task": ["a"]}', "no XML"),
        (b"PK\x03\x04rest", "no XML"),
        (b"\x00\x01\x02", "XML"),
        (b"<html><body/></html>", "root element is `html`"),
        (b"<definitions/>", "no namespace"),
        (b'<definitions xmlns="http://schema.omg.org/spec/BPMN/1.0"/>', "BPMN 2.0 has"),
        (b"<a>\n<b></a>", "line 2"),
        (b'<?xml version="1.0" encoding="klingon"?><a/>', "encoding"),
        (b"<a>\n\xff\xfe</a>", "line 2"),
        (b"<a>" * 400 + b"</a>" * 400, "depth"),
        (f'<definitions xmlns="{BPMN}"/>'.encode(), "no process"),
        (f'<definitions xmlns="{BPMN}"><process id="p"/></definitions>'.encode(), "is empty"),
        (drawing('<startEvent id="s"/><endEvent id="e"/>', "s -> e"), "no task"),
        (f'<definitions xmlns="{BPMN}"><choreography id="c"/></definitions>'.encode(), "choreography"),
    ],
)
def test_what_is_no_process_is_refused_with_the_reason(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read(data)


def test_an_undeclared_prefix_is_named_with_its_line() -> None:
    data = drawing(NODES, FLOWS).replace(b"<userTask", b"\n<my:userTask", 1).replace(b"/><userTask", b"/><userTask", 1)
    with pytest.raises(Unreadable, match=r"line 2.*prefix my") as refusal:
        read(data)
    assert "Declare the prefix" in refusal.value.remedy


def test_too_large_a_file_is_refused_before_it_is_parsed() -> None:
    begun = time.perf_counter()
    with pytest.raises(Unreadable, match="at most 20 MB"):
        read(b"<" * 20_000_001)
    assert time.perf_counter() - begun < 0.2


def test_the_limit_can_be_lower() -> None:
    data = drawing(NODES, FLOWS)
    with pytest.raises(Unreadable, match="MB are read"):
        read(data, limit_bytes=len(data) - 1)
    assert read(data, limit_bytes=len(data)).table.rows


def test_an_attribute_cannot_be_blown_up() -> None:
    with pytest.raises(Unreadable):
        read(drawing(NODES.replace('id="a"', 'id="&bomb;"')))


def test_sub_processes_deeper_than_people_draw_are_refused() -> None:
    inside = tasks("a")
    for n in range(60):
        inside = f'<subProcess id="s{n}">{inside}</subProcess>'
    with pytest.raises(Unreadable, match="deep"):
        read(drawing(inside))


def test_broken_pictures_are_told_of_and_ignored() -> None:
    picture = """
      <di:BPMNDiagram xmlns:di="http://www.omg.org/spec/BPMN/20100524/DI" id="d1"/>
      <di:BPMNDiagram xmlns:di="http://www.omg.org/spec/BPMN/20100524/DI" id="d2"
        xmlns:dc="http://www.omg.org/spec/DD/20100524/DC"><di:BPMNPlane bpmnElement="p">
        <di:BPMNShape id="x1" bpmnElement="nothing"><dc:Bounds x="0" y="0" width="1" height="1"/></di:BPMNShape>
        <di:BPMNShape id="x2" bpmnElement="a"><dc:Bounds x="NaN" y="0" width="1" height="1"/></di:BPMNShape>
        <di:BPMNShape id="x3" bpmnElement="b"/>
        <di:BPMNEdge id="x4" bpmnElement="f1"/>
        <di:BPMNEdge id="x5"/>
        <di:BPMNShape id="ok" bpmnElement="c"><dc:Bounds x="0" y="0" width="1" height="1"/></di:BPMNShape>
      </di:BPMNPlane></di:BPMNDiagram>"""
    reading = imported(NODES, FLOWS, around=picture)
    assert waits(reading.table) == EXPECTED
    told = {remark.element_id: remark.message for remark in reading.remarks if remark.became == "dropped"}
    assert set(told) == {"d1", "x1", "x2", "x3", "x4", "x5"}
    assert "no plane" in told["d1"]
    assert "`nothing`" in told["x1"]


def test_flows_that_lead_nowhere_are_told_of_and_put_aside() -> None:
    reading = imported(tasks("a", "b"), "a -> b\na -> ghost\n -> b")
    assert waits(reading.table) == {"a": "", "b": "a"}
    dropped = [remark.element_id for remark in reading.remarks if remark.became == "dropped"]
    assert dropped == ["f2", "f3"]


def test_ends_that_only_the_nodes_tell_of_are_found() -> None:
    nodes = '<task id="a"><outgoing>f1</outgoing></task><task id="b"><incoming>f1</incoming></task>'
    assert waits(imported(nodes, " -> ").table) == {"a": "", "b": "a"}


def test_a_file_of_many_megabytes_is_read_in_time() -> None:
    count = 4000
    flows = "\n".join(f"t{n} -> t{n + 1}" for n in range(count - 1))
    padding = f"<documentation>{'x' * 900}</documentation>"
    nodes = "".join(f'<userTask id="t{n}" name="t{n}">{padding}</userTask>' for n in range(count))
    begun = time.perf_counter()
    table = imported(nodes, flows).table
    assert time.perf_counter() - begun < 10
    assert len(table.rows) == count
    assert table.rows[-1].depends_on == f"t{count - 2}"


def test_too_many_activities_are_refused() -> None:
    with pytest.raises(Unreadable, match="5,001 activities"):
        read(drawing(tasks(*(f"t{n}" for n in range(5001)))))
