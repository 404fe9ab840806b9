"""The imported table does what the drawing says: both are played side by side, move by move.

The drawing is played as BPMN defines it, with tokens on flows; the table by the engine.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from board.process.definition.table import ProcessTable
from board.process.engine.dry_run import Move, play
from board.process.engine.instance import Instance
from tests.process.bpmn.text import drawing, imported, node, tasks

MOST_MOVES = 25


@dataclass
class Drawing:
    """A block-structured drawing: what a person draws who closes each split by a join of its kind."""

    nodes: dict[str, str] = field(default_factory=dict)  # id to type
    flows: list[tuple[str, str, str]] = field(default_factory=list)  # source, target, name
    count: int = 0

    def add(self, kind: str) -> str:
        self.count += 1
        key = f"{kind[0]}{self.count}"
        self.nodes[key] = kind
        return key

    def xml(self) -> tuple[str, str]:
        nodes = "".join(
            f'<{kind} id="{key}" name="{key if kind == "task" else ""}"/>' for key, kind in self.nodes.items()
        )
        return nodes, "\n".join(f"{source} -> {target}: {name}" for source, target, name in self.flows)


@st.composite
def drawings(draw: st.DrawFn) -> Drawing:
    made = Drawing()
    begin, end = made.add("startEvent"), made.add("endEvent")
    opening = made.add("task")
    first, last = draw_block(draw, made, 3)
    made.flows = [(begin, opening, ""), (opening, first, ""), *made.flows, (last, end, "")]
    return made


def draw_block(draw: st.DrawFn, made: Drawing, depth: int) -> tuple[str, str]:
    """A block with one way in and one way out."""
    kind = draw(st.sampled_from(["task", "task", "row", "choice", "side by side", "loop"])) if depth else "task"
    if kind == "task":
        task = made.add("task")
        return task, task
    if kind == "row":
        first, middle = draw_block(draw, made, depth - 1)
        then, last = draw_block(draw, made, depth - 1)
        made.flows.append((middle, then, ""))
        return first, last
    if kind == "loop":
        return draw_loop(draw, made, depth)
    return draw_split(draw, made, depth, "exclusiveGateway" if kind == "choice" else "parallelGateway")


def draw_split(draw: st.DrawFn, made: Drawing, depth: int, kind: str) -> tuple[str, str]:
    before = made.add("task")
    split, after = draw_ways(draw, made, depth, kind)
    made.flows.append((before, split, ""))
    if kind == "parallelGateway" and depth > 1 and draw(st.booleans()):  # one way begins with a choice
        join = next(source for source, target, _ in made.flows if target == after)
        choice, last = draw_ways(draw, made, depth - 1, "exclusiveGateway")
        made.flows += [(split, choice, ""), (last, join, "")]
    return before, after


def draw_ways(draw: st.DrawFn, made: Drawing, depth: int, kind: str) -> tuple[str, str]:
    split, join = made.add(kind), made.add(kind)
    for number in range(draw(st.integers(2, 3))):
        name = f"way{number}" if kind == "exclusiveGateway" else ""
        first, last = draw_block(draw, made, depth - 1)
        made.flows += [(split, first, name), (last, join, "")]
    after = made.add("task")
    made.flows.append((join, after, ""))
    return split, after


def draw_loop(draw: st.DrawFn, made: Drawing, depth: int) -> tuple[str, str]:
    join = made.add("exclusiveGateway")
    if draw(st.booleans()):  # the way back leads to several tasks at once
        first_last = draw_ways(draw, made, 1, "parallelGateway")
    else:
        first_last = draw_block(draw, made, depth - 1)
    check, split, after = made.add("task"), made.add("exclusiveGateway"), made.add("task")
    made.flows += [(join, first_last[0], ""), (first_last[1], check, ""), (check, split, "")]
    made.flows += [(split, join, "again"), (split, after, "on")]
    return join, after


class Tokens:
    """The drawing, played by the rules of BPMN."""

    def __init__(self, drawn: Drawing) -> None:
        self.drawn = drawn
        self.on: list[int] = []  # numbers of flows with a token
        self._leave(next(key for key, kind in drawn.nodes.items() if kind == "startEvent"), "")

    def open(self) -> set[str]:
        """The tasks that can be done."""
        return {self.drawn.flows[n][1] for n in self.on if self.drawn.nodes[self.drawn.flows[n][1]] == "task"}

    def finish(self, task: str, answer: str) -> None:
        self.on.remove(next(n for n in self.on if self.drawn.flows[n][1] == task))
        self._leave(task, answer)

    def answers(self, task: str) -> list[str]:
        """What the gateway right after a task asks, or the one after a parallel split there."""
        after = [target for source, target, _ in self.drawn.flows if source == task]
        after += [t for s, t, _ in self.drawn.flows if s == after[0] and self.drawn.nodes[s] == "parallelGateway"]
        return [name for source, _, name in self.drawn.flows if source in after and name]

    def _leave(self, node: str, answer: str) -> None:
        out = [n for n, (source, _, _) in enumerate(self.drawn.flows) if source == node]
        if self.drawn.nodes[node] == "exclusiveGateway" and len(out) > 1:
            out = [n for n in out if self.drawn.flows[n][2] == answer]
        for n in out:
            self.on.append(n)
            self._arrive(n, answer)

    def _arrive(self, flow: int, answer: str) -> None:
        node = self.drawn.flows[flow][1]
        if self.drawn.nodes[node] == "exclusiveGateway":
            self.on.remove(flow)
            self._leave(node, answer)
        elif self.drawn.nodes[node] == "parallelGateway":
            into = [n for n, (_, target, _) in enumerate(self.drawn.flows) if target == node]
            if all(n in self.on for n in into):
                for n in into:
                    self.on.remove(n)
                self._leave(node, answer)


def open_rows(instance: Instance, table: ProcessTable) -> set[str]:
    return {row.task for row in table.rows if instance.status(instance.find(row.task) or 0) == "open"}


NESTED = """
    start -> outer
    outer -> pick
    pick -> split
    split -> inner: long
    split -> other: short
    inner -> load
    load -> check
    check -> turn
    turn -> inner: again
    turn -> ready: on
    ready -> join
    other -> join
    join -> sum
    sum -> last
    last -> whole
    whole -> outer: again
    whole -> end: on
