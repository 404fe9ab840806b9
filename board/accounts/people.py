"""Who holds which role, asked of the accounts now: a role taken away counts at once."""

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db.models import Q

from board.process.definition.table import Row
from board.process.flow.flow import Flow

MAX_OFFERED = 200


def roles_for(definition: Row, flow: Flow) -> Collection[str]:
    """Return the roles any of which may do a task."""
    return definition.roles or flow.roles


def holders(roles: Collection[str]) -> list[User]:
    """Return the active accounts that hold one of the roles, by name."""
    accounts = User.objects.filter(is_active=True).filter(Q(groups__name__in=roles) | Q(is_superuser=True)).distinct()
    return list(accounts.order_by("first_name", "last_name", "username")[:MAX_OFFERED])


def holds(name: str, roles: Collection[str]) -> bool:
    """Return whether an active account of that name holds one of the roles."""
    accounts = User.objects.filter(username=name, is_active=True)
    return accounts.filter(Q(groups__name__in=roles) | Q(is_superuser=True)).exists()
