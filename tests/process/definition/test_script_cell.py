"""What a script cell may name: one rule, and editor and worker both keep to it."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from board.process.definition.script_cell import Function, ScriptError, ScriptFile, read_script, why_not
from board.process.definition.table import ProcessTable
from board.process.validation.problems import check
from worker.script.executors import command
from worker.script.jail import Refused

WORDS = st.text(st.sampled_from("aR0_./:~\\ é\u2028\x00\ud800-C"), max_size=12)


@pytest.mark.parametrize(
    ("script", "named"),
    [
        ("forecast.R", ScriptFile("forecast.R")),
        ("sub/load.py", ScriptFile("sub/load.py")),
        ("sub/a:b.py", ScriptFile("sub/a:b.py")),
        ("mypkg::forecast", Function("R", "mypkg", "mypkg", "forecast")),
        ("mypkg.reports:forecast", Function("python", "mypkg", "mypkg.reports", "forecast")),
        ("p:f", Function("python", "p", "p", "f")),
    ],
)
def test_a_cell_names_a_file_or_a_function(script: str, named: Function | ScriptFile) -> None:
    assert read_script(script) == named


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("R::f()", "plain function"), ("a:::b", "plain function"), ("a.py\u2028", "control character"),
        ("x" * 1100, "at most 1,024"), ("C:\\x.py", "backslash"), ("C:/x.py", "drive letter"), ("/bin/sh", "absolute"),
        ("a/../b.sh", "climbs out"), ("~/x.sh", "home directory"), ("a\x00b", "control character"), ("", "empty"),
    ],
)  # fmt: skip
def test_what_cannot_run_says_why(script: str, says: str) -> None:
    with pytest.raises(ScriptError, match=says):
        read_script(script)


@given(WORDS)
@example("R::f")
@example("a\u2028.py")
@example("x" * 1100)
@example("p:f")
def test_editor_and_worker_refuse_the_same_cells(script: str) -> None:
    table = ProcessTable.from_rows([{"task": "t", "role": "system", "script": script}])
    cell = table.rows[0].script  # as a table keeps it
    if not cell:
        return
    warned = any(each.code == "script-refused" for each in check(table))
    try:
        command(cell, Path("/nowhere"))
        refused = False
    except Refused as error:
        refused = "may not run: " in str(error)
    assert warned == refused == bool(why_not(cell))
