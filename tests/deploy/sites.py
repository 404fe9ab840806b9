"""Programs of deploy/ as processes of a test: gunicorn, nginx and Caddy with their files as shipped."""

import re
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psutil

from tests.tools import tool

ROOT = Path(__file__).resolve().parents[2]
HOST = "board.example.org"


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
    ports_here = f"{{\n\tadmin off\n\thttp_port {ports['plain']}\n\thttps_port {ports['https']}\n"
    (folder / "Caddyfile").write_text(ours.replace("{\n", ports_here, 1))
    return [tool("caddy"), "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


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
