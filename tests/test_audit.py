"""The audit of what is installed: it says what it did not look at, and fails for what it found."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests import audit

REPO = Path(__file__).parents[1]
LOCK = f"six==1.16.0 --hash=sha256:{'0' * 64}\n"
FLAW: dict[str, Any] = {
    "id": "GHSA-made-up", "summary": "made up", "details": "made up", "aliases": [],
    "affected": [{"package": {"name": "six", "ecosystem": "PyPI"}, "versions": ["1.16.0"],
                  "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.17.0"}]}]}],
}  # fmt: skip


@contextmanager
def database(flaws: list[str]) -> Iterator[str]:
    """A database of vulnerabilities that knows one of `django`, and one of each package named."""

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            known = asked["package"]["name"] in ("django", *flaws)
            body = json.dumps({"vulns": [FLAW]} if known else {}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1/query"
        server.shutdown()


@pytest.mark.parametrize(
    ("flaws", "status", "line"),
    [
        (["six"], 1, "six 1.16.0 has GHSA-made-up, mended in 1.17.0"),
        ([], 0, "pip-audit: no known vulnerability in 1 packages"),
    ],
)
def test_a_known_vulnerability_fails_and_nothing_is_downloaded(
    tmp_path: Path, flaws: list[str], status: int, line: str
) -> None:
    lock, said = tmp_path / "lock", list[str]()
    lock.write_text(LOCK)  # the hash is of no file, so a download would fail
    with database(flaws) as address:
        assert audit.main(str(lock), address, said.append) == status
    assert said == [line]


def test_a_database_that_cannot_be_reached_is_said_and_fails_nothing(tmp_path: Path) -> None:
    said: list[str] = []
    assert audit.main(str(tmp_path / "lock"), "http://127.0.0.1:9/v1/query", said.append) == 0
    assert "cannot be reached" in said[0]


def test_a_package_nobody_looked_at_is_no_clean_one() -> None:
    found = {"dependencies": [{"name": "a", "skip_reason": "not there"}, {"name": "b", "version": "1", "vulns": []}]}
    assert audit.verdict(found) == ["a was not audited: not there"]


def test_bandit_is_run_with_our_settings_and_finds_what_it_should(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("import subprocess\nsubprocess.run(input(), shell=True)\n")
    command = [sys.executable, "-m", "bandit", "-q", "-c", str(REPO / "pyproject.toml"), str(tmp_path / "bad.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "B602" in done.stdout
