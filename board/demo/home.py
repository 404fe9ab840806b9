"""The directory of the demo: made afresh at every start, and never anything in it that the demo did not make."""

import contextlib
import json
import os
import shutil
from pathlib import Path

import psutil

MARK = ".foldboard-demo"
OWN_FOLDERS = ("store", "sessions")
OWN_FILES = ("board.sqlite3", "board.sqlite3-wal", "board.sqlite3-shm", "countries.csv", "running.json")


class DemoError(Exception):
    """The demo cannot start; the message says what to do."""


class Home:
    """Where the demo keeps its store, its database and what runs."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self.store = self.root / "store"
        self.countries = self.root / "countries.csv"

    def make_fresh(self) -> bool:
        """Leave an empty directory; True when an earlier demo was removed. DemoError if it is not ours or in use."""
        mark = self.root / MARK
        if self.root.exists() and any(self.root.iterdir()) and not mark.is_file():
            raise DemoError(f"{self.root} was not made by the demo. Move it away, or choose another place with --dir.")
        running = self.running()
        if running:
            pids = " ".join(str(pid) for pid in running)
            raise DemoError(f"A demo is running in {self.root}. End it first: Ctrl-C in its window, or kill {pids}")
        self.root.mkdir(parents=True, exist_ok=True)
        mark.write_text("Made by `manage.py demo`, which starts it afresh at every run.\n")
        return self._clear()

    def _clear(self) -> bool:
        old = self.store.exists()
        for name in OWN_FOLDERS:
            folder = self.root / name
            if folder.is_symlink():
                folder.unlink()
            elif folder.exists():
                shutil.rmtree(folder)
        for name in OWN_FILES:
            (self.root / name).unlink(missing_ok=True)
        return old

    def note_running(self, pids: list[int]) -> None:
        """Remember who runs here beside the demo itself, so that no later start pulls the store from under them."""
        known = {}
        for pid in (os.getpid(), *pids):
            with contextlib.suppress(psutil.NoSuchProcess):
                known[pid] = psutil.Process(pid).create_time()
        part = self.root / "running.part"
        part.write_text(json.dumps(known))
        part.replace(self.root / "running.json")

    def running(self) -> list[int]:
        """The processes of an earlier start that are still alive; a number that was given anew does not count."""
        try:
            known = json.loads((self.root / "running.json").read_text())
        except (OSError, ValueError):
            return []
        return [int(pid) for pid, since in known.items() if _is_alive(int(pid), since)]

    def environment(self) -> dict[str, str]:
        """What the demo's programs run with: this directory, and no setting of an installation beside it."""
        ours = {name: value for name, value in os.environ.items() if not name.startswith("FOLDBOARD_")}
        return ours | {
            "FOLDBOARD_VAR": str(self.root),
            "FOLDBOARD_STATIC": str(self.root / "static"),
            "FOLDBOARD_HOSTS": "127.0.0.1,localhost",
            "PYTHONUNBUFFERED": "1",
        }


def _is_alive(pid: int, since: float) -> bool:
    try:
        process = psutil.Process(pid)
        return process.create_time() == since and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
