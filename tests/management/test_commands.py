"""The commands that start, move and show instances: for people and for programs."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from board.log.tail import Tail, shared
from board.services import definitions
from board.services.actor import anybody
from tests.views.boards import say, start, table, through_review

pytestmark = pytest.mark.django_db


@pytest.fixture
def tail(store: Path) -> Tail:
    found = start(store)
    through_review(found, ["Rwanda"])
    return found


def run(*words: str) -> str:
    out = StringIO()
    call_command(*words, stdout=out, stderr=out)
    return out.getvalue()


def refused(*words: str) -> str:
    with pytest.raises(CommandError) as error:
        run(*words)
    assert error.value.returncode == 2
    return str(error.value)


def rows(instance: str = "2026Q1") -> dict[str, Any]:
    found = json.loads(run("instance", instance, "--json"))
    return {f"{row['task']}@{row['element']}" if row["element"] else row["task"]: row for row in found["rows"]}


def test_a_row_is_started_finished_and_reopened_from_a_shell(tail: Tail) -> None:
    at = ("--instance", "2026Q1", "--element", "Rwanda", "--actor", "ana")
    assert "2026Q1 review@Rwanda: status=doing (ana)" in run("act", "review", "doing", *at)
    assert "note=fine" in run("act", "review", "done", *at, "--note", "fine")
    assert rows()["review@Rwanda"]["status"] == "done"
    assert "asks for a note" in refused("act", "review", "open", *at)
    run("act", "review", "open", *at, "--note", "again")
    assert rows()["review@Rwanda"]["status"] == "open"


def test_other_fields_are_set_by_their_name(tail: Tail) -> None:
    at = ("--instance", "latest", "--element", "Rwanda", "--actor", "olga", "--field")
    run("act", "review", "ben", *at, "assignee")
    run("act", "review", "2027-01-31", *at, "due")
    run("act", "review", "have a look", *at, "note")
    row = rows()["review@Rwanda"]
    assert row["assignee"] == "ben"
    assert row["due"].startswith("2027-02-01T00:00:00")


def test_scripts_are_failed_and_retried(tail: Tail) -> None:
    say(tail, "delivery", "done", "Norway")
    at = ("--instance", "2026Q1", "--element", "Norway")
    run("act", "validate", "failed", *at, "--note", "no data")
    assert rows()["validate@Norway"]["status"] == "failed"
    run("act", "validate", "open", *at)
    assert rows()["validate@Norway"]["status"] == "open"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("review", "done", "--instance", "none"), "There is no instance"),
        (("nonsense", "done", "--instance", "2026Q1"), "no task “nonsense”"),
        (("review", "done", "--instance", "2026Q1"), "name the element"),
        (("review", "done", "--instance", "2026Q1", "--element", "Mars"), "no element “Mars”"),
        (("approve", "done", "--instance", "2026Q1"), "waits for Each country"),
        (("review", "maybe", "--instance", "2026Q1", "--element", "Rwanda"), "no answer of Review"),
        (("delivery", "done", "--instance", "2026Q1", "--element", "Norway"), "asks for a note"),
        (("country", "done", "--instance", "2026Q1"), "is a group"),
        (("review", "soon", "--instance", "2026Q1", "--element", "Rwanda", "--field", "due"), "no deadline"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_status_2(tail: Tail, words: tuple[str, ...], says: str) -> None:
    before = tail.refresh()
    message = refused("act", *words)
    assert says in message
    assert "\n" not in message
    assert tail.refresh() == before


def test_an_instance_is_shown_to_people_and_to_programs(tail: Tail) -> None:
    text = run("instance", "2026Q1")
    assert "active. Waiting for people on: Review" in text
    assert "blocked   approve  for country" in text
    found = json.loads(run("instance", "2026Q1", "--json"))
    assert {"state", "sentence", "rows", "counts"} <= found.keys()
    assert set(found["rows"][0]) == {"task", "element", "status", "waiting", "assignee", "due"}
    assert "2026Q1: active." in run("instance")
    assert [each["instance"] for each in json.loads(run("instance", "--json"))] == ["2026Q1"]
    assert "There is no instance" in refused("instance", "none")


def test_an_instance_is_started_of_a_saved_process(store: Path, tmp_path: Path) -> None:
    definitions.save(shared(store), anybody("ed"), "Collection", table(), "")
    elements = tmp_path / "list.csv"
    elements.write_text("country,region\nRwanda,Africa\nNorway,Europe\n")
    text = run("startinstance", "Collection", "2027Q1", "--elements", str(elements), "--actor", "olga")
    assert "Started 2027Q1: Collection, version" in text
    assert len(rows("2027Q1")) == 10
    assert "element list is missing" in refused("startinstance", "Collection", "x")
    assert "already" in refused("startinstance", "Collection", "2027Q1", "--elements", str(elements))


def test_an_instance_is_started_of_a_file(store: Path, tmp_path: Path) -> None:
    process = tmp_path / "Weekly check.csv"
    process.write_text("task,name,role\na,A,analyst\n")
    assert "Started w1: Weekly check" in run("startinstance", str(process), "w1")
    assert rows("w1")["a"]["status"] == "open"
    process.write_text("task,name,role,depends_on\na,A,analyst,b\n")
    assert "has errors" in refused("startinstance", str(process), "w2")
    assert "neither a saved process" in refused("startinstance", "nonsense", "w3")
    process.write_text("task,name,role\na,A,analyst\n")
    assert "no file" in refused("startinstance", str(process), "w3", "--elements", "none.csv")


@pytest.mark.parametrize("bad", ["../x", "latest", ".x", "a b", "x" * 65])
def test_an_id_that_is_none_starts_nothing(store: Path, tmp_path: Path, bad: str) -> None:
    process = tmp_path / "p.csv"
    process.write_text("task,name\na,A\n")
    refused("startinstance", str(process), bad)
    assert not (tmp_path / "x").exists()
