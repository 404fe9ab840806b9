"""One row: its page, its menu, what is done to it, its news, its attempts and their logs."""

import json
from typing import Any

from django.contrib import messages
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import get_template
from django.utils import timezone
from django.utils.http import content_disposition_header, url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from board.accounts.people import holders, roles_for
from board.accounts.permissions import actor_for
from board.log.base import Position
from board.log.errors import StoreError
from board.process.engine.decide import Refusal
from board.selectors import current
from board.selectors.instance import files, snapshots
from board.selectors.instance import row as selectors
from board.selectors.instance.board import Rendering
from board.selectors.instance.fragments import news as news_of
from board.selectors.instance.instruction import instruction
from board.selectors.instance.last_line import failed_attempt, last_line
from board.selectors.instance.snapshots import Snapshot
from board.selectors.words import due_words, said_for_people
from board.services.tasks import Place
from board.views.instance.board import SHOWN_FACETS, as_response
from board.views.instance.common import base_of, check_seen, seen
from board.web import row_actions
from board.web.http import Request
from board.web.row_actions import Wish

TAIL_BYTES = 64 * 1024
AFTER_BYTES = 256 * 1024
Row = tuple[str, str]


def _shown_row(request: Request, instance: str, row: Row) -> tuple[Snapshot, int]:
    snapshot = seen(request, instance)
    number = snapshot.instance.find(*row)
    if number is None:
        raise Http404(f"{snapshot.facts.id} has no row “{'@'.join(filter(None, row))}”.")
    return snapshot, number


@require_safe
def detail(request: Request, instance: str, row: Row) -> HttpResponse:
    """The page of a row."""
    snapshot, number = _shown_row(request, instance, row)
    return render(
        request, "tasks/row.html", _page(request, snapshot, number) | _menu(request, snapshot, number, Wish(""))
    )


def _page(request: Request, snapshot: Snapshot, number: int) -> dict[str, Any]:
    """What everybody sees of a row."""
    tail, view = current.tail(), snapshot.sheet.views[number]
    with tail.reading():
        live = snapshot.instance
        entries = tail.history(snapshot.facts.id, task=view.task, element=view.element)
        events = [entry.event for entry in reversed(entries)]
        attempts = selectors.attempts(events)
        definition = live.definition(number)
        context: dict[str, Any] = {
            "gates": selectors.gates(live, number),
            "after": [live.name_of(task) for task in live.flow.successors(view.task)],
            "outputs": sorted(live.outputs(number).items()),
            "rounds": selectors.rounds(live, events),
            "comments": selectors.comments(events),
            "facets": view.facets,
            "heard": selectors.heard(live, number),
            "not_by": [live.name_of(task) for task in definition.not_by_tasks],
            "extra": definition.extra,
            "failed_attempt": failed_attempt(live, number),
            "fields": [(f, e) for f, e in live.fields(number).items() if f not in selectors.KNOWN and "." not in f],
        }
    failed = context["failed_attempt"]
    return context | {
        "last": last_line(current.store(), snapshot.facts.id, view.task, view.element, failed) if failed else "",
        "base": base_of(snapshot.facts.id),
        "page": snapshot.facts._asdict() | {"position": str(snapshot.position)},
        "v": view,
        "due": due_words(view.due, timezone.now(), current.zone()),
        "definition": definition,
        "instruction": instruction(definition.description),
        "attempts": attempts,
        "running": view.status == "doing" and bool(attempts),
        "shown_log": _tail(snapshot, view.task, view.element, attempts[0].number) if attempts else None,
        "tasks_url": f"{base_of(snapshot.facts.id)}tasks/{view.path}/",
    }


