"""My work: what is open for me now, over all instances, and finishing it right there."""

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django_htmx.http import trigger_client_event

from board.accounts.permissions import actor_for, may_view, roles_of
from board.log.tail import Tail
from board.log.worker_lock import worker_alive
from board.process.engine.decide import Refusal
from board.selectors import current
from board.selectors.words import said_for_people
from board.selectors.work import cards, work
from board.services.tasks import Place
from board.web import row_actions
from board.web.http import Request
from board.web.row_actions import Wish


def index(request: Request) -> HttpResponse:
    """The page a day starts with."""
    return _page(request)


def news(request: Request) -> HttpResponse:
    """204 while the page is true; else its cards. `v` is what the page depends on, and the content that is shown."""
    tail = current.tail()
    seen = _seen_by(request, tail)
    shown = request.GET.get("v", "")
    if shown.startswith(seen) and shown.isprintable():  # it goes back as a header
        return _fresh(HttpResponse(status=204), shown)
    mine = work.my_work(tail, request.user, timezone.now())
    version = seen + mine.version
    if shown.rpartition("|")[2] == version.rpartition("|")[2]:
        return _fresh(HttpResponse(status=204), version)
    return _fresh(render(request, "work/index.html#news", {"work": mine}), version)


def act(request: Request, instance: str, row: tuple[str, str]) -> HttpResponse:
    """Do something to a row of the page: `do` is take, start, comment, retry or `finish:ANSWER`; `note` beside it."""
    if request.method != "POST":
        return redirect("task", instance, row)
    tail, place, wish = current.tail(), Place(*row), Wish.read(request.POST)
    _check_seen(request, tail, instance, place)
    try:
        outcome = row_actions.act(tail, instance, place, actor_for(request.user), wish)
    except Refusal as refusal:
        return _refused(request, refusal, instance, place, wish.note)
    if request.htmx:
        return trigger_client_event(HttpResponse(status=204), "say", {"text": outcome.said, "kind": "success"})
    messages.success(request, outcome.said)
    return redirect("work")


def _seen_by(request: Request, tail: Tail) -> str:
    """What the page depends on beside the hour: the position of the log, the roles, and whether the worker lives."""
    alive = "alive" if worker_alive(settings.FOLDBOARD_STORE) else "away"
    return f"{tail.refresh()}|{','.join(sorted(roles_of(request.user)))}|{alive}-"


def _page(request: Request, status: int = 200, refused: dict[str, str] | None = None) -> HttpResponse:
    tail = current.tail()
    seen = _seen_by(request, tail)
    mine = work.my_work(tail, request.user, timezone.now())
    context = {"work": mine, "version": seen + mine.version, "hour": timezone.localtime().hour, "refused": refused}
    return render(request, "work/index.html", context, status=status)


def _check_seen(request: Request, tail: Tail, instance: str, place: Place) -> None:
    """404 for a row that is not there, or not for this person."""
    with tail.reading():
        folded = tail.get(instance)
        if folded is None or not may_view(request.user, folded.flow.roles) or folded.find(*place) is None:
            raise Http404("There is no such task.")


def _refused(request: Request, refusal: Refusal, instance: str, place: Place, note: str) -> HttpResponse:
    """The reason with the status that goes with it; what was typed comes back."""
    status, words = row_actions.status_of(refusal), said_for_people(refusal.message)
    if request.htmx:
        return trigger_client_event(HttpResponse(status=status), "say", {"text": words, "kind": "error"})
    return _page(request, status, {"message": words, "key": cards.key_of(instance, *place), "note": note})


def _fresh(response: HttpResponse, version: str) -> HttpResponse:
    response["X-Position"] = version
    return response
