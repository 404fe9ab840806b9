"""What starts an instance: the events that stamp its process and its elements into the log (semantics, section 2.1)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from board.process.definition.table import ElementList, ProcessTable
from board.process.engine.events import INSTANCE, REGISTER, Draft
from board.process.engine.instance import Instance, InstanceError


def start_drafts(
    table: ProcessTable, elements: ElementList | None, *, name: str, created: str, actor: str
) -> list[Draft]:
    """The events that start an instance, for one append; raises InstanceError when it cannot be started."""
    found = Instance("", table, elements, name=name)
    if elements is None and found.flow.groups:
        kinds = ", ".join(dict.fromkeys(g.collection for g in found.flow.groups.values()))
        raise InstanceError(f"an element list is missing: this process repeats per {kinds}; give one, or an empty list")
    said = {"name": name, "process": _json(table.to_columns()), "version": table.version, "created": created}
    if elements is not None:
        said["elements"] = _json(elements.to_columns())
    drafts = [Draft(INSTANCE, field, value, actor) for field, value in said.items()]
    for row in range(found.size):
        definition = found.definition(row)
        if definition.role == "system":
            continue
        element, collection = found.element_of(row), found.flow.collection_of(found.statuses.task[row])
        listed = found.elements.assignee(element, collection) if element else ""
        person = listed or definition.assignee
        if person:
            drafts.append(Draft(found.task_of(row), "assignee", person, REGISTER, element))
    return drafts


def _json(columns: Mapping[str, Sequence[str]]) -> str:
    return json.dumps(columns, ensure_ascii=False, separators=(",", ":"))
