"""Clients that do not read what they asked for, or never finish asking: the board answers everybody else meanwhile."""

import re
import socket
import ssl
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from board.log.event import Event
from board.log.file import open_log
from board.log.store import Store
from board.log.tail import Tail
from board.process.definition.table import ElementList, ProcessTable
from board.services import instances
from board.services.actor import Actor
from board.serving.client import MOST_BODY
from tests.browser import live
from tests.deploy.sites import HOST, ROOT, free_port, listens, running, start_caddy, start_nginx, until
from tests.faults.conftest import scale

OLGA = Actor("olga", frozenset({"analyst"}), operator=True)
PATIENCE_S = 3  # instead of the 30 seconds of the files
HEADERS_S = 2  # instead of ten
MEANWHILE_S = scale(1, 10)
LARGE = 50 * 1024 * 1024
READERS, ASKERS = scale(8, 64), scale(40, 400)
FILE = "/instances/live/files/large.bin"
STREAM = "/instances/long/log/events.jsonl"


class Door:
    """Where clients come in: gunicorn itself, or a proxy before it."""

    def __init__(self, kind: str, port: int, board: int, session: str, trust: Path | None) -> None:
        self.kind, self.port, self.board, self.session = kind, port, board, session
        self.context = ssl.create_default_context(cafile=str(trust)) if trust else None

    def head(self, path: str, method: str = "GET", *more: str) -> bytes:
        """A request's head, of somebody who is logged in."""
        lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}", f"Cookie: foldboard_session={self.session}"]
        return "\r\n".join([*lines, "X-Forwarded-Proto: https", *more, "", ""]).encode()

    def client(self, said: bytes) -> socket.socket:
        """A client that has said something, and has room for little."""
        raw = socket.socket()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.settimeout(20)
        raw.connect(("127.0.0.1", self.port))
        client = self.context.wrap_socket(raw, server_hostname=HOST) if self.context else raw
        client.sendall(said)
        return client

    def ask(self, path: str) -> tuple[int, bytes, float]:
        """Status, body and seconds of one request."""
        began = time.monotonic()
        with self.client(self.head(path, "GET", "Connection: close")) as client:
            answer = read(client)
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), body, time.monotonic() - began

    def inside(self) -> int:
        """How many connections the board has."""
        pairs = [pair for pair in psutil.net_connections("tcp") if pair.status == psutil.CONN_ESTABLISHED]
        return len([pair for pair in pairs if pair.laddr and pair.laddr.port == self.board])


def read(client: socket.socket) -> bytes:
    """All that comes until the other side ends it."""
    found = bytearray()
    with suppress(ConnectionError, ssl.SSLError):
        while data := client.recv(65536):
            found += data
    return bytes(found)


def ended(client: socket.socket) -> bool:
    """Whether the other side has ended it."""
    client.settimeout(0.01)
    try:
        return client.recv(65536) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


