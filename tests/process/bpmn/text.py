"""Small BPMN files for tests, written as a person would draw them: nodes, then `a -> b: label`."""

from board.process.bpmn import BpmnReading, read
from board.process.definition.table import ProcessTable

BPMN = "http://www.omg.org/spec/BPMN/20100524/MODEL"


def drawing(nodes: str, flows: str = "", around: str = "", lanes: str = "") -> bytes:
    """A file with one process; `flows` has one `source -> target: name` a line, `around` stands beside the process."""
    return (
        f'<definitions xmlns="{BPMN}" id="d" targetNamespace="t">{around}'
        f'<process id="p" name="P">{lanes}{nodes}{arrows(flows)}</process></definitions>'
    ).encode()


def arrows(flows: str, letter: str = "f") -> str:
    """Sequence flows as XML, numbered `f1`, `f2`, … (or by another letter); a name after `?` is a condition."""
    found = []
    for number, text in enumerate(filter(None, map(str.strip, flows.splitlines())), start=1):
        ends, _, name = text.partition(":")
        source, _, target = ends.partition("->")
        name, _, condition = name.strip().partition("?")
        inside = f"<conditionExpression>{condition.strip()}</conditionExpression>" if condition else ""
        found.append(
            f'<sequenceFlow id="{letter}{number}" sourceRef="{source.strip()}" targetRef="{target.strip()}"'
            f' name="{name.strip()}">{inside}</sequenceFlow>'
        )
    return "".join(found)


def tasks(*ids: str, kind: str = "userTask") -> str:
    """Tasks named like their ids."""
    return "".join(f'<{kind} id="{each}" name="{each}"/>' for each in ids)


def node(kind: str, key: str, inside: str = "", /, **attributes: str) -> str:
    """One element with an id."""
    given = {"id": key} | attributes
    return f"<{kind} {' '.join(f'{each}="{value}"' for each, value in given.items())}>{inside}</{kind}>"


def event(kind: str, key: str, trigger: str = "", /, **attributes: str) -> str:
    """An event with one definition."""
    return node(kind, key, f"<{trigger}EventDefinition/>" if trigger else "", **attributes)


def waits(table: ProcessTable) -> dict[str, str]:
    """What each row waits for: `depends_on`, and in brackets its `join`."""
    return {row.task: row.depends_on + (f" [{row.join}]" if row.join else "") for row in table.rows}


def imported(nodes: str, flows: str = "", **more: str) -> BpmnReading:
    """Read a drawing."""
    return read(drawing(nodes, flows, **more))


def became(reading: BpmnReading) -> dict[str, str]:
    """What became of each element, by id: the worst that is said of it."""
    order = ("taken", "approximated", "dropped")
    found: dict[str, str] = {}
    for remark in reading.remarks:
        before = found.get(remark.element_id, "taken")
        found[remark.element_id] = max(before, remark.became, key=order.index)
    return found
