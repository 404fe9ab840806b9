"""What a BPMN file says, as plain data: processes, their nodes and flows, and what else is drawn."""

from dataclasses import dataclass, field

from board.process.bpmn.xml import Element

TASKS = frozenset(
    {
        "task",
        "userTask",
        "manualTask",
        "scriptTask",
        "serviceTask",
        "sendTask",
        "receiveTask",
        "businessRuleTask",
    }
)
SUB_PROCESSES = frozenset({"subProcess", "transaction", "adHocSubProcess"})
ACTIVITIES = TASKS | SUB_PROCESSES | {"callActivity"}
GATEWAYS = frozenset({"exclusiveGateway", "parallelGateway", "inclusiveGateway", "complexGateway", "eventBasedGateway"})
CATCHING = frozenset({"startEvent", "intermediateCatchEvent", "boundaryEvent"})
THROWING = frozenset({"endEvent", "intermediateThrowEvent", "implicitThrowEvent"})
FLOW_NODES = ACTIVITIES | GATEWAYS | CATCHING | THROWING


@dataclass(frozen=True, slots=True)
class Trigger:
    """One event definition: `message timer signal error escalation conditional link terminate cancel compensate`."""

    kind: str
    detail: str = ""  # the time, the condition, the name of the link


@dataclass(frozen=True, slots=True)
class Loop:
    """The marker of a loop (`multi` is False) or of several instances."""

    multi: bool
    sequential: bool = False
    kind: str = ""  # what one instance is about, when the file says it
    cardinality: str = ""
    condition: str = ""


@dataclass(slots=True)
class FlowNode:
    """One activity, gateway or event."""

    id: str
    name: str
    type: str
    element: Element
    description: str = ""
    triggers: tuple[Trigger, ...] = ()
    loop: Loop | None = None
    host: str = ""  # of a boundary event
    interrupting: bool = True
    default: str = ""
    called: str = ""
    condition: str = ""  # of a complex gateway
    script: str = ""
    performer: str = ""
    assignee: str = ""
    engine: tuple[str, ...] = ()  # settings for another engine, by their written names
    compensation: bool = False
    instantiates: bool = False  # a message or an event-based gateway that begins the process
    triggered: bool = False
    scope: "Scope | None" = None
    own: dict[str, str] | None = None  # the row this product wrote for the node

    @property
    def trigger(self) -> str:
        """Give the kind of the only event definition, `multiple` for several, `none` for none."""
        return "none" if not self.triggers else self.triggers[0].kind if len(self.triggers) == 1 else "multiple"

    @property
    def link(self) -> str:
        """Give the name of a link event, by which throwing and catching ones find each other, `""` for all others."""
        return (self.triggers[0].detail or self.name) if self.trigger == "link" else ""


@dataclass(slots=True)
class SequenceFlow:
    """One arrow; `condition` is the expression as written."""

    id: str
    name: str
    source: str
    target: str
    condition: str = ""
    conditional: bool = False
    type: str = "sequenceFlow"


@dataclass(frozen=True, slots=True)
class Other:
    """Anything drawn that is no flow: data, texts, frames, message flows, pools without content."""

    id: str
    name: str
    type: str
    text: str = ""


@dataclass(slots=True)
class Scope:
    """The content of a process or a sub-process."""

    nodes: list[FlowNode] = field(default_factory=list)
    flows: list[SequenceFlow] = field(default_factory=list)
    others: list[Other] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)  # associations, either direction
    lanes: dict[str, str] = field(default_factory=dict)  # node id to role
    broken: list[Other] = field(default_factory=list)  # flows that lead nowhere


@dataclass(slots=True)
class Process:
    """One process of the file and the pool it is drawn in, if it is."""

    id: str
    name: str
    scope: Scope
    pool_id: str = ""
    pool_name: str = ""
    columns: tuple[str, ...] | None = None  # of the table this product wrote
    rows: list[dict[str, str]] = field(default_factory=list)  # of that table
    size: int = 0  # activities, those in sub-processes too

    def is_called(self, key: str) -> bool:
        """Say whether somebody who says `key` means this process: its id, its name, or those of its pool."""
        return key in (self.id, self.name, self.pool_id, self.pool_name)


@dataclass(slots=True)
class Document:
    """One file."""

    processes: list[Process]
    others: list[Other]
    tasks: dict[str, str]  # global tasks: id to type
    diagram: list[Other]  # what is broken in the picture, `text` says how
