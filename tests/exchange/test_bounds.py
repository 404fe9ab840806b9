"""Hostile files, heavy pictures, and text that cannot be written: a sentence each, within time and memory."""

import io
import json
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client

from board.exchange import apart, exports
from board.exchange.apart import Busy, TooDear
from board.exchange.imports import read_elements, read_process
from board.log.tail import Tail
from board.process.definition.elements import ElementError
from board.process.definition.table import MAX_ROWS, ProcessTable
from board.process.files import Unreadable, Unwritable
from board.process.flow.flow import compile_flow
from board.process.picture.layout import is_large
from board.selectors.editor.processes import picture
from board.services import definitions
from board.services.actor import anybody
from tests.exchange import heavy
from tests.views.boards import start
from tests.views.conftest import Login

BPMN = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><process id="p">{}</process></definitions>'
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
HEAD = '<row r="1"><c r="A1" t="inlineStr"><is><t>task</t></is></c></row>'


def dense(rows: int, each: int) -> ProcessTable:
    """Every row waits for the `each` rows before it."""
    before = [", ".join(f"t{k}" for k in range(max(0, n - each), n)) for n in range(rows)]
    return ProcessTable.from_rows(
        [{"task": f"t{n}", "role": f"r{n % 7}", "depends_on": d} for n, d in enumerate(before)]
    )


def bpmn(inner: str) -> bytes:
    return BPMN.format(inner).encode()


def workbook(sheet: str, shared: str = "") -> bytes:
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        f'<Override PartName="/xl/workbook.xml" ContentType="{KIND}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{KIND}.worksheet+xml"/>'
        f'<Override PartName="/xl/sharedStrings.xml" ContentType="{KIND}.sharedStrings+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="r" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
        '<sheet name="process" sheetId="1" r:id="r"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="r" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{MAIN}">{sheet}</worksheet>',
        "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">{shared}</sst>',
    }
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in parts.items():
            packed.writestr(name, text)
    return target.getvalue()


def tasks_of(data: bytes) -> list[str]:
    """The tasks that are read, none for a file that is refused; anything else is raised."""
    try:
        return [row.task for row in read_process(data).table.rows]
    except Unreadable:
        return []


HOSTILE: dict[str, Callable[[], bytes]] = {
    "59,000 rows": lambda: b"task\n" + b"".join(b"t%d\n" % n for n in range(59_000)),
    "59,000 short rows of a wide table": lambda: b"task" + b",b" * 150 + b"\n" + b"x\n" * 59_000,
    "stray quotes": lambda: b"task\n" + b'"a"",' * 1_900_000,
    "an array for each of 100,000 columns": lambda: json.dumps(
        {f"c{n}": [] for n in range(100_000)} | {"task": ["a"] * 59_000}
    ).encode(),
    "three million empty objects": lambda: b"[" + b"{}," * 3_000_000 + b"{}]",
    "rows that all wait for all": lambda: json.dumps(
        [{"task": f"t{n}", "depends_on": ",".join(f"t{k}" for k in range(600))} for n in range(600)]
    ).encode(),
    "deep JSON": lambda: b"[" * 5_000_000,
    "deep XML": lambda: bpmn("<subProcess>" * 300_000),
    "a hundred thousand pools": lambda: (
        b'<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">'
        + b"".join(b'<process id="p%d"><task id="t%d"/></process>' % (n, n) for n in range(100_000))
        + b"</definitions>"
    ),
    "half a million attributes": lambda: bpmn(f"<task {' '.join(f'a{n}="1"' for n in range(500_000))}/>"),
    "five million cells in one row": lambda: workbook(f"<sheetData>{HEAD}<row>{'<c/>' * 5_000_000}</row></sheetData>"),
    "two million runs in one string": lambda: workbook(
        f"<sheetData>{HEAD}</sheetData>", f"<si>{'<r><t>a</t></r>' * 1_900_000}</si>"
    ),
    "a row far below every sheet": lambda: workbook(f'<sheetData>{HEAD}<row r="999999999999"><c/></row></sheetData>'),
    "a packed file that unpacks to 200 MB": lambda: workbook(" " * 200_000_000),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_a_sentence_and_costs_us_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "SECONDS", 5)
    data = HOSTILE[name]()
    began, spent = time.monotonic(), time.process_time()
    assert not tasks_of(data)
    assert time.process_time() - spent < 2  # of ours: what it costs, it costs in a process that ends
    assert time.monotonic() - began < apart.SECONDS + 10


