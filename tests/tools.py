"""Programs of the system that tests use: where one is missing, CI fails, and others are told."""

import os
import shutil
from importlib import import_module

import pytest


def tool(name: str) -> str:
    """Return the path of a program; without it the test fails in CI and is left out elsewhere."""
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if not path:
        missing(f"{name} is not installed")
    return str(path)


def cairo() -> None:
    """Ask for the library that draws PNG and PDF."""
    try:
        import_module("cairosvg")
    except OSError:
        missing("libcairo2 is not installed")


def missing(what: str) -> None:
    """Fail in CI and leave the test out elsewhere, since something it needs is not here."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)
