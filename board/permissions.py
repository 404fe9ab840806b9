"""The name that logins of earlier versions carry in their sessions; they go on, nobody logs in by it anew."""

from typing import Any

from django.http import HttpRequest

from board.accounts import permissions


class Accounts(permissions.Accounts):
    """Accounts as ever, for sessions that name this class; the other of the two settings decides about a login."""

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> None:  # type: ignore[override]
        """Refuse: a password is judged once."""
