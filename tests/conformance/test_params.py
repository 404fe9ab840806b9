import json
from pathlib import Path
from typing import Any

import pytest

from board.process.definition.params import ParamsError, parse_params

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "params.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["params"])
def test_a_params_cell_becomes_the_agreed_environment(case: dict[str, Any]) -> None:
    if case["expected"] is None:
        with pytest.raises(ParamsError):
            parse_params(case["params"])
    else:
        assert parse_params(case["params"]) == case["expected"]