"""


def test_a_loop_on_one_way_holds_the_join_while_it_goes_round_again() -> None:
    """In the second round of the outer loop the other way is finished already, and must not open what joins them."""
    gateways = "".join(node("exclusiveGateway", key) for key in ("outer", "split", "inner", "turn", "join", "whole"))
    people = tasks("pick", "load", "check", "ready", "other", "sum", "last")
    reading = imported(node("startEvent", "start") + node("endEvent", "end") + gateways + people, NESTED)
    first = [("pick", "short"), ("other", "done"), ("sum", "done"), ("last", "again")]
    second = [("pick", "long"), ("load", "done"), ("check", "again")]
    moves = [Move(task, "", answer) for task, answer in first + second]
    seen = [open_rows(play(reading.table, moves[:n]).instance, reading.table) for n in range(4, 8)]
    assert seen == [{"pick"}, {"load"}, {"check"}, {"load"}]
    assert {row.task: row.depends_on for row in reading.table.rows}["sum"] == "ready, other"


@pytest.mark.parametrize("before", ["s", ""])
def test_parallel_work_with_a_way_back_is_done_whole_in_every_round(before: str) -> None:
    gateways = (
        node("exclusiveGateway", "merge")
        + node("exclusiveGateway", "turn")
        + node("parallelGateway", "split")
        + node("parallelGateway", "join")
    )
    flows = f"""
        start -> {before or "merge"}
        {"s -> merge" if before else ""}
        merge -> split
        split -> a
        split -> b
        a -> join
        b -> join
        join -> check
        check -> turn
        turn -> merge: again
        turn -> last: on
        last -> end
    """
    people = tasks(*filter(None, (before, "a", "b", "check", "last")))
    table = imported(node("startEvent", "start") + node("endEvent", "end") + gateways + people, flows).table
    moves = [Move(before or "start", "", "done")]
    for first, second in (("a", "b"), ("b", "a")):
        moves += [Move(first, "", "done"), Move(second, "", "done"), Move("check", "", "again")]
    seen = [open_rows(play(table, moves[:n]).instance, table) for n in range(1, 8)]
    assert seen == [{"a", "b"}, {"b"}, {"check"}, {"a", "b"}, {"a"}, {"check"}, {"a", "b"}]


@given(drawings(), st.data())
@settings(max_examples=150)
def test_the_table_opens_what_the_drawing_opens(drawn: Drawing, data: st.DataObject) -> None:
    nodes, flows = drawn.xml()
    table = imported(nodes, flows).table
    tasks = {key for key, kind in drawn.nodes.items() if kind == "task"}
    assert {row.task for row in table.rows} == tasks, drawing(nodes, flows)
    tokens, moves = Tokens(drawn), list[Move]()
    for _ in range(MOST_MOVES):
        instance = play(table, moves).instance
        assert open_rows(instance, table) == tokens.open(), (waits_of(table), moves)
        if not tokens.open():
            assert instance.state == "complete"
            return
        task = data.draw(st.sampled_from(sorted(tokens.open())))
        assert set(instance.flow.answers(task)) == set(tokens.answers(task) or ["done"]), (waits_of(table), task)
        answer = data.draw(st.sampled_from(tokens.answers(task) or ["done"]))
        tokens.finish(task, answer)
        moves.append(Move(task, "", answer))


def waits_of(table: ProcessTable) -> list[str]:
    return [f"{row.task}: {row.depends_on} [{row.join}]" for row in table.rows]
