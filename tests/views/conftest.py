"""The cast, a store of its own for every test, and a client that is logged in."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from board.selectors import names
from tests.cast import make_cast

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


@pytest.fixture
def login(cast: dict[str, User]) -> Login:
    """`login("ana")` gives a client; `login("ana", htmx=True)` one that asks for fragments."""

    def make(name: str, *, htmx: bool = False) -> Client:
        client = Client(headers={"HX-Request": "true"} if htmx else {})
        client.force_login(cast[name])
        return client

    return make
