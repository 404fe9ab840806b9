"""How often flows cross, beside Graphviz' dot on the same graphs: `make bench-layout` prints the ratios and the times.

Two comparisons. *With lanes*: every shape in the lane of its role, which dot does with one cluster a lane. *Without*:
one lane for all, and frames as dot's clusters, which is what dot is made for. dot is asked for its own default routing;
its curves are measured as drawn. It is used here only (`apt install graphviz`).
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from time import process_time

from board.process.definition.table import ProcessTable
from board.process.flow.flow import compile_flow
from board.process.picture.layout import Graph, Lane, Layout, graph_of, layout
from tests.process.bpmn.drawing import bends, crossings
from tests.process.engine.made_up import made_up
from tests.process.picture.test_layout import conformance

Spot = tuple[float, float]
STEPS = 12  # straight pieces for one of dot's curves


@dataclass(frozen=True)
class Case:
    """Crossings of one graph: ours and dot's, with lanes and without; what ours took, in seconds."""

    tasks: int
    ours: int
    dots: int | None
    ours_free: int
    dots_free: int | None
    bends: int
    seconds: float


def measure(table: ProcessTable) -> Case:
    """Lay a table out four times."""
    flow = compile_flow(table)
    graph = graph_of(flow)
    free = replace(
        graph,
        nodes=tuple(replace(node, lane="") for node in graph.nodes),
        lanes=(Lane("", "anyone"),) if graph.nodes else (),
    )
    start = process_time()
    at = layout.__wrapped__(graph)
    seconds = process_time() - start
    free_at = layout(free)
    return Case(
        len(flow.tasks),
        crossings(at),
        dots_crossings(source(graph, at, _lanes(graph))),
        crossings(free_at),
        dots_crossings(source(graph, at, _frames(graph, ""))),
        bends(at),
        seconds,
    )


# what dot is given


def source(graph: Graph, at: Layout, clusters: list[str]) -> str:
    """A graph in dot's language, its shapes of the same size as ours; a flow at a frame is tied to a shape in it."""
    within = _within(graph)
    lines = ['digraph { rankdir=LR; node [shape=box, fixedsize=true, label=""]; edge [fontsize=11];']
    for node in graph.nodes:
        box = at.nodes[node.id]
        lines.append(f"{_quoted(node.id)} [width={box.w / 72:.2f}, height={box.h / 72:.2f}];")
    lines += clusters
    for edge in graph.edges:
        start = max(within.get(edge.source, [edge.source]), key=lambda key: at.nodes[key].x)
        end = min(within.get(edge.target, [edge.target]), key=lambda key: at.nodes[key].x)
        label = f" [label={_quoted(edge.label)}]" if edge.label else ""
        lines.append(f"{_quoted(start)} -> {_quoted(end)}{label};")
    return "\n".join([*lines, "}"])


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _lanes(graph: Graph) -> list[str]:
    found = []
    for n, lane in enumerate(graph.lanes):
        inside = "; ".join(_quoted(node.id) for node in graph.nodes if node.lane == lane.id)
        found.append(f"subgraph cluster_{n} {{ {inside} }}")
    return found


def _frames(graph: Graph, parent: str) -> list[str]:
    found = []
    for group in graph.groups:
        if group.parent == parent:
            inside = "; ".join(_quoted(node.id) for node in graph.nodes if node.group == group.id)
            nested = " ".join(_frames(graph, group.id))
            found.append(f"subgraph {_quoted('cluster_' + group.id)} {{ {inside} {nested} }}")
    return found


def _within(graph: Graph) -> dict[str, list[str]]:
    parents = {group.id: group.parent for group in graph.groups}
    found: dict[str, list[str]] = {}
    for node in graph.nodes:
        group = node.group
        while group:
            found.setdefault(group, []).append(node.id)
            group = parents[group]
    return found


# what dot drew


