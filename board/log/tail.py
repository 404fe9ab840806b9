"""Folded instances kept up to date by reading only what is new.

The first look at a log scans its lines for heads, definitions, refs and places; an instance is folded when somebody
asks for it. From then on each look costs one `stat`, and new lines are read and applied once, by whoever comes first.

Threads: every method may be called from any thread. An `Instance` is alive: it moves when the log is read on. Whoever
reads more than one thing of it does so inside `with tail.reading():`, which holds it still, as `acting` does.
Take the append lock first, never inside `reading`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from board.log.base import NOWHERE, Appender, Log, Position, View, lines
from board.log.definitions import PROCESSES, Definition, Definitions
from board.log.errors import AppendError, LogError
from board.log.event import MAX_LINE, BadLine, Event, check_length, decode, id_fault
from board.log.file import open_log
from board.log.search import Wanted, find
from board.log.store import Store
from board.log.stream import PASSING, Entry, Fold, InstanceHead, Stream
from board.process.engine.events import INSTANCE
from board.process.engine.instance import Instance

__all__ = ["Acting", "Definition", "Entry", "InstanceHead", "Tail", "shared"]


class _Scanned(msgspec.Struct):
    instance: str
    task: str
    field: str
    ref: str = ""
    element: str = ""


_NOTHING = _Scanned("", "", "")
_scan = msgspec.json.Decoder(_Scanned).decode


class Tail:
    """The instances of one log in memory; see the module for threads."""

    def __init__(self, log: Log, fold: Fold = Instance.from_start) -> None:
        self.log = log
        self._fold = fold
        self._lock = threading.RLock()
        self._mine = threading.local()
        self._view: View
        self._forget_all(NOWHERE)

    # reading

    def refresh(self) -> Position:
        """Read what is new and apply it to the instances that are warm; where reading stopped. ReadError."""
        view = self.log.view()
        if view.position != self._position:
            with self._lock:
                self._catch_up()
        return self._position

    @contextmanager
    def reading(self) -> Iterator[Position]:
        """Hold everything still while a page or a fragment is made; nothing is read on inside."""
        with self._lock:
            if not self._depth:
                self._catch_up()
            self._mine.depth = self._depth + 1
            try:
                yield self._position
            finally:
                self._mine.depth -= 1

    def wait(self, position: Position, timeout_s: float) -> bool:
        """Sleep until the log is elsewhere than at `position` (True) or the time is over."""
        return self.log.wait(position, timeout_s)

    def ids(self) -> list[InstanceHead]:
        """Every instance that was started, newest first, broken ones too."""
        with self.reading():
            return [self._streams[instance_id].head for instance_id in reversed(self._started)]

    def newest(self) -> str:
        """What `latest` means: the id of the newest instance that can be read, "" when there is none."""
        with self.reading():
            for instance_id in reversed(self._started):
                if not self._streams[instance_id].head.broken:
                    return instance_id
            return ""

    def head(self, instance_id: str) -> InstanceHead | None:
        """One instance's head; None for an id that was never started."""
        with self.reading():
            stream = self._stream(instance_id)
            return stream.head if stream and stream.is_started else None

    def get(self, instance_id: str) -> Instance | None:
        """The folded instance (`latest`: the newest); None when there is none or it is broken, see its head."""
        with self.reading():
            stream = self._stream(instance_id)
            return stream.fold(self._view, self._fold) if stream and stream.is_started else None

    def get_at(self, instance_id: str, seq: int) -> Instance | None:
        """The instance as it was after the event `seq` (of `history` or `seqs`), folded anew for the caller alone."""
        with self.reading():
            stream, view = self._stream(instance_id), self._view
        return stream.fold_until(view, self._fold, seq) if stream and not stream.head.broken else None

    def seqs(self, instance_id: str) -> Sequence[int]:
        """The seq of every event of an instance, in log order."""
        with self.reading():
            stream = self._stream(instance_id)
            return stream.offsets[:] if stream else []

    def definitions(self) -> dict[str, Definition]:
        """The newest saved version of each process, by name."""
        with self.reading():
            return {name: versions[-1] for name, versions in sorted(self._definitions.versions.items())}

    def definition(self, name: str) -> Definition | None:
        """The newest saved version of a process."""
        with self.reading():
            return next(reversed(self._definitions.versions.get(name, [])), None)

    def versions(self, name: str) -> list[Definition]:
        """Every saved version of a process, oldest first."""
        with self.reading():
            return list(self._definitions.versions.get(name, []))

    def history(
        self,
        instance_id: str = "",
        *,
        task: str | None = None,
        element: str | None = None,
        field: str | None = None,
        actor: str | None = None,
        before: int | None = None,
        after: int | None = None,
        limit: int | None = None,
    ) -> list[Entry]:
        """Events of an instance ("": of all), newest first, that match every filter given.

        Paging: `before` is the seq of the last entry of the page before, `after` (exclusive) that of the newest known.
        """
        wanted = Wanted(task, element, field, actor)
        with self.reading():
            stream, view = self._stream(instance_id) if instance_id else None, self._view
        # Searching may take long, and what it looks at stays: nobody has to wait for it.
        if instance_id:
            return find(stream.lines_back(view, before), wanted, after, limit) if stream else []
        end = view.position.offset if before is None else min(before, view.position.offset)
        back = (pair for block in view.blocks_back(end) for pair in reversed(list(lines([block]))))
        return find(back, wanted, after, limit)

    def changed_since(self, instance_id: str, position: Position | None) -> set[int] | None:
        """The rows of a warm instance touched since `position`; None: too far back or unknown, read all of it again."""
        with self.reading() as reached:
            stream = self._stream(instance_id)
            if position is None or stream is None or not _reaches(reached, position):
                return None
            return stream.changed_since(position.offset)

    def moved_since(self, position: Position) -> list[str] | None:
        """The ids with lines after `position`, latest first; None when the log has no such place: look at all again."""
        with self.reading() as reached:
            if not _reaches(reached, position):
                return None
            moved: list[str] = []
            for instance_id in reversed(self._lately):
                if self._streams[instance_id].offsets[-1] < position.offset:
                    break
                moved.append(instance_id)
            return moved

    def cool(self, instance_id: str) -> None:
        """Let the memory of a folded instance go; whoever asks for it next has it folded anew."""
        with self.reading():
            stream = self._streams.get(instance_id)
            if stream is not None:
                stream.forget()

    @contextmanager
    def isolating(self, instance_id: str, problem: str) -> Iterator[None]:
        """Keep a fault of ours with one instance: it is logged, the instance is unreadable, and the others go on.

        `problem` says what it cannot ("cannot be folded"). LogError, OSError and MemoryError pass through.
        """
        try:
            yield
        except PASSING:
            raise
        except Exception as error:
            with self.reading():
                stream = self._streams.get(instance_id)
                if stream is None:
                    raise
                stream.fail(error, problem)

    def has_ref(self, ref: str) -> bool:
        """Whether an event carries this `ref`: the message of that name was applied."""
        with self.reading():
            return ref in self._refs

    def bad_lines(self, limit: int | None = None) -> list[BadLine]:
        """Return the lines that are not events (the first `limit` of them), with their numbers."""
        with self.reading():
            return self._bad[:limit]

    @property
    def bad_count(self) -> int:
        """How many lines are not events."""
        return len(self._bad)

    def unreadable_definitions(self) -> list[tuple[int, str]]:
        """Saved processes that cannot be read: (offset of the event, why)."""
        with self.reading():
            return list(self._definitions.unreadable)

    # acting

    @contextmanager
    def acting(self) -> Iterator[Acting]:
        """Hold the append lock, caught up; when the context is left, what was appended is on disk.

        AppendError: nothing was acknowledged. Do not enter it inside `reading` or `acting`: RuntimeError.
        """
        if self._depth:
            raise RuntimeError("The append lock is taken before reading, never inside it.")
        self.refresh()  # before the lock, so that others wait for what is left only
        with self.log.appending() as appender, self.reading():
            acting = Acting(self, appender)
            try:
                yield acting
            finally:
                acting.close()

    def append(self, appender: Appender, events: Sequence[Event]) -> None:
        """Write the events and apply them; for `Acting`, under both locks."""
        for event in events:
            check_length(event)
        try:
            appender.append(events)
        except AppendError:
            for event in events:
                stream = self._streams.get(event.instance)
                if stream:
                    stream.forget()
            raise
        self._catch_up()

    # within

    @property
    def _depth(self) -> int:
        return int(getattr(self._mine, "depth", 0))

    def _stream(self, instance_id: str) -> Stream | None:
        return self._streams.get(self.newest() if instance_id == "latest" else instance_id)

    def _forget_all(self, position: Position) -> None:
        self._position = position
        self._streams: dict[str, Stream] = {}
        self._started: dict[str, None] = {}
        self._lately: dict[str, None] = {}  # every id, the one with the newest line last
        self._refs: set[str] = set()
        self._definitions = Definitions()
        self._bad: list[BadLine] = []
        self._lines = 0

    def _catch_up(self) -> None:
        view = self.log.view()
        if view.position == self._position:
            self._view = view
            return
        if self._position != NOWHERE and not view.holds(self._position):
            self._forget_all(NOWHERE)
        self._view = view
        try:
            for start, block in view.blocks(self._position.offset):
                self._take_in(start, block)
        except BaseException:
            self._forget_all(NOWHERE)  # half taken in: begin anew rather than take a line twice
            raise
        self._position = view.position

    def _take_in(self, start: int, block: bytes) -> None:
        streams, refs = self._streams, self._refs
        scan = _scan if _is_text(block) else _scan_closely
        for offset, line in lines(((start, block),)):
            self._lines += 1
            try:
                said = scan(line) if len(line) <= MAX_LINE else _NOTHING
            except (msgspec.DecodeError, RecursionError):
                said = _scan_closely(line)
            if not (said.instance and said.task and said.field) or id_fault(said.instance, said.task, said.element):
                bad = decode(line)
                reason = bad.reason if isinstance(bad, BadLine) else "no event"
                self._bad.append(BadLine(self._lines, offset, reason))
                continue
            stream = streams.get(said.instance)
            if stream is None:
                stream = streams[said.instance] = Stream(said.instance)
            stream.add(offset, len(line))
            self._lately.pop(said.instance, None)
            self._lately[said.instance] = None
            if said.ref:
                refs.add(said.ref)
            if said.task == INSTANCE or said.instance == PROCESSES or stream.warm is not None:
                self._take_in_closely(stream, offset, line)

    def _take_in_closely(self, stream: Stream, offset: int, line: bytes) -> None:
        event = decode(line)
        if not isinstance(event, Event):
            return
        if stream.id == PROCESSES:
            self._definitions.tell(offset, event)
            return
        if event.task == INSTANCE:
            stream.tell(event)
            if stream.is_started:
                self._started.setdefault(stream.id)
        stream.apply(offset, event)


