"""Who works on a store: reading the worker's lock, its heartbeat and what it says it is doing (semantics, section 9.4).

The lock is the directory `.worker.lock` with the file `owner` in it, touched every few seconds by its holder. Taking
it is the worker's own business; everything here only reads, so the board can tell without knowing the worker.
"""

from __future__ import annotations

import fcntl
import os
import socket
import time
from pathlib import Path

import msgspec

from board.log.directory import Directory

LOCK_DIR = ".worker.lock"
OWNER_FILE = "owner"
STATE_FILE = "state.json"
OWNER, STATE = f"{LOCK_DIR}/{OWNER_FILE}", f"{LOCK_DIR}/{STATE_FILE}"
BEAT_INTERVAL_S = 2.0
STALE_AFTER_S = 120.0


class Owner(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who holds a store: the process, when it began, and what tells it apart from a later one with the same number."""

    pid: int
    host: str
    since: str  # UTC, as events carry it
    token: str = ""  # one a start of a worker
    started_ticks: int = 0  # the kernel's start time of the process
    boot: str = ""
    pid_namespace: str = ""


class RunningScript(msgspec.Struct, frozen=True, omit_defaults=True):
    """One script the worker runs at this moment."""

    instance: str
    task: str
    element: str
    attempt: int
    script: str
    since: str


class WorkerState(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the worker says about itself, for people."""

    pid: int
    host: str
    since: str
    jobs: str
    slots: int
    code_version: str = ""
    instance: str = ""  # the only one it serves; "" = all
    trouble: str = ""  # why it cannot write, or starts no script, say
    running: tuple[RunningScript, ...] = ()


def read_owner(store: Path) -> Owner | None:
    """The holder of a store's lock; None when nobody holds it or the file cannot be read."""
    try:
        return msgspec.json.decode(Directory(store).read(OWNER), type=Owner)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def read_state(store: Path) -> WorkerState | None:
    """What the holder last said about itself; None when it said nothing."""
    try:
        return msgspec.json.decode(Directory(store).read(STATE), type=WorkerState)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def last_beat(store: Path) -> float | None:
    """When the holder last gave a sign of life, in seconds since the epoch; None without a holder."""
    try:
        return Directory(store).stat(OWNER).st_mtime
    except OSError:
        return None


def worker_alive(store: Path) -> bool:
    """Whether a worker serves this store: not known to be dead, and a sign of life in the last 120 s."""
    owner, beat = read_owner(store), last_beat(store)
    if owner is None or beat is None or is_gone(owner, store):
        return False
    return abs(time.time() - beat) <= STALE_AFTER_S


def is_gone(owner: Owner, store: Path) -> bool:
    """Whether the holder's process is certainly dead; False when that cannot be told from this machine."""
    if owner.host != socket.gethostname():
        return False
    if owner.boot != boot_id():
        return True
    if owner.pid_namespace == pid_namespace():
        return started_ticks(owner.pid) != owner.started_ticks
    return _is_unlocked(store)  # another container on this kernel: its lock ends with it


def _is_unlocked(store: Path) -> bool:
    try:
        fd = Directory(store).open(OWNER)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(fd)
    return True


def started_ticks(pid: int) -> int:
    """The kernel's start time of a process, in clock ticks since boot; 0 when it is dead or unknown here."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return 0
    return 0 if fields[0] in (b"Z", b"X") else int(fields[19])


def boot_id() -> str:
    """One id a boot of this machine; "" where the system has none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def pid_namespace() -> str:
    """The namespace in which process numbers of this process count; "" where the system has none."""
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""
