"""What is drawn for a table: BPMN's events, tasks, gateways, frames and flows."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import NamedTuple

from board.process.definition.quorum import QuorumError, need
from board.process.definition.table import Dependency, Row
from board.process.flow.flow import Flow
from board.process.picture.layout.graph import Edge, Graph, Group, Kind, Lane, Node

SYSTEM = "system"
FAILED = "failed"


class _Out(NamedTuple):
    """One flow that leaves a task or group: to a node or group, asking for an answer."""

    target: str
    label: str
    back: bool


def graph_of(flow: Flow, *, events_inside: bool = False) -> Graph:
    """The graph of a compiled definition, valid or not; never raises.

    A task's node has the task's id. Splits and joins are explicit, but for loop-backs, which enter their task directly.
    `events_inside` gives every frame start and end events of its own.
    """
    return _Builder(flow, events_inside).build()


class _Builder:
    def __init__(self, flow: Flow, events_inside: bool) -> None:
        self.flow = flow
        self.events_inside = events_inside
        self.nodes: dict[str, Node] = {}
        self.edges: list[Edge] = []
        self.at = "@"  # marks the ids of all that is no row; an odd table may have task ids that hold it
        while any(self.at in row.task for row in flow.table.rows):
            self.at += "@"
        self.rows: dict[str, Row] = {row.task: row for row in flow.rows if row.task not in flow.groups}
        self.groups = {name: group for name, group in flow.groups.items() if name}
        self.scope = {task: self._group(task, flow.group_of[number]) for number, task in enumerate(flow.tasks)}
        self.scope |= {name: self._group(name, (*group.outer, "")[0]) for name, group in self.groups.items()}
        for name in self.groups:  # frames cannot be in one another
            if name in self._outer(name):
                self.scope[name] = ""
        self.outs: dict[str, list[_Out]] = {}
        self.entered: set[str] = set()  # tasks and groups that a forward flow leads into

    def build(self) -> Graph:
        for row in self._in_table_order():
            self._place(row)
        for row in self._in_table_order():
            self._flows_into(row)
        for task, row in self.rows.items():
            self._fixes(task, row)
        for source in [*self.rows, *self.groups]:
            self._flows_out_of(source)
        self._start("", self._unentered("") or self._first())
        if self.events_inside:
            for name in self.groups:
                self._start(name, self._unentered(name))
        groups = tuple(self._frame(name) for name in self.groups)
        return Graph(tuple(self.nodes.values()), tuple(self.edges), groups, self._lanes())

    def _in_table_order(self) -> Iterable[Row]:
        known = {id(row) for row in (*self.rows.values(), *(g.row for g in self.groups.values()))}
        return [row for row in self.flow.table.rows if id(row) in known]

    def _group(self, task: str, group: str) -> str:
        return group if group in self.groups and group != task else ""

    # nodes

    def _place(self, row: Row) -> None:
        if row.task not in self.groups:
            kind: Kind = "script" if row.is_script else "receive" if row.is_receive else "user"
            self._node(row.task, kind, row.role, self.scope[row.task], label=row.name, task=row.task)
        elif row.task not in self.scope.values():
            self._node(f"{row.task}{self.at}empty", "empty", row.role, row.task, label="no tasks yet", task=row.task)

    def _node(
        self,
        key: str,
        kind: Kind,
        lane: str,
        group: str,
        *,
        label: str = "",
        task: str = "",
        note: str = "",
        split: bool = False,
    ) -> str:
        self.nodes[key] = Node(key, kind, lane, label, group, task, note, split)
        return key

    def _edge(self, source: str, target: str, label: str = "", *, back: bool = False, default: bool = False) -> None:
        self.edges.append(Edge(f"e{len(self.edges) + 1}", source, target, label, back, default))

    def _entry_lane(self, key: str) -> str:
        group = self.groups.get(key)
        if group is None:
            return self.rows[key].role
        return self.flow.rows[(group.entries or group.members)[0]].role if group.members else group.row.role

    def _exit_lane(self, key: str) -> str:
        group = self.groups.get(key)
        if group is None:
            return self.rows[key].role
        return self.flow.rows[(group.exits or group.members)[-1]].role if group.members else group.row.role

    # flows

    def _flows_into(self, row: Row) -> None:
        """Record each dependency of a row as a flow out of what it names; a join stands before the row if need be."""
        waits = [dependency for dependency in row.dependencies if not self._around(dependency.task, row.task)]
        forward = [dependency for dependency in waits if not self._is_back(dependency, row)]
        if forward:
            self.entered.add(row.task)
        target = row.task
        if len(forward) > 1:
            target = self._join(row, len(forward))
        for dependency in waits:
            back = dependency not in forward
            self._leave(dependency, _Out(row.task if back else target, dependency.label, back), row)

    def _leave(self, dependency: Dependency, out: _Out, row: Row) -> None:
        source = dependency.task
        if source not in self.rows and source not in self.groups:
            group = self.scope[row.task]
            source = f"{group}{self.at}unknown{self.at}{dependency.task}"
            if source not in self.nodes:
                self._node(source, "unknown", self._entry_lane(row.task), group, label=dependency.task, task=row.task)
            self._edge(source, out.target, dependency.label)
        else:
            self.outs.setdefault(source, []).append(out)

    def _around(self, one: str, other: str) -> bool:
        """Whether one of the two is a group around the other (an error in the table that no flow can show)."""
        if one in self.groups and other in self.groups and one == other:
            return True
        return one in self._outer(other) or other in self._outer(one)

    def _outer(self, key: str) -> list[str]:
        around: list[str] = []
        while (key := self.scope.get(key, "")) and key not in around:
            around.append(key)
        return around

    def _is_back(self, dependency: Dependency, row: Row) -> bool:
        pairs = [(exit_, entry) for exit_ in self._exits(dependency.task) for entry in self._entries(row.task)]
        return bool(pairs) and all(self.flow.is_loop_back(exit_, dependency.label, entry) for exit_, entry in pairs)

    def _exits(self, key: str) -> tuple[int, ...]:
        if key in self.groups:
            return self.groups[key].exits
        return (self.flow.index[key],) if key in self.flow.index else ()

    def _entries(self, key: str) -> tuple[int, ...]:
        return self.groups[key].entries if key in self.groups else (self.flow.index[key],)

    def _join(self, row: Row, gates: int) -> str:
        kind, note = join_kind(row.join, gates)
        lane, group = self._entry_lane(row.task), self.scope[row.task]
        join = self._node(f"{row.task}{self.at}join", kind, lane, group, task=row.task, note=note)
        self._edge(join, row.task)
        return join

    def _fixes(self, task: str, row: Row) -> None:
        for rearm in self.flow.rearms[self.flow.index[task]]:
            if rearm.is_fix:
                self.outs.setdefault(self.flow.tasks[rearm.source], []).append(_Out(row.task, rearm.label, True))

    def _flows_out_of(self, source: str) -> None:
        outs = self.outs.get(source, [])
        ends = not outs and (not self.scope[source] or self.events_inside)
        if ends and not self._left_by_members(source):
            self._edge(source, self._end(source))
        if not outs:
            return
        otherwise = self._has_otherwise(source, outs)
        if len(outs) == 1 and not otherwise:
            self._edge(source, outs[0].target, outs[0].label, back=outs[0].back)
            return
        split = self._split(source, split_kind(outs))
        for out in outs:
            exclusive = self.nodes[split].kind == "exclusive"
            self._edge(split, out.target, out.label, back=out.back, default=exclusive and not out.label)
        if otherwise:
            self._edge(split, self._end(source), default=True)

    def _has_otherwise(self, source: str, outs: list[_Out]) -> bool:
        """Whether an answer nobody asks for ends the path: one answer alone is asked, and others may come."""
        labels = {out.label for out in outs}
        if len(labels) > 1 or "" in labels:
            return False
        return FAILED in labels or (source in self.rows and self.rows[source].role == SYSTEM)

    def _split(self, source: str, kind: Kind) -> str:
        lane, group = self._exit_lane(source), self.scope[source]
        split = self._node(f"{source}{self.at}split", kind, lane, group, task=source, split=True)
        self._edge(source, split)
        return split

    def _end(self, source: str) -> str:
        return self._node(f"{source}{self.at}end", "end", self._exit_lane(source), self.scope[source], task=source)

    def _left_by_members(self, source: str) -> bool:
        """Whether flows leave a group from its members, every exit of it, so that the frame itself leads nowhere."""
        group = self.groups.get(source)
        if group is None or not group.exits:
            return False
        return all(self._leaves(self.flow.tasks[t], source) for t in group.exits)

    def _leaves(self, task: str, group: str) -> bool:
        return any(group not in self._outer(self._owner(out.target)) for out in self.outs.get(task, ()))

    def _owner(self, target: str) -> str:
        return self.nodes[target].task if target in self.nodes else target

    # starts

    def _unentered(self, scope: str) -> list[str]:
        inside = [key for key in (*self.rows, *self.groups) if self.scope[key] == scope and key not in self.entered]
        order = {row.task: n for n, row in enumerate(self.flow.table.rows)}
        return sorted((key for key in inside if not self._entered_by_members(key)), key=lambda key: order[key])

    def _first(self) -> list[str]:
        """Where a process begins that nothing else says it of: frames can close a ring that their members do not."""
        tasks = [self.flow.tasks[t] for t in self.flow.order]
        return [[task, *self._outer(task)][-1] for task in tasks[:1]]

    def _entered_by_members(self, key: str) -> bool:
        """Whether flows from outside lead to every entry of a group, so that nothing leads to the frame itself."""
        return (
            key in self.groups
            and bool(self._entries(key))
            and all(self._is_entered(self.flow.tasks[t], key) for t in self._entries(key))
        )

    def _is_entered(self, task: str, group: str) -> bool:
        inner = takewhile(lambda name: name != group, self._outer(task))
        return task in self.entered or any(name in self.entered for name in inner)

    def _start(self, scope: str, entries: list[str]) -> None:
        if not entries:
            return
        lane = self._entry_lane(entries[0])
        start = self._node(f"{scope}{self.at}start", "start", lane, scope)
        if len(entries) == 1:
            self._edge(start, entries[0])
            return
        split = self._node(f"{scope}{self.at}start{self.at}split", "parallel", lane, scope, split=True)
        self._edge(start, split)
        for entry in entries:
            self._edge(split, entry)

    # frames and lanes

    def _frame(self, name: str) -> Group:
        row = self.groups[name].row
        note = enough_words(row.complete_when)
        return Group(name, row.name, self.scope[name], row.collection, row.is_sequential, note)

    def _lanes(self) -> tuple[Lane, ...]:
        roles = list(dict.fromkeys(row.role for row in self._in_table_order()))
        used = {node.lane for node in self.nodes.values()}
        nobody = "anyone" if "anyone" not in roles else "anyone (no role)"
        return tuple(Lane(role, role or nobody) for role in roles if role in used)


def enough_words(spec: str) -> str:
    """A quorum in the words of the picture: "any one", "3", "90 %"; "" for all, as written if it cannot be read."""
    words = spec.strip().lower()
    if words in ("", "all"):
        return ""
    if words == "any":
        return "any one"
    number = words.removeprefix("pct").removeprefix("n").strip(" =%")
    return f"{number} %" if words.startswith("pct") or words.endswith("%") else number or spec


def join_kind(join: str, gates: int) -> tuple[Kind, str]:
    """The gateway that joins `gates` flows by the words of a `join` cell, and the words beside it."""
    words = join.strip().lower()
    if words in ("", "all"):
        return "parallel", ""
    if words == "any":
        return "exclusive", ""
    if words == "inclusive":
        return "inclusive", ""
    try:
        return "complex", f"{need(join, gates)} of {gates}"
    except QuorumError:
        return "complex", "?"


def split_kind(outs: list[_Out]) -> Kind:
    """The gateway that several flows leave by: one answer of many, all at once, or each that holds."""
    labels = [out.label for out in outs]
    if not any(labels):
        return "parallel"
    # a failure excludes those that take any answer; another answer does not
    plain_excludes = labels.count("") <= 1 and set(labels) <= {"", FAILED}
    once = all(labels.count(label) == 1 for label in labels)
    return "exclusive" if once and ("" not in labels or plain_excludes) else "inclusive"
