"""Code that nothing uses: `python -m tests.dead_code`.

vulture looks for it, and is told what it cannot see: which names the templates read, and which names somebody else
looks up (`[tool.vulture]` in pyproject.toml, with the reasons). Exit status 1 for code that nothing uses.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Iterable
from keyword import iskeyword
from pathlib import Path
from typing import NamedTuple

from vulture import Vulture  # type: ignore[import-untyped]

ROOT = Path(__file__).resolve().parents[1]
_TAG = re.compile(r"\{[{%](.*?)[%}]\}", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*")


class Exempt(NamedTuple):
    """What counts as used though no code of ours says so."""

    names: list[str]
    decorators: list[str]
    files: list[str]

    @classmethod
    def read(cls) -> Exempt:
        """Return what pyproject.toml lists."""
        listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["vulture"]
        return cls(listed["ignore_names"], listed["ignore_decorators"], listed["declarations"])


class Unused(NamedTuple):
    """One thing that nothing uses."""

    name: str
    sentence: str


def template_names(templates: Path) -> set[str]:
    """Return every name in a tag of a template."""
    tags = (tag for page in templates.rglob("*") if page.is_file() for tag in _TAG.findall(page.read_text()))
    return {name for tag in tags for name in _NAME.findall(tag) if not iskeyword(name)}


def unused(paths: Iterable[Path], templates: Path, exempt: Exempt) -> list[Unused]:
    """Return what neither the code below `paths` nor a template uses, by file and line."""
    search = Vulture(ignore_names=exempt.names, ignore_decorators=exempt.decorators)
    search.scan("\n".join(sorted(template_names(templates))))
    search.scavenge([str(path) for path in paths])
    return [
        Unused(item.name, f"{item.filename}:{item.first_lineno}: {item.message}")
        for item in search.get_unused_code()
        if not any(Path(item.filename).full_match(f"**/{pattern}") for pattern in exempt.files)
    ]


def main(say: Callable[[str], object] = print) -> int:
    """Name what nothing uses; the exit status."""
    code = [ROOT / folder for folder in ("board", "worker", "jobs", "deploy", "tests", "manage.py")]
    lines = [each.sentence for each in unused(code, ROOT / "templates", Exempt.read())]
    for line in lines:
        say(line)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
