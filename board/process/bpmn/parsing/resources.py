"""Who a task is for, and settings of other engines: what several tools write into a task."""

import re

from board.process.bpmn.xml import BPMN, OWN, Element, children, content, line, local, namespace_of, reference
from board.process.definition.cells import names

_PERFORMERS = frozenset({"performer", "humanPerformer", "potentialOwner", "resourceRole"})
_EXPRESSION = re.compile(r"[${}#=]|^\s*$")
_GROUP = re.compile(r"group\(([^)]*)\)")
# Engines whose settings change what a task does; what other tools add is about looks.
_ENGINES = ("camunda.org", "activiti.org", "flowable.org", "jboss.org", "drools.org", "operaton.org", "spiffworkflow")
_ROLES = frozenset({"candidateGroups"})
_PEOPLE = frozenset({"assignee"})


class Resources:
    """The named resources of a file."""

    def __init__(self, root: Element) -> None:
        self.names = {child.get("id", ""): line(child.get("name")) for child in children(root, "resource")}

    def of(self, element: Element) -> tuple[str, str, tuple[str, ...]]:
        """Give the roles and the person an activity is for (`""` when not said) and the other settings by name."""
        roles = [role for role in map(self._role, children(element)) if role]
        people: list[str] = []
        settings: list[str] = []
        for name, value in _settings(element):
            key = name.rpartition(":")[2]
            if key in _ROLES and not _EXPRESSION.search(value):
                roles.append(line(value))
            elif key in _PEOPLE and not _EXPRESSION.search(value):
                people.append(line(value))
            else:
                settings.append(name)
        return ", ".join(names(",".join(roles))), next(iter(people), ""), tuple(dict.fromkeys(settings))

    def _role(self, child: Element) -> str:
        if local(child) not in _PERFORMERS:
            return ""
        for part in children(child):
            if local(part) == "resourceRef":
                return self.names.get(reference(content(part)), "")
            if local(part) == "resourceAssignmentExpression":
                text = line(content(part))
                group = _GROUP.search(text)
                return group[1].strip() if group else "" if _EXPRESSION.search(text) or "(" in text else text
        return line(child.get("name"))


def _settings(element: Element) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for attribute, written in element.attrib.items():
        namespace, _, name = str(attribute).rpartition("}")
        if any(engine in namespace for engine in _ENGINES):
            found.append((_spelled(namespace[1:], name), str(written)))
    for extension in children(element, "extensionElements"):
        for child in extension:
            if not isinstance(child.tag, str) or namespace_of(child) in (BPMN, OWN):
                continue
            if any(engine in namespace_of(child) for engine in _ENGINES):
                found += _inside(child)
    return found


def _inside(child: Element) -> list[tuple[str, str]]:
    if local(child) == "assignmentDefinition":
        return [(_spelled(namespace_of(child), str(name)), str(value)) for name, value in child.attrib.items()]
    return [(_spelled(namespace_of(child), local(child)), "=")]


def _spelled(namespace: str, name: str) -> str:
    engine = next((engine for engine in ("zeebe", "camunda", "activiti", "flowable") if engine in namespace), "")
    return f"{engine}:{name}" if engine else name
