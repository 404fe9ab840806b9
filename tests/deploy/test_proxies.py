"""nginx and Caddy as configured here, before the board as configured here: https, addresses, the live channel."""

import http.client
import re
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import psutil
import pytest

from board.log.file import open_log
from board.log.tail import Tail
from board.process.table import ElementList, ProcessTable
from board.services import instances, tasks
from board.services.actor import Actor
from board.services.tasks import Place
from tests.browser import live
from tests.tools import tool

ROOT = Path(__file__).resolve().parents[2]
HOST = "board.example.org"
OLGA = Actor("olga", frozenset({"analyst"}), operator=True)


def free_port() -> int:
    """A port nobody has."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def until(ready: Callable[[], bool], what: str) -> None:
    """Wait up to fifteen seconds."""
    for _ in range(150):
        if ready():
            return
        time.sleep(0.1)
    raise AssertionError(f"{what} did not come")


def listens(port: int) -> bool:
    """Whether somebody takes connections there."""
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for the example's name, and its key."""
    folder = tmp_path_factory.mktemp("certificate")
    cert, key = folder / "cert.pem", folder / "key.pem"
    command = [tool("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-days", "2", "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}"]
    subprocess.run([*command, "-keyout", str(key), "-out", str(cert)], check=True, capture_output=True)
    return cert, key


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


def start_nginx(folder: Path, ports: dict[str, int], certificate: tuple[Path, Path]) -> list[str]:
    """The command that runs nginx with the file of deploy/, its ports and paths changed and nothing else."""
    ours = (ROOT / "deploy" / "nginx" / "foldboard.conf").read_text()
    ours = ours.replace("127.0.0.1:8000", f"127.0.0.1:{ports['board']}")
    ours = re.sub(r"listen \[::\].*\n", "", ours)
    ours = ours.replace("listen 80;", f"listen 127.0.0.1:{ports['plain']};")
    ours = ours.replace("listen 443 ", f"listen 127.0.0.1:{ports['https']} ")
    ours = ours.replace("/etc/ssl/certs/foldboard.pem", str(certificate[0]))
    ours = ours.replace("/etc/ssl/private/foldboard.key", str(certificate[1]))
    (folder / "foldboard.conf").write_text(ours)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    main = f"daemon off; pid {folder}/pid; error_log stderr; user {owner()};\nevents {{}}\n"
    (folder / "nginx.conf").write_text(f"{main}http {{ {places} include {folder}/foldboard.conf; }}\n")
    nginx = [tool("nginx"), "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr"]
    done = subprocess.run([*nginx, "-t"], capture_output=True, text=True, timeout=20)
    assert done.returncode == 0, done.stderr
    return nginx


def owner() -> str:
    """The account the proxy's own processes get."""
    return psutil.Process().username()


def start_caddy(folder: Path, ports: dict[str, int], certificate: tuple[Path, Path]) -> list[str]:
    """The command that runs Caddy with the file of deploy/, its ports and certificate changed and nothing else."""
    ours = (ROOT / "deploy" / "caddy" / "Caddyfile").read_text()
    ours = ours.replace("127.0.0.1:8000", f"127.0.0.1:{ports['board']}")
    tls = f"\n\ttls {certificate[0]} {certificate[1]}\n"
    ours = ours.replace("board.example.org {", "board.example.org {" + tls)
    general = f"{{\n\tadmin off\n\thttp_port {ports['plain']}\n\thttps_port {ports['https']}\n}}\n"
    (folder / "Caddyfile").write_text(general + ours)
    return [tool("caddy"), "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> live.Prepared:
    """Accounts and collected files."""
    return live.prepare(tmp_path_factory.mktemp("prepared"))


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


class running:
    """A program for as long as the block lasts, ended by its id."""

    def __init__(self, command: list[str], log: Path, settings: dict[str, str] | None = None) -> None:
        self._log = log.open("wb")
        self._process = subprocess.Popen(command, cwd=ROOT, env=settings, stdout=self._log, stderr=self._log)

    def __enter__(self) -> "running":
        return self

    def __exit__(self, *error: object) -> None:
        self._process.terminate()
        self._process.wait(20)
        self._log.close()


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
