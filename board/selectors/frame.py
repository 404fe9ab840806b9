"""What base.html shows on every page: who somebody is, how much is open for them, whether the worker lives."""

from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from board.accounts import names
from board.accounts.permissions import may_view, roles_of
from board.log.worker_lock import worker_alive
from board.selectors import current
from board.selectors.summaries import all_of
from board.selectors.work import work


@dataclass(frozen=True, slots=True)
class Shell:
    """The frame around a page. `ready`: scripts that could run, of which there are too many when no worker is alive."""

    name: str
    short: str
    username: str
    roles: tuple[str, ...]
    is_staff: bool
    open: int
    alive: bool
    ready: int
    day: str

    @property
    def version(self) -> str:
        """Changes whenever the frame of an open page is no longer true."""
        return f"{self.alive:d}-{self.ready}-{self.open}-{self.day}"


def shell(user: User) -> Shell:
    """Return the frame for one logged-in person."""
    tail = current.tail()
    alive = worker_alive(settings.FOLDBOARD_STORE)
    ready = 0
    if not alive:
        with tail.reading():
            ready = sum(digest.scripts_ready for i, digest in all_of(tail) if may_view(user, i.flow.roles))
    return Shell(
        name=user.get_full_name() or user.get_username(),
        short=names.shown(user.get_username()),
        username=user.get_username(),
        roles=tuple(sorted(roles_of(user))),
        is_staff=user.is_staff,
        open=work.number(tail, user),
        alive=alive,
        ready=ready,
        day=timezone.localdate().isoformat(),
    )
