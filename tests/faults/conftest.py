"""Attacks on the worker. `make test` runs a short version of each, `make fire` the long one (FIRE=long)."""

import os
from pathlib import Path

import pytest

from tests.views.conftest import cast, login, store  # noqa: F401  fixtures
from tests.worker.site import Site

LONG = os.environ.get("FIRE") == "long"


def scale(short: int, long: int) -> int:
    """How much of an attack: the short or the long version."""
    return long if LONG else short


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)
