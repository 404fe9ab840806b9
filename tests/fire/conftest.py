"""The place every test of the worker works in."""

from pathlib import Path

import pytest

from tests.worker.site import Site


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)
