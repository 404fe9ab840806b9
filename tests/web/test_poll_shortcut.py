"""Those who watch a board are answered in front of Django, and by Django again once their rights may be others."""

import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.contrib.auth.signals import user_logged_out
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client

from board import poll_shortcut
from board.accounts.changes import changes
from board.log.tail import Tail
from board.poll_shortcut import PollShortcut
from tests.views.boards import say, start, through_review
from tests.views.conftest import Login

BOARD = "/instances/2026Q1/"


@pytest.fixture
def tail(cast: dict[str, User], store: Path, tmp_path: Path, settings: Any) -> Tail:
    settings.FOLDBOARD_VAR = tmp_path
    found = start(store)
    through_review(found, ["Rwanda", "Norway"])
    return found


class Server:
    """What gunicorn serves, with a count of the requests that Django saw."""

    def __init__(self) -> None:
        self.django, self.asked = WSGIHandler(), 0
        self.watching = PollShortcut(self._counted)

    def _counted(self, environ: dict[str, Any], start: Callable[..., Any]) -> Any:
        self.asked += 1
        return self.django(environ, start)

    def get(self, client: Client, path: str, query: str = "", method: str = "GET") -> tuple[int, dict[str, str], str]:
        """(status, headers, text) of what somebody with a client's cookies asks for, without what names one request."""
        said: list[tuple[str, list[tuple[str, str]]]] = []
        environ = client._base_environ() | {  # type: ignore[attr-defined]
            "REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": query, "HTTP_HOST": "localhost",
            "HTTP_HX_REQUEST": "true", "wsgi.input": io.BytesIO(),
        }  # fmt: skip
        body = self.watching(environ, lambda status, headers, *_: said.append((status, headers)))
        text = b"".join(body).decode()
        if hasattr(body, "close"):
            body.close()
        return int(said[0][0][:3]), {name: value for name, value in said[0][1] if name != "X-Request-ID"}, text

    def poll(self, client: Client, v: str, query: str = "", path: str = BOARD) -> int:
        """The status of a poll."""
        return self.get(client, f"{path}news/", f"v={v}{query}")[0]


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def committed(django_capture_on_commit_callbacks: Any) -> Callable[[], Any]:
    """A block whose changes are committed at its end."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


def position(client: Client, path: str = BOARD) -> str:
    found = re.search(r'data-v="([^"]+)"', client.get(path).text)
    assert found is not None
    return found[1]


def test_who_is_known_is_answered_without_django_and_with_the_same_headers(
    tail: Tail, login: Login, server: Server
) -> None:
    client = login("ana")
    v = position(client)
    first = server.get(client, f"{BOARD}news/", f"v={v}")
    again = server.get(client, f"{BOARD}news/", f"v={v}")
    assert first == again
    assert first[0] == 204
    assert "Content-Security-Policy" in again[1]
    assert "no-store" in again[1]["Cache-Control"]
    assert server.asked == 1


def test_news_are_made_by_django_once_and_then_given_to_all_who_are_known(
    tail: Tail, login: Login, server: Server
) -> None:
    ana, ben = login("ana"), login("ben")
    v = position(ana)
    for each in (ana, ben):
        server.poll(each, v)
    say(tail, "review", "done", "Norway", actor="ben")
    made = server.get(ana, f"{BOARD}news/", f"v={v}")
    given = server.get(ben, f"{BOARD}news/", f"v={v}")
    assert made == given
    assert 'id="r10"' in given[2]
    assert server.asked == 3
    assert server.get(ben, f"{BOARD}news/", f"v={v}&status=open")[2] != given[2]
    assert server.asked == 4


def test_nobody_is_answered_for_somebody_else(tail: Tail, login: Login, server: Server) -> None:
    ana = login("ana")
    v = position(ana)
    assert server.poll(ana, v) == 204
    assert server.poll(Client(), v) == 401
    forged = Client()
    forged.cookies["foldboard_session"] = "x" * 32
    assert server.poll(forged, v) == 401
    assert server.asked == 3


def test_a_known_watcher_of_one_instance_is_not_known_to_another(
    tail: Tail, login: Login, server: Server, store: Path
) -> None:
    client = login("ana")
    start(store, "other")
    v = position(client)
    server.poll(client, v)
    server.poll(client, v, path="/instances/other/")
    assert server.asked == 2


@pytest.mark.parametrize("path", ["/instances/-/", f"{BOARD}log/", f"{BOARD}tasks/review@Norway/"])
def test_other_news_go_to_django(tail: Tail, login: Login, server: Server, path: str) -> None:
    client = login("ana")
    v = position(client)
    for _ in range(2):
        say(tail, "review", "fine", "Norway", field="note", actor="ben")
        server.poll(client, v, path=path)
    assert server.asked == 2


@pytest.mark.parametrize("query", ["v=", "v=x-1", "&" * 30_000 + "v=1", "v=%ff%00", "\xff=\xfe", "x=1&" * 2000])
def test_what_cannot_be_answered_here_is_left_to_django(tail: Tail, login: Login, server: Server, query: str) -> None:
    client = login("ana")
    server.poll(client, position(client))
    before = server.asked
    assert server.get(client, f"{BOARD}news/", query)[0] in (200, 400, 409)
    assert server.asked == before + 1


def test_a_watcher_is_asked_again_who_he_is(tail: Tail, login: Login, server: Server) -> None:
    client = login("ana")
    v = position(client)
    with patch.object(poll_shortcut, "KEPT_S", 0.0):
        server.poll(client, v)
        server.poll(client, v)
    assert server.asked == 2


def lose_rights(olga: User) -> None:
    olga.user_permissions.remove(*Permission.objects.filter(codename="operator"))
    olga.groups.clear()


ENDS: dict[str, tuple[str, Callable[[User], Any], int]] = {
    "a lost role": ("sam", lambda sam: sam.groups.clear(), 404),
    "a closed account": ("sam", lambda sam: User.objects.get(pk=sam.pk).delete(), 401),
    "a group that is gone": ("sam", lambda _: Group.objects.get(name="steward").delete(), 404),
    "a right taken away": ("olga", lose_rights, 404),
}


@pytest.mark.parametrize("end", ENDS)
def test_lost_rights_end_the_watching_at_once(
    tail: Tail, login: Login, server: Server, cast: dict[str, User], settings: Any, committed: Any, end: str
) -> None:
    name, lose, status = ENDS[end]
    settings.FOLDBOARD_VIEW = "roles"
    client = login(name)
    v = position(client)
    assert server.poll(client, v) == 204
    say(tail, "review", "near the end", "Norway", field="note", actor="ben")
    assert server.poll(client, v) == 200
    with committed():
        lose(cast[name])
    assert server.poll(client, v) == status


def test_a_logout_ends_the_watching_at_once(tail: Tail, login: Login, server: Server) -> None:
    client = login("sam")
    v = position(client)
    assert server.poll(client, v) == 204
    kept = client.cookies["foldboard_session"].value
    client.post("/account/logout/")
    client.cookies["foldboard_session"] = kept
    assert server.poll(client, v) == 401


def test_a_poll_in_the_middle_of_a_logout_is_not_remembered(tail: Tail, login: Login, server: Server) -> None:
    client = login("sam")
    v = position(client)
    gone, polled = Client(), list[int]()
    gone.cookies["foldboard_session"] = client.cookies["foldboard_session"].value

    def poll(**_: Any) -> None:  # Django tells of a logout before it ends the session
        polled.append(server.poll(gone, v))

    user_logged_out.connect(poll)
    try:
        client.post("/account/logout/")
    finally:
        user_logged_out.disconnect(poll)
    assert (polled, server.poll(gone, v)) == ([204], 401)


def test_a_change_that_comes_while_somebody_is_let_through_counts(
    tail: Tail, login: Login, server: Server, cast: dict[str, User], settings: Any, committed: Any
) -> None:
    settings.FOLDBOARD_VIEW = "roles"
    client = login("sam")
    v = position(client)
    django = server.django

    def slow(environ: dict[str, Any], start: Callable[..., Any]) -> Iterator[bytes]:
        answer: Any = django(environ, start)
        return iter([b"".join(answer)])

    def and_meanwhile(environ: dict[str, Any], start: Callable[..., Any]) -> Iterator[bytes]:
        def late(*said: Any) -> None:
            with committed():
                cast["sam"].groups.clear()
            start(*said)

        return slow(environ, late)

    server.watching.application = and_meanwhile
    assert server.poll(client, v) == 204
    server.watching.application = slow
    say(tail, "review", "after it", "Norway", field="note", actor="ben")
    assert server.poll(client, v) == 404


def test_a_login_is_no_change_of_rights(cast: dict[str, User], tail: Tail, committed: Any) -> None:
    before = changes()
    with committed():
        cast["ana"].save(update_fields=["last_login"])
    assert changes() == before
    with committed():
        cast["ana"].save()
    assert changes() == before + 1


def test_junk_among_the_cookies_is_not_remembered_and_what_is_takes_the_same_room_for_all(
    tail: Tail, login: Login, server: Server
) -> None:
    client = login("ana")
    v = position(client)
    for number in range(200):
        client.cookies["junk"] = str(number) * 100
        assert server.poll(client, v) == 204
    assert (server.asked, len(server.watching.known)) == (1, 1)
    client.cookies["junk"] = "x" * 100_000
    assert server.poll(client, v) == 204
    assert (server.asked, len(server.watching.known)) == (2, 1)
    forged = Client()
    for number in range(200):
        forged.cookies["foldboard_session"] = f"{number:x<32}"
        assert server.poll(forged, v) == 401
    assert [len(who) for who in server.watching.known] == [16]


def test_of_too_many_watchers_the_one_longest_there_is_asked_anew(tail: Tail, login: Login, server: Server) -> None:
    ana, ben, sam = login("ana"), login("ben"), login("sam")
    v = position(ana)
    with patch.object(poll_shortcut, "MOST", 2):
        for each in (ana, ben, sam, ben, sam):
            server.poll(each, v)
        assert (server.asked, len(server.watching.known)) == (3, 2)
        server.poll(ana, v)
    assert server.asked == 4


def test_the_headers_that_all_answers_have_are_kept_once(tail: Tail, login: Login, server: Server) -> None:
    ana, ben = login("ana"), login("ben")
    v = position(ana)
    for each in (ana, ben):
        server.poll(each, v)
    first, second = server.watching.known.values()
    assert first.headers is second.headers


def test_another_log_is_asked_about_anew(tail: Tail, login: Login, server: Server, store: Path) -> None:
    client = login("ana")
    server.poll(client, position(client))
    (store / "events.jsonl").unlink()
    start(store, elements=[("Chad", "Africa")])
    assert server.poll(client, position(client)) == 204
    assert server.asked == 2
