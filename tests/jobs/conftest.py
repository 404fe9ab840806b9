"""The demo's scripts are run as the worker runs them: own process, the contract's environment, the jobs directory."""

import csv
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.tools import tool

JOBS = Path(__file__).resolve().parents[2] / "jobs"
OUTPUT = re.compile(r"::process-output ([A-Za-z_][A-Za-z0-9_.-]*)=(.*?)::")
COMMANDS = {".py": [sys.executable], ".sh": ["sh"], ".R": ["Rscript", "--vanilla"]}


class Run:
    """What came of one script: exit code, what it printed, its outputs."""

    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        self.code = done.returncode
        self.said = done.stdout
        self.outputs = dict(OUTPUT.findall(done.stdout))


class Workplace:
    """A store with one instance in it, and the figures to fill it with."""

    instance = "2026Q3"

    def __init__(self, root: Path) -> None:
        self.store = root / "store"
        self.artifacts = self.store / self.instance / "artifacts"
        (self.artifacts / "deliveries").mkdir(parents=True)
        self.events = self.store / "events.jsonl"
        self.events.touch()

    def run(self, script: str, element: str = "", **params: object) -> Run:
        """Run a script of the demo to its end."""
        environment = {
            "PATH": os.environ["PATH"],
            "PROC_STORE": str(self.store),
            "PROC_ARTIFACTS": str(self.artifacts),
            "PROC_INSTANCE": self.instance,
            "PROC_ELEMENT": element,
            **{f"PROC_PARAM_{key.upper()}": str(value) for key, value in params.items()},
        }
        command = [*COMMANDS[Path(script).suffix], script]
        return Run(
            subprocess.run(
                command, cwd=JOBS, env=environment, text=True, timeout=60,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )
        )  # fmt: skip

    def deliver(self, *countries: str) -> None:
        """Put the true figures of some countries where the platform would."""
        with (JOBS / "data" / "gapminder.csv").open(newline="") as file:
            header, *lines = csv.reader(file)
        for country in countries:
            self.deliver_rows(country, header, [line for line in lines if line[0] == country])

    def deliver_rows(self, country: str, header: list[str], lines: Iterable[list[str]]) -> Path:
        """Put any table there under a country's name."""
        path = self.artifacts / "deliveries" / f"{country}.csv"
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([header, *lines])
        return path

    def note(self, task: str, field: str, value: str, actor: str = "ana", instance: str = "") -> None:
        """Append an event as the board would."""
        event = {
            "ts": "2026-11-29T16:04:31Z", "instance": instance or self.instance,
            "task": task, "field": field, "value": value, "actor": actor,
        }  # fmt: skip
        with self.events.open("a") as log:
            log.write(json.dumps(event) + "\n")

    def table(self, name: str) -> list[dict[str, str]]:
        """The lines of a table a script wrote."""
        with (self.artifacts / name).open(newline="") as file:
            return list(csv.DictReader(file))


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    """An empty instance."""
    return Workplace(tmp_path)


@pytest.fixture
def has_r() -> None:
    """The tests of the R step need R."""
    tool("Rscript")
