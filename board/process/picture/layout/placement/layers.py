"""Which column everything stands in.

A frame takes a block of columns. Scopes are layered from the inside out, a frame counting as one long unit of the
scope around it: longest paths first, then units move towards their neighbours where that shortens flows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from board.process.picture.layout.graph import Graph
from board.process.picture.layout.plan import Ends, Item, Link, Plan, Scope, common, unit_in


def plan_of(graph: Graph) -> tuple[Plan, list[Ends]]:
    """Scopes and shapes of a graph, and the edges that can be drawn, with what they join.

    Left out: an edge to nothing, and one between a frame and what is in it.
    """
    scopes = _scopes(graph)
    by_group = {scope.id: scope for scope in scopes[1:]}
    lanes = [lane.id for lane in graph.lanes]
    lanes += [lane for lane in dict.fromkeys(node.lane for node in graph.nodes) if lane not in lanes]
    number = {lane: n for n, lane in enumerate(lanes)}
    plan = Plan(graph, scopes, [], [], lanes)
    by_id: dict[str, Item | Scope] = {}
    for node in graph.nodes:
        scope = by_group.get(node.group, scopes[0])
        item = Item(len(plan.items), scope, number[node.lane], node=node)
        scope.items.append(item)
        plan.items.append(item)
        by_id[node.id] = item
    # a frame with nothing in it has no place: it is left out, and what leads to it
    by_id |= {scope.id: scope for scope in scopes[1:] if _is_filled(scope)}
    ends: list[Ends] = []
    for edge in graph.edges:
        source, target = by_id.get(edge.source), by_id.get(edge.target)
        if source is not None and target is not None and not _around(source, target):
            ends.append((edge, source, target))
    return plan, ends


def _scopes(graph: Graph) -> list[Scope]:
    top = Scope(0, "", None)
    scopes = [top]
    by_id: dict[str, Scope] = {}
    for group in graph.groups:
        if group.id not in by_id:
            by_id[group.id] = Scope(len(scopes), group.id, top)
            scopes.append(by_id[group.id])
    for group in graph.groups:
        scope, parent = by_id[group.id], by_id.get(group.parent, top)
        if scope not in parent.chain():
            scope.parent = parent
    for scope in scopes[1:]:
        scope.depth = len(scope.chain()) - 1
        assert scope.parent is not None
        scope.parent.inner.append(scope)
    return scopes


def _is_filled(scope: Scope) -> bool:
    return bool(scope.items) or any(_is_filled(inner) for inner in scope.inner)


def _around(one: Item | Scope, other: Item | Scope) -> bool:
    if isinstance(one, Item) and isinstance(other, Item):
        return False
    if one is other:
        return True
    around_one = one.chain() if isinstance(one, Scope) else one.scope.chain()
    around_other = other.chain() if isinstance(other, Scope) else other.scope.chain()
    return one in around_other or other in around_one


@dataclass(slots=True, eq=False)
class _Unit:
    """A shape or a frame in the scope that is being layered."""

    thing: Item | Scope
    length: int
    top: int
    bottom: int
    x: int = 0
    after: list[tuple[_Unit, int, int]] = field(default_factory=list)  # unit, columns between, pull
    before: list[tuple[_Unit, int, int]] = field(default_factory=list)


def assign_columns(plan: Plan, ends: Sequence[Ends]) -> None:
    """Give every shape its column and every frame its block of columns."""
    wide: set[str] = set()  # edges that need a column for their label although nothing else parts their ends
    for _ in range(4):
        for scope in sorted(plan.scopes, key=lambda each: -each.depth):
            _layer(scope, ends, wide)
        _place(plan.scopes[0], 0)
        missing = {edge.id for edge, source, target in ends if edge.label and _span(source, target) == 1}
        if missing <= wide:
            break
        wide |= missing
    width = max((item.col for item in plan.items), default=-1) + 1
    plan.columns = [[] for _ in range(width)]
    plan.changed = [0] * width


def _span(source: Item | Scope, target: Item | Scope) -> int:
    last = source.col if isinstance(source, Item) else source.last
    first = target.col if isinstance(target, Item) else target.first
    return first - last


def _place(scope: Scope, first: int) -> None:
    scope.first, scope.last = first, first + scope.columns - 1
    for item in scope.items:
        item.col += first
    for inner in scope.inner:
        _place(inner, first + inner.column)


def _layer(scope: Scope, ends: Sequence[Ends], wide: set[str]) -> None:
    units = [_Unit(item, 1, item.lane, item.lane) for item in scope.items]
    units += [_Unit(inner, inner.columns, inner.top, inner.bottom) for inner in scope.inner if inner.columns]
    by_thing = {id(unit.thing): unit for unit in units}
    for edge, source, target in ends:
        source_scope, target_scope = _scope_of(source), _scope_of(target)
        if common(source_scope, target_scope) is not scope:
            continue
        source_unit = by_thing[id(source if source_scope is scope else unit_in(scope, source_scope))]
        target_unit = by_thing[id(target if target_scope is scope else unit_in(scope, target_scope))]
        if source_unit is not target_unit and (not edge.loop_back or edge.id in wide):
            # a split stays with its task, a join and an end too
            pull = 4 if _owner(source) == _owner(target) != "" else 1
            source_unit.after.append((target_unit, 1 if edge.label else 0, pull))
    _drop_cycles(units)
    for unit in units:
        for target_unit, gap, pull in unit.after:
            target_unit.before.append((unit, gap, pull))
    _longest_paths(units)
    _part(units)
    _tighten(units)
    least = min((unit.x for unit in units), default=0)
    for unit in units:
        if isinstance(unit.thing, Item):
            unit.thing.col = unit.x - least
        else:
            unit.thing.column = unit.x - least
    scope.columns = max((unit.x + unit.length for unit in units), default=0) - least


def _scope_of(end: Item | Scope) -> Scope:
    """The scope an end stands in."""
    if isinstance(end, Item):
        return end.scope
    assert end.parent is not None
    return end.parent


def _owner(end: Item | Scope) -> str:
    if isinstance(end, Scope):
        return end.id
    return end.node.task if end.node else ""


def _drop_cycles(units: list[_Unit]) -> None:
    """Leave out what closes a cycle, which frames can do although the flow itself has none."""
    state: dict[int, int] = {}
    for root in units:
        if id(root) in state:
            continue
        state[id(root)] = 1
        work = [(root, iter(list(root.after)))]
        while work:
            unit, rest = work[-1]
            for step in rest:
                reached = step[0]
                if state.get(id(reached)) == 1:
                    unit.after.remove(step)
                elif id(reached) not in state:
                    state[id(reached)] = 1
                    work.append((reached, iter(list(reached.after))))
                    break
            else:
                state[id(unit)] = 2
                work.pop()


def _topological(units: list[_Unit]) -> list[_Unit]:
    missing = {id(unit): len(unit.before) for unit in units}
    order = [unit for unit in units if not missing[id(unit)]]
    for unit in order:
        for later, _, _ in unit.after:
            missing[id(later)] -= 1
            if not missing[id(later)]:
                order.append(later)
    return order


def _longest_paths(units: list[_Unit]) -> None:
    for unit in _topological(units):
        unit.x = max((earlier.x + earlier.length + gap for earlier, gap, _ in unit.before), default=0)


def _part(units: list[_Unit]) -> None:
    """Part frames from what can be neither above nor below them, by columns."""
    frames = [unit for unit in units if isinstance(unit.thing, Scope) and unit.top < unit.bottom]
    for _ in range(len(units) * len(frames)):
        clash = next(
            ((left, right) for left in frames for right in units if left is not right and _clash(left, right)), None
        )
        if clash is None:
            return
        left, right = sorted(clash, key=lambda unit: (unit.x, unit.length))
        left.after.append((right, 0, 0))
        right.before.append((left, 0, 0))
        _longest_paths(units)


def _clash(one: _Unit, other: _Unit) -> bool:
    together = one.x < other.x + other.length and other.x < one.x + one.length
    return together and not (one.bottom <= other.top or other.bottom <= one.top)


def _tighten(units: list[_Unit]) -> None:
    order = _topological(units)
    for _ in range(6):
        moved = False
        for unit in reversed(order):
            pull = sum(strength for _, _, strength in unit.after) - sum(strength for _, _, strength in unit.before)
            if pull > 0:
                x = min(later.x - gap for later, gap, _ in unit.after) - unit.length
                moved |= _move(unit, x, units)
        for unit in order:
            pull = sum(strength for _, _, strength in unit.after) - sum(strength for _, _, strength in unit.before)
            if pull < 0:
                x = max(earlier.x + earlier.length + gap for earlier, gap, _ in unit.before)
                moved |= _move(unit, x, units)
        if not moved:
            return


def _move(unit: _Unit, x: int, units: list[_Unit]) -> bool:
    before, unit.x = unit.x, x
    if x == before:
        return False
    if any(other is not unit and (_is_wide(other) or _is_wide(unit)) and _clash(unit, other) for other in units):
        unit.x = before
        return False
    return True


def _is_wide(unit: _Unit) -> bool:
    return isinstance(unit.thing, Scope) and unit.top < unit.bottom


def links_of(plan: Plan, ends: Sequence[Ends]) -> None:
    """Make links of the edges, each frame standing in by a shape at its border."""
    for edge, source, target in ends:
        start = source if isinstance(source, Item) else _at_border(plan, source, last=True)
        end = target if isinstance(target, Item) else _at_border(plan, target, last=False)
        link = Link(len(plan.links), edge, start, end)
        link.source_frame = source if isinstance(source, Scope) else None
        link.target_frame = target if isinstance(target, Scope) else None
        plan.links.append(link)


def _at_border(plan: Plan, scope: Scope, *, last: bool) -> Item:
    column = scope.last if last else scope.first
    inside = [item for item in plan.items if item.col == column and scope in item.scope.chain()]
    used = {id(link.source if last else link.target) for link in plan.links}
    return min(inside, key=lambda item: (id(item) in used, item.number))
