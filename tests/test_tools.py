"""A program that the README does not demand: a test is left out without it, and fails in CI."""

import re
from pathlib import Path

import pytest

from tests.tools import missing, tool

ROOT = Path(__file__).resolve().parents[1]


def needed_in_ci() -> set[str]:
    """Return the programs that .ci/run installs where they are missing."""
    return set(re.findall(r"^need \S+ (\S+)$", (ROOT / ".ci" / "run").read_text(), re.MULTILINE))


def test_without_a_program_a_test_is_left_out_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no-such-program is not installed"):
        tool("no-such-program")


def test_without_a_program_a_test_fails_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="it is not here"):
        missing("it is not here")


def test_ci_installs_every_program_that_a_test_asks_for() -> None:
    ours = Path(__file__)
    asked = {
        name
        for path in (ROOT / "tests").rglob("*.py")
        if path != ours
        for name in re.findall(r"\btool\(\"([^\"]+)\"\)", path.read_text())
    }
    assert {"Rscript", "chromium", "nginx"} <= asked
    assert asked - {"sh"} <= needed_in_ci()  # make needs a shell itself


def test_the_readme_says_what_is_left_out_without_each_of_them() -> None:
    named = set(
        re.findall(r"`([\w.-]+)`", "".join(re.findall(r"^\| (?:the|`).*$", (ROOT / "README.md").read_text(), re.M)))
    )
    assert needed_in_ci() - named == set()
