"""Accounts: names the log would take for somebody else are refused, and every process hears of changes."""

import os
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models.signals import m2m_changed, post_delete, post_save, pre_save
from django.utils import timezone

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


def changes() -> int:
    """Return how often accounts, roles and rights changed and logins ended on this machine; costs one `stat`."""
    try:
        return os.stat(_changes_path()).st_size
    except OSError:
        return 0


def _changes_path() -> str:
    # beside the sessions, which all processes of a machine share too; it grows by a byte with each change
    return f"{settings.FOLDBOARD_VAR}/account-changes"


def note_change() -> None:
    """Count one more change."""
    # whoever may not write here changed something all the same; others then learn of it a little later
    with suppress(OSError), open(_changes_path(), "ab") as file:
        file.write(b".")


def _changing(update_fields: frozenset[str] | None = None, **_: Any) -> None:
    if update_fields != frozenset({"last_login"}):
        transaction.on_commit(note_change)  # until then everybody else reads what was


def follow_changes() -> None:
    """Count what this process changes about accounts, and end the tokens that go with it."""
    pre_save.connect(_end_tokens, sender=User, dispatch_uid="foldboard-tokens")
    rights: tuple[Any, ...] = (User.groups.through, User.user_permissions.through, Group.permissions.through)
    for sender in rights:
        m2m_changed.connect(_changing, sender=sender, dispatch_uid="foldboard-rights")
    for sender in (User, Group):
        post_save.connect(_changing, sender=sender, dispatch_uid="foldboard-accounts")
        post_delete.connect(_changing, sender=sender, dispatch_uid="foldboard-accounts")


def _end_tokens(instance: User, update_fields: frozenset[str] | None = None, raw: bool = False, **_: Any) -> None:
    """End an account's tokens with its password, and when it is switched off."""
    if raw or (update_fields is not None and not {"password", "is_active"} & set(update_fields)):
        return
    before = User.objects.filter(pk=instance.pk).only("password", "is_active").first()
    if before is None:
        return
    why = ""
    if before.is_active and not instance.is_active:
        why = "account"
    elif before.password != instance.password and not _is_same_password(instance, update_fields):
        why = "password"
    if why:
        now = timezone.now()
        instance.tokens.filter(ended_by="", ends__gt=now).update(ends=now, ended_by=why)


def _is_same_password(user: User, update_fields: frozenset[str] | None) -> bool:
    """Return whether Django only hashes a password anew, as it does at a login with one that was hashed less dearly."""
    # set_password leaves the words there for the validators, until after the saving; hashing anew takes them away
    told = getattr(user, "_password", None) is not None or not user.has_usable_password()
    return update_fields == frozenset({"password"}) and not told