def test_merged_cells_without_end_are_read_over() -> None:
    sheet = f"<sheetData>{HEAD}</sheetData><mergeCells>{'<mergeCell ref="A1:XFD1048576"/>' * 1000}</mergeCells>"
    assert read_process(workbook(sheet)).table.columns == ("task",)


@pytest.mark.parametrize(
    "encoding",
    [
        "UTF-7",
        "utf_7",
        "idna",
        "punycode",
        "undefined",
        "zlib",
        "rot13",
        "hex",
        "bz2",
        "utf-32",
        "big5",
        "cp037",
        "unicode_escape",
        "hz",
        "iso-2022-jp",
        "UCS-4",
        "utf-16",
        "latin-1",
        "raw_unicode_escape",
        "utf-8-sig",
        "shift_jis",
        "EBCDIC-CP-US",
        "nosuch",
    ],
)
def test_any_declared_encoding_is_read_or_refused(encoding: str) -> None:
    data = f'<?xml version="1.0" encoding="{encoding}"?>'.encode() + bpmn('<task id="a"/>')
    assert tasks_of(data) in ([], ["a"])


def test_an_entity_is_refused_in_an_encoding_of_several_bytes_too() -> None:
    hidden = '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]>' + BPMN.format('<task id="a" name="&e;"/>')
    for name in ("utf-7", "big5", "utf-16"):
        text = f'<?xml version="1.0" encoding="{name}"?>' + (
            hidden if name != "utf-7" else hidden.replace("<!", "+ADwAIQ-")
        )
        with pytest.raises(Unreadable):
            read_process(text.encode("ascii" if name == "utf-7" else name))


def test_large_but_honest_input_is_read() -> None:
    rows = "".join(f"t{n},Task {n},t{n - 1}\n" if n else "t0,Task 0,\n" for n in range(1000))
    assert len(read_process(f"task,name,depends_on\n{rows}".encode()).table.rows) == 1000
    assert len(read_elements("\n".join(f"e{n}" for n in range(100_000))).elements.ids) == 100_000


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(map(str, range(100_003))),
        ",".join(map(str, range(100_001))),
        "[" + ",".join(f'{{"a{n}":1}}' for n in range(100_000)) + "]",
        json.dumps(list(map(str, range(100_001)))),
        "[" * 1_000_000,
    ],
)
def test_an_element_list_too_large_is_refused_by_its_count(text: str) -> None:
    began = time.process_time()
    with pytest.raises((ElementError, Unreadable)):
        read_elements(text)
    assert time.process_time() - began < 2


def test_of_very_many_wrong_elements_some_are_told() -> None:
    with pytest.raises(ElementError, match="and 19,800 more") as caught:
        read_elements("same\n" * 20_001)
    assert len(caught.value.problems) == 201


@pytest.mark.django_db
def test_the_commands_say_the_same_with_status_2(tmp_path: Path, store: Path) -> None:
    file = tmp_path / "big.csv"
    file.write_bytes(b"task\n" + b"".join(b"t%d\n" % n for n in range(MAX_ROWS + 1)))
    for command in (["checkprocess", str(file)], ["importprocess", "P", str(file)], ["startinstance", str(file), "i"]):
        with pytest.raises(CommandError, match="at most 5,000 are possible") as caught:
            call_command(*command)
        assert caught.value.returncode == 2


# drawing


def test_a_picture_too_large_for_a_page_is_known_by_its_counts() -> None:
    began = time.process_time()
    for table in (dense(250, 60), dense(100, 99), dense(1000, 1)):
        assert is_large(compile_flow(table))
        assert picture(table, "P") == ""
    assert not is_large(compile_flow(dense(240, 2)))
    assert time.process_time() - began < 5


def test_a_drawing_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "SECONDS", 2)
    began = time.monotonic()
    for kind in ("svg", "bpmn", "png"):
        with pytest.raises(Unwritable, match="takes more than 2 seconds: take CSV"):
            exports.written(dense(1000, 20), "P", kind)
    assert time.monotonic() - began < 20


def test_memory_is_bounded_and_what_is_raised_there_is_raised_here() -> None:
    with pytest.raises(TooDear, match="1 GB"):
        apart.apart(heavy.take_memory)
    with pytest.raises(Unreadable) as caught:
        apart.apart(heavy.refuse, "3")
    assert (caught.value.what, caught.value.remedy, caught.value.where) == ("what", "remedy", "3")
    with pytest.raises(RuntimeError, match="nobody thought of this"):
        apart.apart(heavy.fail)


