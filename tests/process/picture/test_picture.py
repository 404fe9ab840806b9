"""The SVG: well-formed, escaped, without styles of its own, readable without colour and without eyes."""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest
from defusedxml.ElementTree import fromstring
from hypothesis import given, settings
from hypothesis import strategies as st

from board.exchange import pictures as files
from board.process.definition.table import ProcessTable
from board.process.engine.instance import STATES
from board.process.files import Unwritable
from board.process.flow.flow import Flow, compile_flow
from board.process.picture import style
from board.process.picture.layout import Box, drawing
from board.process.picture.layout.sizes import SMALL, TASK_W, cut, lines_of, text_width
from board.process.picture.svg import TaskState, draw, node
from board.selectors.words import state_word
from tests.process.bpmn.drawing import hits
from tests.process.engine.made_up import made_up
from tests.tools import cairo

ROOT = Path(__file__).resolve().parents[3]
SVG = "{http://www.w3.org/2000/svg}"

ROWS = (
    {"task": "each", "name": "Each unit", "collection": "unit", "complete_when": "90%"},
    {"task": "load", "name": "Load", "role": "system", "parent": "each"},
    {"task": "check", "name": "Check", "role": "system", "script": "c.py", "parent": "each", "depends_on": "load"},
    {"task": "approve", "name": "Approve", "role": "steward", "depends_on": "each"},
    {"task": "publish", "name": "Publish", "role": "steward", "depends_on": "approve:approved"},
    {"task": "fix", "name": "Fix", "role": "analyst", "depends_on": "approve:rejected"},
)


def flow_of(*rows: dict[str, str]) -> Flow:
    return compile_flow(ProcessTable.from_rows(rows or ROWS))


def parsed(svg: str) -> Element:
    return fromstring(svg)


def every(root: Element, tag: str, cls: str = "") -> Iterator[Element]:
    return (each for each in root.iter(SVG + tag) if not cls or cls in each.get("class", "").split())


def words(element: Element) -> str:
    return " ".join("".join(each.itertext()) for each in element.iter(SVG + "text"))


def test_every_task_is_a_node_of_its_name_with_a_link_to_its_section() -> None:
    root = parsed(draw(flow_of()))
    found = {each.get("id"): each for each in every(root, "g", "node")}
    assert set(found) == {f"node-{row['task']}" for row in ROWS if "collection" not in row}
    assert "Approve" in words(found["node-approve"])
    assert found["node-approve"][0].get("href") == "#section-approve"


def test_the_link_of_a_task_is_the_callers() -> None:
    root = parsed(draw(flow_of(), link=lambda task: f"/tasks/{task}/?a=1&b=2"))
    assert {each.get("href") for each in every(root, "a")} >= {"/tasks/load/?a=1&b=2"}
    assert not list(every(parsed(draw(flow_of(), link=None)), "a"))


def test_it_carries_a_title_and_a_description_for_screen_readers() -> None:
    root = parsed(draw(flow_of(), name="Release & <more>"))
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert description is not None
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert title.text == "Release & <more>: the process as a picture"
    assert "5 tasks" in (description.text or "")
    assert "steward" in (description.text or "")
    assert "Repeated per unit: Load, Check" in (description.text or "")


def test_with_links_it_is_a_group_and_without_an_image() -> None:
    assert parsed(draw(flow_of())).get("role") == "group"
    assert parsed(draw(flow_of(), link=None)).get("role") == "img"
    assert parsed(draw(flow_of(), standalone=True)).get("role") == "img"


def test_a_page_gets_classes_only() -> None:
    for number in (30, 90, 150):
        svg = draw(compile_flow(made_up(number)))
        assert "style" not in svg
        assert not re.search(r"\bon\w+=", svg)
        assert "<script" not in svg


def test_a_file_carries_its_rules_and_colours() -> None:
    svg = draw(flow_of(), standalone=True)
    assert svg.startswith("<?xml")
    rules = next(every(parsed(svg), "style")).text or ""
    assert "var(" not in rules
    assert "color-mix" not in rules
    assert ".failed .shape" in rules