def _menu(
    request: Request, snapshot: Snapshot, number: int, wish: Wish, refusal: Refusal | None = None
) -> dict[str, Any]:
    """What this person may do to a row as it stands, the form filled as it was sent."""
    who, view = actor_for(request.user), snapshot.sheet.views[number]
    with current.tail().reading():
        offers = selectors.offers(snapshot.instance, number, who)
        names, total = selectors.reopened_along(snapshot.instance, number) if offers.reopen else ([], 0)
        roles = roles_for(snapshot.instance.definition(number), snapshot.instance.flow)
    return {
        "v": view,
        "row": number,
        "act_url": f"{base_of(snapshot.facts.id)}tasks/{view.path}/act/",
        "offers": offers,
        "refused_words": said_for_people(offers.refused),
        "tasks_url": f"{base_of(snapshot.facts.id)}tasks/{view.path}/",
        "people": holders(roles) if offers.assign else [],
        "along": names,
        "along_total": total,
        "along_more": total - len(names),
        "wish": wish,
        "orphan": wish.note if refusal and not _is_offered(offers, wish.do) else "",
        "error": said_for_people(refusal.message) if refusal else "",
        "place": "board" if request.GET.get("place") == "board" or request.POST.get("place") == "board" else "row",
    }


def _is_offered(offers: selectors.Offers, do: str) -> bool:
    """Whether the form that was sent is there again, to show what was typed into it."""
    return bool(offers.answers if do == "finish" else getattr(offers, do, False))


@require_safe
def menu(request: Request, instance: str, row: Row) -> HttpResponse:
    """The forms of a row, fetched when its menu is opened; without scripts they are on the row's page."""
    snapshot, number = _shown_row(request, instance, row)
    context = _menu(request, snapshot, number, Wish(""))
    partial = "drawer" if context["place"] == "board" else "acts"
    columns = len(snapshot.facts.columns[:SHOWN_FACETS]) + 6
    return render(request, f"tasks/row.html#{partial}", context | {"span": columns})


@require_POST
def act(request: Request, instance: str, row: Row) -> HttpResponse:
    """Do something to a row: the new state at once, 409 when somebody was faster, 422 when the form is not right."""
    snapshot, number = _shown_row(request, instance, row)
    wish = Wish.read(request.POST)
    view = snapshot.sheet.views[number]
    try:
        place = Place(view.task, view.element)
        outcome = row_actions.act(current.tail(), snapshot.facts.id, place, actor_for(request.user), wish)
    except Refusal as refusal:
        return _refused(request, instance, row, wish, refusal)
    return _granted(request, instance, row, outcome.said)


def _refused(request: Request, instance: str, row: Row, wish: Wish, refusal: Refusal) -> HttpResponse:
    snapshot, number = _shown_row(request, instance, row)
    context = _menu(request, snapshot, number, wish, refusal)
    status = row_actions.status_of(refusal)
    if request.htmx:
        context["fresh"] = _rendering(snapshot).row(snapshot.sheet.views[number]) if context["place"] == "board" else ""
        return render(request, "tasks/row.html#answer", context, status=status)
    return render(request, "tasks/row.html", _page(request, snapshot, number) | context, status=status)


def _granted(request: Request, instance: str, row: Row, said: str) -> HttpResponse:
    snapshot, number = _shown_row(request, instance, row)
    view = snapshot.sheet.views[number]
    if request.htmx and request.POST.get("place") == "board":
        context = _menu(request, snapshot, number, Wish("")) | {"fresh": _rendering(snapshot).row(view)}
        response = render(request, "tasks/row.html#answer", context)
        response["HX-Trigger"] = _trigger(number, said)
        return response
    messages.success(request, said)
    address = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(address, allowed_hosts=None) or not address.startswith("/"):
        address = f"{base_of(snapshot.facts.id)}tasks/{view.path}/"
    if request.htmx:
        return HttpResponse(status=204, headers={"HX-Redirect": address})
    return redirect(address)


def _trigger(number: int, said: str) -> str:
    # a header is Latin-1: names of any script are written in escapes
    return json.dumps({"acted": {"row": f"r{number}", "said": said}}, ensure_ascii=True)


