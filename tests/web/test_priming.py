"""Nobody is answered before it is asked whether they may see: every address, every role, with answers others primed."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from board.api import tokens
from board.log.tail import Tail
from board.process.definition.table import ElementList, ProcessTable
from board.services import definitions, instances
from board.services.actor import anybody
from tests.story import tell
from tests.views import test_frame
from tests.views.boards import say
from tests.views.conftest import Login
from tests.web.test_poll_shortcut import Server

NAMED = "hidden1"  # the instance, and in the addresses that are asked
WORDS = ("zqstep", "zqregion", "zqcomment", "zqprocess")  # what only those who may see it read
ROWS: list[dict[str, str | None]] = [
    {"task": "country", "name": "Each country", "collection": "country"},
    {"task": "load", "name": "zqstep load", "role": "system", "script": "load.py", "parent": "country"},
    {"task": "approve", "name": "zqstep approve", "role": "steward", "parent": "country", "depends_on": "load"},
]
PARTS = test_frame.PARTS | {"instance": NAMED, "row": "approve@Norway", "name": "Hidden", "task": "approve"}
SEEN, HIDDEN = frozenset({200, 204}), frozenset({301, 302, 401, 403, 404, 405, 406})


@pytest.fixture
def tail(cast: dict[str, User], store: Path, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Tail:
    settings.FOLDBOARD_VAR, settings.FOLDBOARD_VIEW = tmp_path, "roles"
    monkeypatch.setattr(test_frame, "PARTS", PARTS)
    tail = tell(store)
    definitions.save(tail, anybody("ed"), "Hidden", ProcessTable.from_rows(ROWS), "zqprocess begins")
    elements = ElementList.from_rows(("country", "region"), [("Norway", "zqregion"), ("Brazil", "zqregion")])
    instances.start(tail, anybody("olga"), "Hidden", NAMED, elements)
    happen(tail)
    return tail


def happen(tail: Tail) -> None:
    say(tail, "load", "done", "Norway", actor="worker", instance=NAMED)
    say(tail, "approve", "zqcomment", "Norway", field="note", actor="sam", instance=NAMED)


def addresses() -> list[str]:
    """What a page or a program reads of the board."""
    return sorted(a for a in set(test_frame.addresses()) if not a.startswith(("/admin/", "/account/logout")))


@pytest.fixture
def client(cast: dict[str, User], login: Login) -> Any:
    """Somebody's browser, which shows the token of their account too."""

    def make(name: str) -> Client:
        found = login(name, htmx=True)
        found.defaults["HTTP_AUTHORIZATION"] = f"Bearer {tokens.make(cast[name], 'test')}"
        return found

    return make


def asked(server: Server, who: Client, positions: list[str]) -> Iterator[tuple[str, int, str]]:
    """(what was asked, status, text) of every address, at each position."""
    for address in addresses():
        for v in positions:
            for method in ("GET", "HEAD"):
                status, headers, text = server.get(who, address, f"v={v}", method)
                yield f"{method} {address}?v={v}", status, f"{headers.get('Location', '')} {text}"


def leaks(server: Server, who: Client, positions: list[str]) -> list[tuple[str, int]]:
    """What told somebody of the hidden instance anything, or answered as if they might see it."""
    return [
        (what, status)
        for what, status, text in asked(server, who, positions)
        if any(word in text for word in WORDS)
        or (NAMED not in what and "Hidden" not in what and NAMED in text)
        or (f"/{NAMED}/" in what and status not in HIDDEN)
    ]


def test_the_attack_would_find_what_those_who_may_see_it_see(tail: Tail, client: Any) -> None:
    found = leaks(Server(), client("sam"), ["x", str(tail.refresh())])
    for part in ("", "news/", "log/news/", "tasks/approve@Norway/news/", "log/events.csv"):
        assert any(f"/instances/{NAMED}/{part}?" in what for what, _ in found), part
    assert any(f"/api/instances/{NAMED}?" in what for what, _ in found)
    assert any("GET /instances/?" in what for what, _ in found)


@pytest.mark.parametrize("name", ["ana", "mira", "nobody"])
def test_who_may_not_see_an_instance_gets_nothing_however_it_was_primed(tail: Tail, client: Any, name: str) -> None:
    server, sam, other = Server(), client("sam"), client(name)
    before = str(tail.refresh())
    assert leaks(server, other, [before]) == []  # primes with the position it stands at
    happen(tail)
    now = str(tail.refresh())
    for _ in asked(server, sam, [before, now]):  # makes every answer there is
        pass
    assert leaks(server, other, [before, now, "x"]) == []


def lose_the_role(sam: User) -> None:
    sam.groups.remove(Group.objects.get(name="steward"))


def be_switched_off(sam: User) -> None:
    sam.is_active = False
    sam.save()


@pytest.mark.parametrize("end", [lose_the_role, be_switched_off])
def test_who_may_no_longer_see_it_gets_nothing_of_what_was_remembered(
    tail: Tail, client: Any, cast: dict[str, User], django_capture_on_commit_callbacks: Any, end: Callable[[User], None]
) -> None:
    server, sam, olga = Server(), client("sam"), client("olga")
    before = str(tail.refresh())
    happen(tail)
    now = str(tail.refresh())
    for who in (sam, olga):
        assert SEEN.issuperset(s for what, s, _ in asked(server, who, [before, now]) if f"{NAMED}/news/" in what)
    with django_capture_on_commit_callbacks(execute=True):
        end(cast["sam"])
    for _ in range(2):  # what is refused primes nothing either
        assert leaks(server, sam, [before, now, "x"]) == []


def test_the_newest_instance_is_asked_about_anew_each_time(tail: Tail, client: Any, store: Path) -> None:
    server, ana, olga = Server(), client("ana"), client("olga")
    definitions.save(tail, anybody("ed"), "Open", ProcessTable.from_rows([{"task": "a", "role": "analyst"}]), "first")
    instances.start(tail, anybody("olga"), "Open", "open1")
    before = str(tail.refresh())
    assert server.get(ana, "/instances/latest/news/", f"v={before}")[0] == 204
    instances.start(tail, anybody("olga"), "Hidden", "hidden2", ElementList.from_ids(["Norway"]))
    assert "zqstep" in server.get(olga, "/instances/latest/news/", f"v={before}")[2]
    assert server.get(ana, "/instances/latest/news/", f"v={before}")[0] == 404


def test_a_process_that_is_now_for_more_roles_does_not_name_its_older_instances(tail: Tail, client: Any) -> None:
    server, ana, sam = Server(), client("ana"), client("sam")
    rows: list[dict[str, str | None]] = [*ROWS, {"task": "check", "name": "Check", "role": "analyst"}]
    definitions.save(tail, anybody("ed"), "Hidden", ProcessTable.from_rows(rows), "for analysts too")
    for who, sees in ((ana, False), (sam, True)):
        page = server.get(who, "/processes/Hidden/")[2]
        assert "zqstep" in page
        assert (NAMED in page) == sees
        assert ("not started yet" in server.get(who, "/processes/")[2]) != sees
