"""What is broken in the picture of a file: it is told of and ignored, the process itself decides."""

import math

from board.process.bpmn.parsing.model import Other
from board.process.bpmn.xml import BPMNDI, DC, DI, Element, children, first, local, reference


def faults(root: Element) -> list[Other]:
    """List diagrams without a plane, shapes of nothing, edges without points and bounds that are no numbers."""
    diagrams = list(children(root, "BPMNDiagram", BPMNDI))
    if not diagrams:
        return []
    known = {str(element.get("id")) for element in root.iter() if element.get("id")}
    found: list[Other] = []
    for diagram in diagrams:
        plane = first(diagram, "BPMNPlane", BPMNDI)
        if plane is None:
            found.append(_fault(diagram, "the diagram has no plane"))
            continue
        found += [_fault(child, why) for child in children(plane, namespace=BPMNDI) if (why := _broken(child, known))]
    return found


def _fault(element: Element, why: str) -> Other:
    return Other(element.get("id", ""), element.get("name") or "", local(element), why)


def _broken(element: Element, known: set[str]) -> str:
    if local(element) not in ("BPMNShape", "BPMNEdge"):
        return ""
    if element.get("bpmnElement") is None:
        return "it says no element"
    if reference(element.get("bpmnElement")) not in known:
        return f"it is the picture of `{element.get('bpmnElement')}`, which is not in the file"
    if local(element) == "BPMNEdge":
        points = [_numbers(point, "x", "y") for point in children(element, "waypoint", DI)]
        return "" if len(points) > 1 and all(points) else "its points are missing"
    bounds = first(element, "Bounds", DC)
    return "" if bounds is not None and _numbers(bounds, "x", "y", "width", "height") else "its bounds are no numbers"


def _numbers(element: Element, *names: str) -> bool:
    try:
        return all(math.isfinite(float(element.get(name, ""))) for name in names)
    except ValueError:
        return False