@pytest.fixture(scope="module")
def board(prepared: live.Prepared, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a board with one instance and one large file, served as shipped but for the patience."""
    folder, port = tmp_path_factory.mktemp("slow"), free_port()
    store = folder / "store"
    table = ProcessTable.from_rows([{"task": "review", "role": "analyst", "collection": ""}])
    instances.start(Tail(open_log(store)), OLGA, "Live", "live", ElementList.from_ids([]), table=table)
    instances.start(Tail(open_log(store)), OLGA, "Live", "long", ElementList.from_ids([]), table=table)
    note = Event("2026-01-01T00:00:00Z", "long", "review", "note", "x" * 20_000, "ana")
    open_log(store).append([note] * (LARGE // 20_000))
    files = Store(store).artifacts("live")
    files.mkdir(parents=True, exist_ok=True)
    with (files / "large.bin").open("wb") as file:
        file.truncate(LARGE)
    more = {"FOLDBOARD_STORE": str(store), "FOLDBOARD_SECRET_KEY": prepared.key, "FOLDBOARD_HOSTS": HOST}
    settings = live.environment(prepared.var, prepared.static, FOLDBOARD_TLS="1", FOLDBOARD_PROXIES="1", **more)
    gunicorn = [sys.executable, "-m", "gunicorn", "-c", "deploy/gunicorn.conf.py", "-b", f"127.0.0.1:{port}"]
    with running([*gunicorn, "--timeout", str(PATIENCE_S), "board.wsgi"], folder / "gunicorn.log", settings):
        until(lambda: listens(port), "gunicorn")
        yield port


def impatient(file: Path) -> None:
    """The limits of a proxy's file, made shorter."""
    said = file.read_text()
    said = re.sub(r"(client_header_timeout|read_header) 10s", rf"\1 {HEADERS_S}s", said)
    said = re.sub(r"(client_body_timeout|send_timeout) 30s", rf"\1 {PATIENCE_S}s", said)
    said = re.sub(r"(read_body|write) \d+m", rf"\1 {2 * PATIENCE_S}s", said)
    file.write_text(said)


@pytest.fixture(scope="module", params=["gunicorn", "nginx", "caddy"])
def door(
    request: pytest.FixtureRequest,
    board: int,
    prepared: live.Prepared,
    certificate: tuple[Path, Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Door]:
    """The board itself, and behind each of the proxies."""
    session = prepared.sessions["ana"]
    if request.param == "gunicorn":
        yield Door("gunicorn", board, board, session, None)
        return
    folder = tmp_path_factory.mktemp(request.param)
    ports = {"board": board, "plain": free_port(), "https": free_port()}
    command = {"nginx": start_nginx, "caddy": start_caddy}[request.param](folder, ports, certificate)
    impatient(folder / {"nginx": "foldboard.conf", "caddy": "Caddyfile"}[request.param])
    with ExitStack() as stack:
        settings = {"PATH": "/usr/bin:/bin", "HOME": str(folder)}
        stack.enter_context(running(command, folder / "proxy.log", settings))
        until(lambda: listens(ports["https"]), request.param)
        yield Door(request.param, ports["https"], board, session, certificate[0])


def unread(door: Door) -> Iterator[bytes]:
    for _ in range(READERS):
        yield door.head(FILE)


def unread_streams(door: Door) -> Iterator[bytes]:
    for _ in range(8):  # each is work for a thread until its client is waited for, so more of them are another matter
        yield door.head(STREAM)


def half_heads(door: Door) -> Iterator[bytes]:
    for _ in range(ASKERS):
        yield door.head("/health/")[:-2] + b"X-Never: "


def half_bodies(door: Door) -> Iterator[bytes]:
    for _ in range(ASKERS):
        yield door.head("/account/login/", "POST", "Content-Length: 100000") + b"username="


def pieces(door: Door) -> Iterator[bytes]:
    for _ in range(ASKERS):
        yield door.head("/account/login/", "POST", "Transfer-Encoding: chunked") + b"9\r\nusername=\r\n"


@pytest.mark.parametrize("attack", [unread, unread_streams, half_heads, half_bodies, pieces])
def test_everybody_else_is_answered_meanwhile_and_who_stops_is_let_go(
    door: Door, attack: Callable[[Door], Iterator[bytes]]
) -> None:
    assert door.ask("/health/")[:2] == (200, b"ok\n")
    with ExitStack() as stack:
        clients = [stack.enter_context(door.client(said)) for said in attack(door)]
        began = time.monotonic()
        while time.monotonic() < began + MEANWHILE_S:
            for path in ("/health/", "/instances/live/"):
                status, body, took = door.ask(path)
                assert (status, took < 2) == (200, True), (path, took)
                assert body
            if attack is half_heads:  # a byte now and then is no way to stay
                for client in clients:
                    with suppress(OSError):
                        client.sendall(b"a")
        until(lambda: attack in (unread, unread_streams) or all(map(ended, clients)), "the end of half requests")
        until(lambda: door.inside() <= 4, "the end of their connections to the board")


@pytest.mark.parametrize("path", [FILE, STREAM])
def test_who_reads_slowly_gets_all_of_it(door: Door, path: str) -> None:
    with door.client(door.head(path, "GET", "Connection: close")) as client:
        time.sleep(1)
        head, _, body = read(client).partition(b"\r\n\r\n")
    assert b" 200 " in head
    assert len(body) >= LARGE
    assert path == FILE or body.endswith(b"\n0\r\n\r\n")


def test_requests_in_one_piece_and_in_many_are_answered_in_their_order(door: Door) -> None:
    last = door.head("/health/", "GET", "Connection: close")
    form = door.head("/account/login/", "POST", "Content-Length: 3", "Content-Type: text/plain") + b"a=b"
    whole = door.head("/health/") + form + door.head("/instances/live/") + last
    with door.client(whole) as client:
        at_once = read(client)
    with door.client(b"") as client:
        for at in range(0, len(whole), 97):
            client.sendall(whole[at : at + 97])
            time.sleep(0.002)
        in_pieces = read(client)
    for answer in (at_once, in_pieces):
        assert re.findall(rb"HTTP/1\.1 (\d+)", answer) == [b"200", b"403", b"200", b"200"]
        assert answer.endswith(b"ok\n") or b"ok\n" in answer[-10:]


def test_what_is_too_large_or_has_no_length_is_refused_before_it_comes(board: int, prepared: live.Prepared) -> None:
    door = Door("gunicorn", board, board, prepared.sessions["ana"], None)
    refused = {
        door.head("/", "POST", f"Content-Length: {MOST_BODY + 1}"): b"413 ",
        door.head("/", "POST", "Transfer-Encoding: chunked"): b"411 ",
        door.head("/", "GET", *(f"X-{n}: {'x' * 4000}" for n in range(20)))[:-2]: b"431 ",
    }
    for said, status in refused.items():
        with door.client(said) as client:
            assert read(client).startswith(b"HTTP/1.1 " + status)


def test_the_files_ask_for_the_patience_that_is_documented() -> None:
    shipped: dict[str, Any] = {}
    exec((ROOT / "deploy/gunicorn.conf.py").read_text(), shipped)
    assert (shipped["timeout"], shipped["worker_class"]) == (30, "board.serving.worker.PatientWorker")
    nginx, caddy = ((ROOT / "deploy" / name).read_text() for name in ("nginx/foldboard.conf", "caddy/Caddyfile"))
    for line in ("client_header_timeout 10s;", "client_body_timeout 30s;", "send_timeout 30s;"):
        assert f"    {line}\n" in nginx
    for line in ("read_header 10s", "read_body 2m", "write 10m"):
        assert f"\t\t\t{line}\n" in caddy
