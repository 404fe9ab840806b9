"""The worker's page: is it alive, since when, which code, what runs, what waits, and the inbox."""

from django.http import HttpResponse
from django.shortcuts import render

from board.accounts.permissions import may_name_messages, may_name_places
from board.selectors import worker as selectors
from board.selectors.worker import WorkerView
from board.web.http import Request


def index(request: Request) -> HttpResponse:
    """The page."""
    worker = _view(request)
    return render(request, "worker/index.html", _context(worker) | {"version": worker.version})


def news(request: Request) -> HttpResponse:
    """204 while the page is true, else its parts."""
    worker = _view(request)
    if request.GET.get("v") == worker.version:
        response = HttpResponse(status=204)
    else:
        response = render(request, "worker/index.html#news", _context(worker))
    response["X-Position"] = worker.version
    return response


def _view(request: Request) -> WorkerView:
    return selectors.store_view(
        request.user, names=may_name_messages(request.user), paths=may_name_places(request.user)
    )


def _context(worker: WorkerView) -> dict[str, object]:
    return {
        "worker": worker,
        "silent": worker.owner is not None and not worker.alive,
        "slow": worker.alive and selectors.is_slow(worker.seen),
    }
