"""The worker's page: is it alive, since when, which code, what runs, what waits, and the inbox."""

from django.http import HttpResponse
from django.shortcuts import render

from board.accounts.permissions import may_name_messages, may_name_places
from board.selectors import worker as selectors
from board.selectors.worker import WorkerView
from board.web.http import Request


def index(request: Request) -> HttpResponse:
    """The page."""
    found = _view(request)
    return render(request, "worker/index.html", _context(found) | {"version": found.version})


def news(request: Request) -> HttpResponse:
    """204 while the page is true, else its parts."""
    found = _view(request)
    if request.GET.get("v") == found.version:
        response = HttpResponse(status=204)
    else:
        response = render(request, "worker/index.html#news", _context(found))
    response["X-Position"] = found.version
    return response


def _view(request: Request) -> WorkerView:
    return selectors.store_view(
        request.user, names=may_name_messages(request.user), paths=may_name_places(request.user)
    )


def _context(found: WorkerView) -> dict[str, object]:
    return {
        "worker": found,
        "silent": found.owner is not None and not found.alive,
        "slow": found.alive and selectors.is_slow(found.seen),
    }
