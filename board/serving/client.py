"""One client as its socket: a request that is read as it comes, an answer that is sent as it is taken."""

from __future__ import annotations

import errno
import io
import os
import re
import selectors
import socket
import tempfile
import threading
from collections import deque
from typing import IO, Any, NoReturn

MOST_HEAD = 64 * 1024
MOST_BODY = 16 * 1024 * 1024
IN_MEMORY = 1024 * 1024  # of what is to be sent to a client; the rest of it is in a file
MOST_KEPT = 16 * 1024 * 1024  # of a stream that its client does not take
AT_ONCE = 256 * 1024
LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,18})[ \t]*\r\n", re.IGNORECASE)
CHUNKED = re.compile(rb"\r\ntransfer-encoding[ \t]*:", re.IGNORECASE)
EXPECTS = re.compile(rb"\r\nexpect:[ \t]*100-continue[ \t]*\r\n", re.IGNORECASE)


class Refused(Exception):
    """A request that is not read to its end: the status line and a sentence."""


class Part:
    """Bytes of a file that are to be sent."""

    def __init__(self, file: IO[bytes], at: int, end: int) -> None:
        self.file, self.at, self.end = file, at, end


class Client(socket.socket):
    """A client's socket that never waits: threads read what has come, and what they write is sent when it can be."""

    def __init__(self, raw: socket.socket, waiters: threading.Semaphore, patience_s: float) -> None:
        super().__init__(raw.family, raw.type, raw.proto, fileno=raw.detach())
        self.waiters, self.patience_s = waiters, patience_s
        self.head = b""
        self.request: IO[bytes] | None = None  # what has come of the one request, head and body
        self.size = self.missing = 0  # of the request, and what of it has not come
        self.ahead = b""  # what has come of the next
        self.parts: deque[Part] = deque()
        self.kept: IO[bytes] | None = None  # the file of the last part, when it is one to write more into

    # reading

    def arrive(self) -> bool:
        """Take what is there, without waiting; whether the request is whole. Raises Refused, OSError, EOFError."""
        data = self.ahead or super().recv(AT_ONCE, socket.MSG_DONTWAIT)
        self.ahead = b""
        if not data:
            raise EOFError
        if self.request is None:
            self.head += data
            data = self._begun()
        if self.request is not None:
            self.request.write(data[: self.missing])
            self.ahead = data[self.missing :]
            self.missing -= min(self.missing, len(data))
            if not self.missing:
                self.request.seek(0)
                return True
        return False

    def _begun(self) -> bytes:
        """All that has come, once the head is whole and the length of the request known."""
        end = self.head.find(b"\r\n\r\n")
        if end < 0:
            if len(self.head) > MOST_HEAD:
                raise Refused("431 Request Header Fields Too Large", "The headers are larger than 64 KB.")
            return b""
        data, self.head = self.head, b""
        head = data[: end + 4]
        if CHUNKED.search(head):
            raise Refused("411 Length Required", "Send the length of the body, not pieces of it.")
        length = LENGTH.search(head)
        body = int(length[1]) if length else 0
        if body > MOST_BODY:
            raise Refused("413 Content Too Large", f"A request has at most {MOST_BODY >> 20} MB.")
        if body and EXPECTS.search(head) and len(data) == len(head):
            self.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        self.size = self.missing = len(head) + body
        self.request = io.BytesIO() if self.size <= 2 * MOST_HEAD else tempfile.TemporaryFile()  # noqa: SIM115
        return data

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Of the request that is here; nothing at its end, whatever the client may send after it."""
        return self.request.read(size) if self.request is not None else b""

    def finish(self) -> None:
        """Forget the request."""
        if self.request is not None:
            self.request.close()
        self.request = None

    @property
    def idle(self) -> bool:
        """Whether nothing is under way."""
        return not (self.head or self.request or self.parts)

    # writing

    def send(self, data: Any, flags: int = 0) -> int:
        """All of it, now or later."""
        self.sendall(data)
        return len(data)

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Send what goes at once and keep the rest."""
        sent = 0 if self.parts else self._sent(data)
        if sent < len(data):
            self._keep(data[sent:])

    def sendfile(self, file: Any, offset: int = 0, count: int | None = None) -> int:
        """Send a part of a file later, from the file itself."""
        count = os.fstat(file.fileno()).st_size - offset if count is None else count
        self.parts.append(Part(os.fdopen(os.dup(file.fileno()), "rb", buffering=0), offset, offset + count))
        self.kept = None
        return count

    def flush(self) -> int:
        """Send what goes at once of what is kept; how many bytes went."""
        went = 0
        while self.parts and went < AT_ONCE:
            part = self.parts[0]
            part.file.seek(part.at)
            data = part.file.read(min(AT_ONCE, part.end - part.at))
            if not data and part.at < part.end:
                raise EOFError  # the file became shorter: the client has to see that it is not whole
            sent = self._sent(data) if data else 0
            part.at, went = part.at + sent, went + sent
            if part.at < part.end:
                break
            self._drop()
        return went

    @property
    def left(self) -> int:
        """How many bytes are kept."""
        return sum(part.end - part.at for part in self.parts)

    def _sent(self, data: Any) -> int:
        try:
            return super().send(data, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return 0

    def _keep(self, data: bytes) -> None:
        if self.kept is None:
            self.kept = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115
            self.parts.append(Part(self.kept, 0, 0))
        part = self.parts[-1]
        self.kept.seek(part.end)
        self.kept.write(data)
        part.end += len(data)
        if self.left > MOST_KEPT:
            self._wait()

    def _wait(self) -> None:
        """Let a stream wait for its client, in half of the threads at most: one more stream is cut off."""
        if not self.waiters.acquire(blocking=False):
            self._cut_off()
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self, selectors.EVENT_WRITE)
                while self.parts:
                    if not selector.select(self.patience_s):
                        self._cut_off()
                    self.flush()
        finally:
            self.waiters.release()

    def _cut_off(self) -> NoReturn:
        self.close()
        raise BrokenPipeError(errno.EPIPE, "the client does not take what it asked for")

    def _drop(self) -> None:
        self.parts.popleft().file.close()
        if not self.parts:
            self.kept = None

    # ending

    def setblocking(self, flag: bool) -> None:
        """Nothing: this never waits."""

    def settimeout(self, value: float | None) -> None:
        """Nothing: this never waits."""

    def close(self) -> None:
        """Close it with all its files; what the network still holds for who does not take it is thrown away."""
        if self.parts:
            self.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.finish()
        while self.parts:
            self._drop()
        super().close()