def test_the_sheet_of_the_pages_is_the_one_of_the_code() -> None:
    assert (ROOT / "static/css/picture.css").read_text() == style.sheet()


def test_the_sheet_uses_only_colours_that_pages_have() -> None:
    base = (ROOT / "static/css/base.css").read_text()
    assert set(re.findall(r"var\(--([a-z]+)\)", style.sheet())) <= set(re.findall(r"--([a-z-]+):", base))


@pytest.mark.parametrize("state", [*STATES, "answer"])
def test_a_state_is_a_class_a_shape_and_a_word(state: str) -> None:
    word = {"answer": "rejected"}.get(state, state_word(state))
    found = parsed(draw(flow_of(), states={"approve": TaskState(state, word)}))
    one = next(each for each in every(found, "g", "node") if each.get("id") == "node-approve")
    assert state in one.get("class", "").split()
    assert word in words(one)
    assert list(every(one, "g", "mark"))
    assert f".pic .{state} " in style.sheet()


def test_the_shapes_of_the_states_differ() -> None:
    marks = set()
    for state in (*STATES, "answer"):
        svg = node(flow_of(), None, "approve", TaskState(state, state))
        found = re.search(r'<g class="mark"[^>]*>(.*?)</g>', svg)
        assert found is not None
        marks.add(found[1])
    assert len(marks) == 7


def test_counts_are_painted_and_told() -> None:
    svg = node(flow_of(), None, "load", TaskState("failed", "failed", 5, 8, 1))
    assert ">5/8<" in svg
    assert "Load: failed, 5 of 8 done, 1 failed" in svg


def test_one_node_is_what_the_whole_picture_has() -> None:
    states = {"load": TaskState("doing", "in progress", 2, 8), "fix": TaskState("skipped", "skipped")}
    whole = draw(flow_of(), states=states)
    for task in ("load", "check", "fix"):
        assert node(flow_of(), None, task, states.get(task)) in whole


def test_a_node_that_is_not_there_is_nothing() -> None:
    assert node(flow_of(), None, "nothing", None) == ""
    assert node(flow_of(), None, "each", None) == ""


def test_kinds_and_repetition_are_drawn_as_bpmn_draws_them() -> None:
    root = parsed(draw(flow_of()))
    assert {"receive", "script", "user"} <= {
        c for each in every(root, "g", "node") for c in each.get("class", "").split()
    }
    assert len(list(every(root, "g", "start"))) == 1
    assert list(every(root, "g", "exclusive"))
    assert len(list(every(root, "path", "many"))) == 1
    frame = next(every(root, "g", "frame-group"))
    assert "90 % enough" in words(frame)


def test_no_flow_runs_through_the_name_of_a_frame() -> None:
    framed = 0
    for number in range(0, 200, 4):
        flow = compile_flow(made_up(number))
        at = drawing(flow)[1]
        for name in every(parsed(draw(flow)), "text", "frame-name"):
            x, y = int(name.get("x", "")), int(name.get("y", ""))
            box = Box(x, y - SMALL, text_width(name.text or "", SMALL, bold=True), SMALL)
            framed += 1
            assert not any(hits(a, b, box) for points in at.edges.values() for a, b in pairwise(points))
            assert not any(
                box.x < n.right and n.x < box.right and box.y < n.bottom and n.y < box.bottom for n in at.nodes.values()
            )
    assert framed > 50


def test_sequential_groups_have_lying_bars() -> None:
    rows = [dict(ROWS[0]), *ROWS[1:]]
    parallel = next(every(parsed(draw(flow_of(*rows))), "path", "many")).get("d")
    rows[0]["sequential"] = "yes"
    lying = next(every(parsed(draw(flow_of(*rows))), "path", "many")).get("d")
    assert parallel != lying


def test_every_answer_is_written_and_every_flow_has_a_tip() -> None:
    root = parsed(draw(flow_of()))
    assert {"approved", "rejected"} <= {"".join(each.itertext()) for each in every(root, "text", "lbl")}
    assert len(list(every(root, "path", "flow"))) == len(list(every(root, "path", "tip")))


