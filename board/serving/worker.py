"""How gunicorn talks to clients that are slow: none of them has a thread before all it asks is there, or after.

gunicorn's threads read from a client and write to it themselves, so as many clients as there are threads stop a board
by doing nothing. Here the loop of each process, which waits for all clients at once, reads a request to its end before
a thread gets it, and sends what a client did not take at once. Who stops is let go after `timeout` seconds, and who
goes on more slowly than SLOWEST after as long as that would have taken.
"""

from __future__ import annotations

import errno
import selectors
import socket
import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any

from gunicorn.workers.gthread import (  # type: ignore[import-untyped]
    STOP_KEEPALIVE_LINGER,
    TConn,
    ThreadWorker,
)

from board.serving.client import Client, Refused

SLOWEST = 10_000  # bytes a second, in both directions
READ, WRITE = selectors.EVENT_READ, selectors.EVENT_WRITE


class Connection(TConn):  # type: ignore[misc]
    """A client as the loop has it: until when it may pause, and when what it does has to be over."""

    def __init__(self, cfg: Any, client: Client, address: Any, server: Any) -> None:
        super().__init__(cfg, client, address, server)
        self.data_ready = True  # or a thread would wait for it
        self.stays = True
        self.began = self.pauses = self.ends = 0.0


class PatientWorker(ThreadWorker):  # type: ignore[misc]
    """gunicorn's threads, with all waiting for clients done by the loop."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.patience_s = float(self.cfg.timeout)
        self.busy: set[Connection] = set()  # who is sending a request or taking an answer
        self.waiters = threading.Semaphore(max(1, self.cfg.threads // 2))
        self.looked = 0.0

    @classmethod
    def check_config(cls, cfg: Any, log: Any) -> None:
        """Refuse TLS, whose sockets say otherwise what has come."""
        super().check_config(cfg, log)
        if cfg.is_ssl:
            raise RuntimeError("The board does not speak TLS itself: leave certfile out and put a proxy in front.")

    def accept(self, listener: socket.socket) -> None:
        """Take a connection; what it asks is waited for by the loop."""
        try:
            raw, address = listener.accept()
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.ECONNABORTED, errno.EMFILE, errno.ENFILE):
                raise
            return
        self.nr_conns += 1
        client = Client(raw, self.waiters, self.patience_s)
        self._wait_for(Connection(self.cfg, client, address, listener.getsockname()), READ)

    def on_client_socket_readable(self, conn: Connection, client: Client) -> None:
        """The next request on a connection that was kept."""
        self.keepalived_conns.remove(conn)
        self.poller.unregister(client)
        self._read(conn)

    def _read(self, conn: Connection) -> None:
        """Take of a request what is there; a thread gets it when it is whole, and the loop waits for the rest."""
        client = conn.sock
        try:
            whole = client.arrive()
        except BlockingIOError:
            whole = False
        except Refused as refused:
            self._refuse(conn, *refused.args)
            return
        except (OSError, EOFError):
            self.end(conn)
            return
        if whole:
            self._rest(conn)
            self.enqueue_req(conn)
            return
        if conn not in self.busy:
            self._wait_for(conn, READ)
        if client.request is not None:
            conn.pauses = time.monotonic() + self.patience_s
            conn.ends = conn.began + self.patience_s + client.size / SLOWEST

    def _refuse(self, conn: Connection, status: str, sentence: str) -> None:
        self._rest(conn)
        said = ["Connection: close", "Content-Type: text/plain; charset=utf-8", f"Content-Length: {len(sentence) + 1}"]
        conn.stays = False
        conn.sock.sendall("\r\n".join([f"HTTP/1.1 {status}", *said, "", f"{sentence}\n"]).encode("ascii"))
        self._answered(conn)

    def finish_request(self, conn: Connection, done: Future[Any]) -> None:
        """Send what the thread left; then the connection is kept, or ends."""
        conn.stays = not done.cancelled() and done.exception() is None and bool(done.result())
        conn.sock.finish()
        self._answered(conn)

    def _answered(self, conn: Connection) -> None:
        if conn.sock.parts:
            self._wait_for(conn, WRITE, conn.sock.left)
        elif not conn.stays:
            self.end(conn)
        elif conn.sock.ahead:
            self._read(conn)
        else:
            self._keep(conn)

    def _keep(self, conn: Connection) -> None:
        conn.set_timeout()
        if not self.alive:
            conn.timeout = min(conn.timeout, time.monotonic() + STOP_KEEPALIVE_LINGER)
        self.keepalived_conns.append(conn)
        self.poller.register(conn.sock, READ, partial(self.on_client_socket_readable, conn))

    def _write(self, conn: Connection) -> None:
        """Send what goes; a client that takes something may pause anew."""
        try:
            went = conn.sock.flush()
        except (OSError, EOFError):
            self.end(conn)
            return
        if not conn.sock.parts:
            self._rest(conn)
            self._answered(conn)
        elif went:
            conn.pauses = time.monotonic() + self.patience_s

    def _wait_for(self, conn: Connection, event: int, size: int = 0) -> None:
        """Have the loop go on when the client does; `size` bytes may take as long as with SLOWEST."""
        conn.began = time.monotonic()
        conn.pauses = conn.began + self.patience_s
        conn.ends = conn.pauses + size / SLOWEST
        self.busy.add(conn)
        go_on = self._read if event == READ else self._write
        self.poller.register(conn.sock, event, lambda _: go_on(conn))

    def _rest(self, conn: Connection) -> None:
        if conn in self.busy:
            self.busy.remove(conn)
            self.poller.unregister(conn.sock)

    def murder_pending(self) -> None:
        """End who paused for too long or is too slow; looked at once a second."""
        now = time.monotonic()
        if now < self.looked + 1:
            return
        self.looked = now
        for conn in list(self.busy):
            if now > min(conn.pauses, conn.ends) or (conn.sock.idle and not self.alive):
                self.end(conn)

    def end(self, conn: Connection) -> None:
        """Close a connection; what was sent last still arrives."""
        self._rest(conn)
        self.nr_conns -= 1
        if not conn.sock.parts:
            with suppress(OSError):  # the client was faster
                conn.sock.shutdown(socket.SHUT_WR)
        conn.sock.close()
