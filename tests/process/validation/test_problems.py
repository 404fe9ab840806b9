"""Every error and warning of the agreement, each shown once with its place and remedy."""

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from board.process.definition.table import COLUMNS, ProcessTable
from board.process.flow.flow import compile_flow
from board.process.validation.problems import MAX_ROWS, Problem, check, has_errors


def read(*lines: str) -> ProcessTable:
    """Read a small table written as lines of `column=cell | column=cell`."""
    rows = [dict(cell.strip().split("=", 1) for cell in line.split("|")) for line in lines]
    return ProcessTable.from_rows(rows)


def found(*lines: str) -> list[Problem]:
    return check(read(*lines))


def codes(*lines: str) -> list[tuple[int, str]]:
    return [(each.row, each.code) for each in found(*lines)]


SOUND = (
    "task=start",
    "task=country | collection=unit | depends_on=start | complete_when=90% | sequential=TRUE",
    "task=load | parent=country | role=system | script=load.sh | retry=2 | retry_delay=0.5 | timeout=60 | params=a=1;b",
    "task=review | parent=country | role=analyst | depends_on=load | due=5d | assignee=ana",
    "task=approve | role=steward | depends_on=country | not_by=review",
    "task=qa | role=system | script=mypkg.reports:check | depends_on=approve, fix",
    "task=fix | role=analyst | depends_on=qa:false",
    "task=publish | role=management | depends_on=qa:true | join=inclusive | rearm=no",
)


def test_a_sound_table_has_no_problem() -> None:
    assert found(*SOUND) == []


@pytest.mark.parametrize(
    ("lines", "row", "column", "code"),
    [
        (["name=A"], 1, "task", "id-missing"),
        (["task=1a"], 1, "task", "id-malformed"),
        (["task=a/b"], 1, "task", "id-malformed"),
        (["task=@instance"], 1, "task", "id-reserved"),
        (["task=a", "task=b", "task=a"], 3, "task", "id-repeated"),
        (["task=a | parent=g"], 1, "parent", "parent-unknown"),
        (["task=a | parent=b", "task=b"], 1, "parent", "parent-no-group"),
        (
            ["task=a | collection=u | parent=b", "task=b | collection=v | parent=a", "task=t"],
            1,
            "parent",
            "parent-cycle",
        ),
        (["task=a | collection=u | parent=a", "task=t"], 1, "parent", "parent-cycle"),
        (["task=g | collection=u | depends_on=m", "task=m | parent=g"], 1, "depends_on", "group-own-member"),
        (["task=g | collection=u", "task=m | parent=g | depends_on=g:done"], 2, "depends_on", "member-own-group"),
        (["task=a", "task=g | collection=u"], 2, "collection", "group-empty"),
        (["task=a | join=most"], 1, "join", "join-unreadable"),
        (
            ["task=g | collection=u | complete_when=inclusive", "task=a | parent=g"],
            1,
            "complete_when",
            "complete-when-unreadable",
        ),
        (["task=a | role=system | script=x.sh | retry=1.5"], 1, "retry", "retry-unreadable"),
        (["task=a | role=system | script=x.sh | retry_delay=-1"], 1, "retry_delay", "retry-delay-unreadable"),
        (["task=a | role=system | script=x.sh | timeout=1h"], 1, "timeout", "timeout-unreadable"),
        (["task=a | due=tomorrow"], 1, "due", "due-unreadable"),
        (["task=a | params=2=1"], 1, "params", "params-unreadable"),
        (["task=a | depends_on=b"], 1, "depends_on", "dependency-unknown"),
        (["task=a | depends_on=:x"], 1, "depends_on", "dependency-unknown"),
        (["task=a | depends_on=a:no"], 1, "depends_on", "dependency-itself"),
        (["task=a", "task=b | depends_on=a:skipped"], 2, "depends_on", "label-reserved"),
        (["task=a | script=x.sh"], 1, "script", "script-not-system"),
        (["task=a | role=System | script=x.sh"], 1, "script", "script-not-system"),
        *(
            ([f"task=a | role=system | script={script}"], 1, "script", "script-refused")
            for script in ("/bin/sh", "../x.sh", "a/../../x.sh", "C:/x.py", "c:x.py", "a\\b.sh", "~/x.sh", "a\tb.sh")
        ),
    ],
)
def test_an_error_names_its_row_and_column(lines: list[str], row: int, column: str, code: str) -> None:
    problems = found(*lines)
    assert (row, column, code) in [(each.row, each.column, each.code) for each in problems]
    assert has_errors(problems)


@pytest.mark.parametrize("lines", [[], ["task=g | collection=unit"]])
def test_a_table_without_a_task_is_an_error_of_the_whole_table(lines: list[str]) -> None:
    assert (0, "no-task") in codes(*lines)


@pytest.mark.parametrize(
    "script", ["x.sh", "sub/load.py", "a..b.sh", "mypkg::forecast", "mypkg.reports:forecast", "x~.sh"]
)
def test_scripts_inside_the_jobs_directory_are_no_problem(script: str) -> None:
    assert found(f"task=a | role=system | script={script}") == []


