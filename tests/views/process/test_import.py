"""New processes, files in and files out."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from board.log.tail import Tail, shared
from board.models import Draft
from board.process import files
from board.process.definition.table import ProcessTable
from board.process.editing.grid import MAX_EDITED
from board.process.validation.problems import check
from board.selectors.editor.process_templates import FOLDER, TEMPLATES
from board.services import definitions
from board.services.actor import anybody
from board.web import drafts
from tests.views.conftest import Login

ROWS: list[dict[str, str | None]] = [
    {"task": "load", "name": "=Load; all", "role": "analyst", "own column": "kept"},
    {"task": "qa", "name": "QA", "role": "steward", "depends_on": "load, qa_fix"},
    {"task": "qa_fix", "name": "Fix", "role": "analyst", "depends_on": "qa:false"},
]
TABLE = ProcessTable.from_rows(ROWS)
NEW, IMPORT, EXPORT = "/processes/@new/", "/processes/P/import/", "/processes/P/export/"
DIAGRAM = """<?xml version="1.0"?><definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">
<process id="one" name="First"><startEvent id="s"/><userTask id="ask" name="Ask"/>
<sequenceFlow id="f" sourceRef="s" targetRef="ask"/>
<boundaryEvent id="late" name="Too late" attachedToRef="ask"><timerEventDefinition/></boundaryEvent></process>
<process id="two" name="Second"><userTask id="tell" name="Tell"/></process></definitions>"""


@pytest.fixture
def tail(cast: dict[str, User], store: Path) -> Tail:
    found = shared(store)
    definitions.save(found, anybody("admin"), "P", TABLE, "first")
    return found


@pytest.fixture
def ed(tail: Tail, login: Login) -> Client:
    return login("ed")


def upload(text: str | bytes, name: str = "table.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text if isinstance(text, bytes) else text.encode())


def hidden(page: str, name: str) -> str:
    found = re.search(f'<input type="hidden" name="{name}" value="([^"]*)"', page)
    assert found is not None
    return found[1].replace("&quot;", '"').replace("&#x27;", "'").replace("&lt;", "<").replace("&amp;", "&")


def table_of(user: User, name: str) -> ProcessTable:
    draft = drafts.find(user, name)
    assert draft is not None
    return drafts.table_of(draft)


# templates and new processes


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.key)
def test_every_template_is_a_process_that_nothing_is_wrong_with(template: Any) -> None:
    assert check(template.table) == []
    assert len(template.table.rows) >= 4
    assert "<svg" in template.picture


def test_every_file_of_the_templates_is_offered() -> None:
    assert {path.stem for path in FOLDER.glob("*.csv")} == {template.key for template in TEMPLATES}


def test_a_new_process_begins_empty_or_with_a_template(ed: Client, cast: dict[str, User]) -> None:
    page = ed.get(NEW).text
    assert all(template.title in page for template in TEMPLATES)
    answer = ed.post(NEW, {"name": " Blank ", "start": "blank"})
    assert answer.headers["Location"] == "/processes/Blank/edit/"
    assert ed.get("/processes/Blank/edit/").status_code == 200
    ed.post(NEW, {"name": "Release", "start": "four_eyes"})
    assert [row.task for row in table_of(cast["ed"], "Release").rows][:2] == ["order", "enter"]


@pytest.mark.parametrize("name", ["", "@x", "P", "a\nb"])
def test_a_name_that_cannot_be_is_refused_and_stays_in_the_form(ed: Client, name: str) -> None:
    answer = ed.post(NEW, {"name": name, "start": "rework"})
    assert answer.status_code == 422
    assert 'value="rework" checked' in answer.text
    assert not Draft.objects.exists()


def test_a_new_process_from_a_file_is_shown_first(ed: Client, tail: Tail, cast: dict[str, User]) -> None:
    shown = ed.post(NEW, {"name": "Filed", "start": "file", "file": upload("id;name;predecessors\na;A;\nb;B;a\n")})
    assert "is read as" in shown.text
    assert not Draft.objects.exists()
    form = {"name": "Filed", "table": hidden(shown.text, "table")}
    assert ed.post(NEW, form | {"name": "P"}).status_code == 422
    assert ed.post(NEW, form).headers["Location"] == "/processes/Filed/edit/"
    assert table_of(cast["ed"], "Filed").to_rows()[1] == {"task": "b", "name": "B", "depends_on": "a"}
    assert tail.definition("Filed") is None


@pytest.mark.parametrize("data", [b"", b"%PDF-1.4", b"\xd0\xcf\x11\xe0", b"<a>", b"no,columns\n1,2\n", b"PK\x03\x04x"])
def test_what_is_no_process_is_refused_with_the_reason(ed: Client, data: bytes) -> None:
    for path in (NEW, IMPORT):
        answer = ed.post(path, {"name": "X", "start": "file", "file": upload(data or b" ")})
        assert answer.status_code == 422
        assert 'role="alert"' in answer.text
    assert not Draft.objects.exists()


# imports


def test_an_import_shows_what_it_would_change_before_anything_changes(
    ed: Client, tail: Tail, cast: dict[str, User]
) -> None:
    text = "task,name,role,depends_on\nload,Load,analyst,\nnew,New,nobody_holds,gone\n"
    shown = ed.post(IMPORT, {"file": upload(text)}).text
    assert "What it would change" in shown
    assert "<del><bdi>=Load; all</bdi></del>" in shown
    assert "There is no task “gone”" in shown
    assert "(line 3)" in shown
    assert "1 error to put right" in shown
    assert not Draft.objects.exists()
    answer = ed.post(IMPORT, {"table": hidden(shown, "table")}, follow=True)
    assert "The file is in your draft" in answer.text
    assert [row.task for row in table_of(cast["ed"], "P").rows] == ["load", "new"]
    assert len(tail.versions("P")) == 1
    draft = drafts.find(cast["ed"], "P")
    assert draft is not None
    assert drafts.table_of(drafts.undo(draft, draft.edits)).to_rows() == TABLE.to_rows()


def test_cells_pasted_from_a_spreadsheet_are_imported_too(ed: Client) -> None:
    shown = ed.post(IMPORT, {"pasted": "Task\tName\nload\tLoad it\n"}).text
    assert "<ins><bdi>Load it</bdi></ins>" in shown


def test_an_import_that_changes_nothing_says_so(ed: Client) -> None:
    shown = ed.post(IMPORT, {"file": upload(files.write(TABLE, "json"), "p.json")}).text
    assert "It would change nothing" in shown
    assert '<button class="btn primary wide" disabled>' in shown


def test_an_import_is_compared_with_the_draft_if_there_is_one(ed: Client, tail: Tail, cast: dict[str, User]) -> None:
    drafts.begin_import(cast["ed"], tail, "P", ProcessTable.from_rows([{"task": "load", "name": "Mine"}]))
    shown = ed.post(IMPORT, {"pasted": "task,name\nload,Theirs\n"}).text
    assert "What it would change in your draft" in shown
    assert "<del><bdi>Mine</bdi></del> <ins><bdi>Theirs</bdi></ins>" in shown


def test_bpmn_tells_what_became_of_each_element_and_another_pool_can_be_chosen(ed: Client) -> None:
    shown = ed.post(IMPORT, {"file": upload(DIAGRAM, "two.bpmn")}).text
    assert "What became of each element" in shown
    assert "Too late" in shown
    assert "2 processes are in this file" in shown
    other = ed.post(IMPORT, {"kept": hidden(shown, "kept"), "called": "two.bpmn", "pool": "Second"}).text
    assert "Tell" in other
    assert "Too late" not in other


def test_a_table_with_too_many_rows_is_not_taken(ed: Client) -> None:
    text = "task\n" + "\n".join(f"t{n}" for n in range(MAX_EDITED + 1))
    assert f"At most {MAX_EDITED} rows can be edited here" in ed.post(IMPORT, {"file": upload(text)}).text


def test_errors_of_the_file_itself_are_in_the_way(ed: Client) -> None:
    shown = ed.post(IMPORT, {"file": upload("task,name\na,A,more,and more\n")}).text
    assert "in the file itself" in shown
    assert "disabled" in shown.split("<aside>")[1]


@pytest.mark.parametrize("table", ["{", "[1]", "3", "null", "[" * 99_999])
def test_a_form_that_was_tampered_with_is_a_bad_request(ed: Client, table: str) -> None:
    assert ed.post(IMPORT, {"table": table}).status_code == 400
    assert ed.post(IMPORT, {"kept": "!"}).status_code == 400


def test_strange_texts_of_a_file_are_escaped(ed: Client) -> None:
    text = 'task,name,depends_on,"<i>own</i>"\n"<b>x</b>","<script>alert(1)</script>",<u>y</u>,</script>\n'
    shown = ed.post(NEW, {"name": "<i>n</i>", "start": "file", "file": upload(text, "<img>.csv")}).text
    for tag in ("<b>x", "<script>alert", "<u>y", "<i>own", "<i>n", "<img>"):
        assert tag not in shown


# exports


@pytest.mark.parametrize(
    ("kind", "media", "ending"),
    [
        ("csv", "text/csv; charset=utf-8", "csv"),
        ("csv-semicolon", "text/csv; charset=utf-8", "csv"),
        ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
        ("json", "application/json", "json"),
        ("bpmn", "application/xml", "bpmn"),
    ],
)
def test_an_export_is_an_attachment_and_reads_back_the_same(
    tail: Tail, login: Login, kind: str, media: str, ending: str
) -> None:
    answer = login("ana").get(EXPORT, {"format": kind})
    assert answer.headers["Content-Type"] == media
    assert answer.headers["Content-Disposition"] == f'attachment; filename="P-{TABLE.version}.{ending}"'
    assert files.read(answer.content, f"x.{ending}").table.to_rows() == TABLE.to_rows()
    if kind == "csv-semicolon":
        assert b"task;name" in answer.content


def test_the_picture_is_exported(tail: Tail, login: Login) -> None:
    for kind, media, start in (
        ("svg", "image/svg+xml", b"<?xml"),
        ("png", "image/png", b"\x89PNG"),
        ("pdf", "application/pdf", b"%PDF"),
    ):
        answer = login("ana").get(EXPORT, {"format": kind})
        assert answer.headers["Content-Type"] == media
        assert answer.headers["Content-Disposition"].startswith("attachment")
        assert answer.content.startswith(start)


def test_older_versions_and_drafts_are_exported_too(
    ed: Client, tail: Tail, cast: dict[str, User], login: Login
) -> None:
    definitions.save(tail, anybody("admin"), "P", ProcessTable.from_rows(ROWS[:1]), "")
    old = ed.get(EXPORT, {"format": "json", "version": TABLE.version})
    assert len(files.read(old.content, "x.json").table.rows) == 3
    drafts.begin_import(cast["ed"], tail, "P", ProcessTable.from_rows([{"task": "draft"}]))
    assert "draft" in ed.get(EXPORT, {"format": "json", "draft": "1"}).text
    assert "P-draft.csv" in ed.get(EXPORT, {"draft": "1"}).headers["Content-Disposition"]
    assert '"draft"' not in login("ana").get(EXPORT, {"format": "json", "draft": "1"}).text


@pytest.mark.parametrize("query", ["format=exe", "version=00000000", "format=__class__"])
def test_what_cannot_be_exported_is_404(tail: Tail, login: Login, query: str) -> None:
    assert login("ana").get(f"{EXPORT}?{query}").status_code == 404
    assert login("ana").get("/processes/None/export/").status_code == 404


def test_the_name_of_an_exported_file_is_safe(tail: Tail, login: Login) -> None:
    name = 'a"b\\c/../ü'
    definitions.save(tail, anybody("admin"), name, TABLE, "")
    page = login("ana").get("/processes/").text
    (address,) = (a for a in re.findall(r'class="strong" href="([^"]*)"', page) if "P/" not in a)
    said = login("ana").get(address + "export/").headers["Content-Disposition"]
    assert said.startswith("attachment; filename*=utf-8''a%22b%5Cc")


def test_by_roles_what_is_not_seen_is_not_exported(tail: Tail, login: Login, settings: Any) -> None:
    settings.FOLDBOARD_VIEW = "roles"
    assert login("mira").get(EXPORT).status_code == 404
    assert login("ana").get(EXPORT).status_code == 200


# rights


@pytest.mark.parametrize("name", ["ana", "olga", "nobody"])
def test_only_a_process_editor_makes_and_imports(tail: Tail, login: Login, name: str) -> None:
    client = login(name)
    for path in (NEW, IMPORT):
        assert client.get(path).status_code == 403
        assert client.post(path, {"name": "X", "start": "blank", "table": '{"task": ["x"]}'}).status_code == 403
    assert "New process" not in client.get("/processes/").text
    assert "Import…" not in client.get("/processes/P/").text
    assert not Draft.objects.exists()


def test_an_import_needs_a_process(ed: Client) -> None:
    assert ed.get("/processes/None/import/").status_code == 404


def test_a_table_in_the_form_is_counted_before_it_is_made(ed: Client) -> None:
    for said in ({"task": ["a"] * (MAX_EDITED + 1)}, {f"c{n}": [] for n in range(5000)} | {"task": ["a"] * 900}):
        assert ed.post(IMPORT, {"table": json.dumps(said)}).status_code == 400
