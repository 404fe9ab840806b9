"""Tokens of other systems: each speaks for one account, and may do what that account may."""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING

from django.http import HttpRequest
from ninja.security import HttpBearer

from board.models import Token

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def make(user: User, name: str) -> str:
    """Make a token for an account; returns the secret, which is kept nowhere: only its hash is."""
    secret = f"fb_{secrets.token_urlsafe(32)}"
    Token.objects.create(user=user, name=name, digest=digest_of(secret))
    return secret


def digest_of(secret: str) -> str:
    """What the database knows of a secret: 256 random bits need no salt."""
    return hashlib.sha256(secret.encode()).hexdigest()


class Bearer(HttpBearer):
    """`Authorization: Bearer …`; sets `request.user`, so that everything behind asks the same permissions."""

    def authenticate(self, request: HttpRequest, token: str) -> Token | None:
        """The token, None when it is unknown or its account is not active."""
        found = Token.objects.select_related("user").filter(digest=digest_of(token), user__is_active=True).first()
        if found is not None:
            request.user = found.user
        return found
