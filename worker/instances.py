"""Which instances a worker serves, and which of them have something for it to do.

Nothing is looked at twice without news: an instance is judged when it is first seen and when the log moved it. Those
that are complete are let go of, and of those that wait the ones that moved longest ago, so neither what a store has
been through nor how much waits in it fills the memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from board.log.base import NOWHERE
from board.log.tail import Tail
from board.process.engine.instance import Instance
from board.services.attempts import Attempt, lost
from worker.console import waiting_for

MOST_WEIGHT = 250_000  # rows and events of all folded instances together: some 80 MB


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
        self.unseen: dict[str, None] = {}  # not folded yet, the newest last
        self.lost: list[Attempt] = []  # running by what the log said when an instance was first seen
        self.unusable: dict[str, str] = {}  # why an instance cannot be served
        self._standings: dict[str, Standing] = {}
        self._dirty: set[str] = set()
        self._seen: set[str] = set()
        self._weights: dict[str, int] = {}  # of what is folded, what moved longest ago first
        self._weight = 0
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
                for known in (
                    self._seen,
                    self.unseen,
                    self.ready,
                    self.owed,
                    self._standings,
                    self._dirty,
                    self._weights,
                ):
                    known.clear()
                self._weight = 0
            moved = [instance_id for instance_id in moved if self._serves(instance_id)]
            for instance_id in reversed(moved):
                if instance_id in self._seen:
                    self._judge(instance_id)
                else:
                    self.unseen.setdefault(instance_id)
            self.position = position  # last: what could not be read is looked at again
        return moved

    def meet(self) -> bool:
        """Fold one instance not seen yet, the newest first; False when there is none left."""
        if not self.unseen:
            return False
        instance_id = next(reversed(self.unseen))
        with self.tail.reading():
            self._judge(instance_id)
            with self.isolating(instance_id, "cannot be recovered by the worker"):
                instance = self.tail.get(instance_id)
                if instance is not None:
                    self.lost += lost(instance)
            self._stand(instance_id)
        self._seen.add(instance_id)
        del self.unseen[instance_id]  # last: what could not be read is met again
        return True

    def note(self, instance_id: str) -> None:
        """Judge an instance anew after this worker itself has moved it."""
        self._judge(instance_id)

    @contextmanager
    def isolating(self, instance_id: str, problem: str) -> Iterator[None]:
        """Serve an instance no longer when a fault of ours comes up with it; it is logged, and the others go on."""
        with self.tail.isolating(instance_id, problem):
            yield
            return
        self._give_up(instance_id)

    def standings(self) -> dict[str, Standing]:
        """Where every instance served stands; what is complete or cancelled leaves the memory."""
        if self._dirty:
            with self.tail.reading():
                for instance_id in tuple(self._dirty):
                    self._stand(instance_id)
        return self._standings

    def _give_up(self, instance_id: str) -> None:
        for known in (self.ready, self.owed, self._dirty):
            known.discard(instance_id)
        self._standings.pop(instance_id, None)
        self._let_go(instance_id)
        head = self.tail.head(instance_id)
        if head is not None and head.broken:
            self.unusable[instance_id] = head.broken

    def _stand(self, instance_id: str) -> None:
        self._dirty.discard(instance_id)
        instance = self.tail.get(instance_id)
        if instance is None:
            self._give_up(instance_id)
            return
        with self.isolating(instance_id, "cannot say where it stands"):
            self._take_standing(instance_id, instance)

    def _take_standing(self, instance_id: str, instance: Instance) -> None:
        state = instance.state
        says = waiting_for(instance) if state == "active" else instance.sentence()
        self._standings[instance_id] = Standing(state, says)
        if state in ("complete", "cancelled"):
            self.ready.discard(instance_id)
            self._let_go(instance_id)

    def _weigh(self, instance: Instance) -> None:
        """Note how much an instance takes; beyond the limit the others that moved longest ago are let go of."""
        self._weight += instance.size + instance.seq - self._weights.pop(instance.id, 0)
        self._weights[instance.id] = instance.size + instance.seq
        if self._weight > MOST_WEIGHT:
            for other in [i for i in self._weights if i not in self.ready and i not in self._dirty]:
                self._let_go(other)
                if self._weight <= MOST_WEIGHT:
                    return

    def _let_go(self, instance_id: str) -> None:
        self.tail.cool(instance_id)
        self._weight -= self._weights.pop(instance_id, 0)

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
        if head.broken:
            self.unusable[instance_id] = head.broken
            self.ready.discard(instance_id)
        return not head.broken

    def _judge(self, instance_id: str) -> None:
        instance = self.tail.get(instance_id)
        if instance is None:
            self._give_up(instance_id)
            return
        self._dirty.add(instance_id)
        if instance.cancelled:
            self.ready.discard(instance_id)
            self.owed.discard(instance_id)
            return
        self._weigh(instance)
        with self.isolating(instance_id, "cannot say what is ready in it"):
            (self.ready.add if _has_script(instance) else self.ready.discard)(instance_id)
            (self.owed.add if instance.owed() else self.owed.discard)(instance_id)


def _has_script(instance: Instance) -> bool:
    return next(instance.ready_scripts(), None) is not None
