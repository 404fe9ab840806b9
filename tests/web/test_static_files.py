"""The files browsers fetch, as production collects them: one name for a module, whoever imports it."""

import json
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import override_settings

from board.templatetags.scripts import imported, module

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "static" / "js"
HASHED = "board.web.static_files.HashedFiles"
_IMPORT = re.compile(r"""^import\b[^"';]*["']([^"']+)["']""", re.MULTILINE)


def imports(script: Path) -> list[Path]:
    """The files a script imports."""
    return [(script.parent / url).resolve() for url in _IMPORT.findall(script.read_text(encoding="utf-8"))]


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The collected file of each name, as `collectstatic` leaves them in production."""
    folder = tmp_path_factory.mktemp("collected")
    storages = settings.STORAGES | {"staticfiles": {"BACKEND": HASHED}}
    with override_settings(STORAGES=storages, STATIC_ROOT=folder):
        call_command("collectstatic", interactive=False, verbosity=0)
    names = json.loads((folder / "staticfiles.json").read_text(encoding="utf-8"))["paths"]
    return {name: folder / hashed for name, hashed in names.items()}


def test_every_import_carries_the_hashed_name_its_module_has_in_the_pages(collected: dict[str, Path]) -> None:
    for script in SCRIPTS.rglob("*.js"):
        wanted = [collected[str(each.relative_to(ROOT / "static"))] for each in imports(script)]
        assert imports(collected[str(script.relative_to(ROOT / "static"))]) == wanted, script


def test_a_changed_module_changes_the_names_of_all_that_import_it(collected: dict[str, Path]) -> None:
    page = collected["js/board/board.js"]
    assert re.fullmatch(r"board\.[0-9a-f]{12}\.js", page.name)
    reached, ahead = set(), [page]
    while ahead:
        script = ahead.pop()
        reached.add(script)
        ahead += [each for each in imports(script) if each not in reached]
    assert collected["js/shared/say.js"] in reached
    assert all(re.fullmatch(r"\w+\.[0-9a-f]{12}\.js", each.name) and each.is_file() for each in reached)


def test_no_script_imports_itself_by_way_of_others() -> None:
    def beyond(script: Path, above: tuple[Path, ...]) -> None:
        assert script not in above, [each.name for each in (*above, script)]
        for each in imports(script):
            beyond(each, (*above, script))

    for script in SCRIPTS.rglob("*.js"):
        beyond(script.resolve(), ())


def test_every_script_is_reached_from_a_page() -> None:
    tags = re.compile(r"\{% module '([^']+)' %\}")
    ahead = [
        ROOT / "static" / name
        for page in (ROOT / "templates").rglob("*.html")
        for name in tags.findall(page.read_text(encoding="utf-8"))
    ]
    reached: set[Path] = set()
    while ahead:
        script = ahead.pop()
        reached.add(script)
        ahead += [each for each in imports(script) if each not in reached]
    assert reached == set(SCRIPTS.rglob("*.js"))


def test_a_page_names_beforehand_everything_its_script_imports() -> None:
    page = ROOT / "static"
    reached: set[Path] = set()
    ahead = imports(page / "js/editor/editor.js")
    while ahead:
        script = ahead.pop()
        reached.add(script)
        ahead += [each for each in imports(script) if each not in reached]
    assert {page / name for name in imported("js/editor/editor.js")} == reached
    assert imported("js/board/page.js") == ()
    assert str(module("js/board/page.js")) == '<script type="module" src="/static/js/board/page.js"></script>'
    assert '<link rel="modulepreload" href="/static/js/shared/say.js">' in module("js/shared/base.js")