def test_a_long_name_is_cut_and_told_in_full() -> None:
    name = "Donaudampfschifffahrtsgesellschaftskapitän und noch viel mehr, das nirgends hineinpasst"
    svg = draw(flow_of({"task": "a", "name": name}))
    root = parsed(svg)
    shown = words(next(every(root, "g", "node")))
    assert "…" in shown
    assert f"<title>{name}, for people</title>" in svg


def test_a_long_answer_is_cut_and_told_in_full() -> None:
    answer = "needs another look by somebody else"
    root = parsed(draw(flow_of({"task": "a"}, {"task": "b", "depends_on": f"a:{answer}"})))
    label = next(every(root, "text", "lbl"))
    assert label[0].text == answer
    assert (label[0].tail or "").endswith("…")


def test_strangers_texts_are_only_texts() -> None:
    evil = "\"><script>alert(1)</script>&amp;'"
    rows = (
        {"task": "a", "name": evil, "role": evil, "depends_on": "b:no"},
        {"task": "b", "name": evil, "depends_on": "a, <x>:" + evil.replace(",", ""), "parent": "g"},
        {"task": "g", "name": evil, "collection": evil, "complete_when": evil},
    )
    for svg in (draw(flow_of(*rows), name=evil), draw(flow_of(*rows), name=evil, standalone=True)):
        root = parsed(svg)
        assert not list(root.iter(f"{SVG}script"))
        assert root[0].text == f"{evil}: the process as a picture"
        assert "<script" not in svg


TEXT = st.text(max_size=30)


@settings(max_examples=100)
@given(st.lists(st.tuples(TEXT, TEXT, TEXT, TEXT, TEXT), min_size=1, max_size=5), TEXT)
def test_any_text_whatever_gives_well_formed_xml(cells: list[tuple[str, str, str, str, str]], word: str) -> None:
    rows = [
        {"task": f"t{n}", "name": a, "role": b, "depends_on": f"t0:{c}", "collection": d if n % 2 else "", "parent": e}
        for n, (a, b, c, d, e) in enumerate(cells)
    ]
    flow = compile_flow(ProcessTable.from_rows(rows))
    states = {task: TaskState("answer", word) for task in flow.tasks}
    parsed(draw(flow, states=states))
    parsed(draw(flow, states=states, name=word, standalone=True))


def test_an_empty_process_says_so() -> None:
    root = parsed(draw(compile_flow(ProcessTable.from_rows([]))))
    description = root.find(f"{SVG}desc")
    assert description is not None
    assert description.text == "No tasks yet."


@given(st.text(max_size=60), st.integers(20, 200))
def test_lines_fit_their_width(text: str, width: int) -> None:
    assert all(text_width(line) <= width or len(line) <= 2 for line in lines_of(text, width, 2))
    assert text_width(cut(text, width)) <= width or cut(text, width) == "…"


def test_names_break_between_words_and_after_joints() -> None:
    assert lines_of("Approve the collection", TASK_W - 12, 2) == ("Approve the", "collection")
    assert lines_of("national_accounts_quarterly", TASK_W - 12, 2)[0].endswith("_")


def test_png_and_pdf_are_files_of_the_picture() -> None:
    cairo()
    table = ProcessTable.from_rows(ROWS)
    png, pdf = files.png(table, "Release"), files.pdf(table, "Release")
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    root = parsed(draw(flow_of(), standalone=True))
    assert (width, height) == (2 * int(root.get("width", "0")), 2 * int(root.get("height", "0")))
    assert pdf[:5] == b"%PDF-"


def test_a_very_wide_picture_is_a_png_all_the_same() -> None:
    cairo()
    rows = [{"task": f"t{n}", "depends_on": f"t{n - 1}" if n else ""} for n in range(300)]
    width, _ = struct.unpack(">II", files.png(ProcessTable.from_rows(rows), "long")[16:24])
    assert 20_000 < width <= 32_767


def test_without_the_system_library_the_remedy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    with pytest.raises(Unwritable, match="libcairo2"):
        files.png(ProcessTable.from_rows(ROWS), "Release")
