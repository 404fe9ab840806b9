"""The table of who may do what: every cell, decided for a Django account."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from board.accounts.permissions import (
    EDITOR,
    HOLDER,
    MAY,
    OPERATOR,
    VIEWER,
    Accounts,
    actor_for,
    may,
    may_view,
    roles_of,
)
from board.log.tail import Tail, shared
from board.process.definition.table import ProcessTable
from board.process.engine.actor import Actor
from board.process.engine.decide import Refusal
from board.services import definitions, instances, tasks
from board.services.actor import anybody
from board.services.tasks import Place
from tests.views.conftest import Login

# who of the cast stands in which column of the table, for tasks of the role `analyst`
COLUMNS = {"nobody": VIEWER, "sam": VIEWER, "ana": HOLDER, "olga": OPERATOR, "ed": EDITOR}
ROWS: list[dict[str, str | None]] = [
    {"task": "review", "name": "Review", "role": "analyst"},
    {"task": "done", "name": "Done before", "role": "analyst"},
    {"task": "script", "name": "Script", "role": "system", "script": "a.sh"},
    {"task": "broken", "name": "Broken script", "role": "system", "script": "b.sh"},
    {"task": "message", "name": "Message", "role": "system"},
]


@pytest.fixture
def tail(store: Path) -> Tail:
    tail = shared(store)
    table = ProcessTable.from_rows(ROWS)
    instances.start(tail, anybody("admin"), "Process", "one", table=table)
    ben = Actor("ben", frozenset({"analyst"}))
    tasks.finish(tail, "one", Place("done"), ben)
    tasks.fail(tail, "one", Place("broken"), anybody("admin"), "for the test")
    return tail


def wishes(tail: Tail, who: Actor) -> dict[str, Callable[[], object]]:
    """Every line of the table as a wish of `who`; what is asked for in addition is given."""
    table = ProcessTable.from_rows(ROWS)
    return {
        "take": lambda: tasks.take(tail, "one", Place("review"), who),
        "start": lambda: tasks.start(tail, "one", Place("review"), who),
        "finish": lambda: tasks.finish(tail, "one", Place("review"), who),
        "comment": lambda: tasks.comment(tail, "one", Place("review"), who, "a word"),
        "reopen": lambda: tasks.reopen(tail, "one", Place("done"), who, "why"),
        "assign": lambda: tasks.assign(tail, "one", Place("review"), who, "ben"),
        "due": lambda: tasks.set_due(tail, "one", Place("review"), who, "2026-12-24"),
        "retry a script": lambda: tasks.retry(tail, "one", Place("broken"), who),
        "fail a script": lambda: tasks.fail(tail, "one", Place("script"), who, "why"),
        "finish a receive task": lambda: tasks.finish(tail, "one", Place("message"), who, note="why"),
        "cancel an instance": lambda: instances.cancel(tail, "one", who, "why"),
        "resume an instance": lambda: _resume(tail, who),
        "start an instance": lambda: instances.start(tail, who, "Process", "two", table=table),
        "edit a process": lambda: definitions.save(tail, who, "Process", table, "why"),
    }


def _resume(tail: Tail, who: Actor) -> None:
    instances.cancel(tail, "one", anybody("admin"), "why")
    instances.resume(tail, "one", who)


def is_done(wish: Callable[[], object]) -> bool:
    try:
        wish()
    except Refusal as refusal:
        if refusal.code != "no_right":
            raise
        return False
    return True


def cells() -> Iterable[tuple[str, str]]:
    return [(what, name) for what in MAY if what != "see" for name in COLUMNS]


@pytest.mark.parametrize(("what", "name"), cells())
def test_every_cell_of_the_table_is_what_the_services_decide(
    cast: dict[str, User], tail: Tail, what: str, name: str
) -> None:
    assert is_done(wishes(tail, actor_for(cast[name]))[what]) == (COLUMNS[name] in MAY[what])


@pytest.mark.parametrize("what", [what for what in MAY if what != "see"])
def test_an_admin_may_do_everything(cast: dict[str, User], tail: Tail, what: str) -> None:
    assert is_done(wishes(tail, actor_for(cast["admin"]))[what])


@pytest.mark.parametrize("name", COLUMNS)
def test_everybody_sees_everything_at_first(cast: dict[str, User], name: str) -> None:
    assert may_view(cast[name], {"analyst"})


@pytest.mark.parametrize(
    ("name", "sees"), [("ana", True), ("sam", False), ("nobody", False), ("olga", True), ("ed", True), ("admin", True)]
)
def test_with_view_by_roles_only_who_has_to_do_with_a_process_sees_it(
    cast: dict[str, User], settings: Any, name: str, sees: bool
) -> None:
    settings.FOLDBOARD_VIEW = "roles"
    assert may_view(cast[name], {"analyst", "management"}) == sees


def test_a_process_without_roles_is_everybodys(cast: dict[str, User], settings: Any) -> None:
    settings.FOLDBOARD_VIEW = "roles"
    assert may_view(cast["nobody"], set())


def test_rights_come_from_groups_and_from_the_account_itself(cast: dict[str, User]) -> None:
    assert may(cast["olga"], "cancel an instance")
    assert not may(cast["ana"], "cancel an instance")
    assert may(cast["ed"], "start an instance")
    assert not may(cast["ed"], "cancel an instance")


def test_a_role_taken_away_is_gone_at_the_next_request(cast: dict[str, User], login: Login) -> None:
    ana = login("ana")
    assert "analyst" in ana.get("/").text
    cast["ana"].groups.remove(Group.objects.get(name="analyst"))
    assert "· analyst" not in ana.get("/").text


def test_an_account_comes_with_its_roles_in_one_query(cast: dict[str, User]) -> None:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        ana, nobody = Accounts().get_user(cast["ana"].pk), Accounts().get_user(cast["nobody"].pk)
        assert ana is not None
        assert nobody is not None
        assert (roles_of(ana), roles_of(nobody)) == (frozenset({"analyst"}), frozenset())
    assert len(queries) == 2


def test_an_account_that_is_switched_off_is_logged_out(cast: dict[str, User], login: Login) -> None:
    ana = login("ana")
    cast["ana"].is_active = False
    cast["ana"].save()
    assert ana.get("/").status_code == 302


def test_the_groups_operator_and_editor_hold_their_rights_from_the_start(db: None) -> None:
    held = {
        group.name: set(group.permissions.values_list("codename", flat=True))
        for group in Group.objects.filter(name__in=("operator", "editor"))
    }
    assert held == {"operator": {"operator"}, "editor": {"editor"}}
