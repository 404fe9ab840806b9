"""What a worker waits for: a script's end, a new line in the log, a message, a signal; or the time."""

from __future__ import annotations

import select

from board.log.notify import Watch
from board.log.store import Store
from worker.signals import Stop


class Wakeups:
    """One wait for everything. `inbox`: look into it; `ended`: the pidfds of first processes that have ended."""

    def __init__(self, store: Store, stop: Stop) -> None:
        self.inbox = True
        self.ended: set[int] = set()
        self._stop, self._store = stop, store
        self._inbox_seen = self._inbox_changed()
        self._log_watch, self._inbox_watch = Watch([store.root]), Watch([store.inbox])
        self._poll = select.poll()
        for fd in (stop.fileno(), self._log_watch.fileno(), self._inbox_watch.fileno()):
            if fd >= 0:
                self._poll.register(fd, select.POLLIN)

    def expect(self, pidfd: int) -> None:
        """Wake when this process ends."""
        self._poll.register(pidfd, select.POLLIN)

    def forget(self, pidfd: int) -> None:
        """The process has ended and was seen: waiting for it would no longer sleep."""
        self._poll.unregister(pidfd)
        self.ended.discard(pidfd)

    def settle(self) -> None:
        """Forget what this worker's own writing has told; look at the log once after it."""
        self._log_watch.drain()

    def wait(self, timeout_s: float) -> bool:
        """Sleep until there is news (True) or the time is over."""
        told = self._poll.poll(max(0.0, timeout_s) * 1000)
        for fd, _ in told:
            if fd == self._stop.fileno():
                self._stop.drain()
            elif fd == self._log_watch.fileno():
                self._log_watch.drain()
            elif fd == self._inbox_watch.fileno():
                self._inbox_watch.drain()
                self.inbox = True
            else:
                self.ended.add(fd)
        return bool(told)

    def look_at_inbox(self) -> bool:
        """Whether files came or went since the last look, also where nothing tells of it."""
        seen, self._inbox_seen = self._inbox_seen, self._inbox_changed()
        self.inbox = self.inbox or seen != self._inbox_seen
        return self.inbox

    def _inbox_changed(self) -> int:
        try:
            return self._store.directory.stat("inbox").st_mtime_ns
        except OSError:
            return 0

    def close(self) -> None:
        self._log_watch.close()
        self._inbox_watch.close()
