"""Tables as BPMN files: what is written comes back the same, and what is changed in the drawing comes back changed."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from board.process.bpmn import read, reader, write, xml
from board.process.bpmn.parsing import parse
from board.process.bpmn.report import Report
from board.process.bpmn.writing.document import elements
from board.process.definition.table import COLUMNS, ElementList, ProcessTable
from board.process.validation.problems import check
from tests.process.bpmn.text import BPMN, waits
from tests.process.engine.made_up import made_up
from tests.process.tables import rows, startable

CONFORMANCE = Path(__file__).parents[2] / "conformance"
NS = {"b": BPMN}


def cases(*names: str) -> list[dict[str, Any]]:
    return [case for name in names for case in json.loads((CONFORMANCE / f"{name}.json").read_text("utf-8"))]


def table(*given: dict[str, str]) -> ProcessTable:
    return ProcessTable.from_rows(given)


QUARTER = table(
    {"task": "plan", "name": "Plan", "role": "steward", "due": "5d", "description": "Say *what* is due.\n\nAnd when."},
    {"task": "each", "collection": "country", "depends_on": "plan", "complete_when": "80%", "sequential": "x"},
    {"task": "load", "parent": "each", "role": "system", "script": "load.py", "retry": "2", "params": "A=1; b=<&>"},
    {"task": "qa", "parent": "each", "role": "system", "script": "qa.R", "depends_on": "load, fix", "colour": "red"},
    {"task": "fix", "parent": "each", "role": "analyst", "depends_on": "qa:false", "not_by": "sign"},
    {"task": "sign", "parent": "each", "role": "analyst", "depends_on": "qa:true", "assignee": "ana"},
    {"task": "report", "role": "analyst", "depends_on": "each, rework"},
    {"task": "approve", "role": "management", "depends_on": "report"},
    {"task": "publish", "role": "system", "depends_on": "approve:yes"},
    {"task": "rework", "role": "analyst", "depends_on": "approve:no"},
)


def drawn(of: ProcessTable) -> ProcessTable:
    """What the drawing of a table says by itself, without the rows kept beside it."""
    process = parse.document(xml.parse(write(of, "P"))).processes[0]
    return reader.derived(process, {}, Report())


def changed(of: ProcessTable, change: Any) -> ProcessTable:
    """Write a table, change the XML as a drawing tool would, and read it."""
    root = etree.fromstring(write(of, "P"))
    change(root)
    reading = read(etree.tostring(root))
    assert [problem for problem in check(reading.table) if problem.level == "error"] == []
    return reading.table


def find(root: Any, key: str) -> Any:
    return root.xpath(f"//*[@id='{key}']")[0]


def test_a_table_comes_back_the_same_with_all_its_columns() -> None:
    reading = read(write(QUARTER, "Quarter & more"))
    assert reading.table == QUARTER
    assert reading.table.version == QUARTER.version
    assert reading.name == "Quarter & more"
    assert reading.whole
    assert {remark.became for remark in reading.remarks} == {"taken"}


def test_conformance_tables_come_back_the_same() -> None:
    for case in cases("status", "flow")[::4]:
        given = ProcessTable.from_rows(case["process"])
        root, _ = elements(given, case["name"])  # the picture, which takes longest, is not read
        reading = read(etree.tostring(root))
        assert reading.table == given, case["name"]
        assert reading.whole, case["name"]


@given(startable(most=6))
@settings(max_examples=60)
def test_every_valid_table_comes_back_the_same(drawn: tuple[ProcessTable, ElementList]) -> None:
    given = drawn[0]
    assert read(write(given)).table == given


@given(rows(most=6))
@settings(max_examples=60)
def test_tables_with_errors_come_back_the_same_too(given: list[dict[str, str]]) -> None:
    odd = ProcessTable.from_rows(given)
    assert read(write(odd)).table == odd


CELL = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@given(
    st.lists(st.dictionaries(st.sampled_from([*COLUMNS[1:3], *COLUMNS[4:5], *COLUMNS[9:], "x", "Ü ?", "@index"]), CELL))
)
@settings(max_examples=60)
def test_any_text_in_any_cell_comes_back_the_same(cells: list[dict[str, str]]) -> None:
    given = ProcessTable.from_rows([{"task": f"t{n}"} | row for n, row in enumerate(cells)] or [{"task": "a"}])
    assert read(write(given, "P")).table == given


@pytest.mark.parametrize("task", ["ª", "Ǆ.x", "名前", "a-b.c_d", "_", "Pool", "Flow_1", "Lane_1", "Gateway", "start"])
def test_any_task_id_comes_back_the_same(task: str) -> None:
    given = table({"task": task}, {"task": "z", "depends_on": task}, {"task": "y", "depends_on": task})
    assert read(write(given)).table == given


def test_tables_of_any_shape_come_back_the_same() -> None:
    for number in range(0, 200, 10):
        given = made_up(number, 40)
        assert read(write(given)).table == given


def test_columns_without_a_cell_are_kept() -> None:
    given = ProcessTable.from_rows([{"task": "a"}], ["name", "task", "später", "join"])
    assert read(write(given)).table.columns == ("name", "task", "später", "join")


def test_the_file_is_the_same_every_time() -> None:
    assert write(QUARTER, "P") == write(QUARTER, "P")


def test_the_drawing_alone_says_the_same_order_of_work() -> None:
    alone = drawn(QUARTER)
    assert waits(alone) == waits(QUARTER) | {"report": "rework, each"}
    assert {row.task: row.role for row in alone.rows} == {row.task: row.role for row in QUARTER.rows}
    each = alone.row("each")
    assert each is not None
    assert (each.collection, each.complete_when, each.is_sequential) == ("country", "pct=80", True)
    qa = alone.row("qa")
    assert qa is not None
    assert qa.script == "qa.R"


def test_flows_stay_inside_their_sub_process() -> None:
    crossing = table(
        {"task": "a"},
        {"task": "g", "collection": "unit"},
        {"task": "m", "parent": "g", "depends_on": "a"},
        {"task": "n", "parent": "g", "depends_on": "m"},
        {"task": "b", "depends_on": "m:yes"},
    )
    root = etree.fromstring(write(crossing))
    for flow in root.iter(f"{{{BPMN}}}sequenceFlow"):
        ends = [find(root, flow.get(side, "")) for side in ("sourceRef", "targetRef")]
        assert {end.getparent() for end in ends} == {flow.getparent()}
    assert read(write(crossing)).table == crossing


def test_every_shape_has_a_place_and_every_flow_its_corners() -> None:
    root: Any = etree.fromstring(write(QUARTER))
    drawn_ids = {element.get("bpmnElement") for element in root.iter() if element.get("bpmnElement")}
    nodes = root.xpath("//b:process//*[@id][not(self::b:laneSet or self::b:inputDataItem)]", namespaces=NS)
    assert {node.get("id") for node in nodes} <= drawn_ids
    ids = root.xpath("//@id")
    assert len(set(ids)) == len(ids)


# changed in a drawing tool


def test_a_name_changed_in_the_drawing_is_taken() -> None:
    found = changed(QUARTER, lambda root: find(root, "plan").set("name", "Plan well"))
    assert found.rows[0].name == "Plan well"
    assert found.rows[1:] == QUARTER.rows[1:]
    assert found.rows[0].cells() == QUARTER.rows[0].cells() | {"name": "Plan well"}


def test_a_task_moved_to_another_lane_changes_its_role() -> None:
    def move(root: Any) -> None:
        refs = root.xpath("//b:flowNodeRef", namespaces=NS)
        ref = next(ref for ref in refs if ref.text == "rework")
        lane = next(other for other in refs if other.text == "plan").getparent()
        lane.append(ref)

    found = changed(QUARTER, move)
    assert {a.task for a, b in zip(QUARTER.rows, found.rows, strict=True) if a != b} == {"rework"}
    row = found.row("rework")
    assert row is not None
    assert row.role == "steward"


def test_a_task_drawn_anew_becomes_a_row_and_what_it_changes_is_changed() -> None:
    def add(root: Any) -> None:
        process = find(root, "Process")
        etree.SubElement(process, f"{{{BPMN}}}userTask", id="Activity_1", name="Read once more")
        flow = next(f for f in process.findall("b:sequenceFlow", NS) if f.get("targetRef") == "approve")
        flow.set("targetRef", "Activity_1")
        etree.SubElement(process, f"{{{BPMN}}}sequenceFlow", id="new", sourceRef="Activity_1", targetRef="approve")

    found = changed(QUARTER, add)
    assert [row.task for row in found.rows][7:9] == ["Activity_1", "approve"]
    assert waits(found) == waits(QUARTER) | {"Activity_1": "report", "approve": "Activity_1"}
    qa = found.row("qa")
    assert qa is not None
    assert qa == QUARTER.row("qa")


def test_a_task_removed_from_the_drawing_is_gone() -> None:
    def remove(root: Any) -> None:
        for element in root.xpath("//*[@id='rework' or @sourceRef='rework' or @targetRef='rework']"):
            element.getparent().remove(element)

    found = changed(QUARTER, remove)
    assert found.row("rework") is None
    report = found.row("report")
    assert report is not None
    assert report.depends_on == "each"


def test_an_answer_renamed_in_the_drawing_is_renamed() -> None:
    def rename(root: Any) -> None:
        flow = next(f for f in root.iter(f"{{{BPMN}}}sequenceFlow") if f.get("name") == "yes")
        flow.set("name", "approved")

    assert waits(changed(QUARTER, rename))["publish"] == "approve:approved"


def test_a_copy_of_a_task_takes_its_script_along() -> None:
    def copy(root: Any) -> None:
        given = find(root, "publish")
        twin = etree.fromstring(etree.tostring(given))
        twin.set("id", "Activity_2")
        given.getparent().append(twin)

    script = QUARTER.to_rows()
    script[8]["script"], script[8]["timeout"] = "publish.py", "60"
    found = changed(ProcessTable.from_rows(script), copy)
    twin = found.row("publish_2")
    assert twin is not None
    assert (twin.script, twin.timeout, twin.role) == ("publish.py", "60", "system")


def test_what_is_added_in_the_drawing_is_told_of_and_what_was_there_is_not() -> None:
    root = etree.fromstring(write(QUARTER))
    etree.SubElement(find(root, "Process"), f"{{{BPMN}}}serviceTask", id="svc", name="Call it")
    reading = read(etree.tostring(root))
    assert {remark.element_id for remark in reading.remarks if remark.became != "taken"} == {"svc"}


def test_kept_columns_that_were_tampered_with_do_no_harm() -> None:
    data = write(QUARTER, "P")
    for bad in (b"not json", b"{}", b"[1, null]", b""):
        begun = data.index(b'columns="') + 9
        tampered = data[:begun] + bad + data[data.index(b'"', begun) :]
        assert read(tampered).table.rows == QUARTER.rows


def test_elements_that_name_no_row_of_the_table_are_read_as_drawn() -> None:
    data = write(QUARTER, "P").replace(b'<foldboard:row task="plan"/>', b'<foldboard:row task="elsewhere"/>')
    assert read(data).table.rows == QUARTER.rows
