"""What is written about the product is held to what it is."""

import re
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from django.core.management import get_commands

from board.process.definition.table import COLUMNS

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *ROOT.glob("docs/*.md"),
    *ROOT.glob("jobs/**/*.md"),
    *ROOT.glob("tests/**/*.md"),
]
OURS = {name for name, app in get_commands().items() if app in ("board", "worker", "board.apps.BoardConfig")}
FIELDS = (
    "status", "assignee", "due", "note", "attempt", "log", "took", "code_version", "error", "output.<key>", "priority",
    "late",
)  # fmt: skip


def text(name: str) -> str:
    """A file of the project."""
    return (ROOT / name).read_text(encoding="utf-8")


def deployed() -> str:
    """Everything under deploy that a machine reads, and the pages that quote it."""
    files = [path for path in (ROOT / "deploy").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return "\n".join(path.read_text(encoding="utf-8") for path in [*files, ROOT / "docs" / "operators.md"])


def test_every_setting_is_explained_and_every_explained_setting_exists() -> None:
    source = text("board/settings.py")
    read = set(re.findall(r"env\.\w+\(\s*\"(FOLDBOARD_\w+)\"|_(?:path|choice)\(\"(FOLDBOARD_\w+)\"", source))
    known = {one or other for one, other in read}
    explained = set(re.findall(r"^\| `(FOLDBOARD_\w+)`", text("docs/settings.md"), re.MULTILINE))
    assert known == explained


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_names_only_settings_that_exist(page: Path) -> None:
    explained = set(re.findall(r"^\| `(FOLDBOARD_\w+)`", text("docs/settings.md"), re.MULTILINE))
    assert set(re.findall(r"FOLDBOARD_[A-Z_]+[A-Z]", page.read_text(encoding="utf-8"))) <= explained


def test_deployment_files_set_only_settings_that_exist() -> None:
    explained = set(re.findall(r"^\| `(FOLDBOARD_\w+)`", text("docs/settings.md"), re.MULTILINE))
    assert set(re.findall(r"FOLDBOARD_[A-Z_]+[A-Z]", deployed())) <= explained


def test_every_command_of_ours_is_in_the_readme_and_none_that_is_not() -> None:
    table = text("README.md").split("## Commands")[1].split("## ")[0]
    named = set(re.findall(r"`(\w+)[^`]*`(?=[^|]*\|[^|]*\|$)", table, re.MULTILINE)) - {"manage", "no"}
    assert named >= OURS
    assert named <= set(get_commands())


def test_pages_and_deployment_files_run_only_commands_that_exist() -> None:
    everything = deployed() + "".join(page.read_text(encoding="utf-8") for page in PAGES)
    run = set(re.findall(r"manage\.py (\w+)", everything)) - {"COMMAND"}
    run |= set(re.findall(r"^ *(?:\S+ && )?foldboard (\w+) ?", text("docs/operators.md"), re.MULTILINE))
    run |= set(re.findall(r"deploy/foldboard (\w+)", text("deploy/cron/foldboard")))
    assert run <= set(get_commands())


def test_the_two_commands_of_the_readme_are_what_ci_and_the_browser_story_run() -> None:
    readme = text("README.md").split("## Two commands")[1]
    assert re.findall(r"^    make (\w+)", readme, re.MULTILINE)[:2] == ["demo", "test"]
    assert text(".ci/run").rstrip().endswith("make test")
    demo = subprocess.run(["make", "-n", "demo"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "manage.py demo" in demo


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_make_target_a_page_names_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", text("Makefile"), re.MULTILINE))
    assert set(re.findall(r"(?:`|^    )make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE)) <= targets


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


def test_every_column_is_explained_in_the_order_of_the_table() -> None:
    explained = re.findall(r"^\| `(\w+)` \|", text("docs/admins.md").split("### Answers")[0], re.MULTILINE)
    assert set(explained) == set(COLUMNS)
    short = text("README.md").split("## The table")[1].split("## ")[0]
    assert {name for name in COLUMNS if f"`{name}`" in short} == set(COLUMNS)


def test_every_event_field_with_a_meaning_is_explained() -> None:
    explained = re.findall(r"^\| `([^`]+)` \|", text("docs/developers.md").split("## The inbox")[0], re.MULTILINE)
    assert [field for field in FIELDS if field not in explained] == []


def test_every_variable_a_script_finds_is_explained() -> None:
    page = text("jobs/README.md")
    source = text("worker/script/environment.py")
    for name in re.findall(r'"(PROC_[A-Z]+)":', source):
        assert f"`{name}`" in page


def test_every_exit_code_of_the_worker_is_explained() -> None:
    page = text("docs/operators.md").split("### Exit codes")[1]
    assert re.findall(r"^\| (\d) \|", page, re.MULTILINE) == ["0", "1", "2", "3", "4", "5"]


def test_every_promise_of_security_names_tests_that_exist() -> None:
    table = text("SECURITY.md").split("## What is promised")[1].split("## ")[0]
    promises = re.findall(r"^\| (?!promise |---)(.+?) \| (.+?) \|$", table, re.MULTILINE)
    assert len(promises) >= 10
    for promise, tests in promises:
        named = re.findall(r"`(tests/[\w/]+\.py)`", tests)
        assert named, f"no test holds this: {promise}"
        assert [name for name in named if not re.search(r"^def test_", text(name), re.MULTILINE)] == []


def test_every_section_of_the_semantics_that_is_cited_exists() -> None:
    sections = set(re.findall(r"^##+ (\d+(?:\.\d+)?)\.? ", text("docs/semantics.md"), re.MULTILINE))
    cited = {
        (str(path.relative_to(ROOT)), number)
        for room in ("board", "worker", "tests", "docs")
        for path in (ROOT / room).rglob("*")
        if path.suffix in (".py", ".md")
        for numbers in re.findall(r"\b[Ss]emantics,\s+sections? ([\d., and]+)", path.read_text(encoding="utf-8"))
        for number in re.findall(r"\d+(?:\.\d+)?", numbers)
    }
    assert len(cited) > 20
    assert sorted(place for place in cited if place[1] not in sections) == []


def test_sections_of_the_semantics_are_numbered_without_a_gap() -> None:
    numbers = re.findall(r"^##+ (\d+)(?:\.(\d+))?\.? ", text("docs/semantics.md"), re.MULTILINE)
    for (section, part), (then, next_part) in pairwise(numbers):
        assert (then, next_part) in ((section, str(int(part or 0) + 1)), (str(int(section) + 1), "")), (section, part)
    inside = re.findall(r"\(section (\d+\.\d+)\)", text("docs/semantics.md"))
    assert set(inside) <= {f"{section}.{part}" for section, part in numbers}


def test_no_code_of_a_report_stands_where_a_sentence_belongs() -> None:
    files = [
        path for room in ("board", "worker", "tests", "jobs", "docs", "deploy") for path in (ROOT / room).rglob("*")
    ]
    readable = [path for path in files if path.suffix in (".py", ".md", ".html", ".js", ".sh", ".R", ".conf")]
    assert [path for path in readable if re.search(r"\bR\d{2,3}\b", path.read_text(encoding="utf-8"))] == []


PLACE = re.compile(r"`((?:board|worker|tests|templates|static|jobs|deploy|docs|\.ci)(?:/[\w.*-]+)*/?)`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_and_folder_a_page_names_exists(page: Path) -> None:
    named = PLACE.findall(page.read_text(encoding="utf-8"))
    assert [place for place in named if not list(ROOT.glob(place))] == []


def test_every_room_is_on_the_map_of_developers() -> None:
    parts = [ROOT / "board", ROOT / "board" / "process", ROOT / "board" / "selectors", ROOT / "worker", ROOT / "tests"]
    rooms = {path for part in parts for path in part.iterdir() if path.is_dir() and path.name[0] not in "_."}
    named = set(PLACE.findall(text("docs/developers.md")))
    assert sorted(str(room.relative_to(ROOT)) for room in rooms if str(room.relative_to(ROOT)) not in named) == []
