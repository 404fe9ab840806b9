"""Names of accounts: what the log would take for somebody else is no name."""

from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models.signals import pre_save

RESERVED = frozenset({"worker", "register", "external"})


def validate_name(name: str) -> None:
    """Raise ValidationError for a name that marks something else in the log: `worker`, `ana (re-arm)`."""
    if name.strip().casefold() in RESERVED:
        raise ValidationError(f"“{name}” is what the log calls itself. Choose another name.", code="reserved")
    if "(" in name or ")" in name:
        raise ValidationError(
            "A name has no parentheses: in the log they mark what was done on somebody's behalf. Leave them out.",
            code="parentheses",
        )


def _check(sender: type[User], instance: User, **_: Any) -> None:
    validate_name(instance.username)


def guard_names() -> None:
    """Hold the rule on every way an account is made: forms show it beside the field, code gets the exception."""
    # the cached list, not the field's own arguments, so Django sees no change to migrate
    User._meta.get_field("username").validators.append(validate_name)
    pre_save.connect(_check, sender=User, dispatch_uid="foldboard-account-names")
