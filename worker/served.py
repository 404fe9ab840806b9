"""Which instances a worker serves, and which of them have something for it to do.

Nothing is looked at twice without news: an instance is judged when it is first seen and when the log moved it. Those
that are complete are let go of, so what a store has been through does not fill the memory.
"""

from __future__ import annotations

from typing import NamedTuple

from board.log.base import NOWHERE
from board.log.store import id_problem
from board.log.tail import Tail
from board.process.instance import Instance
from worker.report import waiting_for


class Standing(NamedTuple):
    """The state of an instance, and whom or what it waits for."""

    state: str
    says: str


class Served:
    """The instances of one log, or the only one asked for (`latest`: the newest one when the worker starts)."""

    def __init__(self, tail: Tail, only: str = "") -> None:
        self.tail = tail
        self.only = only
        self.ready: set[str] = set()  # a script of it may be ready
        self.owed: set[str] = set()  # another program's finish left a consequence out
        self.unseen: list[str] = []  # not folded yet, the newest last
        self.first_seen: list[str] = []  # folded for the first time: what it says is running is to be recovered
        self.unusable: dict[str, str] = {}  # why an instance cannot be served
        self._standings: dict[str, Standing] = {}
        self._dirty: set[str] = set()
        self._seen: set[str] = set()
        self.position = NOWHERE

    def look(self) -> list[str]:
        """Take in what is new in the log; returns the ids that moved."""
        tail = self.tail
        if tail.refresh() == self.position:
            return []
        with tail.reading() as position:
            moved = tail.moved_since(self.position)
            if moved is None:  # another log in this place: what is known of the old one says nothing
                moved = [head.id for head in tail.ids()]
                self._seen.clear()
                self.unseen.clear()
                self.ready.clear()
                self.owed.clear()
            self.position = position
            moved = [instance_id for instance_id in moved if self._serves(instance_id)]
            for instance_id in reversed(moved):
                if instance_id in self._seen:
                    self._judge(instance_id)
                elif instance_id not in self.unseen:
                    self.unseen.append(instance_id)
        return moved

    def meet(self) -> bool:
        """Fold one instance not seen yet, the newest first; False when there is none left."""
        if not self.unseen:
            return False
        instance_id = self.unseen.pop()
        self._seen.add(instance_id)
        with self.tail.reading():
            self._judge(instance_id)
        self.first_seen.append(instance_id)
        return True

    def note(self, instance_id: str) -> None:
        """Judge an instance anew after this worker itself has moved it."""
        self._judge(instance_id)

    def standings(self) -> dict[str, Standing]:
        """Where every instance served stands; what is complete or cancelled leaves the memory."""
        if not self._dirty:
            return self._standings
        with self.tail.reading():
            for instance_id in self._dirty:
                instance = self.tail.get(instance_id)
                if instance is None:
                    self._standings.pop(instance_id, None)
                    continue
                state = instance.state
                waiting = waiting_for(instance) if state == "active" else instance.sentence()
                self._standings[instance_id] = Standing(state, waiting)
                if state in ("complete", "cancelled"):
                    self.ready.discard(instance_id)
                    self.tail.cool(instance_id)
            self._dirty.clear()
        return self._standings

    def _serves(self, instance_id: str) -> bool:
        if instance_id in self._seen:
            return True
        if self.only == "latest":
            self.only = self.tail.newest() or "latest"
        if instance_id.startswith("@") or (self.only and instance_id != self.only):
            return False
        head = self.tail.head(instance_id)
        if head is None:
            return False
        problem = id_problem(instance_id) or head.broken
        if problem:
            self.unusable[instance_id] = problem
            self.ready.discard(instance_id)
        return not problem

    def _judge(self, instance_id: str) -> None:
        instance = self.tail.get(instance_id)
        self._dirty.add(instance_id)
        if instance is None or instance.cancelled:
            self.ready.discard(instance_id)
            self.owed.discard(instance_id)
            return
        (self.ready.add if _has_script(instance) else self.ready.discard)(instance_id)
        (self.owed.add if instance.owed() else self.owed.discard)(instance_id)


def _has_script(instance: Instance) -> bool:
    return next(instance.ready_scripts(), None) is not None
