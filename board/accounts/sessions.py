"""Sessions in files that the processes of a machine share, written through to the database."""

import time
from collections.abc import Iterable
from functools import partial
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends import cached_db, db
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models.signals import post_delete

from board.accounts.changes import note_change

CHECKED_S = 15.0  # how long a session is believed without a look into the database
MOST = 20_000
_checked: dict[str, float] = {}  # when the database was last seen to hold a session, by this process


class SessionStore(cached_db.SessionStore):
    """Django's, which also tells every process when a session has ended, and finds out where nobody told."""

    def load(self) -> dict[str, Any]:
        """Return what it holds; nothing, now and from the files, when the database has it no more."""
        data: dict[str, Any] = super().load()
        key = self.session_key
        if not data or key is None or time.monotonic() - _checked.get(key, -CHECKED_S) < CHECKED_S:
            return data
        if db.SessionStore.exists(self, key):
            _believe(key)
            return data
        self.delete(key)
        self._session_key = None
        return {}

    def save(self, must_create: bool = False) -> None:
        """Write it to the database, which has it then."""
        super().save(must_create)
        if self.session_key is not None:
            _believe(self.session_key)

    def delete(self, session_key: str | None = None) -> None:
        """End it; told afterwards, for Django's own signal of a logout comes while the session still counts."""
        super().delete(session_key)
        note_change()


def _believe(key: str) -> None:
    if len(_checked) >= MOST:
        _checked.clear()
    _checked[key] = time.monotonic()


def follow_ends() -> None:
    """End sessions in every process that are deleted in the database by Django: by its own commands, say."""
    post_delete.connect(_deleted, sender=Session, dispatch_uid="foldboard-sessions")


def _deleted(instance: Session, **_: Any) -> None:
    transaction.on_commit(partial(SessionStore().delete, instance.session_key))  # until then it is there for others


def end_all() -> int:
    """End every session; returns how many."""
    return _end(Session.objects.values_list("session_key", flat=True))


def end_of(user: User) -> int:
    """End the sessions of an account; returns how many."""
    own = str(user.pk)
    return _end(each.session_key for each in Session.objects.iterator() if each.get_decoded().get(SESSION_KEY) == own)


def _end(keys: Iterable[str]) -> int:
    ended = list(keys)
    for key in ended:
        SessionStore().delete(key)
    return len(ended)
