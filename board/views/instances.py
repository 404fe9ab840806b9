"""Every instance, starting a new one, and ending one."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import get_template
from django.views.decorators.http import require_http_methods, require_safe

from board.accounts.permissions import actor_for, may_view, may_view_all, roles_of
from board.exchange.imports import read_elements
from board.log.base import Position
from board.process.definition.elements import ElementError, ElementList
from board.process.engine.decide import Refusal
from board.process.files import MAX_BYTES, Unreadable
from board.process.flow.flow import compile_flow
from board.selectors import current
from board.selectors import instances as selectors
from board.selectors.instance.fragments import news as news_of
from board.selectors.words import said_for_people
from board.services import instances
from board.views.instance.board import as_number, as_response
from board.views.instance.common import base_of, seen
from board.web.http import Request


@require_safe
def index(request: Request) -> HttpResponse:
    """The list."""
    tail = current.tail()
    position = str(tail.refresh())
    actor = actor_for(request.user)
    context = _listing(request) | {
        "position": position,
        "may_start": actor.may_operate or actor.may_edit,
        "processes": sorted(tail.definitions()),
    }
    return render(request, "instances/index.html", context)


def _listing(request: Request) -> dict[str, Any]:
    text, state = request.GET.get("text", "").strip()[:200], request.GET.get("state", "")
    start = as_number(request.GET.get("from"), 0, 1_000_000, default=0)
    seen_lines = [line for line in selectors.lines(current.tail()) if _is_seen(request, line)]
    listing = selectors.listing(seen_lines, text, state, start)
    return {"listing": listing, "text": text, "state": state, "narrowed": bool(text or state), "any": bool(seen_lines)}


def _is_seen(request: Request, line: selectors.InstanceLine) -> bool:
    return may_view_all(request.user) if line.broken else may_view(request.user, line.roles)


@require_safe
def news(request: Request) -> HttpResponse:
    """The list anew when anything happened since `v`: 204 when nothing did."""

    def fragments(since: Position) -> bytes:
        return get_template("instances/index.html#news").render(_listing(request)).encode()

    # a list is shared by those who see the same: whoever lost a role is given none that was made before
    everything = may_view_all(request.user)
    whose = frozenset[str]() if everything else roles_of(request.user)
    about = ("list", everything, whose, *(request.GET.get(name, "") for name in ("text", "state", "from")))
    return as_response(news_of(current.tail(), request.GET.get("v", ""), about, fragments))


@require_http_methods(["GET", "HEAD", "POST"])
def start(request: Request) -> HttpResponse:
    """The form for a new instance, and the start; problems are shown, and nothing typed is lost."""
    actor = actor_for(request.user)
    if not (actor.may_operate or actor.may_edit):
        raise PermissionDenied("Only an operator or a process editor may start an instance.")
    if request.method != "POST":
        return _form(request, _asked_for(request), [])
    typed = {name: request.POST.get(name, "").strip() for name in ("process", "id", "elements", "none")}
    elements, problems = _elements(request, typed)
    if not typed["process"]:
        problems.insert(0, "Choose a process.")
    if not typed["id"]:
        problems.insert(0, "Give it an id, such as 2027Q1.")
    if not problems:
        try:
            instances.start(current.tail(), actor, typed["process"], typed["id"], elements)
        except Refusal as refusal:
            problems = said_for_people(refusal.message).splitlines()
        else:
            messages.success(request, f"{typed['id']} is started.")
            return redirect(base_of(typed["id"]))
    return _form(request, typed, problems, 422)


def _asked_for(request: Request) -> dict[str, str]:
    """The form as an address asks for it: `process`, and with `same` the elements of its newest instance."""
    process = request.GET.get("process", "")
    last = _last(request, process) if "same" in request.GET else None
    return {"process": process, "elements": _as_text(last.elements) if last is not None else ""}


def _last(request: Request, process: str) -> selectors.LastElements | None:
    return selectors.last_elements(current.tail(), process, lambda roles: may_view(request.user, roles))


def _elements(request: Request, typed: dict[str, str]) -> tuple[ElementList | None, list[str]]:
    """The list that was pasted or uploaded, None when none was given; an uploaded one is shown to be sent again."""
    upload = request.FILES.get("file")
    data: bytes | str = upload.read(MAX_BYTES + 1) if upload is not None else typed["elements"]
    if not data:
        return (ElementList.from_ids(()), []) if typed["none"] == "yes" else (None, [])
    definition = current.tail().definition(typed["process"])
    try:
        reading = read_elements(data, definition.table if definition is not None else None)
    except (ElementError, Unreadable) as error:
        if isinstance(data, bytes) and not data.startswith(b"PK"):
            typed["elements"] = data.decode("utf-8", "replace")
        return None, list(error.problems) if isinstance(error, ElementError) else [str(error)]
    if isinstance(data, bytes):
        typed["elements"] = _as_text(reading.elements)
    if not reading.elements.ids and typed["none"] != "yes":
        return None, ["The list has no element in it: add them, or tick below that there are none this time."]
    return reading.elements, []


def _as_text(elements: ElementList) -> str:
    """A list as it can be pasted again."""
    rows = zip(*elements.cells, strict=True)
    return "\n".join("\t".join(cells) for cells in (elements.columns, *rows))


def _form(request: Request, typed: dict[str, str], problems: list[str], status: int = 200) -> HttpResponse:
    definitions = current.tail().definitions()
    groups = {
        name: sorted({group.collection for group in compile_flow(definition.table).groups.values()})
        for name, definition in definitions.items()
    }
    chosen = typed["process"] or (next(iter(groups)) if len(groups) == 1 else "")
    context = {
        "typed": typed,
        "problems": problems,
        "processes": sorted(groups.items()),
        "chosen": chosen,
        "last": _last(request, chosen) if chosen in groups else None,
    }
    return render(request, "instances/start.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def cancel(request: Request, instance: str) -> HttpResponse:
    """End an instance with a reason, or take that back."""
    snapshot = seen(request, instance)
    actor = actor_for(request.user)
    if not actor.may_operate:
        raise PermissionDenied("Only an operator may cancel or resume an instance.")
    problem = ""
    if request.method == "POST":
        try:
            if request.POST.get("do") == "resume":
                instances.resume(current.tail(), snapshot.facts.id, actor)
            else:
                instances.cancel(current.tail(), snapshot.facts.id, actor, request.POST.get("reason", ""))
            return redirect(base_of(snapshot.facts.id))
        except Refusal as refusal:
            problem = said_for_people(refusal.message)
    context = {
        "page": seen(request, instance).facts._asdict(),
        "base": base_of(snapshot.facts.id),
        "problem": problem,
        "reason": request.POST.get("reason", ""),
    }
    return render(request, "instances/cancel.html", context, status=422 if problem else 200)
