"""The commands of the log: eventlog, checklog, backup, restore."""

import io
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from board.log.event import Event, encode
from board.log.file import FileLog, open_log
from tests.log.writing import NOW, accounts, done, start

ROOT = Path(__file__).parents[2]


@pytest.fixture
def log(tmp_path: Path, settings: Settings) -> FileLog:
    settings.FOLDBOARD_STORE = tmp_path / "store"
    log = open_log(tmp_path / "store")
    log.append([*start("i", "a", "b"), *start("j", "a")])
    log.append([done("i", "review", "a"), done("i", "review", "b", "rejected")])
    log.append([Event(NOW, "i", "review", "note", "two\nlines\x1b[2J", "ana", "b", ref="m.json")])
    return log


def run(*args: str, **options: Any) -> str:
    out = io.StringIO()
    call_command(*args, stdout=out, **options)
    return out.getvalue()


def test_eventlog_tells_what_happened_in_order(log: FileLog) -> None:
    lines = run("eventlog", "i").splitlines()
    assert lines[-3:] == [
        f"{NOW}  ana  review@a  status=done",
        f"{NOW}  ana  review@b  status=rejected",
        f"{NOW}  ana  review@b  note=two lines [2J  [m.json]",
    ]
    assert "characters)" in lines[1]


def test_eventlog_as_json_is_the_lines_of_the_log(log: FileLog) -> None:
    mine = [event for event in log.read().events if event.instance == "i"]
    assert run("eventlog", "i", "--json").encode() == b"".join(map(encode, mine))


def test_eventlog_filters_and_cuts(log: FileLog) -> None:
    def values(*args: str) -> list[str]:
        return [json.loads(line)["value"] for line in run("eventlog", "i", "--json", *args).splitlines()]

    assert values("--field", "status") == ["done", "rejected"]
    assert values("--element", "a") == ["done"]
    assert values("--task", "review", "--field", "status", "--limit", "1") == ["rejected"]
    assert values("--actor", "ana", "--field", "note") == ["two\nlines\x1b[2J"]
    assert values("--actor", "nobody") == []


def test_eventlog_knows_latest(log: FileLog) -> None:
    assert json.loads(run("eventlog", "latest", "--json", "--limit", "1"))["instance"] == "j"


@pytest.mark.parametrize("args", [("none",), ("i", "--limit", "0")])
def test_eventlog_says_what_is_wrong_and_exits_2(log: FileLog, args: tuple[str, ...]) -> None:
    with pytest.raises(CommandError) as caught:
        run("eventlog", *args)
    assert caught.value.returncode == 2
    assert "\n" not in str(caught.value)


def test_checklog_is_content_with_a_good_log(log: FileLog) -> None:
    assert run("checklog") == "13 lines, 0 of them no events\n"
    assert json.loads(run("checklog", "--json")) == {"lines": 13, "bad": [], "torn_bytes": 0}


def test_checklog_names_each_bad_line_and_exits_1(log: FileLog) -> None:
    size = log.path.stat().st_size
    with log.path.open("ab") as file:
        file.write(b"nonsense\n\xff\n{half")
    out = io.StringIO()
    with pytest.raises(SystemExit) as caught:
        call_command("checklog", stdout=out)
    assert caught.value.code == 1
    first, second, third, total = out.getvalue().splitlines()
    assert first.startswith(f"{log.path}:14: byte {size}: no JSON object")
    assert second == f"{log.path}:15: byte {size + 9}: not UTF-8"
    assert third.startswith(f"{log.path}:16: 5 bytes without a newline")
    assert total == "15 lines, 2 of them no events"
    out = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("checklog", "--json", stdout=out)
    assert [bad["line"] for bad in json.loads(out.getvalue())["bad"]] == [14, 15]


def test_checklog_of_no_log_finds_nothing(tmp_path: Path, settings: Settings) -> None:
    settings.FOLDBOARD_STORE = tmp_path / "none"
    assert run("checklog") == "0 lines, 0 of them no events\n"


def test_a_log_that_cannot_be_read_is_one_line_and_exit_2(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "events.jsonl").mkdir()
    settings.FOLDBOARD_STORE = tmp_path
    for command in (("checklog",), ("eventlog", "i")):
        with pytest.raises(CommandError, match="cannot be read") as caught:
            run(*command)
        assert caught.value.returncode == 2


def manage(home: Path, *args: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"FOLDBOARD_VAR": str(home), "FOLDBOARD_SECRET_KEY": "x" * 60}
    env = {key: value for key, value in env.items() if key not in ("FOLDBOARD_STORE", "FOLDBOARD_DATABASE_URL")}
    command = [sys.executable, str(ROOT / "manage.py"), *args]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False, cwd=home)


@pytest.mark.worker
def test_backup_and_restore_move_a_board_with_its_accounts(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for home in (old, new):
        home.mkdir()
    open_log(old / "store").append(start("i", "a"))
    accounts(old / "board.sqlite3", "ana")
    made = manage(old, "backup", str(tmp_path / "b.tar.gz"))
    assert (made.returncode, made.stdout[-6:]) == (0, "bytes\n"), made.stderr
    assert "events" in made.stderr
    put = manage(new, "restore", str(tmp_path / "b.tar.gz"))
    assert put.returncode == 0, put.stderr
    assert "2 files restored" in put.stdout
    with closing(sqlite3.connect(new / "board.sqlite3")) as db:
        assert db.execute("select name from auth_user").fetchall() == [("ana",)]
    assert open_log(new / "store").read().events == start("i", "a")
    refused = manage(new, "restore", str(tmp_path / "b.tar.gz"))
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "not empty" in refused.stderr


def test_a_database_of_another_kind_is_said_to_be_missing(
    log: FileLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(django_settings.DATABASES["default"], "ENGINE", "django.db.backends.postgresql")
    error = io.StringIO()
    call_command("backup", str(tmp_path / "b.tar.gz"), stdout=io.StringIO(), stderr=error)
    assert "pg_dump" in error.getvalue()
