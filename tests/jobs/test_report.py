"""The published report holds what it says, as one file, and nothing strangers wrote can act in it."""

import shutil
from html.parser import HTMLParser
from pathlib import Path

from .conftest import JOBS, Workplace


class Page(HTMLParser):
    """What a browser would fetch or run for a page, and its text."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.tags: list[str] = []
        self.text = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.fetched += [str(value) for name, value in attrs if name in ("src", "href", "onload", "onerror", "style")]

    def handle_data(self, data: str) -> None:
        self.text += data


def prepare(place: Workplace, *countries: str) -> None:
    """Bring an instance to where the report is written."""
    place.deliver(*countries)
    place.note("approve", "status", "done", actor="sam")
    place.run("consolidate.sh")
    place.note("reconcile", "note", "War & genocide: both falls are <true>.")
    place.note("reconcile", "status", "done")
    place.run("qa.py")
    place.note("approve_publication", "status", "approved", actor="mira")
    place.run("forecast.py")


def test_the_report_shows_figures_findings_note_and_signatures_in_one_file(place: Workplace) -> None:
    prepare(place, "Rwanda", "Cambodia", "Norway")
    run = place.run("publish.py")
    assert run.code == 0, run.said
    assert run.outputs == {"report": "report.html", "countries": "3", "signed_by": "sam, ana, mira"}
    page = Page(place.artifacts / "report.html")
    assert page.fetched == []
    assert "script" not in page.tags
    assert page.tags.count("svg") == 4
    assert page.text.count("<!--") == 0
    for words in ("Life expectancy, 2026Q3", "Rwanda", "−20.4", "War & genocide: both falls are <true>.", "CC BY 3.0"):
        assert words in page.text
    assert "Publication approved by mira on 2026-11-29" in page.text
    assert (place.artifacts / "report.html").read_text().count('class="odd"') == 2


def test_the_whole_world_fits_into_one_report(place: Workplace) -> None:
    with (JOBS / "data" / "gapminder.csv").open() as file:
        names = {line.split(",19")[0].rsplit(",", 1)[0].strip('"') for line in file} - {"country"}
    prepare(place, *{name for name in names if "," not in name})
    assert place.run("publish.py").code == 0
    report = place.artifacts / "report.html"
    assert Page(report).tags.count("svg") > 130
    assert report.stat().st_size < 400_000


def test_names_and_notes_of_strangers_are_only_text_in_the_report(place: Workplace) -> None:
    evil = "<img src=x onerror=alert(1)>\"'&"
    place.deliver("Norway")
    table = place.artifacts / "deliveries" / "Norway.csv"
    table.write_text(table.read_text().replace("Norway", '"' + evil.replace('"', '""') + '"'))
    place.note("reconcile", "note", f"</blockquote><script>alert(1)</script>{evil}", actor=evil)
    place.note("reconcile", "status", "done", actor=evil)
    for script in ("consolidate.sh", "qa.py", "forecast.py", "publish.py"):
        assert place.run(script).code == 0
    page = Page(place.artifacts / "report.html")
    assert page.fetched == []
    assert not {"img", "script"} & set(page.tags)
    assert evil in page.text


def test_a_signature_that_was_taken_back_is_not_in_the_report(place: Workplace) -> None:
    prepare(place, "Norway")
    place.note("approve", "status", "open", actor="sam")
    assert place.run("publish.py").outputs["signed_by"] == "ana, mira"


def test_a_missing_table_is_named(place: Workplace) -> None:
    prepare(place, "Norway")
    (place.artifacts / "forecast.csv").unlink()
    run = place.run("publish.py")
    assert run.code == 1
    assert "forecast.csv is not there" in run.said


def test_a_script_outside_the_worker_says_what_it_needs(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    place.instance = ""
    shutil.rmtree(place.store, ignore_errors=True)
    run = place.run("qa.py")
    assert run.code == 1
    assert "consolidated.csv is not there" in run.said
