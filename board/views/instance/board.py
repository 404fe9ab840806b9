"""The board of one instance, its sections, and its news."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.template.loader import get_template
from django.utils import timezone
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from board.accounts.permissions import actor_for
from board.log.base import Position
from board.selectors import current
from board.selectors.instance import board as selectors
from board.selectors.instance import picture, snapshots
from board.selectors.instance.board import PAGE_ROWS, Rendering
from board.selectors.instance.filters import FACET, SORTS, Filter
from board.selectors.instance.fragments import News
from board.selectors.instance.fragments import news as news_of
from board.selectors.instance.log import EventLine, is_quiet, say
from board.selectors.instance.rows import Sheet
from board.selectors.instance.snapshots import Snapshot
from board.views.instance.common import base_of, check_seen, seen
from board.web.http import Request

SHOWN_FACETS = 2  # columns of the element list that a row shows; the others are on its page, and to filter by
FEED_LINES = 6
FEED_LOOK = 120  # newest events looked at for them


@require_safe
def board(request: Request, instance: str) -> HttpResponse:
    """The page: as it is now, or with `?at=N` as it was after the event numbered N."""
    snapshot = seen(request, instance)
    if "at" in request.GET:
        return _replay(request, snapshot)
    context = _page(request, snapshot, snapshot.sheet, live=True)
    context["page"] = _facts(snapshot) | {"live": True}
    context["feed"] = _feed(snapshot)
    context |= {"yours": _yours(request, snapshot), "may_operate": actor_for(request.user).may_operate}
    return render(request, "instances/board.html", context)


@require_safe
def yours(request: Request, instance: str) -> HttpResponse:
    """What is open for this person here: asked for after an action of theirs, for the news are the same for all."""
    snapshot = seen(request, instance)
    return render(
        request, "instances/board.html#yours", {"yours": _yours(request, snapshot), "base": base_of(snapshot.facts.id)}
    )


def _yours(request: Request, snapshot: Snapshot) -> selectors.Yours | None:
    actor, flow = actor_for(request.user), snapshot.instance.flow
    held = {definition.task for definition in flow.rows if actor.holds(definition, flow)}
    return selectors.yours(snapshot.sheet, held, actor.name)


def _replay(request: Request, snapshot: Snapshot) -> HttpResponse:
    span = snapshots.span(current.tail(), snapshot.facts.id)
    at = as_number(request.GET.get("at"), span.first, span.last, default=span.last)
    sheet = snapshots.replayed(current.tail(), snapshot.facts.id, span.seqs[at - 1])
    if sheet is None:
        raise Http404("The log of that moment cannot be read.")
    context = _page(request, snapshot, sheet, live=False)
    event = current.tail().history(snapshot.facts.id, before=span.seqs[at - 1] + 1, limit=1)
    context["page"] = _facts(snapshot) | {
        "live": False,
        "at": at,
        "first": span.first,
        "events": span.last,
        "before": max(at - 1, span.first),
        "after": at + 1,
        "event": say(event[0].event, snapshot.instance.flow) if event else None,
    }
    context["at"] = at
    context["filter_pairs"] = parse_qsl(context["query"])
    context["feed"] = _feed(snapshot, before=span.seqs[at - 1] + 1)
    return render(request, "instances/board.html", context)


def _page(request: Request, snapshot: Snapshot, sheet: Sheet, *, live: bool) -> dict[str, Any]:
    wanted = Filter.read(request.GET, snapshot.facts.columns)
    rendering = _rendering(snapshot, live=live)
    sections = selectors.sections(sheet, wanted, rendering, _opened(request, sheet))
    asked = request.GET.get("open", "")
    if asked in sheet.section_of and "from" in request.GET:
        start = as_number(request.GET.get("from"), 0, sheet_size(sheet), default=0)
        page = selectors.page_of(sheet, sheet.section_of[asked], wanted, rendering, start)
        sections = [page if s.section.task == asked else s for s in sections]
    options = selectors.options(sheet, snapshot.facts.columns)
    return _fixed(snapshot, wanted, live) | {
        "sections": sections,
        "none_match": wanted.narrows and not any(s.matches for s in sections),
        "head": selectors.head(sheet),
        "options": options,
        "facet_options": [(c, {"options": o, "chosen": wanted.facet(c)}) for c, o in options.facets],
        "picture": SafeString(picture.drawn(sheet, snapshot.instance.flow, snapshot.facts.name)),  # nosec B703 # XML whose texts are escaped
        "mine_url": _mine_url(
            snapshot, wanted, request.user.get_username(), request.GET.get("at", "") if not live else ""
        ),
    }


def _fixed(snapshot: Snapshot, wanted: Filter, live: bool) -> dict[str, Any]:
    """What every fragment of a section needs."""
    columns = snapshot.facts.columns[:SHOWN_FACETS]
    return {
        "base": base_of(snapshot.facts.id),
        "columns": columns,
        "span": len(columns) + 5 + live,
        "filter": wanted,
        "query": wanted.query,
        "sorts": SORTS,
        "page_rows": PAGE_ROWS,
        "live": live,
    }


def _facts(snapshot: Snapshot) -> dict[str, Any]:
    facts = snapshot.facts
    newest = current.tail().definition(facts.name)
    changed = newest is not None and newest.version != facts.version
    return facts._asdict() | {"position": str(snapshot.position), "events": snapshot.sheet.seq, "changed": changed}


def _rendering(snapshot: Snapshot, *, live: bool = True) -> Rendering:
    columns = snapshot.facts.columns[:SHOWN_FACETS]
    return Rendering(base_of(snapshot.facts.id), columns, current.zone(), timezone.now(), live=live)


def _opened(request: Request, sheet: Sheet) -> frozenset[str]:
    return frozenset(task for task in request.GET.getlist("open") if task in sheet.section_of)


def sheet_size(sheet: Sheet) -> int:
    """How many rows a sheet has."""
    return len(sheet.views)


def _mine_url(snapshot: Snapshot, wanted: Filter, name: str, at: str) -> str:
    query = replace(wanted, mine="" if wanted.mine else name).query
    parts = [part for part in (query, f"at={at}" if at else "") if part]
    return base_of(snapshot.facts.id) + (f"?{'&'.join(parts)}" if parts else "")


def _feed(snapshot: Snapshot, before: int | None = None) -> list[EventLine]:
    entries = current.tail().history(snapshot.facts.id, limit=FEED_LOOK, before=before)
    flow = snapshot.instance.flow
    told = (e.event for e in entries if not is_quiet(e.event) and not _is_stamp(e.event.task, e.event.field))
    return [say(event, flow) for event, _ in zip(told, range(FEED_LINES), strict=False)]


def _is_stamp(task: str, field: str) -> bool:
    return task == "@instance" and field not in ("created", "cancelled")


def as_number(text: str | None, least: int, most: int, *, default: int) -> int:
    """A number of an address within limits; anything else reads as the default."""
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 12:
        return default
    return min(max(int(text), least), most)


@require_safe
def section(request: Request, instance: str, task: str) -> HttpResponse:
    """The rows of a section: a table when it unfolds, the rows after `from` when there are more than fit."""
    snapshot = seen(request, instance)
    wanted_section = snapshot.sheet.section_of.get(task)
    if wanted_section is None:
        raise Http404(f"{snapshot.facts.id} has no task “{task}”.")
    wanted = Filter.read(request.GET, snapshot.facts.columns)
    start = as_number(request.GET.get("from"), 0, sheet_size(snapshot.sheet), default=0)
    most = as_number(request.GET.get("rows"), 1, sheet_size(snapshot.sheet), default=PAGE_ROWS)
    page = selectors.page_of(snapshot.sheet, wanted_section, wanted, _rendering(snapshot), start, most)
    partial = "rows" if "from" in request.GET else "table"
    return render(request, f"instances/board.html#{partial}", _fixed(snapshot, wanted, live=True) | {"s": page})


@require_safe
def news(request: Request, instance: str) -> HttpResponse:
    """What changed since `v`, for whoever looks at this filter: 204 when nothing did."""
    name = check_seen(request, instance)  # before anything is answered: who gets an answer here is remembered
    since, asked = request.GET.get("v", ""), wanted(request.GET)
    return as_response(news_of(current.tail(), since, about(name, asked), lambda at: _fragments(name, asked, at)))


def kept_news(since: str, what: tuple[str, str]) -> News | None:
    """The news that need no making: there are none, or somebody else asked for the same before."""
    return news_of(current.tail(), since, what, None)


def wanted(query: Mapping[str, str]) -> Filter:
    """The filter of a poll; a facet is any `f.` column, whatever columns there are."""
    return Filter.read(query, tuple(name.removeprefix(FACET) for name in query if name.startswith(FACET)))


def about(instance: str, asked: Filter) -> tuple[str, str]:
    """What is looked at: equal for two polls that can share an answer."""
    return instance, asked.query


def _fragments(instance: str, wanted: Filter, since: Position) -> bytes | None:
    tail = current.tail()
    snapshot = snapshots.snapshot(tail, instance)
    if snapshot is None:
        raise Http404(f"There is no instance “{instance}”.")
    if not any(seq >= since.offset for seq in tail.seqs(snapshot.facts.id)[-1:]):
        return None
    rows = snapshots.changed_rows(tail, snapshot.facts.id, since, snapshot)
    if rows is None:
        rows = set(range(sheet_size(snapshot.sheet)))
    feed = get_template("instances/board.html#feed").render({"feed": _feed(snapshot)})
    tasks = {snapshot.sheet.views[row].task for row in rows}
    nodes = picture.nodes(snapshot.sheet, snapshot.instance.flow, tasks)
    more = {"feed_html": SafeString(feed), "nodes": SafeString(nodes)}  # nosec B703 # made by a template, which escapes
    return selectors.news_html(snapshot.sheet, rows, wanted, _rendering(snapshot), more).encode()


def as_response(answer: News) -> HttpResponse:
    """204 with the position when there is nothing, 409 when the page cannot be brought up to date piece by piece."""
    if answer.reload:
        return HttpResponse("The log is another one now: load the page again.", status=409)
    response = HttpResponse(answer.html, status=200) if answer.html is not None else HttpResponse(status=204)
    response["X-Position"] = answer.position
    response["Content-Length"] = str(len(response.content))  # known, so a connection can be kept without chunks
    return response