@pytest.mark.parametrize(
    ("lines", "row", "column", "code", "says"),
    [
        (
            ["task=qa | role=system | script=q.sh", "task=fix | depends_on=qa:false"],
            2,
            "depends_on",
            "read-as-fix",
            "`no` under `rearm`",
        ),
        (
            ["task=s", "task=a | depends_on=s,b", "task=b | depends_on=s,a:no"],
            2,
            "depends_on",
            "cycle-by-order",
            "`b` of `a` is taken for the way back",
        ),
        (["task=b | depends_on=a", "task=a | depends_on=b"], 1, "depends_on", "cycle-no-entry", "first row, `b`"),
        (["task=q", "task=x | depends_on=q:yes,q:no"], 2, "depends_on", "answers-exclude", "`q:no` and `q:yes`"),
        (["task=q", "task=x | depends_on=q,q:failed"], 2, "depends_on", "answers-exclude", "`q` and `q:failed`"),
        (
            ["task=q", "task=f | depends_on=q:no", "task=x | depends_on=q:yes,f"],
            3,
            "depends_on",
            "answers-exclude",
            "`any`",
        ),
        (
            ["task=q", "task=x | depends_on=q:Yes", "task=y | depends_on=q:yes"],
            3,
            "depends_on",
            "labels-case",
            "two answers",
        ),
        (
            ["task=q", "task=x | depends_on=q:rejected", "task=y | depends_on=q"],
            3,
            "depends_on",
            "any-answer",
            "`rejected`",
        ),
        (["task=a | timeout=5"], 1, "timeout", "timeout-no-script", "no script"),
        (["task=a | retry=1"], 1, "retry", "retry-no-script", "no script"),
        (
            [
                "task=g | collection=u",
                "task=q | parent=g",
                "task=f | parent=g | depends_on=q:no",
                "task=e | depends_on=f",
            ],
            4,
            "depends_on",
            "waits-for-skippable",
            "wait for the group",
        ),
        (["task=a | not_by=b"], 1, "not_by", "not-by-unknown", "keeps nobody"),
        (["task=a | sequential=perhaps"], 1, "sequential", "sequential-unread", "reads as no"),
        (["task=a | rearm=never"], 1, "rearm", "rearm-unread", "write `no`"),
    ],
)
def test_a_warning_names_its_place_and_remedy(lines: list[str], row: int, column: str, code: str, says: str) -> None:
    problems = found(*lines)
    assert not has_errors(problems)
    (warning,) = [each for each in problems if each.code == code]
    assert (warning.level, warning.row, warning.column) == ("warning", row, column)
    assert says in warning.message


def test_every_problem_is_listed_at_once_in_table_order() -> None:
    assert codes("task=a b | due=x | join=y", "task=c | depends_on=ghost,c", "task=c | script=../x") == [
        (1, "id-malformed"),
        (1, "join-unreadable"),
        (1, "due-unreadable"),
        (2, "dependency-itself"),
        (2, "dependency-unknown"),
        (3, "id-repeated"),
        (3, "script-not-system"),
        (3, "script-refused"),
    ]


def test_a_misspelt_dependency_is_answered_with_the_likely_one() -> None:
    (error,) = found("task=validate", "task=b | depends_on=valdate")
    assert "is `validate` meant?" in error.message
    assert str(error) == f"error: row 2 (b), depends_on: {error.message}"


def test_roles_and_scripts_are_asked_for_only_when_the_facts_are_handed_in() -> None:
    table = read("task=a | role=steward", "task=b | role=system | script=b.sh", "task=c | role=system | script=/b.sh")
    assert [each.code for each in check(table)] == ["script-refused"]
    assert [(each.row, each.code) for each in check(table, roles_held={"analyst"}, scripts_found=lambda _: False)] == [
        (1, "role-unheld"),
        (2, "script-not-found"),
        (3, "script-refused"),
    ]
    assert [each.code for each in check(table, roles_held={"steward"}, scripts_found=lambda _: True)] == [
        "script-refused"
    ]


def test_a_fix_that_says_no_under_rearm_is_no_fix() -> None:
    assert codes("task=qa | role=system | script=q.sh", "task=fix | depends_on=qa:false | rearm=no") == []


def test_a_cycle_that_something_leads_into_is_no_problem() -> None:
    assert codes("task=start", "task=draft | depends_on=start,review:false", "task=review | depends_on=draft") == []


def test_the_same_answer_sent_back_to_all_starts_of_a_cycle_leaves_nothing_to_the_order_of_rows() -> None:
    lines = ["task=s", "task=a | depends_on=s,chk:no", "task=b | depends_on=s,chk:no", "task=chk | depends_on=a,b"]
    assert codes(*lines) == []
    assert codes(*lines[:2], "task=b | depends_on=s", *lines[3:]) == [(2, "cycle-by-order")]


