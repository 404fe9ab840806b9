"""The event log of an instance: newest first, filtered, and as files."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from board.log.tail import Tail
from board.process.files.formulas import mark
from tests.views.boards import say, start, through_review
from tests.views.conftest import Login

LOG = "/instances/2026Q1/log/"


@pytest.fixture
def tail(cast: dict[str, User], store: Path) -> Tail:
    found = start(store)
    through_review(found, ["Rwanda", "Norway"])
    return found


def lines(page: str) -> list[str]:
    found = re.findall(r"<tr><td class=\"nowrap\">.*?</tr>", page, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", line).split()) for line in found]


def test_the_newest_event_comes_first_in_words(tail: Tail, login: Login) -> None:
    say(tail, "review", "doing", "Norway", actor="ben")
    say(tail, "review", "ana", "Norway", field="assignee", actor="mira")
    page = login("nobody").get(LOG).text
    first, second = lines(page)[:2]
    assert "Mira assigned to Ana Review Norway assignee" in first
    assert "Ben started Review Norway status" in second


@pytest.mark.parametrize(
    ("query", "number"),
    [("task=review", 2), ("element=Norway", 3), ("task=review&element=Norway", 1), ("actor=ben", 1),
     ("actor=ana", 1), ("field=note", 0), ("task=%40instance", 5), ("actor=b", 0)],
)  # fmt: skip
def test_filters_leave_what_they_name(tail: Tail, login: Login, query: str, number: int) -> None:
    say(tail, "review", "done", "Norway", actor="ben")
    say(tail, "review", "open", "Rwanda", actor="ana (re-arm)")
    page = login("nobody").get(f"{LOG}?{query}").text
    assert len(lines(page)) == number
    assert ("No event matches" in page) is (number == 0)


def test_a_long_log_comes_in_pages_without_gaps(tail: Tail, login: Login) -> None:
    for n in range(450):
        say(tail, "review", f"note {n}", "Norway", field="note", actor="ben")
    client, path, found = login("ana"), f"{LOG}?field=note", list[str]()
    for _ in range(3):
        page = client.get(path).text
        found += re.findall(r"note (\d+)", "\n".join(lines(page)))
        link = re.search(r'href="(\?[^"]*before=\d+)"', page)
        path = LOG + link[1].replace("&amp;", "&") if link else ""
    assert [int(n) for n in found] == list(range(449, -1, -1))
    assert path == ""


def test_the_download_is_the_log_as_it_is(tail: Tail, login: Login, store: Path) -> None:
    say(tail, "review", "ünï 😀", "Norway", field="note", actor="ben")
    response = login("nobody").get(f"{LOG}events.jsonl")
    body = b"".join(response.streaming_content)  # type: ignore[attr-defined]
    assert body == (store / "events.jsonl").read_bytes()
    assert response["Content-Disposition"] == 'attachment; filename="2026Q1-events.jsonl"'
    assert all(json.loads(line)["instance"] == "2026Q1" for line in body.splitlines())


def test_a_table_for_spreadsheets_computes_nothing(tail: Tail, login: Login) -> None:
    evil = [
        "x;=1+1",
        "a, =1",
        "x|\t+1",
        "two\n-1",
        'x;"=1"',
        "=1+1",
        "+49 30",
        "-5",
        "@x",
        "\t=1",
        "＝1",
        "fine",
        "'=2",
    ]
    for value in evil:
        say(tail, "review", value, "Norway", field="note", actor="=cmd|' /C calc'!A0")
    response = login("ana").get(f"{LOG}events.csv?field=note")
    text = b"".join(response.streaming_content).decode("utf-8-sig")  # type: ignore[attr-defined]
    table = list(csv.DictReader(io.StringIO(text)))
    assert [row["value"] for row in table] == [mark(value) for value in evil]
    for divider in ",;|\t":  # whatever a spreadsheet divides at, with quotes that mean nothing to it
        cells = re.split(f"[{divider}\r\n]", text)
        assert not [cell for cell in cells if cell.strip(' "').startswith(("=", "+", "-", "@", "＝"))]
    assert not [cell for row in table for cell in row.values() if cell.startswith(("=", "+", "-", "@", "\t", "＝"))]
    assert response["Content-Type"].startswith("text/csv")


def test_only_the_two_kinds_of_file_are_there(tail: Tail, login: Login) -> None:
    assert login("ana").get(f"{LOG}events.xlsx").status_code == 404
