"""What the pages of one instance share: finding it, hiding it, and the address its links begin with."""

from django.contrib.auth.models import User
from django.http import Http404
from django.urls import reverse

from board.accounts.permissions import may_view, may_view_all
from board.log.stream import InstanceHead
from board.selectors import current
from board.selectors.instance import snapshots
from board.selectors.instance.snapshots import Snapshot
from board.web.http import Request


class Unreadable(Http404):
    """An instance that was started and cannot be folded; its head says why."""

    def __init__(self, head: InstanceHead, user: User) -> None:
        super().__init__(head.broken)
        self.head, self.user = head, user


def seen(request: Request, instance_id: str) -> Snapshot:
    """The instance as it is now; 404 when there is none for this person, Unreadable when it cannot be shown."""
    snapshot = snapshots.snapshot(current.tail(), instance_id)
    head = current.tail().head(instance_id) if snapshot is None else None
    if head is not None and head.broken and may_view_all(request.user):
        raise Unreadable(head, request.user)
    if snapshot is None or not may_view(request.user, snapshot.instance.flow.roles):
        raise Http404(f"There is no instance “{instance_id}”.")
    return snapshot


def check_seen(request: Request, instance_id: str) -> str:
    """The id of the instance, never `latest`; 404 as `seen` has it. For polls, which are many: nothing is drawn."""
    instance = current.tail().get(instance_id)
    if instance is None or not may_view(request.user, instance.flow.roles):
        raise Http404(f"There is no instance “{instance_id}”.")
    return instance.id


def base_of(instance_id: str) -> str:
    """The address of an instance's board, which all its other addresses begin with."""
    return reverse("instance", args=[instance_id])
