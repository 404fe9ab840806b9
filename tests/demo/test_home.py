"""The demo starts afresh in its own directory and leaves everything that is not its own alone."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from board.demo.home import DemoError, Home

ROOT = Path(__file__).resolve().parents[2]


def used(home: Home) -> None:
    """What an earlier demo leaves behind."""
    (home.store / "2026Q3" / "logs").mkdir(parents=True)
    (home.store / "events.jsonl").write_text("{}\n")
    (home.root / "board.sqlite3").write_text("accounts")


def test_a_new_directory_is_made(tmp_path: Path) -> None:
    home = Home(tmp_path / "var" / "demo")
    assert home.make_fresh() is False
    assert home.root.is_dir()


def test_a_second_start_removes_what_the_first_left_and_nothing_else(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.make_fresh()
    used(home)
    (tmp_path / "my notes.txt").write_text("mine")
    assert home.make_fresh() is True
    assert sorted(path.name for path in tmp_path.iterdir()) == [".foldboard-demo", "my notes.txt"]


def test_a_directory_of_somebody_else_is_refused_untouched(tmp_path: Path) -> None:
    home = Home(tmp_path)
    used(home)
    with pytest.raises(DemoError, match="was not made by the demo"):
        home.make_fresh()
    assert (home.store / "events.jsonl").read_text() == "{}\n"


def test_a_store_that_is_a_link_is_unlinked_and_what_it_points_to_stays(tmp_path: Path) -> None:
    home = Home(tmp_path / "demo")
    home.make_fresh()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "events.jsonl").write_text("{}\n")
    home.store.symlink_to(elsewhere)
    home.make_fresh()
    assert not home.store.exists()
    assert (elsewhere / "events.jsonl").exists()


def test_a_running_demo_keeps_its_store(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.make_fresh()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        home.note_running([other.pid])
        used(home)
        with pytest.raises(DemoError, match=rf"A demo is running .* kill .*{other.pid}"):
            home.make_fresh()
        assert (home.store / "events.jsonl").exists()
        other.communicate(b"\n")
    assert other.pid not in home.running()


def test_a_second_demo_beside_a_running_one_ends_with_exit_code_2_and_one_line(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.make_fresh()
    home.note_running([])
    command = [sys.executable, "manage.py", "demo", "--dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert re.fullmatch(r"CommandError: A demo is running in .*\n", done.stderr)


def test_the_programs_of_the_demo_see_no_setting_of_an_installation_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOLDBOARD_STORE", "/var/lib/foldboard/store")
    monkeypatch.setenv("FOLDBOARD_SECRET_KEY", "of the installation")
    ours = Home(tmp_path).environment()
    assert "FOLDBOARD_STORE" not in ours
    assert "FOLDBOARD_SECRET_KEY" not in ours
    assert ours["FOLDBOARD_VAR"] == str(tmp_path)
