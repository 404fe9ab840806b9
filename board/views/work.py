"""My work: what is open for me now, over all instances, and finishing it right there."""

from collections.abc import Callable
from http import HTTPStatus

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django_htmx.http import trigger_client_event

from board.http import Request
from board.log.event import Event
from board.log.tail import Tail
from board.log.worker_lock import worker_alive
from board.permissions import actor_for, may_view, roles_of
from board.process.decide import Refusal, title
from board.selectors import cards, desk, work
from board.services import tasks
from board.services.tasks import Place
from board.templatetags.look import said_for_people

# refusals that a new try could not help, because the row has moved on
TOO_LATE = frozenset({"finished", "assigned", "not_ready", "unchanged", "cancelled"})
INCOMPLETE = frozenset({"note_needed", "answer"})


def index(request: Request) -> HttpResponse:
    """The page a day starts with."""
    return _page(request)


def news(request: Request) -> HttpResponse:
    """204 while the page is true; else its cards. `v` is what the page depends on, and the content that is shown."""
    tail = desk.tail()
    seen = _seen_by(request, tail)
    shown = request.GET.get("v", "")
    if shown.startswith(seen):
        return _fresh(HttpResponse(status=204), shown)
    found = work.my_work(tail, request.user, timezone.now())
    version = seen + found.version
    if shown.rpartition("|")[2] == version.rpartition("|")[2]:
        return _fresh(HttpResponse(status=204), version)
    return _fresh(render(request, "work/index.html#news", {"work": found}), version)


def act(request: Request, instance: str, row: tuple[str, str]) -> HttpResponse:
    """Do something to a row of the page: `do` is take, start, comment, retry or `finish:ANSWER`; `note` beside it."""
    if request.method != "POST":
        return redirect("task", instance, row)
    tail, place = desk.tail(), Place(*row)
    name = _seen(request, tail, instance, place)
    wish, value = request.POST.get("do", "").partition(":")[::2]
    try:
        done = _wishes(request, tail, instance, place, value)[wish]()
    except KeyError:
        raise Http404(f"There is nothing called “{wish}” to do to a task.") from None
    except Refusal as refusal:
        if _is_done_by_the_same(request, tail, instance, place, refusal, value):
            return _done(request, f"{name}: finished.")
        return _refused(request, refusal, instance, row)
    return _done(request, _words(wish, value, name, done))


def _seen_by(request: Request, tail: Tail) -> str:
    """What the page depends on beside the hour: the position of the log, the roles, and whether the worker lives."""
    alive = "alive" if worker_alive(settings.FOLDBOARD_STORE) else "away"
    return f"{tail.refresh()}|{','.join(sorted(roles_of(request.user)))}|{alive}-"


def _page(request: Request, status: int = 200, refused: dict[str, str] | None = None) -> HttpResponse:
    tail = desk.tail()
    seen = _seen_by(request, tail)
    found = work.my_work(tail, request.user, timezone.now())
    context = {"work": found, "version": seen + found.version, "hour": timezone.localtime().hour, "refused": refused}
    return render(request, "work/index.html", context, status=status)


def _seen(request: Request, tail: Tail, instance: str, place: Place) -> str:
    """How people call the row; 404 for what is not there, or not for this person."""
    with tail.reading():
        found = tail.get(instance)
        row = found.find(*place) if found is not None and may_view(request.user, found.flow.roles) else None
        if found is None or row is None:
            raise Http404("There is no such task.")
        return title(found, row)


def _wishes(
    request: Request, tail: Tail, instance: str, place: Place, value: str
) -> dict[str, Callable[[], list[Event]]]:
    who, note = actor_for(request.user), request.POST.get("note", "")
    return {
        "take": lambda: tasks.take(tail, instance, place, who),
        "start": lambda: tasks.start(tail, instance, place, who),
        "finish": lambda: tasks.finish(tail, instance, place, who, value or "done", note),
        "comment": lambda: tasks.comment(tail, instance, place, who, note),
        "retry": lambda: tasks.retry(tail, instance, place, who),
    }


def _is_done_by_the_same(
    request: Request, tail: Tail, instance: str, place: Place, refusal: Refusal, value: str
) -> bool:
    """Whether this is only the second click of the same hand: nothing to be told off for."""
    if refusal.code != "finished":
        return False
    with tail.reading():
        found = tail.get(instance)
        row = found.find(*place) if found is not None else None
        last = found.latest(row, "status") if found is not None and row is not None else None
    return last is not None and (last.actor, last.value) == (request.user.get_username(), value or "done")


def _words(wish: str, value: str, name: str, done: list[Event]) -> str:
    again = [event for event in done if event.field == "status" and event.actor.endswith("(re-arm)")]
    more = f" {len(again)} more opened again." if again else ""
    return {
        "take": f"{name} is yours now.",
        "start": f"{name}: started.",
        "finish": f"{name}: {'finished' if value in ('', 'done') else f'answered “{value}”'}.{more}",
        "comment": f"Your comment on {name} is in the log.",
        "retry": f"{name}: the worker tries again.",
    }[wish]


def _done(request: Request, words: str) -> HttpResponse:
    if request.htmx:
        return trigger_client_event(HttpResponse(status=204), "say", {"text": words, "kind": "success"})
    messages.success(request, words)
    return redirect("work")


def _refused(request: Request, refusal: Refusal, instance: str, row: tuple[str, str]) -> HttpResponse:
    """409 when somebody was faster, 422 when something is missing, 403 for no right; what was typed comes back."""
    status = HTTPStatus.FORBIDDEN
    if refusal.code in INCOMPLETE:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    elif refusal.code in TOO_LATE:
        status = HTTPStatus.CONFLICT
    words = said_for_people(refusal.message)
    if request.htmx:
        return trigger_client_event(HttpResponse(status=status), "say", {"text": words, "kind": "error"})
    key = cards.key_of(instance, *row)
    return _page(request, status, {"message": words, "key": key, "note": request.POST.get("note", "")})


def _fresh(response: HttpResponse, version: str) -> HttpResponse:
    response["X-Position"] = version
    return response
