"""The demo from its start to Ctrl-C: a fresh directory, a set-up, three programs."""

import datetime as dt
import functools
import socket
import subprocess  # nosec B404 # each call is judged where it stands
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from board.demo.children import Child, Company
from board.demo.home import DemoError, Home

WELCOME = """
  Foldboard is running at  {address}

    log in as    who it is                    password
    ana, ben     analysts                     demo
    sam          steward                      demo
    mira         management                   demo
    olga         may operate                  demo
    ed           may edit processes           demo
    admin        everything                   demo

  First: log in as ana. My work fills as the figures of {countries} countries arrive: review each, finish it.
  Then sam approves the collection. The check stops at figures that are hard to believe: ana says in a note
  why they are true. mira approves the publication, and report.html is among the files of {instance}.
  Open a second browser as somebody else and watch it move.

  Ctrl-C ends everything. Store and database are in {root}
"""


@dataclass(frozen=True)
class Wishes:
    """What somebody chose on the command line."""

    project: Path
    root: Path
    port: int
    countries: int
    interval_s: float | None

    @property
    def pause_s(self) -> float:
        """Seconds between two deliveries: all of them within a minute and a half, unless something else is asked."""
        return self.interval_s if self.interval_s is not None else max(0.3, min(3.0, 90 / max(self.countries, 1)))


def run(wishes: Wishes, today: dt.date) -> int:
    """Set up, start, say where, stay until stopped; the exit code. DemoError when it cannot start."""
    home, instance, port = Home(wishes.root), quarter_before(today), free_port(wishes.port)
    if home.make_fresh():
        tell(f"Starting afresh: the earlier demo in {home.root} is removed.")
    if wishes.port not in (0, port):
        tell(f"Port {wishes.port} is taken: this demo uses {port}.")
    environment = home.environment()
    set_up(wishes, instance, environment)
    company = programs(wishes, home, instance, port, environment)
    company.listen_to_signals()
    address = f"http://127.0.0.1:{port}/"
    try:
        company.begin("board", "worker")
        if not company.is_up(lambda: answers(f"{address}health/"), patience_s=180):
            tell("The board did not start; see above.")
            return 1
        tell(WELCOME.format(address=address, countries=wishes.countries, instance=instance, root=home.root))
        company.begin("platform")
        return company.watch()
    finally:
        company.end()
        tell("The demo has ended.")


def set_up(wishes: Wishes, instance: str, environment: Mapping[str, str]) -> None:
    """Fill the store and the database in a process that runs with the demo's settings from its start."""
    manage = [sys.executable, "manage.py", "demo", "--inside", instance, "--countries", str(wishes.countries)]
    done = subprocess.run(manage, cwd=wishes.project, env=dict(environment), check=False)  # nosec B603 # our own words
    if done.returncode:
        raise DemoError("The demo could not be set up; see above.")


def programs(wishes: Wishes, home: Home, instance: str, port: int, environment: Mapping[str, str]) -> Company:
    """Board, worker and the stand-in for the platform, not started yet."""
    python = sys.executable
    gunicorn = [python, "-m", "gunicorn", "-c", "deploy/gunicorn.conf.py", "-b", f"127.0.0.1:{port}"]
    platform = [python, "deploy/demo/deliver.py", "--store", str(home.store), "--instance", instance]
    commands = {
        "board": [*gunicorn, "--workers", "1", "board.wsgi"],
        "worker": [python, "manage.py", "runworker", "--drain", "5"],
        "platform": [*platform, "--countries", str(home.countries), "--interval", str(wishes.pause_s)],
    }
    start = {
        name: functools.partial(Child, name, command, environment, wishes.project) for name, command in commands.items()
    }
    return Company(start, home.note_running)


def tell(text: str) -> None:
    """What the demo itself says, at once."""
    print(text, flush=True)


def quarter_before(day: dt.date) -> str:
    """The quarter whose figures are collected on a day, such as 2026Q3."""
    last = day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1) - dt.timedelta(days=1)
    return f"{last.year}Q{(last.month + 2) // 3}"


def free_port(wanted: int) -> int:
    """The port asked for, or a free one when another program has it."""
    for port in (wanted, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise DemoError("There is no free port on 127.0.0.1.")


def answers(address: str) -> bool:
    """Whether somebody is at home there."""
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:  # nosec B310 # our own http address
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