def test_a_join_of_any_may_wait_for_both_branches() -> None:
    assert codes("task=q", "task=f | depends_on=q:no", "task=x | depends_on=q:yes,f | join=any") == []
    assert (4, "answers-exclude") in codes(
        "task=q", "task=f | depends_on=q:no", "task=z", "task=x | depends_on=q:yes,f,z | join=3"
    )
    assert codes("task=q", "task=f | depends_on=q:no", "task=z", "task=x | depends_on=q:yes,f,z | join=2") == []


def test_an_impossible_row_is_warned_about_and_not_all_that_follow_it() -> None:
    lines = ["task=q", "task=x | depends_on=q:yes,q:no", "task=y | depends_on=x", "task=z | depends_on=y"]
    assert codes(*lines) == [(2, "answers-exclude")]


def test_elements_that_are_counted_may_answer_differently() -> None:
    group = ["task=g | collection=u | complete_when=any", "task=q | parent=g", "task=x | depends_on=q:yes,q:no"]
    assert codes(*group) == []
    assert (3, "answers-exclude") in codes("task=g | collection=u", *group[1:])


def test_a_group_that_waits_for_answers_that_exclude_one_another_is_the_one_to_blame() -> None:
    lines = ["task=q", "task=g | collection=u | depends_on=q:yes,q:no", "task=a | parent=g", "task=b | parent=g"]
    assert codes(*lines) == [(2, "answers-exclude")]


def test_a_member_that_is_never_skipped_may_be_waited_for() -> None:
    group = [
        "task=g | collection=u",
        "task=q | parent=g",
        "task=y | parent=g | depends_on=q:yes",
        "task=n | parent=g | depends_on=q:no",
    ]
    both = "task=j | parent=g | depends_on=y,n | join=any"
    assert codes(*group, both, "task=end | depends_on=j") == []
    assert codes(*group, both, "task=end | depends_on=n") == [(6, "waits-for-skippable")]


def test_an_answer_that_starts_another_round_is_no_way_out() -> None:
    lines = ["task=s", "task=g | collection=u | depends_on=s", "task=draft | parent=g | depends_on=review:no"]
    lines += [
        "task=review | parent=g | depends_on=draft",
        "task=seal | parent=g | depends_on=review:yes",
        "task=end | depends_on=seal",
    ]
    assert codes(*lines) == []


def test_long_texts_are_shortened_in_messages() -> None:
    (error,) = found(f"task={'x' * 10_000}")
    assert len(error.message) < 300
    assert len(error.task) <= 60


def test_a_table_of_thousands_of_rows_is_checked_within_seconds() -> None:
    rows = [{"task": f"t{i}", "depends_on": f"t{i - 1}" if i else ""} for i in range(MAX_ROWS)]
    started = time.perf_counter()
    assert check(ProcessTable.from_rows(rows)) == []
    assert time.perf_counter() - started < 10
    assert [each.code for each in check(ProcessTable.from_rows([*rows, {"task": "last"}]))] == ["too-many-rows"]


def test_a_table_of_thousands_of_loops_within_loops_is_checked_within_seconds() -> None:
    last = MAX_ROWS - 1
    rows = [{"task": f"t{i}", "depends_on": f"t{i - 1}" if i else ""} for i in range(MAX_ROWS)]
    for i in range(last):
        rows[i]["depends_on"] += f", t{i + 1}:no"
    started = time.perf_counter()
    flow = compile_flow(ProcessTable.from_rows(rows))
    assert time.perf_counter() - started < 20
    assert all(flow.loop_backs(f"t{i}") == [f"t{i + 1}"] for i in range(last))


IDS = st.sampled_from(["", "a", "b", "c", "g", "h", "@instance", "1", "ä", "a b", "x" * 70])
CELLS = (
    st.lists(
        st.tuples(IDS, st.sampled_from(["", ":yes", ":no", ":Yes", ":failed", ":open", ":"])).map("".join), max_size=4
    ).map(",".join)
    | IDS
    | st.text(max_size=20)
    | st.sampled_from(
        ["system", "unit", "any", "n=2", "50%", "inclusive", "no", "x.sh", "a" * 10_000, "a," * 5_000, "=1+1"]
    )
)
TABLES = st.lists(
    st.fixed_dictionaries({}, optional=dict.fromkeys((*COLUMNS, "per", "region", ""), CELLS))
    | st.dictionaries(st.text(max_size=9), CELLS),
    max_size=9,
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(TABLES)
def test_no_table_however_odd_stops_the_validator(rows: list[dict[str, str | None]]) -> None:
    table = ProcessTable.from_rows(rows)
    for each in check(table, roles_held={"analyst"}, scripts_found=lambda _: False):
        assert 0 <= each.row <= len(table.rows)
        assert each.message.endswith(".")
        assert each.code


def test_each_of_several_roles_that_nobody_holds_is_named() -> None:
    table = ProcessTable.from_rows([{"task": "a", "role": "analyst, auditor"}])
    found = [each for each in check(table, roles_held={"analyst"}) if each.code == "role-unheld"]
    assert [each.message.partition("(")[0] for each in found] == ["Nobody holds the role “auditor” "]
