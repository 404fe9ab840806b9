"""Accounts as pages show them: the log knows `ana`, people know Ana."""

import time
from collections.abc import Collection
from threading import Lock

from django.contrib.auth.models import User
from django.db.models import StringAgg, Value

from board.process.engine.events import account

KEPT_S = 5.0  # so late may a new name, or a role taken away, be on somebody else's page
_BETWEEN = "\x1f"  # no name of a group has it


class _Accounts:
    """What was last read of all accounts, for all threads of this process."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.forget()

    def forget(self) -> None:
        self.read_at = 0.0
        self.names: dict[str, str] = {}
        self.roles: dict[str, frozenset[str]] = {}  # of those who may log in
        self.admins: frozenset[str] = frozenset()

    def fresh(self) -> "_Accounts":
        with self.lock:
            if not self.read_at or time.monotonic() - self.read_at > KEPT_S:
                accounts = User.objects.annotate(held=StringAgg("groups__name", Value(_BETWEEN))).order_by("pk")
                rows = list(
                    accounts.values_list("username", "first_name", "last_name", "is_active", "is_superuser", "held")
                )
                self.names = _short_names([row[:3] for row in rows])
                self.roles = {row[0]: frozenset((row[5] or "").split(_BETWEEN)) for row in rows if row[3]}
                self.admins = frozenset(row[0] for row in rows if row[3] and row[4])
                self.read_at = time.monotonic()
        return self


_accounts = _Accounts()


def _short_names(rows: list[tuple[str, str, str]]) -> dict[str, str]:
    """Return first names where they are enough to tell people apart, else the whole name, else the account."""
    firsts = [first for _, first, _ in rows]
    names = {}
    for username, first, last in rows:
        whole = f"{first} {last}".strip()
        names[username] = (first if first and firsts.count(first) == 1 else whole) or username
    return names


def forget() -> None:
    """Read the accounts anew at the next question."""
    _accounts.forget()


def shown(actor: str) -> str:
    """Return an actor of the log for people: `ana (re-arm)` reads `Ana (re-arm)`; others stay as they are."""
    name = account(actor)
    return _accounts.fresh().names.get(name, name) + actor.removeprefix(name)


def can_do(account: str, roles: Collection[str]) -> bool:
    """Return whether an account may log in and holds one of the roles, if any are named; else its tasks are free."""
    accounts = _accounts.fresh()
    held = accounts.roles.get(account)
    return held is not None and (not roles or account in accounts.admins or not held.isdisjoint(roles))
