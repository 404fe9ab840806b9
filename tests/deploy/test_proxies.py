"""nginx and Caddy as configured here, before the board as configured here: https, addresses, the live channel."""

import http.client
import re
import socket
import ssl
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import psutil
import pytest

from board.log.file import open_log
from board.log.tail import Tail
from board.process.definition.table import ElementList, ProcessTable
from board.services import instances, tasks
from board.services.actor import Actor
from board.services.tasks import Place
from tests.browser import live
from tests.deploy.sites import HOST, free_port, listens, running, start_caddy, start_nginx, until

OLGA = Actor("olga", frozenset({"analyst"}), operator=True)


class Site:
    """The board behind a proxy, as a browser sees it."""

    def __init__(self, port: int, plain: int, certificate: Path, session: str) -> None:
        self.plain = plain
        self.session = session
        self._context = ssl.create_default_context(cafile=str(certificate))
        self._port = port
        self.connection = self.connect()

    def connect(self) -> http.client.HTTPSConnection:
        """A connection that stays, with the name and the certificate of the example."""
        connection = http.client.HTTPSConnection("127.0.0.1", self._port, context=self._context, timeout=20)
        raw = socket.create_connection(("127.0.0.1", self._port), 20)
        connection.sock = self._context.wrap_socket(raw, server_hostname=HOST)
        return connection

    def get(self, path: str, **headers: str) -> http.client.HTTPResponse:
        """Ask on the same connection, logged in as ana."""
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        cookies = {"Cookie": f"foldboard_session={self.session}"}
        self.connection.request("GET", path, headers={"Host": HOST} | cookies | more)
        answer = self.connection.getresponse()
        answer.text = answer.read().decode()  # type: ignore[attr-defined]
        return answer


@pytest.fixture(scope="module")
def board(prepared: live.Prepared, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    """The board as gunicorn serves it with the file of deploy/: its port and its store, with one instance."""
    folder, port = tmp_path_factory.mktemp("board"), free_port()
    store = folder / "store"
    tail = Tail(open_log(store))
    table = ProcessTable.from_rows([{"task": "review", "role": "analyst", "collection": ""}])
    instances.start(tail, OLGA, "Live", "live", ElementList.from_ids([]), table=table)
    more = {"FOLDBOARD_STORE": str(store), "FOLDBOARD_SECRET_KEY": prepared.key, "FOLDBOARD_HOSTS": HOST}
    settings = live.environment(prepared.var, prepared.static, FOLDBOARD_TLS="1", FOLDBOARD_PROXIES="1", **more)
    gunicorn = [sys.executable, "-m", "gunicorn", "-c", "deploy/gunicorn.conf.py", "-b", f"127.0.0.1:{port}"]
    with running([*gunicorn, "board.wsgi"], folder / "gunicorn.log", settings):
        until(lambda: listens(port), "gunicorn")
        yield port, store


@pytest.fixture(scope="module", params=["nginx", "caddy"])
def site(
    request: pytest.FixtureRequest,
    board: tuple[int, Path],
    prepared: live.Prepared,
    certificate: tuple[Path, Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Site]:
    """The board behind each of the proxies."""
    folder = tmp_path_factory.mktemp(request.param)
    ports = {"board": board[0], "plain": free_port(), "https": free_port()}
    command = {"nginx": start_nginx, "caddy": start_caddy}[request.param](folder, ports, certificate)
    settings = {"PATH": "/usr/bin:/bin", "HOME": str(folder)}
    with ExitStack() as stack:
        stack.enter_context(running(command, folder / "proxy.log", settings))
        until(lambda: listens(ports["https"]), request.param)
        found = Site(ports["https"], ports["plain"], certificate[0], prepared.sessions["ana"])
        yield found
        found.connection.close()


def test_plain_http_leads_to_https(site: Site) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", site.plain, timeout=10)) as plain:
        plain.request("GET", "/instances/", headers={"Host": HOST})
        answer = plain.getresponse()
    assert answer.status in (301, 308)
    assert re.fullmatch(rf"https://{HOST}(:\d+)?/instances/", answer.getheader("Location") or "")


def test_pages_come_over_https_with_cookies_for_https_only(site: Site) -> None:
    answer = site.get("/account/login/", Cookie="")
    assert answer.status == 200
    assert "Secure" in (answer.getheader("Set-Cookie") or "")
    assert answer.getheader("Strict-Transport-Security")


def test_one_connection_to_the_board_carries_many_questions(site: Site, board: tuple[int, Path]) -> None:
    for _ in range(40):
        assert site.get("/account/login/").status in (200, 302)
    pairs = [c for c in psutil.net_connections("tcp") if c.raddr and c.raddr.port == board[0]]
    assert len([c for c in pairs if c.status == psutil.CONN_ESTABLISHED]) <= 2


def test_what_a_client_says_about_its_address_is_not_believed(site: Site) -> None:
    statuses = []
    for attempt in range(6):
        address = f"10.0.0.{attempt}"
        page = site.get("/account/login/", Cookie="", X_Forwarded_For=address)
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)  # type: ignore[attr-defined]
        cookie = (page.getheader("Set-Cookie") or "").split(";")[0]
        assert token
        form = f"csrfmiddlewaretoken={token[1]}&username=stranger-{site.plain}&password=wrong"
        headers = {
            "Host": HOST, "Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded",
            "Referer": f"https://{HOST}/account/login/", "X-Forwarded-For": address,
        }  # fmt: skip
        site.connection.request("POST", "/account/login/", body=form, headers=headers)
        answer = site.connection.getresponse()
        answer.read()
        statuses.append(answer.status)
    assert statuses[0] == 200
    assert statuses[-1] in (403, 429)


def test_news_comes_through_within_a_second_and_costs_nothing_before(site: Site, board: tuple[int, Path]) -> None:
    tail = Tail(open_log(board[1]))
    position = str(tail.refresh())
    for _ in range(3):
        quiet = site.get(f"/instances/live/news/?v={position}")
        assert (quiet.status, quiet.text) == (204, "")  # type: ignore[attr-defined]
    tasks.comment(tail, "live", Place("review"), OLGA, f"through {site.plain}")
    began = time.monotonic()
    news = site.get(f"/instances/live/news/?v={position}")
    assert news.status == 200
    assert time.monotonic() - began < 1
    assert f"through {site.plain}" in news.text  # type: ignore[attr-defined]
