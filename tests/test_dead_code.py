"""Code that nothing uses is found, and the list of what is exempt holds nothing that is needed no longer."""

from fnmatch import fnmatchcase
from pathlib import Path

from tests.dead_code import ROOT, Exempt, unused

CODE = """
def used_by_code(): pass
def used_by_template(): pass
def used_by_nobody(): pass
used_by_code()
"""


def test_a_function_that_neither_code_nor_template_uses_is_named_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text(CODE)
    (tmp_path / "page.html").write_text("used_by_nobody {{ row.used_by_template }}")
    (dead,) = unused([tmp_path / "code.py"], tmp_path, Exempt([], [], []))
    assert dead.name == "used_by_nobody"
    assert dead.sentence.endswith("code.py:4: unused function 'used_by_nobody'")


def test_every_name_that_is_exempt_would_be_named_without_the_list() -> None:
    exempt = Exempt.read()
    code = [ROOT / folder for folder in ("board", "worker", "jobs", "deploy", "tests", "manage.py")]
    named = {dead.name for dead in unused(code, ROOT / "templates", exempt._replace(names=[]))}
    assert [name for name in exempt.names if not any(fnmatchcase(each, name) for each in named)] == []