def _rendering(snapshot: Snapshot) -> Rendering:
    return Rendering(base_of(snapshot.facts.id), snapshot.facts.columns[:SHOWN_FACETS], current.zone(), timezone.now())


@require_safe
def news(request: Request, instance: str, row: Row) -> HttpResponse:
    """What changed on the page of a row since `v`."""
    name, since = check_seen(request, instance), request.GET.get("v", "")
    made = news_of(current.tail(), since, ("row", name, *row), lambda before: _row_news(request, name, row, before))
    return as_response(made)


def _row_news(request: Request, instance: str, row: Row, since: Position) -> bytes | None:
    snapshot, number = _shown_row(request, instance, row)
    rows = snapshots.changed_rows(current.tail(), snapshot.facts.id, since, snapshot)
    if rows is not None and number not in rows:
        return None
    return get_template("tasks/row.html#news").render(_page(request, snapshot, number)).encode()


# attempts and their logs


def _tail(snapshot: Snapshot, task: str, element: str, attempt: int) -> files.LogPart | None:
    store = current.store()
    path = store.log_path(snapshot.facts.id, task, element, attempt)
    try:
        return files.log_tail(store.open_file(path.parent, path.name), TAIL_BYTES)
    except (OSError, StoreError):
        return None


@require_safe
def attempt(request: Request, instance: str, row: Row, attempt: int) -> HttpResponse:
    """The log of an attempt, its end first; with `?after=OFFSET` only what came since, as plain text."""
    snapshot, number = _shown_row(request, instance, row)
    view = snapshot.sheet.views[number]
    if "after" in request.GET:
        return _after(request, snapshot, number, attempt)
    part = _tail(snapshot, view.task, view.element, attempt)
    context = {
        "v": view,
        "base": base_of(snapshot.facts.id),
        "page": snapshot.facts._asdict(),
        "tasks_url": f"{base_of(snapshot.facts.id)}tasks/{view.path}/",
        "attempt": attempt,
        "part": part,
        "follow": _is_running(snapshot, number, attempt),
    }
    template = "tasks/attempt.html#log" if request.htmx else "tasks/attempt.html"
    return render(request, template, context, status=200 if part is not None or request.htmx else 404)


def _is_running(snapshot: Snapshot, number: int, attempt: int) -> bool:
    with current.tail().reading():
        return snapshot.instance.status(number) == "doing" and snapshot.instance.attempts(number) == attempt


def _after(request: Request, snapshot: Snapshot, number: int, attempt: int) -> HttpResponse:
    text = request.GET["after"]
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        return HttpResponse("after is a number of bytes.", status=400, content_type="text/plain; charset=utf-8")
    running = _is_running(snapshot, number, attempt)  # asked first: what is written until the end is read below
    store, view = current.store(), snapshot.sheet.views[number]
    path = store.log_path(snapshot.facts.id, view.task, view.element, attempt)
    try:
        part = files.log_after(store.open_file(path.parent, path.name), int(text), AFTER_BYTES)
    except (OSError, StoreError) as error:
        raise Http404("There is no log of that attempt.") from error
    response = HttpResponse(part.text, content_type="text/plain; charset=utf-8")
    response["X-Next"], response["X-Size"] = str(part.next), str(part.size)
    response["X-Running"] = "yes" if running else "no"
    return response


@require_safe
def attempt_file(request: Request, instance: str, row: Row, attempt: int) -> HttpResponseBase:
    """The whole log of an attempt as a download, streamed."""
    snapshot, number = _shown_row(request, instance, row)
    store, view = current.store(), snapshot.sheet.views[number]
    path = store.log_path(snapshot.facts.id, view.task, view.element, attempt)
    try:
        file = store.open_file(path.parent, path.name)
    except (OSError, StoreError) as error:
        raise Http404("There is no log of that attempt.") from error
    response = FileResponse(file, content_type="text/plain; charset=utf-8")
    response["Content-Length"] = str(files.size_of(file))
    response["Content-Disposition"] = str(content_disposition_header(True, path.name))
    return response
