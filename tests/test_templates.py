"""Templates are read by people too."""

from pathlib import Path

import pytest
from django.conf import settings
from django.template.loader import get_template

LONGEST = 160
TEMPLATES = sorted(path for path in (settings.BASE_DIR / "templates").rglob("*") if path.is_file())


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(settings.BASE_DIR)))
def test_no_line_of_a_template_is_longer_than_an_eye_takes_in(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert not [(number, len(line)) for number, line in enumerate(lines, 1) if len(line) > LONGEST]


def test_what_an_empty_page_shows_is_styled_by_the_sheet_that_every_page_loads() -> None:
    css, drawing = settings.BASE_DIR / "static" / "css", settings.BASE_DIR / "templates" / "includes" / "nothing.svg"
    classes = {"nothing", "n-card", "n-line", "n-disc", "n-tick"}
    assert all(f'class="{name}"' in drawing.read_text() for name in classes)
    assert all(f".{name} {{" in (css / "base.css").read_text() for name in classes)


def test_what_lays_a_template_out_for_people_is_not_sent() -> None:
    page = get_template("registration/locked.html").render()
    assert "\n<h1>Too many tries</h1>" in page
    assert "\n " not in page
