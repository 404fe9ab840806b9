"""Finding and ending the processes of one attempt, wherever they went.

A script's processes are told by four marks: they descend from its first process, they are in its session or process
group, they carry the attempt's PROC_RUN in their environment, or they print to its log. One look can miss what is
forked meanwhile, so whoever ends a tree looks again until nothing is found.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

_adopts = False  # whether this process takes in orphans; else a child without a mark may be anybody's
_MARK, _STORE = b"\0PROC_RUN=", b"\0PROC_STORE="
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36


class _Stat(NamedTuple):
    parent: int
    group: int
    session: int
    started: int  # clock ticks since boot
    alive: bool


def become_subreaper() -> bool:
    """Make orphans of scripts children of this process, so that none escapes; False where that cannot be had.

    Only for a process that has no other children than scripts: what nothing attributes is ended as a stray.
    """
    global _adopts
    _adopts = _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    return _adopts


def hide_environment() -> bool:
    """Keep scripts of the same account from reading this process's environment in /proc."""
    return _prctl(_PR_SET_DUMPABLE, 0)


def _prctl(option: int, value: int) -> bool:
    try:
        return int(ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)) == 0
    except (OSError, AttributeError):
        return False


def children() -> set[int]:
    """The children of this process, adopted orphans and the dead not yet collected among them."""
    children: set[int] = set()
    try:
        for thread in os.listdir("/proc/self/task"):
            with contextlib.suppress(FileNotFoundError):
                children.update(map(int, _read(f"/proc/self/task/{thread}/children").split()))
    except OSError:
        me = os.getpid()
        children.update(pid for pid in _pids() if (stat := _stat(pid)) is not None and stat.parent == me)
    return children


def collect_orphans(mine: Iterable[int]) -> None:
    """Reap the dead among the adopted; `mine` are children whose end somebody waits for."""
    if not _adopts:
        return
    for pid in children().difference(mine):
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)


def tree(mark: str, *, root: int = 0, log: str = "", others: Mapping[int, str] | None = None) -> list[int]:
    """The living processes of an attempt, the oldest first, so that a script ends before what it waits for.

    Found by the PROC_RUN `mark`, the first process `root`, the `log` they print to. `others` are the first processes
    and marks of the scripts that run beside it: an adopted orphan that nothing attributes belongs to the attempt when
    it is older than all of them.
    """
    me = os.getpid()
    stats = {pid: stat for pid in _pids() if pid != me and (stat := _stat(pid)) is not None}
    tree = {
        pid
        for pid, stat in stats.items()
        if (root and root in (pid, stat.group, stat.session)) or mark == _mark(pid) or (log and _prints_to(pid, log))
    }
    if others is not None and _adopts:
        tree |= _strays(stats, me, root, others)
    return _with_children(tree, stats)


def of_store(store: str) -> list[int]:
    """The living processes that carry a PROC_RUN and this PROC_STORE, and what they started; the oldest first."""
    me = os.getpid()
    stats = {pid: stat for pid in _pids() if pid != me and (stat := _stat(pid)) is not None}
    marked = {pid for pid in stats if _variable(pid, _STORE) == store and _mark(pid)}
    return _with_children(marked, stats)


def _with_children(pids: set[int], stats: Mapping[int, _Stat]) -> list[int]:
    while more := {pid for pid, stat in stats.items() if stat.parent in pids and pid not in pids}:
        pids |= more  # whatever a process of the tree started is of the tree
    return sorted((pid for pid in pids if stats[pid].alive), key=lambda pid: (stats[pid].started, pid))


def _strays(stats: Mapping[int, _Stat], me: int, root: int, others: Mapping[int, str]) -> set[int]:
    marks = set(others.values())
    youngest = min((stats[pid].started for pid in others if pid in stats), default=None)
    return {
        pid
        for pid, stat in stats.items()
        if stat.parent == me
        and pid != root
        and pid not in others
        and stat.session not in others
        and (youngest is None or stat.started < youngest)
        and _mark(pid) not in marks
    }


def send(pids: Iterable[int], number: signal.Signals) -> set[int]:
    """Send a signal to each; returns those it could not be sent to for want of permission."""
    refused = set()
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue
        except PermissionError:
            refused.add(pid)
    return refused


def _pids() -> Iterator[int]:
    for name in os.listdir("/proc"):
        if name.isdigit():
            yield int(name)


def _stat(pid: int) -> _Stat | None:
    try:
        fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
        return _Stat(int(fields[1]), int(fields[2]), int(fields[3]), int(fields[19]), fields[0] not in (b"Z", b"X"))
    except (OSError, IndexError):
        return None


def _mark(pid: int) -> str:
    """The PROC_RUN in a process's environment; "" when there is none or it may not be read."""
    return _variable(pid, _MARK)


def _variable(pid: int, name: bytes) -> str:
    try:
        data = b"\0" + _read(f"/proc/{pid}/environ")
    except OSError:
        return ""
    at = data.find(name)
    return data[at + len(name) : data.find(b"\0", at + 1)].decode("utf-8", "replace") if at >= 0 else ""


def _prints_to(pid: int, path: str) -> bool:
    """Whether a process's output goes to a file; one that only reads it, say a pager, does not count."""
    for fd in ("1", "2"):
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/{pid}/fd/{fd}") == path:
                return True
    return False


def _read(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        pieces = []
        while piece := os.read(fd, 65536):
            pieces.append(piece)
        return b"".join(pieces)
    finally:
        os.close(fd)
