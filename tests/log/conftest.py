"""The two logs, which keep one contract."""

from pathlib import Path

import pytest

from board.log.base import Log
from board.log.file import open_log
from board.log.memory import MemoryLog


@pytest.fixture(params=["file", "memory"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Log:
    return open_log(tmp_path / "store") if request.param == "file" else MemoryLog()
