import json
from pathlib import Path
from typing import Any

import pytest

from board.process.definition.quorum import QuorumError, need

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "quorum.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['spec']!r} of {case['n']}")
def test_the_number_needed_is_the_agreed_one(case: dict[str, Any]) -> None:
    if case["expected"] is None:
        with pytest.raises(QuorumError):
            need(case["spec"], case["n"])
    else:
        assert need(case["spec"], case["n"]) == case["expected"]
