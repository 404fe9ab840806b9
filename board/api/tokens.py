"""Tokens of other systems: each speaks for one account until it ends, and may do what that account may."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import TYPE_CHECKING

from django.http import HttpRequest
from django.utils import timezone
from ninja.security import HttpBearer

from board.models import Token

if TYPE_CHECKING:
    from django.contrib.auth.models import User

DAYS = 365  # a token lasts, unless its maker says otherwise
MOST_DAYS = 3650


class Ended(Exception):
    """A token that was good once; the message says what ended it, and what to do."""


def make(user: User, name: str, days: int = DAYS) -> str:
    """Make a token for an account; returns the secret, which is kept nowhere: only its hash is."""
    secret = f"fb_{secrets.token_urlsafe(32)}"
    ends = timezone.now() + timedelta(days=days)
    Token.objects.create(user=user, name=name, digest=digest_of(secret), ends=ends)
    return secret


def digest_of(secret: str) -> str:
    """What the database knows of a secret: 256 random bits need no salt."""
    return hashlib.sha256(secret.encode()).hexdigest()


def why_ended(token: Token) -> str:
    """What ended a token and on which day, "" while it is good."""
    on = f"{timezone.localdate(token.ends):%Y-%m-%d}"
    if token.ended_by:
        return f"{token.get_ended_by_display()} on {on}"
    if not token.user.is_active:
        return str(Token.EndedBy.ACCOUNT.label)
    return f"its time was over on {on}" if token.ends <= timezone.now() else ""


class Bearer(HttpBearer):
    """`Authorization: Bearer …`; sets `request.user`, so that everything behind asks the same permissions."""

    def authenticate(self, request: HttpRequest, token: str) -> Token | None:
        """The token, None when it is unknown; raises Ended for one that is over."""
        found = Token.objects.select_related("user").filter(digest=digest_of(token)).first()
        if found is None:
            return None
        why = why_ended(found)
        if why:
            raise Ended(f"The token “{found.name}” has ended: {why}. An operator makes a new one: manage.py apitoken.")
        request.user = found.user
        return found
