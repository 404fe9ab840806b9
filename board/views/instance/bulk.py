"""One wish for many rows: what exactly would be done, one confirmation, and what became of each."""

import json
from collections import Counter
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from board.accounts.people import holders, holds, roles_for
from board.accounts.permissions import actor_for
from board.process.engine import decide
from board.process.engine.actor import Actor
from board.process.engine.decide import Refusal
from board.selectors import current
from board.selectors.instance.snapshots import Snapshot
from board.selectors.words import said_for_people
from board.services import tasks
from board.services.tasks import Decision, Many, Place
from board.views.instance.common import base_of, seen
from board.web.http import Request
from board.web.row_actions import at_place

MAX_NAMED = 12  # rows a confirmation names; the rest is a number


class Refused(NamedTuple):
    """A row that was left as it is, and why."""

    row: int
    label: str
    why: str


@require_POST
def bulk(request: Request, instance: str) -> HttpResponse:
    """Ask first (with `sure` missing), then act on exactly the rows that were asked about."""
    snapshot = seen(request, instance)
    rows = _rows(request, snapshot)
    wish = request.POST.get("do", "")
    if not rows or wish not in ("finish", "assign"):
        return _said(request, snapshot, "Tick the rows first, then say what to do with them.", 422)
    if request.POST.get("sure") != "yes":
        return _ask(request, snapshot, rows, wish, "")
    problem, decision = _decision(request, snapshot, rows, wish)
    if decision is None:
        return _ask(request, snapshot, rows, wish, problem)
    with current.tail().reading():
        places = [at_place(snapshot.instance, row) for row in rows]
    done = tasks.many(current.tail(), snapshot.facts.id, places, decision)
    return _told(request, snapshot, rows, wish, done)


def _rows(request: Request, snapshot: Snapshot) -> list[int]:
    size = len(snapshot.sheet.views)
    named = (text for text in request.POST.getlist("row") if text.isascii() and text.isdigit() and len(text) < 10)
    return sorted({row for text in named if (row := int(text)) < size})


def _ask(request: Request, snapshot: Snapshot, rows: list[int], wish: str, problem: str) -> HttpResponse:
    views = [snapshot.sheet.views[row] for row in rows]
    with current.tail().reading():
        flow = snapshot.instance.flow
        offered = [flow.answers(task) for task in {view.task for view in views}]
        common = [value for value in offered[0] if all(value in each for each in offered)]
        roles = [set(roles_for(snapshot.instance.definition(row), flow)) for row in rows]
        asks = [value for value in common if any(flow.asks_note(view.task, value) for view in views)]
    people = holders(set.intersection(*roles)) if wish == "assign" else []
    context = _context(snapshot, rows, wish) | {
        "tasks": Counter(view.task_name for view in views).most_common(),
        "labels": [view.label for view in views[:MAX_NAMED]],
        "more": max(0, len(views) - MAX_NAMED),
        "answers": [
            (value, "Finish" if value == "done" else value, value in asks)
            for value in sorted(common, key=asks.__contains__)
        ],
        "people": people,
        "problem": problem,
        "note": request.POST.get("note", ""),
        "back": _back(request, snapshot),
    }
    return _shown(request, context, "ask", 422 if problem else 200)


def _decision(request: Request, snapshot: Snapshot, rows: list[int], wish: str) -> tuple[str, Decision | None]:
    who, note = actor_for(request.user), request.POST.get("note", "")
    if wish == "assign":
        name = request.POST.get("assignee", "").strip()
        with current.tail().reading():
            roles = {
                row: frozenset(roles_for(snapshot.instance.definition(row), snapshot.instance.flow)) for row in rows
            }
        held = {each: not name or holds(name, each) for each in set(roles.values())}
        return "", lambda i, r: decide.assign(i, r, who, name, holds_role=held.get(roles.get(r, frozenset()), False))
    value = request.POST.get("value", "").strip()
    if not value:
        return "Choose how to finish them: press one of the buttons.", None
    with current.tail().reading():
        flow = snapshot.instance.flow
        asking = sorted({v.task_name for r in rows if flow.asks_note((v := snapshot.sheet.views[r]).task, value)})
    if asking and not note.strip():
        return f"Answering “{value}” on {', '.join(asking)} asks for a note: say why.", None
    return "", _finish(who, value, note)


def _finish(who: Actor, value: str, note: str) -> Decision:
    return lambda instance, row: decide.finish(instance, row, who, value, note)


def _told(request: Request, snapshot: Snapshot, rows: list[int], wish: str, done: Many) -> HttpResponse:
    refused = [_refused(snapshot, place, refusal) for place, refusal in done.refused]
    verb = "assigned" if wish == "assign" else "finished"
    said = f"{len(done.done)} of {len(rows)} {verb}."
    keep = [each.row for each in refused]
    if not request.htmx and not refused:
        messages.success(request, said)
        return redirect(_back(request, snapshot))
    context = _context(snapshot, keep, wish) | {"said": said, "refused": refused, "back": _back(request, snapshot)}
    response = _shown(request, context, "told", 200)
    response["HX-Trigger"] = json.dumps({"ticked": {"keep": keep}, "say": {"text": said, "kind": "success"}})
    return response


def _refused(snapshot: Snapshot, place: Place, refusal: Refusal) -> Refused:
    row = snapshot.instance.find(*place)
    label = snapshot.sheet.views[row].label if row is not None else place.task
    return Refused(-1 if row is None else row, label, said_for_people(refusal.message))


def _context(snapshot: Snapshot, rows: list[int], wish: str) -> dict[str, Any]:
    return {
        "page": snapshot.facts._asdict(),
        "base": base_of(snapshot.facts.id),
        "rows": rows,
        "wish": wish,
        "total": len(rows),
        "bulk_url": f"{base_of(snapshot.facts.id)}bulk/",
    }


def _back(request: Request, snapshot: Snapshot) -> str:
    """The board with the filter it had; an address of this instance, or its board."""
    address, base = request.POST.get("back", ""), base_of(snapshot.facts.id)
    fine = address.startswith(base) and url_has_allowed_host_and_scheme(address, allowed_hosts=None)
    return address if fine else base


def _shown(request: Request, context: dict[str, Any], partial: str, status: int) -> HttpResponse:
    if request.htmx:
        return render(request, f"instances/bulk.html#{partial}", context, status=status)
    return render(request, "instances/bulk.html", context | {"partial": partial}, status=status)


def _said(request: Request, snapshot: Snapshot, words: str, status: int) -> HttpResponse:
    context = _context(snapshot, [], "") | {"said": words, "refused": [], "back": _back(request, snapshot)}
    return _shown(request, context, "told", status)
