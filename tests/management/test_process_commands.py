"""The commands that bring processes in and out: importprocess, exportprocess, checkprocess."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from board.log.tail import shared
from board.process import files
from board.process.definition.table import ProcessTable

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.django_db

CSV = "task,name,role,depends_on,script\nload,Load,system,,load.sh\nreview,Prüfen,analyst,load,\n"
BROKEN = "task;depends_on;retry;extra\na;ghost;often;\n\nb;b;;x;surplus\n"
TABLE = files.read(CSV.encode()).table


@pytest.fixture
def place(tmp_path: Path, settings: Settings) -> Path:
    settings.FOLDBOARD_STORE = tmp_path / "store"
    settings.FOLDBOARD_JOBS = tmp_path / "jobs"
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "load.sh").write_text("true\n")
    (tmp_path / "good.csv").write_text(CSV)
    (tmp_path / "bad.csv").write_text(BROKEN)
    return tmp_path


def run(*args: str | Path, status: int = 0) -> str:
    """Run a command that ends with a status; gives what it printed, the error line of status 2 included."""
    out, err = io.StringIO(), io.StringIO()
    if not status:
        call_command(*map(str, args), stdout=out, stderr=err)
    elif status == 1:
        with pytest.raises(SystemExit) as stopped:
            call_command(*map(str, args), stdout=out, stderr=err)
        assert stopped.value.code == 1
    else:
        with pytest.raises(CommandError) as refused:
            call_command(*map(str, args), stdout=out, stderr=err)
        assert refused.value.returncode == status
        assert "\n" not in str(refused.value)
        err.write(str(refused.value))
    return out.getvalue() + err.getvalue()


def checked(*args: str | Path, status: int = 0) -> Any:
    return json.loads(run("checkprocess", *args, "--json", status=status))


def test_a_sound_file_has_no_problems(place: Path) -> None:
    assert run("checkprocess", place / "good.csv").splitlines() == [
        f"{place / 'good.csv'}: csv, 2 rows, {TABLE.version}",
        "0 errors, 0 warnings",
    ]


def test_every_problem_is_printed_at_once_with_its_line(place: Path) -> None:
    said = run("checkprocess", place / "bad.csv", status=1)
    assert "error: line 4: There are 1 cell(s) more than columns, from “surplus” on" in said
    assert "error: row 1 (line 2) (a), depends_on: There is no task “ghost”" in said
    assert "error: row 1 (line 2) (a), retry: “often” cannot be read" in said
    assert "error: row 2 (line 4) (b), depends_on: “b” waits for itself" in said
    assert said.splitlines()[-1] == "4 errors, 1 warning"


def test_json_gives_the_table_the_problems_and_the_remarks(place: Path) -> None:
    found = checked(place / "bad.csv", status=1)
    assert found["format"] == "csv"
    assert found["table"] == [
        {"task": "a", "depends_on": "ghost", "retry": "often"},
        {"task": "b", "depends_on": "b", "extra": "x"},
    ]
    assert [(each["row"], each["line"], each["column"], each["code"]) for each in found["problems"]] == [
        (1, 2, "depends_on", "dependency-unknown"),
        (1, 2, "retry", "retry-unreadable"),
        (1, 2, "retry", "retry-no-script"),
        (2, 4, "depends_on", "dependency-itself"),
    ]
    assert [(each["level"], each["code"]) for each in found["remarks"]] == [("error", "too-many-cells")]


def test_bpmn_says_what_became_of_each_element(place: Path) -> None:
    (place / "a.bpmn").write_bytes(files.write(TABLE, "bpmn", "Quarterly"))
    found = checked(place / "a.bpmn")
    assert found["format"] == "bpmn"
    assert found["version"] == TABLE.version
    assert found["name"] == "Quarterly"
    assert {"id", "name", "type", "became", "message"} <= set(found["elements"][0])


def test_facts_from_the_installation_are_warnings(place: Path) -> None:
    (place / "jobs" / "load.sh").unlink()
    Group.objects.create(name="steward").user_set.add(User.objects.create_user("sam"))
    assert [each["code"] for each in checked(place / "good.csv")["problems"]] == ["script-not-found", "role-unheld"]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.csv", b"", "empty"),
        ("words.csv", b"just words\n", "`task`"),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0", "no text file"),
        ("broken.xlsx", b"PK\x03\x04broken", "damaged"),
        ("broken.json", b"{", "no JSON"),
        ("broken.bpmn", b"<x", "."),
        ("a folder", None, "no file"),
        ("bad\x1b[2Jname", None, "no file"),
        ("nul\0", None, "no file|cannot be read"),
    ],
)
@pytest.mark.parametrize("command", ["checkprocess", "importprocess"])
def test_what_is_no_process_at_all_is_one_line_and_status_2(
    place: Path, command: str, name: str, content: bytes | None, says: str
) -> None:
    if content is not None:
        (place / name).write_bytes(content)
    args = [command, "P"] if command == "importprocess" else [command]
    said = run(*args, f"{place}/{name}", status=2)
    assert said.isprintable()
    assert re.search(says, said)
    assert shared(place / "store").definitions() == {}


def test_the_format_may_be_said(place: Path) -> None:
    (place / "table").write_text('[{"task": "a"}]')
    assert checked(place / "table")["format"] == "json"
    assert "damaged" in run("checkprocess", place / "table", "--format", "xlsx", status=2)


def test_an_import_saves_a_version_with_its_note(place: Path) -> None:
    said = run("importprocess", "Quarterly", place / "good.csv", "--actor", "ed")
    assert said.endswith(f"Saved “Quarterly” as version {TABLE.version}.\n")
    saved = shared(place / "store").definition("Quarterly")
    assert saved is not None
    assert (saved.table, saved.note, saved.actor) == (TABLE, "Imported from good.csv", "ed")


def test_an_import_with_errors_changes_nothing(place: Path) -> None:
    run("importprocess", "Quarterly", place / "good.csv")
    assert "Nothing was saved" in run("importprocess", "Quarterly", place / "bad.csv", status=1)
    assert len(shared(place / "store").versions("Quarterly")) == 1


def test_an_import_over_a_saved_process_says_what_changes(place: Path) -> None:
    run("importprocess", "Quarterly", place / "good.csv")
    (place / "new.csv").write_text("task,name,role\nsign,Sign,steward\nreview,Review,analyst\n")
    said = run("importprocess", "Quarterly", place / "new.csv", "--dry-run")
    assert "added: sign “Sign”\n" in said
    assert "changed: review, name: “Prüfen” to “Review”\n" in said
    assert "removed: load “Load”\n" in said
    assert "dry run" in said
    assert len(shared(place / "store").versions("Quarterly")) == 1
    run("importprocess", "Quarterly", place / "new.csv", "--note", "simpler")
    assert [each.note for each in shared(place / "store").versions("Quarterly")][1:] == ["simpler"]


def test_importing_the_same_again_is_no_new_version(place: Path) -> None:
    run("importprocess", "Quarterly", place / "good.csv")
    assert "nothing was changed" in run("importprocess", "Quarterly", place / "good.csv")
    assert len(shared(place / "store").versions("Quarterly")) == 1


def test_a_name_that_is_none_is_refused(place: Path) -> None:
    assert "needs a name" in run("importprocess", "@processes", place / "good.csv", status=2)


@pytest.mark.parametrize("kind", files.FORMATS)
def test_what_is_exported_and_imported_again_is_the_same_table(place: Path, kind: str) -> None:
    run("importprocess", "One", place / "good.csv")
    path = place / f"out.{kind}"
    run("exportprocess", "One", "--output", path)
    run("importprocess", "Two", path)
    one, two = (shared(place / "store").definition(name) for name in ("One", "Two"))
    assert one is not None
    assert two is not None
    assert two.table.rows == one.table.rows
    assert two.version == one.version


def test_an_export_goes_to_standard_output_as_csv(place: Path) -> None:
    run("importprocess", "One", place / "good.csv")
    assert run("exportprocess", "One") == CSV.replace("\n", "\r\n")
    assert run("exportprocess", "One", "--excel").startswith("\ufefftask")
    assert json.loads(run("exportprocess", "One", "--format", "json"))[0]["task"] == "load"


def test_a_picture_is_a_file_of_its_own(place: Path) -> None:
    run("importprocess", "One", place / "good.csv")
    run("exportprocess", "One", "--output", place / "one.svg")
    assert "<svg" in (place / "one.svg").read_text()
    assert (place / "one.svg").read_text() == run("exportprocess", "One", "--format", "svg")


def test_an_older_version_can_be_exported(place: Path) -> None:
    run("importprocess", "One", place / "good.csv")
    (place / "new.csv").write_text("task\nsign\n")
    run("importprocess", "One", place / "new.csv")
    assert run("exportprocess", "One") == "task\r\nsign\r\n"
    assert run("exportprocess", "One", "--saved", TABLE.version).count("\r\n") == 3
    assert "no version 12345678" in run("exportprocess", "One", "--saved", "12345678", status=2)


def test_what_cannot_be_exported_says_why(place: Path) -> None:
    assert "Saved are: none yet" in run("exportprocess", "One", status=2)
    run("importprocess", "One", place / "good.csv")
    assert "Saved are: “One”" in run("exportprocess", "Two", status=2)
    assert "cannot be written" in run("exportprocess", "One", "--output", place / "no" / "folder.csv", status=2)
    assert "--output" in run("exportprocess", "One", "--format", "xlsx", status=2)
    long = ProcessTable.from_rows([{"task": "a", "description": "x" * 40_000}])
    (place / "long.csv").write_bytes(files.write(long, "csv"))
    run("importprocess", "Long", place / "long.csv")
    assert "XLSX holds" in run("exportprocess", "Long", "--output", place / "long.xlsx", status=2)


def test_the_commands_work_from_a_shell_with_pipes(tmp_path: Path) -> None:
    env = os.environ | {
        "FOLDBOARD_VAR": str(tmp_path),
        "FOLDBOARD_STORE": str(tmp_path / "store"),
        "PYTHONIOENCODING": "utf-8",
    }

    def manage(*args: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "manage.py", *args], cwd=ROOT, env=env, input=data, capture_output=True, check=False
        )

    assert manage("importprocess", "One", "-", data=CSV.encode()).returncode == 0
    assert files.read(manage("exportprocess", "One", "--format", "xlsx").stdout).table == TABLE
    refused = manage("checkprocess", "-", data=b"\0\1")
    assert refused.returncode == 2
    assert refused.stderr.count(b"\n") == 1