def dots_crossings(text: str) -> int | None:
    """How often dot's flows cross, as it draws them; None where it gives up ("lost edge")."""
    done = subprocess.run(["dot", "-Tjson"], input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    curves = [_pieces(edge["pos"]) for edge in json.loads(done.stdout).get("edges", [])]
    return sum(_meetings(a, b) for a, b in combinations(curves, 2))


def _pieces(pos: str) -> list[Spot]:
    spots = [(float(x), float(y)) for x, y in (each.split(",") for each in pos.split() if each[0] not in "es")]
    found = [spots[0]]
    for n in range(0, len(spots) - 1, 3):
        found += _curve(*spots[n : n + 4])
    return found


def _curve(a: Spot, b: Spot, c: Spot, d: Spot) -> Iterator[Spot]:
    for n in range(1, STEPS + 1):
        t, u = n / STEPS, 1 - n / STEPS
        weights = (u**3, 3 * u * u * t, 3 * u * t * t, t**3)
        yield (
            sum(w * spot[0] for w, spot in zip(weights, (a, b, c, d), strict=True)),
            sum(w * spot[1] for w, spot in zip(weights, (a, b, c, d), strict=True)),
        )


def _meetings(a: list[Spot], b: list[Spot]) -> int:
    if not _near(_box(a), _box(b)):
        return 0
    boxes = [(_box(pair), pair) for pair in pairwise(b)]
    found = 0
    for p, q in pairwise(a):
        box = _box((p, q))
        found += sum(_near(box, other) and _cross(p, q, *pair) for other, pair in boxes)
    return found


def _box(spots: Iterable[Spot]) -> tuple[float, float, float, float]:
    xs, ys = zip(*spots, strict=True)
    return min(xs), max(xs), min(ys), max(ys)


def _near(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] <= b[1] and b[0] <= a[1] and a[2] <= b[3] and b[2] <= a[3]


def _cross(a: Spot, b: Spot, c: Spot, d: Spot) -> bool:
    return _turn(a, b, c) * _turn(a, b, d) < 0 and _turn(c, d, a) * _turn(c, d, b) < 0


def _turn(a: Spot, b: Spot, c: Spot) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


# the report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="take only every n-th graph")
    wanted = parser.parse_args()
    if shutil.which("dot") is None:
        print("dot is not installed: apt install graphviz", file=sys.stderr)
        return 2
    sets = {"made up, to 60 tasks": [made_up(n) for n in range(200)], "conformance": list(conformance())}
    every: list[Case] = []
    print(f"{'':29} | crossings, with lanes    | without lanes            |")
    print(f"{'':22}{'graphs':>7} |{'ours':>10}{'dot':>8}{'ratio':>7} |{'ours':>10}{'dot':>8}{'ratio':>7} | bends")
    for name, tables in sets.items():
        with ProcessPoolExecutor(2) as pool:
            cases = list(pool.map(measure, tables[:: wanted.every]))
        _line(name, cases)
        every += cases
    _line("together", every)
    pairs = [(case.ours, case.dots_free) for case in every if case.dots_free is not None]
    print(f"ours with lanes beside dot without any: {_ratio(pairs).strip()}")
    _times(every)
    return 0


def _line(name: str, cases: list[Case]) -> None:
    laned = [(case.ours, case.dots) for case in cases if case.dots is not None]
    free = [(case.ours_free, case.dots_free) for case in cases if case.dots_free is not None]
    given_up = 2 * len(cases) - len(laned) - len(free)
    print(f"{name:22}{len(cases):>7} |{_ratio(laned)} |{_ratio(free)} |{sum(case.bends for case in cases):>6}", end="")
    print(f"  (dot gave up {given_up} times: left out)" if given_up else "")


def _ratio(pairs: list[tuple[int, int]]) -> str:
    ours, dots = sum(a for a, _ in pairs), sum(b for _, b in pairs)
    return f"{ours:>10}{dots:>8}{ours / max(1, dots):>7.2f}"


def _times(cases: list[Case]) -> None:
    print("\nprocessor time of one layout, in milliseconds")
    for low, high in ((1, 10), (11, 20), (21, 40), (41, 60)):
        times = sorted(1000 * case.seconds for case in cases if low <= case.tasks <= high)
        if times:
            late = times[int(len(times) * 0.95)]
            print(f"  {low:>2} to {high} tasks: median {statistics.median(times):.0f}, 95 of 100 within {late:.0f}")


if __name__ == "__main__":
    sys.exit(main())
