"""What base.html shows on every page: who somebody is, whether the worker lives, how much is open for them."""

from dataclasses import dataclass

from django.contrib.auth.models import User

from board.permissions import roles_of


@dataclass(frozen=True, slots=True)
class Shell:
    """The frame around a page."""

    name: str
    username: str
    roles: tuple[str, ...]
    is_staff: bool


def shell(user: User) -> Shell:
    """For one logged-in person."""
    return Shell(
        name=user.get_full_name() or user.get_username(),
        username=user.get_username(),
        roles=tuple(sorted(roles_of(user))),
        is_staff=user.is_staff,
    )
