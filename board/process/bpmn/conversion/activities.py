"""Activities to rows: who does it, what the worker runs, what is repeated."""

from board.process.bpmn.conversion import words
from board.process.bpmn.conversion.region import Draft
from board.process.bpmn.parsing.model import FlowNode, Loop
from board.process.bpmn.report import Report
from board.process.definition.cells import SYSTEM

AUTOMATIC = frozenset({"scriptTask", "serviceTask", "businessRuleTask", "receiveTask"})
_GLOBAL = {
    "globalUserTask": "userTask",
    "globalManualTask": "manualTask",
    "globalScriptTask": "scriptTask",
    "globalBusinessRuleTask": "businessRuleTask",
    "globalTask": "task",
}
_RECEIVES = "A message from outside completes it, or an operator with a note."
_MARKS_SCRIPT = "Name a script under `script` and the worker runs it."


def fill(draft: Draft, node: FlowNode, role: str, kind: str, report: Report) -> None:
    """Fill the row of an activity; `kind` is its type, of a called global task the type it stands for."""
    draft.role, draft.system = (SYSTEM, True) if kind in AUTOMATIC else (role, role == SYSTEM)
    draft.description, draft.assignee = node.description, "" if kind in AUTOMATIC else node.assignee
    if kind in AUTOMATIC - {"receiveTask"}:
        _automatic(draft, node, kind, report)
    elif kind == "sendTask":
        whom = f"a person of `{role}`" if role else "a person"
        report.approximated(node, f"Nothing is sent by itself: {whom} sends and ticks it off.", _MARKS_SCRIPT)
    if node.engine:
        settings = ", ".join(node.engine)
        report.dropped(node, f"Settings for another engine are not taken: {settings}.", "")
    _performer(node, role, report)


def _automatic(draft: Draft, node: FlowNode, kind: str, report: Report) -> None:
    if words.is_script(node.script):
        draft.script = node.script.strip()
        return
    what = {"scriptTask": "Its code", "businessRuleTask": "Its rule"}.get(kind, "The service it calls")
    report.approximated(node, f"{what} is not taken: the row has the role `system`. {_RECEIVES}", _MARKS_SCRIPT)


def _performer(node: FlowNode, role: str, report: Report) -> None:
    if node.performer and node.performer != role:
        message = f"Its performer “{node.performer}” is not taken: the lane says who acts (`{role}`)."
        report.approximated(node, message, "Write the performer under `role` if it is meant.")


def called(draft: Draft, node: FlowNode, role: str, tasks: dict[str, str], report: Report) -> None:
    """Fill the row of a call activity: a called global task is that task, a called process a message to wait for."""
    kind = _GLOBAL.get(tasks.get(node.called, ""))
    if kind:
        fill(draft, node, role, kind, report)
        return
    draft.role, draft.system, draft.description = SYSTEM, True, node.description
    what = f"The called process `{node.called}`" if node.called else "The called process"
    report.approximated(
        node,
        f"{what} is not started from here: the row waits for a message that says it is done.",
        "Start the other process by hand and send its last step as a message, or copy its rows into this table.",
    )


def looped(node: FlowNode, loop: Loop, report: Report) -> None:
    """Tell of a loop marker: the row is done once and can be sent back."""
    until = f" (until: {loop.condition})" if loop.condition else ""
    report.approximated(
        node,
        f"Its loop{until} is not taken: it is done once, and whoever does it repeats it before ticking it off.",
        "A later check that lists it under `depends_on` with an answer sends it back.",
    )


def group(draft: Draft, node: FlowNode, loop: Loop, report: Report) -> None:
    """Fill the row of a group."""
    draft.collection = _collection(node, loop)
    draft.sequential = loop.sequential
    draft.complete_when = words.enough(loop.condition)
    if loop.cardinality:
        message = f"How often ({loop.cardinality}) is not taken: it repeats once per element of the list at the start."
        report.approximated(node, message)
    if loop.condition and not draft.complete_when:
        message = f"Its completion condition ({loop.condition}) is not taken: all elements are needed."
        report.approximated(node, message, "Write under `complete_when` how many are enough: `n=2`, `50%`.")


def _collection(node: FlowNode, loop: Loop) -> str:
    own = (node.own or {}).get("collection", "")
    return own or words.answer(loop.kind) or "element"
