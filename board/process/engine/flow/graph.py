"""The few graph questions a flow asks, over nodes numbered from 0."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

Graph = tuple[frozenset[int], ...]


def adjacency(size: int, edges: Iterable[tuple[int, int]]) -> Graph:
    """The targets of each of `size` nodes."""
    found: list[set[int]] = [set() for _ in range(size)]
    for source, target in edges:
        found[source].add(target)
    return tuple(frozenset(targets) for targets in found)


def reachable(links: Sequence[Collection[int]], starts: Iterable[int]) -> set[int]:
    """The starts and every node that can be reached from them."""
    found = set(starts)
    todo = list(found)
    while todo:
        for target in links[todo.pop()]:
            if target not in found:
                found.add(target)
                todo.append(target)
    return found


def components(links: Graph, nodes: Iterable[int]) -> list[tuple[int, ...]]:
    """The strongly connected components of the graph on `nodes` (Tarjan 1972, without recursion)."""
    inside = set(nodes)
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    path: list[int] = []
    on_path: set[int] = set()
    found: list[tuple[int, ...]] = []
    for root in sorted(inside):
        if root in number:
            continue
        work: list[tuple[int, list[int]]] = [(root, sorted(links[root] & inside))]
        number[root] = low[root] = len(number)
        path.append(root)
        on_path.add(root)
        while work:
            node, targets = work[-1]
            if targets:
                target = targets.pop(0)
                if target not in number:
                    number[target] = low[target] = len(number)
                    path.append(target)
                    on_path.add(target)
                    work.append((target, sorted(links[target] & inside)))
                elif target in on_path:
                    low[node] = min(low[node], number[target])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == number[node]:
                part: list[int] = []
                while not part or part[-1] != node:
                    part.append(path.pop())
                    on_path.discard(part[-1])
                found.append(tuple(sorted(part)))
    return found


def walk_back_edges(links: Graph, start: int, inside: Collection[int]) -> set[tuple[int, int]]:
    """The edges (source, target) that lead back to a node on the current path of a depth-first walk from `start`."""
    back: set[tuple[int, int]] = set()
    path = {start}
    seen = {start}
    work: list[tuple[int, list[int]]] = [(start, sorted(links[start]))]
    while work:
        node, targets = work[-1]
        if not targets:
            path.discard(node)
            work.pop()
            continue
        target = targets.pop(0)
        if target in path:
            back.add((node, target))
        elif target in inside and target not in seen:
            seen.add(target)
            path.add(target)
            work.append((target, sorted(links[target])))
    return back
