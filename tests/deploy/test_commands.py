"""`deploy/foldboard` and the lines of cron, run by the shell that will run them; what the board's unit forbids it."""

import os
import re
import stat
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

from board.log.file import open_log
from board.log.store import Store
from board.log.tail import Tail
from board.process.definition.table import ElementList, ProcessTable
from board.services import inbox, instances
from board.services.actor import Actor
from tests.tools import cairo, tool

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
OLGA = Actor("olga", frozenset(), operator=True)
ACCOUNTS = {"foldboard": "/var/lib/foldboard/board", "foldboard-worker": "/var/lib/foldboard/worker"}


def put(folder: Path, name: str, script: str) -> None:
    """A small program for PATH."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


@pytest.mark.parametrize(
    ("command", "account"),
    [("backup x", "foldboard"), ("", "foldboard"), ("runworker --no-wait", "foldboard-worker")],
)
def test_root_becomes_the_account_of_the_program(command: str, account: str, tmp_path: Path) -> None:
    # the accounts exist where Foldboard is installed, not where it is tested
    put(tmp_path, "id", "echo 0")
    put(tmp_path, "getent", f'test "$2" = {account} && echo "$2:x:1:1::{ACCOUNTS[account]}:/usr/sbin/nologin"')
    put(tmp_path, "runuser", 'echo "$HOME $*"')
    said = subprocess.run(
        [tool("sh"), str(DEPLOY / "foldboard"), *command.split()],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, capture_output=True, text=True, timeout=10,
    )  # fmt: skip
    assert said.stderr == ""
    assert said.stdout.strip() == f"{ACCOUNTS[account]} -u {account} -- {DEPLOY}/foldboard {command}".strip()


def test_the_board_s_settings_are_for_its_account_alone() -> None:
    guide = (ROOT / "docs" / "operators.md").read_text()
    assert "install -m 400 -o foldboard deploy/systemd/board.env /etc/foldboard/board.env" in guide


@pytest.mark.parametrize(("mode", "made"), [(0o2770, 0o660), (0o700, 0o644)])
def test_what_a_command_puts_into_a_shared_store_may_be_written_by_its_group(
    mode: int, made: int, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    store.mkdir()
    store.chmod(mode)
    settings = os.environ | {"FOLDBOARD_STORE": str(store), "FOLDBOARD_VAR": str(tmp_path / "var")}
    done = subprocess.run(
        [sys.executable, "manage.py", "importprocess", "release", "-"],
        cwd=ROOT, env=settings, umask=0o022, input="task\nreview\n", capture_output=True, text=True, timeout=30,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert {stat.S_IMODE(path.stat().st_mode) & ~0o007 for path in store.glob("events.*")} == {made & ~0o007}


def cron_lines() -> dict[str, list[str]]:
    """The commands of each account, as cron hands them to the shell; the one that is commented out too."""
    lines = re.findall(
        r"^#?[\d*/]+ \S+ \* \* \* (\S+) (.+)$", (DEPLOY / "cron" / "foldboard").read_text(), re.MULTILINE
    )
    found: dict[str, list[str]] = {}
    for account, command in lines:
        assert not re.search(r"(?<!\\)%", command)  # cron ends the command there
        found.setdefault(account, []).append(command.replace("\\%", "%"))
    return found


class Cron:
    """What cron does with a line: a shell with next to no environment."""

    def __init__(self, folder: Path) -> None:
        put(folder / "bin", "id", "echo 1000")  # cron has become the account before
        self._places = {"/opt/foldboard/deploy": str(DEPLOY), "/var/backups/foldboard": str(folder / "backups")}
        self._settings = {
            "PATH": f"{folder / 'bin'}:/usr/bin:/bin", "HOME": str(folder / "home"), "SHELL": "/bin/sh",
            "FOLDBOARD_STORE": str(folder / "store"), "FOLDBOARD_JOBS": str(folder / "jobs"),
        }  # fmt: skip
        for name in ("home", "backups", "jobs"):
            (folder / name).mkdir()

    def run(self, command: str) -> tuple[int, str]:
        """How it ended, and what cron would send by mail."""
        for there, here in self._places.items():
            command = command.replace(there, here)
        done = subprocess.run(
            ["/bin/sh", "-c", command], env=self._settings, capture_output=True, text=True, timeout=30
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr


def test_the_lines_of_cron_do_what_they_say_and_print_nothing(tmp_path: Path) -> None:
    cron, lines = Cron(tmp_path), cron_lines()
    (backup, clear), (work,) = lines["foldboard"], lines["foldboard-worker"]
    (tmp_path / "jobs" / "count.sh").write_text("echo ::process-output rows=3::\n")
    tail = Tail(open_log(tmp_path / "store"))
    table = ProcessTable.from_rows([{"task": "count", "role": "system", "script": "count.sh"}])
    instances.start(tail, OLGA, "Figures", "2026Q1", ElementList.from_ids([]), table=table)

    assert cron.run(work) == (0, "")
    tail.refresh()
    instance = tail.get("2026Q1")
    assert instance is not None
    assert (instance.state, instance.value(0, "output.rows")) == ("complete", "3")

    old = tmp_path / "backups" / "2026-01-01.tar.gz"
    old.write_bytes(b"")
    os.utime(old, (time.time() - 16 * 86400,) * 2)
    assert cron.run(backup) == (0, "")
    assert cron.run(clear) == (0, "")
    (made,) = (tmp_path / "backups").iterdir()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d\.tar\.gz", made.name)
    with tarfile.open(made) as tar:
        assert {"store/events.jsonl", "store/2026Q1/logs/count-1.log"} <= set(tar.getnames())


def test_the_second_machine_of_the_guide_delivers_a_file_and_its_message(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    store.ensure()
    tail = Tail(open_log(store.root))
    table = ProcessTable.from_rows([{"task": "delivery", "role": "system"}])
    instances.start(tail, OLGA, "Figures", "2026Q3", ElementList.from_ids([]), table=table)
    (tmp_path / "result.csv").write_text("1\n")
    # the network is left out, the two shells and their quotes are not
    put(tmp_path / "bin", "ssh", 'shift; exec sh -c "$*"')
    put(tmp_path / "bin", "scp", 'exec cp "$2" "${3#*:}"')
    guide = (ROOT / "docs" / "operators.md").read_text()
    (script,) = [block for block in re.findall(r"(?:^    .*\n)+", guide, re.MULTILINE) if "scp -q" in block]
    done = subprocess.run(
        ["/bin/sh", "-c", script.replace("/var/lib/foldboard/store", str(store.root))],
        cwd=tmp_path, env={"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"}, capture_output=True, text=True, timeout=10,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert len(inbox.take_in(tail, store).applied) == 1
    instance = tail.get("2026Q3")
    assert instance is not None
    assert instance.state == "complete"
    assert (store.artifacts("2026Q3") / "result.csv").read_text() == "1\n"


WITHOUT_WX = """
import ctypes, mmap
assert ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) == 0  # PR_SET_MDWE: what MemoryDenyWriteExecute= asks of the kernel
try:
    mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
except PermissionError:
    pass
else:
    raise SystemExit("memory may still be written and executed")
import django
django.setup()
from board.process.definition.table import ProcessTable
from board.exchange import pictures as picture
table = ProcessTable.from_rows([{"task": "a"}, {"task": "b", "depends_on": "a"}])
print(picture.png(table, "P", None)[1:4], picture.pdf(table, "P", None)[1:4])
"""


def test_png_and_pdf_are_drawn_where_no_memory_may_be_written_and_executed(tmp_path: Path) -> None:
    cairo()
    assert "MemoryDenyWriteExecute=yes" in (DEPLOY / "systemd" / "foldboard-board.service").read_text()
    settings = os.environ | {"DJANGO_SETTINGS_MODULE": "board.settings", "FOLDBOARD_VAR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_WX], cwd=ROOT, env=settings, capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "b'PNG' b'PDF'\n", done.stderr
