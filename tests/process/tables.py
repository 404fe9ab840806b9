"""Tables for property tests: odd ones, and valid ones."""

from functools import cache
from typing import Any

from hypothesis import strategies as st

from board.process.definition.table import ElementList, ProcessTable
from board.process.flow.flow import compile_flow
from board.process.validation.problems import check

LABELS = ("", "", "", ":true", ":false", ":done", ":failed", ":approved")
ROLES = ("", "analyst", "management", "system")


# made once: making a strategy takes longer than drawing from it
LABEL, ROLE, BOOLEAN = st.sampled_from(LABELS), st.sampled_from(ROLES), st.booleans()
JOIN = st.sampled_from(["", "any", "inclusive", "n=2", "60%"])
COLLECTION = st.sampled_from(["unit", "unit", "region"])
ENOUGH = st.sampled_from(["", "", "any", "50%"])
between, one_of = cache(st.integers), cache(st.sampled_from)


@cache
def up_to_three(ids: tuple[str, ...]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(ids), max_size=3, unique=True)


@st.composite
def rows(draw: st.DrawFn, most: int = 8, groups: int = 2) -> list[dict[str, str]]:
    """Rows of a table with groups, answers, quorums and loops; not always a valid one."""
    number = draw(between(1, most))
    group_ids = [f"g{n}" for n in range(draw(between(0, groups)))]
    task_ids = [f"t{n}" for n in range(number)]
    found: list[dict[str, str]] = []
    for task in (*group_ids, *task_ids):
        targets = draw(up_to_three((*task_ids, *group_ids, "ghost")))
        depends = ", ".join([target + draw(LABEL) for target in targets if target != task])
        row = {"task": task, "depends_on": depends, "join": draw(JOIN)}
        if task in group_ids:
            row["collection"] = draw(COLLECTION)
            row["complete_when"] = draw(ENOUGH)
        else:
            row["role"] = draw(ROLE)
            row["script"] = f"{task}.py" if row["role"] == "system" and draw(BOOLEAN) else ""
            row["parent"] = draw(one_of(("", *group_ids)))
        found.append(row)
    return draw(st.permutations(found))


@st.composite
def startable(draw: st.DrawFn, most: int = 8) -> tuple[ProcessTable, ElementList]:
    """A table without errors, and elements for it."""
    given: list[dict[str, str]] = draw(rows(most))
    cells: list[dict[str, Any]] = [
        dict(row, depends_on=row["depends_on"].replace("ghost", given[0]["task"])) for row in given
    ]
    table = ProcessTable.from_rows(cells)
    wrong = {p.row for p in check(table) if p.level == "error"}
    while wrong:
        cells = [dict(row, depends_on="", parent="") if n in wrong else row for n, row in enumerate(cells, 1)]
        parents = {row.get("parent") for row in cells}
        cells = [row if row["task"] in parents else dict(row, collection="", complete_when="") for row in cells]
        table = ProcessTable.from_rows(cells)
        left = {p.row for p in check(table) if p.level == "error"}
        if left == wrong:
            table, left = ProcessTable.from_rows([{"task": "a"}, {"task": "b", "depends_on": "a"}]), set()
        wrong = left
    assert not compile_flow(table).nested
    return table, ElementList.from_ids([f"e{n}" for n in range(draw(between(0, 3)))])
