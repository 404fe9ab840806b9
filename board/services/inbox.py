"""Messages from outside: files in the inbox become events, once each.

A message is applied under the append lock, its event carries the file name as `ref` (of the API: its sender too), and
only when that is on disk is the file moved. So a crash in between, a second delivery and a file that cannot be moved
all apply it once. Many messages share one flush.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import signal
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from board.log.directory import NotPlain
from board.log.event import Event, utcnow
from board.log.faults import note_fault
from board.log.store import Store
from board.log.stream import PASSING
from board.log.tail import Acting, Tail
from board.process.engine.decide import finishing
from board.process.engine.events import Draft
from board.process.engine.instance import Instance
from board.services.message import MAX_BYTES, Message, Rejected, read_message
from board.services.write import Clock, events_of

AT_ONCE = 500  # messages a flush; others may append in between
_AGAIN_S = 30.0  # a file that cannot be moved or judged is left alone this long
_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Report:
    """What became of the files looked at, by name: `rejected` with the code, `stuck` what cannot be moved and why.

    `unjudged` are those that a fault of ours keeps in the inbox, with what people are told of it.
    """

    applied: dict[str, Event] = field(default_factory=dict)
    rejected: dict[str, str] = field(default_factory=dict)
    pending: list[str] = field(default_factory=list)
    duplicate: list[str] = field(default_factory=list)
    stuck: dict[str, str] = field(default_factory=dict)
    unjudged: dict[str, str] = field(default_factory=dict)


class _Wait(NamedTuple):
    """Too early, or still being written: the instance it wants, "" when that cannot be told yet."""

    instance: str


class _Duplicate(NamedTuple):
    """Applied before under this name."""


class _Unjudged(NamedTuple):
    """Not applied because of a fault of ours: what people are told."""

    says: str


_Became = Event | Rejected | _Wait | _Duplicate | _Unjudged


class Inbox:
    """The inbox of one store. Whoever keeps it looks again only at files that changed or may apply by now."""

    def __init__(self, tail: Tail, store: Store, *, status_for: str = "any", now: Clock = utcnow) -> None:
        self._tail, self._store, self._now = tail, store, now
        self._only_receive = status_for == "receive"
        self._files = store.directory
        self._inbox, self._processed, self._failed = map(store.relative, (store.inbox, store.processed, store.failed))
        self._waiting: dict[str, tuple[tuple[int, ...], str]] = {}  # name: what it looked like, the instance it wants
        self._stuck: dict[str, float] = {}  # name: when to try again what could not be moved or judged, monotonic

    def take_in(self, check: Callable[[], None] = lambda: None) -> Report:
        """Apply what is there, in name order. `check` is called under the append lock and may raise."""
        report = Report()
        names = self._names()
        self._waiting = {name: seen for name, seen in self._waiting.items() if name in names}
        self._stuck = {name: until for name, until in self._stuck.items() if name in names}
        todo = [name for name in sorted(names) if not self._rests(name, report)]
        for first in range(0, len(todo), AT_ONCE):
            self._take_some(todo[first : first + AT_ONCE], report, check)
        return report

    def deliver(self, account: str, name: str, data: bytes) -> Event | None:
        """Apply one message that an account sent by another way than a file; None when it was applied before.

        Raises Rejected, also for an instance that has not been started: whoever sends it is there to send it again.
        """
        message = read_message(ref_of(account, name), data)
        with self._tail.acting() as acting:
            known = self._tail.has_ref(message.ref) or self._known_by_old_ref(message, name)
            became = _Duplicate() if known else self._apply(acting, message)
        if isinstance(became, _Wait):
            raise Rejected("not_started", f"there is no instance {message.instance} yet")
        if isinstance(became, Rejected):
            raise became
        return became if isinstance(became, Event) else None

    def _rests(self, name: str, report: Report) -> bool:
        """Whether a file was judged before and nothing has changed since."""
        if name in self._stuck:
            return self._stuck[name] > time.monotonic()
        seen = self._waiting.get(name)
        if seen is None or seen[0] != self._look(name) or self._exists(seen[1]):
            return False
        report.pending.append(name)
        return True

    def _exists(self, instance: str) -> bool:
        return bool(self._tail.newest()) if instance == "latest" else self._tail.head(instance) is not None

    def _take_some(self, names: list[str], report: Report, check: Callable[[], None]) -> None:
        became: dict[str, _Became] = {}
        read = {name: self._read(name) for name in names}
        messages = [judged for judged in read.values() if isinstance(judged, Message)]
        if messages:
            with self._tail.acting() as acting:
                check()
                became = {message.ref: self._judged(acting, message) for message in messages}
        for name, judged in read.items():
            self._sort_out(name, judged if not isinstance(judged, Message) else became[name], report)

    def _sort_out(self, name: str, became: _Became, report: Report) -> None:
        """Move a file to where it belongs, now that what it said is on disk."""
        self._waiting.pop(name, None)
        if isinstance(became, _Wait):
            report.pending.append(name)
            if became.instance:
                self._waiting[name] = self._look(name), became.instance
            return
        if isinstance(became, _Unjudged):
            if name not in self._stuck:
                report.unjudged[name] = became.says
            self._stuck[name] = time.monotonic() + _AGAIN_S
            return
        if isinstance(became, Event):
            report.applied[name] = became
        elif isinstance(became, Rejected):
            report.rejected[name] = became.code
        else:
            report.duplicate.append(name)
        try:
            if isinstance(became, Rejected):
                self._make_room(name, ".error")
                self._make_room(name)
                self._files.write(f"{self._failed}/{name}.error", f"{became}\n".encode(), exclusive=True)
                self._files.rename(f"{self._inbox}/{name}", f"{self._failed}/{name}")
            else:
                self._files.rename(f"{self._inbox}/{name}", self._free(self._processed, name))
            self._stuck.pop(name, None)
        except FileNotFoundError:
            pass  # whoever sent it took it back
        except OSError as error:
            if name not in self._stuck:
                report.stuck[name] = error.strerror or str(error)
            self._stuck[name] = time.monotonic() + _AGAIN_S

    def _read(self, name: str) -> Message | Rejected | _Wait | _Unjudged:
        try:
            name.encode()
            fd = self._files.open(f"{self._inbox}/{name}")
        except FileNotFoundError:
            return _Wait("")
        except UnicodeEncodeError:
            return Rejected("unreadable", "the name of the file is not UTF-8")
        except NotPlain:
            return Rejected("unreadable", "this is not a regular file")
        except OSError as error:
            return Rejected("unreadable", f"the file cannot be read: {error.strerror}")
        try:
            facts = os.fstat(fd)
            if facts.st_size > MAX_BYTES:
                return Rejected("unreadable", f"a message has at most {MAX_BYTES} bytes, this one has {facts.st_size}")
            return read_message(name, os.read(fd, MAX_BYTES))
        except PASSING:
            raise
        except Rejected as rejected:
            return _Wait("") if rejected.code == "unreadable" and _is_being_written(fd) else rejected
        except Exception as error:  # one odd message must not keep the others out
            return self._unjudged(name, error)
        finally:
            os.close(fd)

    def _names(self) -> set[str]:
        try:
            entries = self._files.scan(self._inbox)
        except OSError:
            return set()
        return {
            name
            for name, fact in entries
            if name.endswith(".json") and not name.startswith(".") and not stat.S_ISDIR(fact.st_mode)
        }

    def _look(self, name: str) -> tuple[int, ...]:
        try:
            fact = self._files.stat(f"{self._inbox}/{name}")
        except OSError:
            return ()
        return fact.st_ino, fact.st_size, fact.st_mtime_ns

    def _free(self, folder: str, name: str) -> str:
        """A name in a folder that nothing bears: `m.json`, else `m.json.2`, …"""
        path, number = f"{folder}/{name}", 1
        while self._files.has(path):
            number += 1
            path = f"{folder}/{name}.{number}"
        return path

    def _make_room(self, name: str, suffix: str = "") -> None:
        """Give what was rejected under this name before another one, so that it is kept."""
        with contextlib.suppress(FileNotFoundError):
            old = f"{self._failed}/{name}{suffix}"
            self._files.rename(old, self._free(self._failed, f"{name}.old{suffix}"))

    def _judged(self, acting: Acting, message: Message) -> _Became:
        try:
            return self._apply_once(acting, message)
        except PASSING:
            raise
        except Exception as error:  # one odd message must not keep the others out
            return self._unjudged(message.ref, error, message.instance)

    def _unjudged(self, name: str, error: Exception, instance: str = "") -> _Unjudged:
        return _Unjudged(note_fault(_logger, error, f"The message {name} cannot be judged", instance=instance))

    def _apply_once(self, acting: Acting, message: Message) -> _Became:
        known = self._tail.has_ref(message.ref) or self._files.has(f"{self._processed}/{message.ref}")
        return _Duplicate() if known else self._apply(acting, message)

    def _known_by_old_ref(self, message: Message, name: str) -> bool:
        """Whether an account's message is in the log under `NAME.json`, as all were before refs told their source.

        A file of that name is another message: it is kept once it is applied, and until it could be moved.
        """
        old = f"{name}.json"
        folders = (self._inbox, self._processed)
        if not self._tail.has_ref(old) or any(self._files.has(f"{folder}/{old}") for folder in folders):
            return False
        told = self._tail.history(task=message.task, actor=message.actor)
        return any(entry.event.ref == old for entry in told)

    def _apply(self, acting: Acting, message: Message) -> _Became:
        instance = acting.instance(message.instance)
        if instance is None:
            return _Wait(message.instance)
        try:
            drafts = self._drafts(instance, message)
        except Rejected as rejected:
            return rejected
        return acting.append(events_of(instance.id, drafts, self._now()))[0]

    def _drafts(self, instance: Instance, message: Message) -> list[Draft]:
        row = _row(instance, message)
        if instance.cancelled:
            raise Rejected("cancelled", f"the instance {instance.id} is cancelled; an operator may resume it")
        if message.field != "status":
            said = Draft(message.task, message.field, message.value, message.actor, message.element, ref=message.ref)
            return [said]
        definition = instance.definition(row)
        if definition.not_by_tasks:
            raise Rejected("people_only", f"{message.task} asks for another person than {definition.not_by} (not_by)")
        if self._only_receive and definition.role != "system":
            raise Rejected(
                "people_only", f"{message.task} is done by people; a message may move system tasks only here"
            )
        return finishing(instance, row, message.value, message.actor, ref=message.ref)


def take_in(tail: Tail, store: Store, *, status_for: str = "any", now: Clock = utcnow) -> Report:
    """Take the inbox in once. `status_for` is FOLDBOARD_INBOX_STATUS: `any`, or `receive` for system tasks only."""
    return Inbox(tail, store, status_for=status_for, now=now).take_in()


def ref_of(account: str, name: str) -> str:
    """The ref of a message an account sends; no file has a `/` in its name, so the two never take each other's."""
    return f"api/{account}/{name}"


def _row(instance: Instance, message: Message) -> int:
    row = instance.find(message.task, message.element)
    if row is not None:
        return row
    if message.task in instance.flow.groups:
        raise Rejected("group_row", f"{message.task} is a group; name a task in it")
    if message.task not in instance.flow.index:
        raise Rejected("unknown_task", f"{instance.id} has no task {message.task}")
    if not message.element:
        raise Rejected("element_missing", f"{message.task} is done once an element; name one")
    if not instance.repeats(message.task):
        raise Rejected("element_on_single", f"{message.task} does not repeat; leave the element out")
    raise Rejected("unknown_element", f"{instance.id} has no element {message.element}")


def _is_being_written(fd: int) -> bool:
    """Whether somebody has the file open for writing: then the system grants no read lease on it."""
    try:
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)  # a writer that comes in this moment would end us by SIGIO
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except BlockingIOError:
        return True
    except OSError:
        return False
    with contextlib.suppress(OSError):
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return False
