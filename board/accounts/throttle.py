"""How many wrong passwords are enough: for a name from one address, for a name from anywhere, from one address."""

from datetime import timedelta
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any

from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.helpers import get_client_username
from axes.models import AccessAttempt, AccessLog
from django.conf import settings
from django.db.models import Q, Sum
from django.http import HttpRequest

BY_NAME = 10  # few enough that many addresses with a guess each get nowhere
BY_ADDRESS = 30  # many people may share one, and mistype on the same morning
KNOWN_FOR = timedelta(days=30)
Counted = IPv4Address | IPv6Address


def origin(request: HttpRequest) -> str | None:
    """Return the address a login counts for; None where there is none, as behind a socket.

    Of IPv6 the network of 64 bits: whoever has one address has all of those.
    """
    try:
        return str(_counted(ip_address(client_address(request))))
    except ValueError:
        return None


def client_address(request: HttpRequest) -> str:
    """Return whose login this is: the peer, or what the outermost of our own FOLDBOARD_PROXIES proxies saw.

    Entries further left in X-Forwarded-For come from the client, who may write anything there.
    """
    forwarded: list[str] = [
        part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if part.strip()
    ]
    if settings.FOLDBOARD_PROXIES and forwarded:
        return forwarded[-min(settings.FOLDBOARD_PROXIES, len(forwarded))]
    return str(request.META.get("REMOTE_ADDR", ""))


def _counted(address: Counted) -> Counted:
    if isinstance(address, IPv4Address):
        return address
    return address.ipv4_mapped or IPv6Address(int(address) >> 64 << 64)


class Throttle(AxesDatabaseHandler):  # type: ignore[misc]
    """Three limits that each hold by itself; whose name is guessed elsewhere still gets in from where he is known."""

    def get_failures(self, request: Any, credentials: dict[str, Any] | None = None) -> int:
        """Return the wrong passwords of the nearest limit, shifted so that AXES_FAILURE_LIMIT is where each ends."""
        name, address = Q(username=get_client_username(request, credentials)), Q(ip_address=request.axes_ip_address)
        limits = {"pair": (name & address, settings.AXES_FAILURE_LIMIT), "address": (address, BY_ADDRESS)}
        if not _is_known(request, name & address):
            limits["name"] = (name, BY_NAME)
        recent = AccessAttempt.objects.filter(name | address, attempt_time__gte=get_cool_off_threshold(request))
        sums = recent.aggregate(**{key: Sum("failures_since_start", filter=of) for key, (of, _) in limits.items()})
        left = min(most - (sums[key] or 0) for key, (_, most) in limits.items())
        return int(settings.AXES_FAILURE_LIMIT) - left

    def reset_user_attempts(self, request: Any, credentials: dict[str, Any] | None = None) -> int:
        """Forget what this name got wrong here; a login of one's own does not pay for guesses at other names."""
        here = AccessAttempt.objects.filter(
            username=get_client_username(request, credentials), ip_address=request.axes_ip_address
        )
        return int(here.delete()[0])


def _is_known(request: Any, who: Q) -> bool:
    """Return whether this name has logged in from here lately."""
    return bool(AccessLog.objects.filter(who, attempt_time__gte=request.axes_attempt_time - KNOWN_FOR).exists())
