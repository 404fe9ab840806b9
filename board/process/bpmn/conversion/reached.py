"""What no flow leads to: BPMN begins a process at its start events, and never does what nothing leads to."""

from collections.abc import Iterator

from board.process.bpmn.parsing.model import FlowNode, Scope


def unreached(scope: Scope) -> frozenset[str]:
    """Find the nodes that the beginnings of a scope do not lead to; without one, all that nothing leads to begin."""
    follow: dict[str, list[str]] = {}
    for source, target in _leads(scope):
        follow.setdefault(source, []).append(target)
    begins = [node.id for node in scope.nodes if _begins(node) and node.id in follow]
    if not begins:
        return frozenset()
    reached, todo = set(begins), begins
    while todo:
        new = set(follow.get(todo.pop(), ())) - reached
        reached |= new
        todo += new
    return frozenset(node.id for node in scope.nodes if node.id not in reached and not _stands_apart(node))


def _begins(node: FlowNode) -> bool:
    return node.type == "startEvent" or node.instantiates


def _stands_apart(node: FlowNode) -> bool:
    """Say whether a node is told of elsewhere: it begins, or what it does needs no flow."""
    return _begins(node) or node.triggered or node.compensation or node.own is not None


def _leads(scope: Scope) -> Iterator[tuple[str, str]]:
    """Give what leads to what: flows, links, and hosts to the events on their border, however deep they are."""
    nodes = {node.id: node for node in scope.nodes}
    around = {inner: node.id for node in scope.nodes for inner in (node.id, *_inside(node))}
    for flow in scope.flows:
        yield flow.source, flow.target
    for node in scope.nodes:
        if node.type == "boundaryEvent" and node.host in around:
            yield around[node.host], node.id
        if node.type == "intermediateThrowEvent" and node.link:
            yield from ((node.id, other.id) for other in nodes.values() if _catches(other, node.link))


def _catches(node: FlowNode, link: str) -> bool:
    return node.type == "intermediateCatchEvent" and node.link == link


def _inside(node: FlowNode) -> Iterator[str]:
    repeats = node.triggered or (node.loop and node.loop.multi)
    for inner in node.scope.nodes if node.scope and not repeats else ():
        yield inner.id
        yield from _inside(inner)
