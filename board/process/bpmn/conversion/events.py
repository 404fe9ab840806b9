"""Events: what starts, ends, waits or throws, and what of it a table can say."""

from board.process.bpmn.conversion import words
from board.process.bpmn.conversion.region import Draft
from board.process.bpmn.parsing.model import FlowNode
from board.process.bpmn.report import Report
from board.process.definition.cells import SYSTEM

_SENT = {"message": "message", "signal": "signal", "escalation": "escalation", "compensate": "compensation"}


def started(node: FlowNode, report: Report) -> None:
    """Tell of a start event: whoever starts the instance is the event."""
    if node.trigger == "none":
        report.taken(node, "The instance starts here.")
        return
    report.approximated(
        node,
        f"Its {_kind(node)} starts nothing by itself: a person, a command or another system starts the instance.",
    )


def ended(node: FlowNode, report: Report) -> None:
    """Tell of an end event."""
    if node.trigger == "none":
        report.taken(node, "Nothing waits for it: the instance is complete when no row is open.")
    elif node.trigger == "terminate":
        message = "It does not end the other branches: the instance is complete when their rows are finished too."
        report.approximated(node, message)
    elif node.trigger in ("error", "cancel"):
        report.approximated(node, f"Its {_kind(node)} is not raised: the flow ends here.")
    else:
        report.approximated(node, f"Its {_kind(node)} is not sent.", _send_offer())


def raises(node: FlowNode) -> bool:
    """Say whether an end event raises something that an event on the border of its sub-process may catch."""
    return node.type == "endEvent" and node.trigger in ("error", "escalation", "cancel")


def handled(node: FlowNode, border: FlowNode, report: Report) -> None:
    """Tell of an end event whose flow goes on at a border: nothing is lost."""
    report.forget(node)
    report.taken(node, f"The flow goes on after the event on the border, “{border.name or border.id}”.")


def _send_offer() -> str:
    return "Add a row in its place: a person who sends it, or a script."


def catches(node: FlowNode) -> bool:
    """Say whether a catching event is something to wait for (and no target of a link)."""
    return node.trigger != "link"


def caught(draft: Draft, node: FlowNode, report: Report) -> None:
    """Fill the row of an event in the flow that waits: a receive task."""
    draft.role, draft.system, draft.description = SYSTEM, True, node.description
    detail = node.triggers[0].detail if len(node.triggers) == 1 else ""
    draft.name = node.name or f"Wait for: {detail or _kind(node)}"
    if node.trigger == "timer":
        due = deadline(node)
        report.approximated(
            node,
            f"No clock runs{f' for its time ({detail})' if detail else ''}: the row waits for a message, or for an"
            " operator who finishes it with a note.",
            f"Remove the row and write `{due}` under `due` of the next one if only a deadline is meant." if due else "",
        )
        return
    what = f"{_kind(node)}{f' ({detail})' if detail else ''}"
    report.approximated(node, f"It became a row that waits for its {what}: a message from outside completes it.")


def is_thrown(node: FlowNode) -> bool:
    """Say whether an event in the flow sends something that a person or script has to send instead."""
    return node.trigger == "message"


def thrown(draft: Draft, node: FlowNode, role: str, report: Report) -> None:
    """Fill the row of an event that sends a message."""
    draft.role, draft.system, draft.description = role, role == SYSTEM, node.description
    report.approximated(node, "It became a row: its message is not sent by itself, a person sends it and ticks it off.")


def passed(node: FlowNode, report: Report) -> None:
    """Tell of an event in the flow that nothing has to be done for."""
    if node.trigger == "none":
        report.approximated(node, "A milestone only: the flow goes on without it.", "Add a row if somebody acts there.")
    elif node.trigger == "link":
        report.taken(node, "The flow goes on at the event of the same name.")
    else:
        report.dropped(node, f"Its {_kind(node)} is not sent: the flow goes on without it.", _send_offer())


def raced(node: FlowNode, report: Report) -> None:
    """Tell of an event after an event-based gateway: one of the answers of the row that waits."""
    report.approximated(node, "It became an answer of the row that waits for whatever comes first.")


def attached(node: FlowNode, host: Draft, label: str, report: Report) -> None:
    """Tell of an event on the border of an activity, which became an answer of its row."""
    how = "ends it early" if node.interrupting else "goes on beside it"
    after = "" if node.interrupting else " What follows it opens only when the row is finished with that answer."
    report.approximated(
        node,
        f"The {_kind(node)} that {how} became the answer `{label}` of {host.shown}.{after}",
        _deadline(node, host),
    )


def unattached(node: FlowNode, host: Draft | None, report: Report) -> None:
    """Tell of an event on a border from which no flow leads."""
    offer = _deadline(node, host) if host else ""
    report.dropped(node, f"Nothing follows its {_kind(node)}, and the table knows no such event.", offer)


def homeless(node: FlowNode, report: Report) -> None:
    """Tell of an event on the border of what is left out, missing, or in another group."""
    message = f"Nothing leads to its {_kind(node)}: what it stands on, `{node.host}`, is left out or in a group."
    report.dropped(node, message, "Draw it in the sub-process that its activity is in.")


def deadline(node: FlowNode | None) -> str:
    """Give the time of a timer as the column `due` has it, `""` when it is no timer or says no span of time."""
    span = _span(node) if node else None
    return words.due(span) if span else ""


def _span(node: FlowNode) -> int | None:
    return words.duration_s(node.triggers[0].detail, node.name) if node.trigger == "timer" else None


def _deadline(node: FlowNode, host: Draft) -> str:
    """A timer on a border is a deadline: of a script its timeout, of a person the column `due`."""
    span = _span(node)
    if not span or host.is_group:
        return ""
    if host.script:
        return f"Write `{span}` under `timeout` of the row: the script is ended after that many seconds."
    if host.due or not deadline(node):
        return ""
    host.due = deadline(node)
    return f"Its time was written under `due`: `{host.due}`."


def _kind(node: FlowNode) -> str:
    names = _SENT | {"timer": "timer", "conditional": "condition", "error": "error", "cancel": "cancellation"}
    return names.get(node.trigger, f"{node.trigger} event")
