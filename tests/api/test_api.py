"""The API: tokens, the same rights as the board, and messages that are applied once."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from board.api import tokens
from board.process.definition.table import ElementList, ProcessTable
from board.selectors import current
from board.services import definitions, instances
from board.services.actor import anybody

ROWS = [
    {"task": "each", "collection": "unit"},
    {"task": "delivery", "role": "system", "parent": "each"},
    {"task": "review", "role": "analyst", "parent": "each", "depends_on": "delivery"},
    {"task": "approve", "role": "management", "depends_on": "each"},
]

Send = Callable[..., tuple[int, Any]]


@pytest.fixture
def send(cast: dict[str, User]) -> Send:
    """`send("ana", "get", "instances", body)` gives the status and the decoded answer."""
    definitions.save(current.tail(), anybody("ed"), "Quarterly", ProcessTable.from_rows(ROWS), "first")
    instances.start(current.tail(), anybody("olga"), "Quarterly", "2026Q1", ElementList.from_ids(["north", "süd/2"]))
    secrets = {name: tokens.make(user, "test") for name, user in cast.items()}

    def make(name: str, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {secrets.get(name, name)}"}
        data = json.dumps(body) if body is not None else ""
        answer = Client().generic(method.upper(), f"/api/{path}", data, "application/json", headers=headers)
        return answer.status_code, json.loads(answer.content)

    return make


def test_without_a_token_nothing_is_told(send: Send) -> None:
    assert send("wrong token", "get", "instances")[0] == 401
    assert Client().get("/api/instances").status_code == 401


def test_the_token_of_an_account_that_was_closed_is_worth_nothing(send: Send, cast: dict[str, User]) -> None:
    cast["ana"].is_active = False
    cast["ana"].save()
    assert send("ana", "get", "instances")[0] == 401


def test_an_instance_is_told_with_its_rows_and_counts(send: Send) -> None:
    status, found = send("nobody", "get", "instances/latest")
    assert status == 200
    assert (found["instance"], found["state"]) == ("2026Q1", "active")
    assert found["rows"][0] == {
        "task": "delivery", "element": "north", "status": "open", "waiting": None, "assignee": None, "due": None
    }  # fmt: skip
    assert found["rows"][-1]["waiting"] == "each"
    assert [count["task"] for count in found["counts"]] == ["delivery", "review"]
    assert send("ana", "get", "instances/none")[0] == 404


def test_a_message_is_applied_once_however_often_it_is_sent(send: Send, cast: dict[str, User]) -> None:
    cast["nobody"].user_permissions.add(Permission.objects.get(codename="sender"))
    message = {"task": "delivery", "element": "süd/2"}
    assert send("nobody", "put", "messages/mail-4711", message) == (
        200,
        {"ref": "api/nobody/mail-4711", "outcome": "applied"},
    )
    assert send("nobody", "put", "messages/mail-4711", message)[1]["outcome"] == "duplicate"
    status, found = send("nobody", "get", "instances/2026Q1/events")
    assert status == 200
    events = [e for e in found["events"] if e["ref"]]
    assert [(e["task"], e["element"], e["actor"], e["ref"]) for e in events] == [
        ("delivery", "süd/2", "nobody", "api/nobody/mail-4711")
    ]


def test_a_message_needs_the_right_and_never_finishes_what_people_do(send: Send) -> None:
    assert send("ana", "put", "messages/m1", {"task": "delivery", "element": "north"})[0] == 403
    status, said = send("olga", "put", "messages/m2", {"task": "review", "element": "north"})
    assert status == 422
    assert "people_only" in said["message"]
    said = {"task": "review", "element": "north", "field": "assignee", "value": "mira"}
    assert send("olga", "put", "messages/m4", said)[0] == 422
    assert send("olga", "put", "messages/m5", said | {"field": "note", "value": "by mail"})[0] == 200
    assert send("olga", "put", "messages/m3", {"task": "delivery", "instance": "none"})[0] == 404
    assert send("olga", "put", "messages/.hidden", {"task": "delivery"})[0] == 422


def test_people_act_by_the_api_under_their_own_rights(send: Send) -> None:
    send("olga", "put", "messages/m1", {"task": "delivery", "element": "north"})
    wish = {"task": "review", "element": "north", "do": "finish", "value": "done"}
    assert send("mira", "post", "instances/2026Q1/act", wish)[0] == 403
    status, events = send("ana", "post", "instances/2026Q1/act", wish)
    assert (status, events[0]["actor"], events[0]["value"]) == (200, "ana", "done")
    status, said = send("ben", "post", "instances/2026Q1/act", wish)
    assert status == 409
    assert "ana was first" in said["message"]


def test_events_are_read_on_from_a_position(send: Send) -> None:
    _, first = send("ana", "get", "instances/2026Q1/events?limit=2")
    assert len(first["events"]) == 2
    _, rest = send("ana", "get", f"instances/2026Q1/events?after={first['position']}")
    _, whole = send("ana", "get", "instances/2026Q1/events")
    assert first["events"] + rest["events"] == whole["events"]
    send("olga", "put", "messages/m1", {"task": "delivery", "element": "north"})
    _, new = send("ana", "get", f"instances/2026Q1/events?after={rest['position']}")
    assert [e["ref"] for e in new["events"]] == ["api/olga/m1"]
    assert send("ana", "get", "instances/2026Q1/events?after=nonsense")[0] == 409


def test_an_instance_is_started_by_whoever_may(send: Send) -> None:
    wish = {"process": "Quarterly", "instance": "q2", "elements": ["a", "b"]}
    assert send("ana", "post", "instances", wish)[0] == 403
    status, head = send("olga", "post", "instances", wish)
    assert (status, head["created_by"]) == (201, "olga")
    assert send("olga", "post", "instances", wish)[0] == 409
    assert send("olga", "post", "instances", wish | {"instance": "q3", "elements": ["a", "a"]})[0] == 422


def test_a_process_is_told_as_its_table(send: Send) -> None:
    status, found = send("ana", "get", "processes/Quarterly")
    assert status == 200
    assert found["table"]["task"] == ["each", "delivery", "review", "approve"]


def test_where_roles_decide_what_is_seen_the_api_decides_alike(
    send: Send, settings: Any, cast: dict[str, User]
) -> None:
    settings.FOLDBOARD_VIEW = "roles"
    assert send("nobody", "get", "instances")[1] == []
    for path in ("instances/2026Q1", "instances/2026Q1/events", "processes/Quarterly"):
        assert send("nobody", "get", path)[0] == 404
    cast["nobody"].user_permissions.add(Permission.objects.get(codename="sender"))
    assert send("nobody", "put", "messages/m1", {"task": "delivery", "element": "north"})[0] == 404
    assert len(send("ana", "get", "instances")[1]) == 1


def test_the_page_of_the_api_names_every_operation(login: Any) -> None:
    page = login("ana").get("/api/").content.decode()
    for path in ("/api/instances/{instance}/events", "/api/messages/{ref}", "/api/processes/{name}"):
        assert path in page
    described = login("ana").get("/api/openapi.json").json()
    assert described["info"]["title"] == "Foldboard"
