"""The conformance data of what a script prints, read whole, byte by byte and from a file."""

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest

from worker.script.outputs import OutputScanner, read_outputs

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("answers.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_outputs_are_read_as_the_conformance_data_say(case: dict[str, Any], tmp_path: Path) -> None:
    log = base64.b64decode(case["log_base64"])
    (tmp_path / "log").write_bytes(log)
    fd = os.open(tmp_path / "log", os.O_RDONLY)
    try:
        assert read_outputs(fd).found == case["expected"]
    finally:
        os.close(fd)
    scanner = OutputScanner()
    for at in range(len(log)):
        scanner.feed(log[at : at + 1], last=at == len(log) - 1)
    assert scanner.found == case["expected"]
