"""Any drawing, however odd, is read without a crash into a table without errors, and its work can be finished."""

from html import escape

from hypothesis import given, settings
from hypothesis import strategies as st

from board.process.bpmn import BpmnReading, Unreadable, read
from board.process.flow import compile_flow
from board.process.problems import check
from tests.process.bpmn_text import drawing

TYPES = (
    "task",
    "userTask",
    "scriptTask",
    "serviceTask",
    "sendTask",
    "receiveTask",
    "callActivity",
    "exclusiveGateway",
    "exclusiveGateway",
    "parallelGateway",
    "inclusiveGateway",
    "complexGateway",
    "eventBasedGateway",
    "startEvent",
    "endEvent",
    "intermediateCatchEvent",
    "intermediateThrowEvent",
    "boundaryEvent",
    "subProcess",
    "adHocSubProcess",
)
EVENTS = ("", "message", "timer", "error", "signal", "link", "terminate", "compensate", "escalation")
NAMES = ("", "", "yes", "no", "A?", "failed", "a, b", "open", "Prüfen")
SEVERAL = '<multiInstanceLoopCharacteristics isSequential="true"/>'


@st.composite
def scopes(draw: st.DrawFn, prefix: str = "n", depth: int = 0) -> str:
    """Nodes of every kind, joined as it comes."""
    ids = [f"{prefix}{n}" for n in range(draw(st.integers(1, 7)))]
    nodes = "".join(draw(nodes_of(each, ids, depth)) for each in ids)
    pairs = draw(st.lists(st.tuples(st.sampled_from(ids), st.sampled_from([*ids, "ghost"])), max_size=12))
    flows = ""
    for number, (source, target) in enumerate(pairs):
        name = draw(st.sampled_from(NAMES))
        condition = draw(st.sampled_from(("", "", '<conditionExpression>x == "1"</conditionExpression>')))
        key = f"{prefix}f{number}"
        ends = f'sourceRef="{source}" targetRef="{target}"'
        flows += f'<sequenceFlow id="{key}" name="{name}" {ends}>{condition}</sequenceFlow>'
    return nodes + flows


@st.composite
def nodes_of(draw: st.DrawFn, key: str, ids: list[str], depth: int) -> str:
    kind = draw(st.sampled_from(TYPES))
    inside = ""
    if kind.endswith("Event"):
        trigger = draw(st.sampled_from(EVENTS))
        inside = f"<{trigger}EventDefinition/>" if trigger else ""
    elif kind.endswith(("Task", "Process", "task")):
        inside = draw(st.sampled_from(("", "", "", SEVERAL, "<standardLoopCharacteristics/>")))
    if kind.endswith("Process") and depth < 2:
        inside += draw(scopes(f"{key}x", depth + 1))
    more = f' attachedToRef="{draw(st.sampled_from(ids))}"' if kind == "boundaryEvent" else ""
    more += ' cancelActivity="false"' if draw(st.booleans()) else ""
    more += ' triggeredByEvent="true"' if draw(st.integers(0, 9)) == 0 else ""
    more += f' default="{key.rstrip("0123456789")}f{draw(st.integers(0, 5))}"' if draw(st.booleans()) else ""
    return f'<{kind} id="{key}" name="{escape(draw(st.sampled_from(NAMES)))}"{more}>{inside}</{kind}>'


def reading_of(nodes: str) -> BpmnReading | None:
    """The reading, None for a drawing without a task."""
    try:
        return read(drawing(nodes))
    except Unreadable:
        return None


@given(scopes())
@settings(max_examples=400, deadline=None)
def test_any_drawing_is_read_into_a_table_without_errors(nodes: str) -> None:
    reading = reading_of(nodes)
    if reading:
        assert [str(problem) for problem in check(reading.table) if problem.level == "error"] == []
        assert compile_flow(reading.table).tasks


@given(scopes())
@settings(max_examples=100, deadline=None)
def test_every_node_of_any_drawing_is_told_of(nodes: str) -> None:
    reading = reading_of(nodes)
    if reading:
        told = {remark.element_id for remark in reading.remarks}
        drawn = [part.split('"')[0] for part in nodes.split('id="')[1:]]
        assert {key for key in drawn if "f" not in key} <= told


@given(scopes())
@settings(max_examples=50, deadline=None)
def test_any_drawing_reads_alike_every_time(nodes: str) -> None:
    first, second = reading_of(nodes), reading_of(nodes)
    assert first == second


@given(scopes())
@settings(max_examples=100, deadline=None)
def test_every_answer_asked_of_a_person_is_one_they_are_offered(nodes: str) -> None:
    reading = reading_of(nodes)
    if reading is None:
        return
    flow = compile_flow(reading.table)
    for row in flow.rows:
        asked = {d.label for other in reading.table.rows for d in other.dependencies if d.task == row.task and d.label}
        assert asked - {"failed"} <= set(flow.answers(row.task))
