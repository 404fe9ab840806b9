"""Written BPMN files: valid by the OMG's schema, and opened by bpmn.io's own modeler without a warning.

Both come with the npm package bpmn-js, which `make test` fetches.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree
from playwright.sync_api import Browser, Page

from board.process.bpmn import read, write
from board.process.definition.table import ProcessTable
from tests.process.bpmn.test_write import QUARTER
from tests.process.engine.made_up import made_up
from tests.tools import missing

pytestmark = pytest.mark.browser

MODULES = Path(__file__).parents[2] / ".tools/npm/node_modules"
SCHEMA = MODULES / "bpmn-moddle/resources/bpmn/xsd/BPMN20.xsd"
DIST = MODULES / "bpmn-js/dist"
FLOW = Path(__file__).parents[1] / "conformance/flow.json"

NESTED = ProcessTable.from_rows(
    [
        {"task": "Größe", "name": "Prüfen & <sagen>", "role": "Büro"},
        {"task": "outer", "collection": "region", "depends_on": "Größe:ja", "complete_when": "n=2"},
        {"task": "inner", "collection": "unit", "parent": "outer", "sequential": "yes"},
        {"task": "名前", "parent": "inner", "role": "system", "script": "a.R", "depends_on": "Größe"},
        {"task": "after", "depends_on": "名前:ok, inner", "join": "2"},
        {"task": "back", "depends_on": "after:no, Größe:nein", "join": "inclusive"},
        {"task": "Größe2", "depends_on": "back, Größe2.x", "join": "50%"},
        {"task": "Größe2.x", "depends_on": "Größe2:again", "role": "system"},
    ]
)
TABLES = {
    "quarter": QUARTER,
    "nested": NESTED,
    "one row": ProcessTable.from_rows([{"task": "a"}]),
    **{f"made up {number}": made_up(number) for number in range(0, 200, 13)},
    **{case["name"]: ProcessTable.from_rows(case["process"]) for case in json.loads(FLOW.read_text("utf-8"))[::40]},
}


def fetched() -> None:
    """Without npm there is no modeler to try the files with."""
    if not SCHEMA.is_file():
        missing("bpmn-js is not there: install npm and run `make test`")


@pytest.fixture(scope="module")
def modeler(browser: Browser) -> Iterator[Page]:
    """An empty page with bpmn.io's modeler in it."""
    fetched()
    page = browser.new_page()
    page.set_content('<div id="canvas" style="width: 1200px; height: 700px"></div>')
    page.add_script_tag(path=DIST / "bpmn-modeler.production.min.js")
    page.evaluate("window.modeler = new BpmnJS({container: '#canvas'})")
    yield page
    page.close()


@pytest.fixture(scope="module")
def schema() -> etree.XMLSchema:
    """The schema of the OMG."""
    fetched()
    return etree.XMLSchema(etree.parse(SCHEMA))


@pytest.mark.parametrize("name", TABLES)
def test_a_written_file_is_valid_by_the_schema(schema: etree.XMLSchema, name: str) -> None:
    root = etree.fromstring(write(TABLES[name], name))
    assert schema.validate(root), schema.error_log


@pytest.mark.parametrize("name", TABLES)
def test_the_modeler_opens_it_without_a_warning_and_saves_the_same_table(modeler: Page, name: str) -> None:
    opened = modeler.evaluate(
        "async xml => (await modeler.importXML(xml)).warnings.map(warning => warning.message)",
        write(TABLES[name], name).decode(),
    )
    assert opened == []
    saved: str = modeler.evaluate("async () => (await modeler.saveXML({format: true})).xml")
    reading = read(saved.encode())
    assert reading.table == TABLES[name]
    assert reading.name == name
    assert reading.whole


def test_everything_written_is_drawn(modeler: Page) -> None:
    modeler.evaluate("async xml => { await modeler.importXML(xml) }", write(QUARTER, "Q").decode())
    drawn = set(modeler.evaluate("() => modeler.get('elementRegistry').getAll().map(e => e.businessObject.id)"))
    assert {row.task for row in QUARTER.rows} <= drawn


def test_a_task_renamed_in_the_modeler_is_renamed_in_the_table(modeler: Page) -> None:
    modeler.evaluate("async xml => { await modeler.importXML(xml) }", write(QUARTER, "Q").decode())
    saved: str = modeler.evaluate(
        """async () => {
          const task = modeler.get('elementRegistry').get('approve')
          modeler.get('modeling').updateProperties(task, {name: 'Sign'})
          return (await modeler.saveXML()).xml
        }"""
    )
    table = read(saved.encode()).table
    changed = [(a.task, b.name) for a, b in zip(QUARTER.rows, table.rows, strict=True) if a != b]
    assert changed == [("approve", "Sign")]


def test_a_task_put_into_a_flow_in_the_modeler_is_put_into_the_table(modeler: Page) -> None:
    modeler.evaluate("async xml => { await modeler.importXML(xml) }", write(QUARTER, "Q").decode())
    saved: str = modeler.evaluate(
        """async () => {
          const registry = modeler.get('elementRegistry')
          const task = registry.get('publish')
          modeler.get('autoPlace').append(task, modeler.get('elementFactory').createShape({type: 'bpmn:UserTask'}))
          return (await modeler.saveXML()).xml
        }"""
    )
    table = read(saved.encode()).table
    new = [row for row in table.rows if QUARTER.row(row.task) is None]
    assert [row.depends_on for row in new] == ["publish"]
    assert new[0].role in {row.role for row in QUARTER.rows}  # the lane it was put into
    assert [row for row in table.rows if row not in new] == list(QUARTER.rows)
