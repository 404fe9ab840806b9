"""The settings: documented, refused when they make no sense, and safe in production."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from board.accounts.key import kept_key

ROOT = Path(__file__).resolve().parents[2]


def manage(tmp_path: Path, *arguments: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    env = {name: value for name, value in os.environ.items() if not name.startswith("FOLDBOARD_")}
    env |= {"FOLDBOARD_VAR": str(tmp_path / "var"), **settings}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, env=env, capture_output=True, text=True, timeout=60
    )


def read_by_settings() -> set[str]:
    source = (ROOT / "board" / "settings.py").read_text()
    return set(re.findall(r'"(FOLDBOARD_[A-Z_]+)"', source))


def test_every_setting_is_documented() -> None:
    documented = set(
        re.findall(r"^\| `(FOLDBOARD_[A-Z_]+)`", (ROOT / "docs" / "settings.md").read_text(), re.MULTILINE)
    )
    assert documented == read_by_settings()


def test_deployment_files_set_only_settings_there_are() -> None:
    known = read_by_settings()
    for path in (ROOT / "deploy").rglob("*"):
        if path.is_file() and path.suffix != ".pyc":
            named = set(
                re.findall(
                    r"^\s*(?:Environment=|export |ENV |- )?\"?(FOLDBOARD_[A-Z_]+)=", path.read_text(), re.MULTILINE
                )
            )
            assert named <= known, path


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FOLDBOARD_VIEW", "some"),
        ("FOLDBOARD_INBOX_STATUS", "none"),
        ("FOLDBOARD_LOG_FORMAT", "xml"),
        ("FOLDBOARD_LOG_LEVEL", "loud"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_with_what_it_may_be(tmp_path: Path, name: str, value: str) -> None:
    done = manage(tmp_path, "check", **{name: value})
    assert done.returncode
    assert f"{name} is '{value}'; it may be one of" in done.stderr


def test_a_time_zone_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    done = manage(tmp_path, "check", FOLDBOARD_TIME_ZONE="Europe/Atlantis")
    assert done.returncode
    assert "Europe/Atlantis" in done.stderr


def test_production_settings_pass_the_deployment_check(tmp_path: Path) -> None:
    done = manage(tmp_path, "check", "--deploy", FOLDBOARD_TLS="1", FOLDBOARD_HOSTS="board.example.org")
    assert done.returncode == 0, done.stderr
    assert "security." not in done.stderr
    assert "foldboard.E" not in done.stderr


def test_the_key_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "var" / "secret_key"
    key = kept_key(path)
    assert len(key) > 60
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert kept_key(path) == key
    assert [p.name for p in path.parent.iterdir()] == ["secret_key"]


def test_processes_that_start_together_agree_on_the_key(tmp_path: Path) -> None:
    script = "import sys, pathlib, board.accounts.key as s; print(s.kept_key(pathlib.Path(sys.argv[1])))"
    command = [sys.executable, "-c", script, str(tmp_path / "key")]
    running = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(8)]
    assert len({process.communicate(timeout=60)[0] for process in running}) == 1


def test_a_key_that_cannot_be_kept_leaves_the_worker_running_and_the_board_refusing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert kept_key(tmp_path / "file" / "secret_key") == ""


def test_every_machine_makes_a_key_of_its_own(tmp_path: Path) -> None:
    assert kept_key(tmp_path / "a") != kept_key(tmp_path / "b")
