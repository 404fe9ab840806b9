"""Who may do what (semantics, section 7), in one table, and the way from a Django account to an actor of the log."""

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import AnonymousUser, User

if TYPE_CHECKING:
    from collections.abc import Collection

    from board.services.actor import Actor


class Accounts(ModelBackend):
    """Django's own accounts; here so that the session names a backend of ours."""


def roles_of(user: User | AnonymousUser) -> frozenset[str]:
    """The roles somebody holds now: the names of the groups, asked anew for every request."""
    kept: frozenset[str] | None = getattr(user, "_foldboard_roles", None)
    if kept is None:
        kept = frozenset(user.groups.values_list("name", flat=True)) if user.is_authenticated else frozenset()
        user._foldboard_roles = kept  # type: ignore[union-attr]
    return kept


def actor_for(user: User) -> "Actor":
    """Who acts, for the services: name, roles and rights as they are at this moment."""
    from board.services.actor import Actor

    return Actor(
        name=user.get_username(),
        roles=roles_of(user),
        operator=user.has_perm("board.operator"),
        editor=user.has_perm("board.editor"),
        admin=user.is_superuser,
    )


def may_view(user: User | AnonymousUser, roles: "Collection[str]") -> bool:
    """Whether somebody sees a process whose rows name these roles.

    Everybody who is logged in sees everything, unless FOLDBOARD_VIEW=roles: then holders of one of the roles,
    and those who operate or edit, for they could not do their work blind.
    """
    if not user.is_authenticated:
        return False
    if settings.FOLDBOARD_VIEW != "roles" or user.is_superuser:
        return True
    return bool(roles_of(user) & set(roles)) or user.has_perm("board.operator") or user.has_perm("board.editor")


def may_start(user: User | AnonymousUser) -> bool:
    """Whether somebody may start an instance: operators and process editors."""
    return user.has_perm("board.operator") or user.has_perm("board.editor")


def may_name_messages(user: User | AnonymousUser) -> bool:
    """Whether somebody sees the files of the inbox by name: a message names instances and elements of any process."""
    if settings.FOLDBOARD_VIEW != "roles":
        return user.is_authenticated
    return user.has_perm("board.operator")
