"""The few graph questions a flow asks, over nodes numbered from 0."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set

Graph = tuple[frozenset[int], ...]
Links = Graph | Mapping[int, Set[int]]  # the targets of each node, of all or of some


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


def components(links: Links, nodes: Iterable[int]) -> list[tuple[int, ...]]:
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
