"""Which row begins next: slots are shared fairly over instances, groups in sequence do one at a time, retries wait."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from datetime import UTC, datetime
from typing import NamedTuple

from board.log.tail import Tail
from board.process.engine.instance import Instance
from board.services import attempts
from worker.backoff import Backoff
from worker.instances import Served


class Place(NamedTuple):
    """Where a script runs: its row, and the group around it that does one at a time ("" for none)."""

    instance: str
    row: int
    sequential: str


class Chooser:
    """Chooses among what is ready; call it with the log held still (`reading` or `acting`)."""

    def __init__(self, tail: Tail, served: Served) -> None:
        self._tail, self._served = tail, served
        self._paused: dict[tuple[str, int], float] = {}  # rows that wait, until when (monotonic)
        self._backoff = Backoff()
        self._picked: dict[str, int] = {}  # when an instance was last served, counted in picks
        self._picks = 0
        self._tasks: dict[str, list[tuple[int, str]]] = {}

    def pause(self, instance: str, row: int, until: float) -> None:
        """Keep a row waiting for its retry."""
        self._paused[instance, row] = until

    def begin(self, instance: Instance, row: int, now: float) -> float:
        """Note that a row begins now; the seconds it has to wait should it be opened again."""
        return self._backoff.note((instance.id, row), instance.latest(row, "status"), now)

    def next(self, running: Collection[Place], now: float) -> tuple[Instance, int] | None:
        """The row to begin now: of the instance with the fewest scripts running, then of the one served longest ago.

        `running`: every script that runs, is about to, or is still being ended. A script whose attempts were lost with
        their worker twice in a row goes first and alone: so the one that takes its worker down fails by itself.
        """
        if any(self._is_suspect(place) for place in running):
            return None
        suspect = self._suspect(now)
        if suspect is not None:
            return None if running else suspect
        number = Counter(place.instance for place in running)
        for chosen in sorted(self._served.ready, key=lambda i: (number[i], self._picked.get(i, 0), i)):
            with self._served.isolating(chosen, "cannot say which script is next"):
                instance = self._tail.get(chosen)
                row = self._row(instance, running, now) if instance is not None else None
                if instance is not None and row is not None:
                    self._picks += 1
                    self._picked[chosen] = self._picks
                    return instance, row
        return None

    def _is_suspect(self, place: Place) -> bool:
        instance = self._tail.get(place.instance)
        return instance is not None and place.row in instance.suspects()

    def _suspect(self, now: float) -> tuple[Instance, int] | None:
        for chosen in sorted(self._served.ready):
            instance = self._tail.get(chosen)
            if instance is None or instance.cancelled:
                continue
            for row in sorted(set(instance.suspects()).intersection(instance.ready_scripts())):
                if not self._is_paused(instance, row, now):
                    return instance, row
        return None

    def next_retry(self, now: float) -> float:
        """When the first row that waits may begin, monotonic; infinity when none waits."""
        if self._paused:
            self._paused = {key: until for key, until in self._paused.items() if until > now}
        return min(self._paused.values(), default=float("inf"))

    def _row(self, instance: Instance, running: Collection[Place], now: float) -> int | None:
        if instance.cancelled:
            return None
        busy = {place.sequential for place in running if place.sequential and place.instance == instance.id}
        rows = {place.row for place in running if place.instance == instance.id}
        tasks = {t for t, group in self._script_tasks(instance) if instance.tally(t)["open"] and group not in busy}
        if not tasks:
            return None
        task_of = instance.statuses.task
        for row in instance.ready_scripts():
            if task_of[row] in tasks and row not in rows and not self._is_paused(instance, row, now):
                return row
        return None

    def _script_tasks(self, instance: Instance) -> list[tuple[int, str]]:
        tasks = self._tasks.get(instance.version)
        if tasks is None:
            rows = enumerate(instance.flow.rows)
            tasks = [(t, sequential_group(instance, t)) for t, definition in rows if definition.is_script]
            self._tasks[instance.version] = tasks
        return tasks

    def _is_paused(self, instance: Instance, row: int, now: float) -> bool:
        event = instance.latest(row, "status")
        if event is None:
            return False
        key = instance.id, row
        if not attempts.is_retry(event):
            until = self._backoff.until(key, now)
            if until > now:
                self._paused[key] = until
            return until > now
        if key not in self._paused:
            wait_s = attempts.retry_wait_s(instance, row, datetime.now(UTC))
            if wait_s <= 0:
                return False
            self._paused[key] = now + wait_s  # decided by a worker before this one
        return self._paused[key] > now


def sequential_group(instance: Instance, t: int) -> str:
    """The group around task number `t` of which one script runs at a time; "" for none."""
    group = instance.flow.group_of[t]
    while group:
        definition = instance.flow.groups[group].row
        if definition.is_sequential:
            return group
        group = definition.parent
    return ""