def test_what_was_drawn_is_kept_by_version() -> None:
    table = dense(30, 2)
    first = exports.written(table, "P", "png")
    began = time.monotonic()
    assert exports.written(ProcessTable.from_rows(table.to_rows()), "P", "png") is first
    assert time.monotonic() - began < 0.2
    assert exports.written(dense(31, 2), "P", "png") != first


def test_some_wait_and_the_others_are_busy_at_once() -> None:
    release, inside = Event(), Event()

    def hold() -> None:
        with apart._turn:
            inside.set()
            release.wait(30)

    holder = Thread(target=hold)
    holder.start()
    assert inside.wait(10)
    said: list[float] = []

    def ask() -> None:
        began = time.monotonic()
        with pytest.raises(Busy):
            apart.apart(len, "x")
        said.append(time.monotonic() - began)

    askers = [Thread(target=ask) for _ in range(8)]
    for each in askers:
        each.start()
    for each in askers:
        each.join(20)
    release.set()
    holder.join(10)
    assert sum(took < 1 for took in said) == 8 - 1 - apart.WAITING
    assert all(took < apart.WAIT_S + 2 for took in said)
    assert apart.apart(len, "x") == 1


# what the views say


@pytest.fixture
def tail(cast: dict[str, User], store: Path) -> Tail:
    found = start(store)
    definitions.save(found, anybody("ed"), "P", dense(4, 1), "first")
    return found


def test_busy_is_a_503_that_says_when_to_come_again(tail: Tail, login: Login) -> None:
    for _ in range(1 + apart.WAITING):
        assert apart._places.acquire(blocking=False)
    try:
        answer = login("ana").get("/processes/P/export/?format=pdf")
        pasted = "task,name\n" + "".join(f"t{n},{'x' * 40}\n" for n in range(900))
        sent = login("ed").post("/processes/P/import/", {"pasted": pasted}, headers={"sec-fetch-site": "same-origin"})
    finally:
        for _ in range(1 + apart.WAITING):
            apart._places.release()
    assert answer.status_code == sent.status_code == 503
    assert int(answer["Retry-After"]) > 0
    assert "t899" in sent.text  # what was pasted can be sent again


WISHES: list[tuple[str, dict[str, Any]]] = [
    ("/instances/2026Q1/bulk/", {"do": "assign", "assignee": "a\0"}),
    ("/processes/@new/", {"name": "a\0b", "start": "blank"}),
    ("/processes/P/import/", {"pasted": "task\0"}),
    ("/processes/P/edit/op/", {"do": "put", "column": "name", "block": "\0"}),
    ("/instances/-/start/", {"process": "P", "id": "a\0"}),
    ("/work/2026Q1/review/", {"do": "comment", "note": "\0"}),
]


@pytest.mark.parametrize(("path", "form"), WISHES)
def test_a_field_with_a_zero_is_a_400_with_a_sentence(
    tail: Tail, login: Login, path: str, form: dict[str, Any]
) -> None:
    answer = login("admin").post(path, form)
    assert answer.status_code == 400
    assert "A character in this is none that can be written" in answer.text


@pytest.mark.parametrize("said", [r'"a\ud800"', r'"a\u0000"', r'"\uDFFF b"'])
def test_json_with_half_a_character_is_a_400_in_the_editor_and_the_api(tail: Tail, login: Login, said: str) -> None:
    body = f'{{"do": "put", "row": 0, "column": "name", "block": [[{said}]], "draft": 0, "edits": 0}}'
    answer = login("ed").post("/processes/P/edit/op/", body, content_type="application/json")
    assert answer.status_code == 400
    for method, path in (("post", "instances/2026Q1/act"), ("post", "instances"), ("put", "messages/m-1")):
        call: Any = getattr(Client(), method)
        answer = call(
            f"/api/{path}", f'{{"task": "review", "do": "assign", "value": {said}}}', content_type="application/json"
        )
        assert answer.status_code == 400
        assert answer.json()["message"].startswith("A character in this")


def test_a_whole_pair_is_text(tail: Tail, login: Login) -> None:
    body = r'{"do": "put", "row": 0, "column": "name", "block": [["\ud83d\ude00"]], "draft": 0, "edits": 0}'
    assert login("ed").post("/processes/P/edit/op/", body, content_type="application/json").status_code != 400


def test_moves_of_a_dry_run_with_half_a_character_are_left_out(tail: Tail, login: Login) -> None:
    answer = login("ana").post("/processes/P/try/", {"moves": r'[["t0", "\ud800", "done"]]'})
    assert answer.status_code == 200
