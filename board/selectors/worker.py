"""The worker as the board sees it: its lock and heartbeat, what runs, what waits, and the inbox."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import msgspec
from django.conf import settings
from django.contrib.auth.models import User

from board.accounts.permissions import may_view
from board.log.store import Store
from board.log.tail import Tail
from board.log.worker_lock import Owner, WorkerState, last_beat, read_owner, read_state, worker_alive
from board.process.engine.instance import Instance
from board.selectors import current
from board.selectors.instance.files import moment_of
from board.selectors.summaries import Digest, all_of

MOST = 50  # entries of each list a page shows; their number is always said
MAX_REASON = 600  # characters of why a message failed
HIDDEN = "."


class RowAt(NamedTuple):
    """A row the worker has to do with; `since` is when it began or became open."""

    instance: str
    task: str
    element: str
    title: str
    script: str
    since: str
    attempt: int

    @property
    def row(self) -> tuple[str, str]:
        """For the addresses."""
        return self.task, self.element


class InboxFile(NamedTuple):
    """A file of the inbox; `code` and `reason` say why it failed, "" while it waits."""

    name: str
    size: int
    at: datetime
    code: str
    reason: str


class FirstOf[T](NamedTuple):
    """The first entries of a list, and how many there are."""

    shown: tuple[T, ...]
    total: int

    @property
    def more(self) -> int:
        """How many are not shown."""
        return self.total - len(self.shown)


class WorkerView(NamedTuple):
    """The page. `seen` is the last sign of life, None for a store no worker ever served."""

    alive: bool
    owner: Owner | None
    state: WorkerState | None
    seen: datetime | None
    running: FirstOf[RowAt]
    unconfirmed: FirstOf[RowAt]
    ready: FirstOf[RowAt]
    failed: FirstOf[RowAt]
    pending: FirstOf[InboxFile]
    refused: FirstOf[InboxFile]
    places: tuple[str, ...]  # the store, and the jobs of this board
    bad_lines: tuple[int, int, str]  # how many, and the first: its number and why
    strangers: tuple[str, ...]  # links and pipes where files of the store belong, for those who may name messages
    bad_saves: tuple[int, str]  # saved processes that cannot be read: how many, and why the first

    @property
    def version(self) -> str:
        """Changes whenever the page would look different; a sign of life alone is not news."""
        quiet = self._replace(seen=None) if self.alive else self
        return blake2b(repr(quiet).encode("utf-8", "surrogatepass"), digest_size=9).hexdigest()


def worker_view(tail: Tail, store: Store, user: User, *, names: bool, paths: bool) -> WorkerView:
    """Return everything the page shows to `user`.

    `names`: whether the messages of the inbox may be named; `paths`: whether places of the machine may, or only by
    their last name.
    """
    root = store.root
    alive, beat = worker_alive(root), last_beat(root)
    with tail.reading():
        seen = [(i, d) for i, d in all_of(tail) if may_view(user, i.flow.roles)]
        doing = list(_doing(seen))
        ready = list(_ready(seen))
        failed = [_row(i, row) for i, d in seen for row in d.failed]
        bad, saves = tail.bad_lines(1), tail.unreadable_definitions()
    return WorkerView(
        alive=alive,
        owner=read_owner(root),
        state=_shown(read_state(root), {i.id for i, _ in seen}, paths),
        seen=datetime.fromtimestamp(beat, UTC) if beat is not None else None,
        running=_first(doing if alive else ()),
        unconfirmed=_first(() if alive else doing),
        ready=_first(ready),
        failed=_first(failed),
        pending=_messages(store, store.inbox, names=names),
        refused=_messages(store, store.failed, names=names, reasons=True),
        places=tuple(_place(path, paths) for path in (store.root, settings.FOLDBOARD_JOBS)),
        bad_lines=(tail.bad_count, bad[0].line_no, bad[0].reason) if bad else (0, 0, ""),
        strangers=_strangers(store) if names else (),
        bad_saves=(len(saves), saves[0][1] if saves else ""),
    )


def _strangers(store: Store) -> tuple[str, ...]:
    with suppress(OSError):
        return tuple(map(_printable, store.strangers()))
    return ()


def _shown(state: WorkerState | None, visible: set[str], paths: bool) -> WorkerState | None:
    """Return what the worker says of itself, without instances somebody may not see, and without places."""
    if state is None:
        return None
    hidden = any(r.instance not in visible for r in state.running)
    running = tuple(r for r in state.running if r.instance in visible)
    jobs = _place(state.jobs, paths)
    if hidden:
        return WorkerState(state.pid, state.host, state.since, jobs, state.slots, state.code_version, running=running)
    return msgspec.structs.replace(state, jobs=jobs)


def _place(path: str | Path, whole: bool) -> str:
    return os.fspath(path) if whole else Path(path).name


def _doing(seen: Iterable[tuple[Instance, Digest]]) -> Iterator[RowAt]:
    for instance, _ in seen:
        yield from (_row(instance, r) for r in instance.doing_rows() if instance.definition(r).is_script)


def _ready(seen: Iterable[tuple[Instance, Digest]]) -> Iterator[RowAt]:
    for instance, digest in seen:
        if digest.scripts_ready:
            yield from (_row(instance, r) for r in instance.ready_scripts())


def _row(instance: Instance, row: int) -> RowAt:
    definition, moved = instance.definition(row), instance.latest(row, "status")
    return RowAt(
        instance.id,
        definition.task,
        instance.element_of(row),
        definition.name,
        definition.script,
        moved.ts if moved is not None else instance.opened_at(row),
        instance.attempts(row),
    )


def _first[T](entries: Iterable[T]) -> FirstOf[T]:
    whole = list(entries)
    return FirstOf(tuple(whole[:MOST]), len(whole))


def _messages(store: Store, folder: Path, *, names: bool, reasons: bool = False) -> FirstOf[InboxFile]:
    """Return the messages in a folder: waiting ones in the order they are taken, failed ones newest first."""
    files = sorted(_files(store, folder), key=lambda f: (-f[1].st_mtime, f[0]) if reasons else (0.0, f[0]))
    shown = (
        InboxFile(_printable(name), fact.st_size, moment_of(fact.st_mtime), *_reason(store, folder, name, reasons))
        for name, fact in files[: MOST if names else 0]
    )
    return FirstOf(tuple(shown), len(files))


def _files(store: Store, folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    try:
        entries = store.directory.scan(store.relative(folder))
    except OSError:
        return
    for name, fact in entries:
        if name.endswith(".json") and not name.startswith(HIDDEN) and stat.S_ISREG(fact.st_mode):
            yield name, fact


def _printable(name: str) -> str:
    """Return a file name as text, whatever bytes it is made of."""
    return os.fsencode(name).decode("utf-8", "replace")


def _reason(store: Store, folder: Path, name: str, wanted: bool) -> tuple[str, str]:
    if not wanted:
        return "", ""
    try:
        noted = store.directory.read(f"{store.relative(folder)}/{name}.error", 4 * MAX_REASON)
    except OSError:
        return "", "No reason was left beside it."
    said = noted.decode("utf-8", "replace")[:MAX_REASON].strip()
    code, colon, reason = said.partition(":")
    return (code, reason.strip()) if colon else ("", said)


def is_slow(seen: datetime | None) -> bool:
    """Return whether the last sign of life is older than a worker that is well would let it be."""
    return seen is None or time.time() - seen.timestamp() > 15


def store_view(user: User, *, names: bool, paths: bool) -> WorkerView:
    """Return the view of the store this board shows."""
    return worker_view(current.tail(), current.store(), user, names=names, paths=paths)