class Acting:
    """The log under the append lock, caught up."""

    def __init__(self, tail: Tail, appender: Appender) -> None:
        self.tail = tail
        self._appender: Appender | None = appender

    def instance(self, instance_id: str) -> Instance | None:
        """The folded instance as the log stands; None when there is none or it is broken."""
        return self.tail.get(instance_id)

    def exists(self, instance_id: str) -> bool:
        """Whether an instance of this id was ever started, broken ones included."""
        return self.tail.head(instance_id) is not None

    def append(self, events: Iterable[Event]) -> list[Event]:
        """Write the events with one call and apply them; AppendError: none is in the log, the fold is made anew."""
        if self._appender is None:
            raise LogError("The append lock was let go before this; nothing was written.")
        written = list(events)
        self.tail.append(self._appender, written)
        return written

    def close(self) -> None:
        self._appender = None


_TAILS: dict[Path, Tail] = {}
_TAILS_LOCK = threading.Lock()


def shared(store: Path | str | Store) -> Tail:
    """The one tail of a store in this process."""
    root = (store.root if isinstance(store, Store) else Path(store)).resolve()
    with _TAILS_LOCK:
        if root not in _TAILS:
            _TAILS[root] = Tail(open_log(root))
        return _TAILS[root]


def _after_fork() -> None:
    # A forked child may have inherited a lock that a thread of its parent held.
    global _TAILS_LOCK
    _TAILS_LOCK = threading.Lock()
    _TAILS.clear()


os.register_at_fork(after_in_child=_after_fork)


def _reaches(reached: Position, position: Position) -> bool:
    return position.identity == reached.identity and position.offset <= reached.offset


def _is_text(block: bytes) -> bool:
    try:
        block.decode()
    except UnicodeDecodeError:
        return False
    return True


def _scan_closely(line: bytes) -> _Scanned:
    """The same of a line that may be odd; a bad one has no instance."""
    event = decode(line)
    if isinstance(event, Event):
        return _Scanned(event.instance, event.task, event.field, event.ref, event.element)
    return _NOTHING
