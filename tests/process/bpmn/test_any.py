"""Any drawing, however odd, is read without a crash into a table without errors, and its work can be finished."""

from functools import cache
from html import escape

from hypothesis import given, settings
from hypothesis import strategies as st

from board.process.bpmn import BpmnReading, Unreadable, read
from board.process.flow.flow import compile_flow
from board.process.validation.problems import check
from tests.process.bpmn.text import drawing

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
CONDITIONS = ("", "", '<conditionExpression>x == "1"</conditionExpression>')
SEVERAL = '<multiInstanceLoopCharacteristics isSequential="true"/>'


# made once: making a strategy takes longer than drawing from it
BOOLEAN = st.booleans()
between, one_of = cache(st.integers), cache(st.sampled_from)


@cache
def pairs_of(ids: tuple[str, ...]) -> st.SearchStrategy[list[tuple[str, str]]]:
    return st.lists(st.tuples(st.sampled_from(ids), st.sampled_from((*ids, "ghost"))), max_size=12)


@st.composite
def scopes(draw: st.DrawFn) -> str:
    """Nodes of every kind, joined as it comes."""
    return draw_scope(draw, "n", 0)


def draw_scope(draw: st.DrawFn, prefix: str, depth: int) -> str:
    ids = tuple(f"{prefix}{n}" for n in range(draw(between(1, 7))))
    nodes = "".join([draw_node(draw, each, ids, depth) for each in ids])
    pairs = draw(pairs_of(ids))
    flows = ""
    for number, (source, target) in enumerate(pairs):
        name = draw(one_of(NAMES))
        condition = draw(one_of(CONDITIONS))
        key = f"{prefix}f{number}"
        ends = f'sourceRef="{source}" targetRef="{target}"'
        flows += f'<sequenceFlow id="{key}" name="{name}" {ends}>{condition}</sequenceFlow>'
    return nodes + flows


def draw_node(draw: st.DrawFn, key: str, ids: tuple[str, ...], depth: int) -> str:
    kind = draw(one_of(TYPES))
    inside = ""
    if kind.endswith("Event"):
        trigger = draw(one_of(EVENTS))
        inside = f"<{trigger}EventDefinition/>" if trigger else ""
    elif kind.endswith(("Task", "Process", "task")):
        inside = draw(one_of(("", "", "", SEVERAL, "<standardLoopCharacteristics/>")))
    if kind.endswith("Process") and depth < 2:
        inside += draw_scope(draw, f"{key}x", depth + 1)
    more = f' attachedToRef="{draw(one_of(ids))}"' if kind == "boundaryEvent" else ""
    more += ' cancelActivity="false"' if draw(BOOLEAN) else ""
    more += ' triggeredByEvent="true"' if draw(between(0, 9)) == 0 else ""
    more += f' default="{key.rstrip("0123456789")}f{draw(between(0, 5))}"' if draw(BOOLEAN) else ""
    return f'<{kind} id="{key}" name="{escape(draw(one_of(NAMES)))}"{more}>{inside}</{kind}>'


def reading_of(nodes: str) -> BpmnReading | None:
    """The reading, None for a drawing without a task."""
    try:
        return read(drawing(nodes))
    except Unreadable:
        return None


@given(scopes())
@settings(max_examples=400)
def test_any_drawing_is_read_into_a_table_without_errors(nodes: str) -> None:
    reading = reading_of(nodes)
    if reading:
        assert [str(problem) for problem in check(reading.table) if problem.level == "error"] == []
        assert compile_flow(reading.table).tasks


@given(scopes())
@settings(max_examples=100)
def test_every_node_of_any_drawing_is_told_of(nodes: str) -> None:
    reading = reading_of(nodes)
    if reading:
        told = {remark.element_id for remark in reading.remarks}
        drawn = [part.split('"')[0] for part in nodes.split('id="')[1:]]
        assert {key for key in drawn if "f" not in key} <= told


@given(scopes())
@settings(max_examples=50)
def test_any_drawing_reads_alike_every_time(nodes: str) -> None:
    first, second = reading_of(nodes), reading_of(nodes)
    assert first == second


@given(scopes())
@settings(max_examples=100)
def test_every_answer_asked_of_a_person_is_one_they_are_offered(nodes: str) -> None:
    reading = reading_of(nodes)
    if reading is None:
        return
    flow = compile_flow(reading.table)
    for row in flow.rows:
        asked = {d.label for other in reading.table.rows for d in other.dependencies if d.task == row.task and d.label}
        assert asked - {"failed"} <= set(flow.answers(row.task))
