"""The cast, a store of its own for every test, and a client that is logged in."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.test import Client

from board.accounts import names
from board.accounts.sessions import SessionStore
from tests.cast import make_cast
from tests.pages import Browser

Login = Callable[..., Client]


@pytest.fixture
def store(tmp_path: Path, settings: Any) -> Path:
    """An empty store the board looks into."""
    path = tmp_path / "store"
    path.mkdir()
    settings.FOLDBOARD_STORE = path
    return path


@pytest.fixture
def cast(db: None, store: Path) -> dict[str, User]:
    """ana and ben (analyst), sam (steward), mira (management), olga (operator), ed (editor), admin, nobody."""
    names.forget()
    return make_cast()


def _session(user: User) -> str:
    """What is left of a login, without the login itself, which has tests of its own and takes longer than a page."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "board.accounts.permissions.Accounts"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    assert session.session_key
    return session.session_key


@pytest.fixture
def login(cast: dict[str, User]) -> Login:
    """`login("ana")` gives a client; `login("ana", htmx=True)` one that asks for fragments."""

    def make(name: str, *, htmx: bool = False) -> Client:
        client = Browser(headers={"HX-Request": "true"} if htmx else {})
        client.cookies[settings.SESSION_COOKIE_NAME] = _session(cast[name])
        return client

    return make
