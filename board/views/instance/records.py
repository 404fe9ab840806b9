"""What an instance left behind: its event log and its files."""

import base64
import hashlib
import re
from typing import Any, BinaryIO

from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.template.loader import get_template
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from board.log.base import Position
from board.log.errors import StoreError
from board.selectors import current
from board.selectors.instance import files as selectors
from board.selectors.instance import log as lines
from board.selectors.instance.files import Preview
from board.selectors.instance.fragments import news as news_of
from board.selectors.instance.log import LogFilter
from board.selectors.instance.snapshots import Snapshot
from board.views.instance.board import as_number, as_response
from board.views.instance.common import Unreadable, base_of, check_seen, seen
from board.web.http import Request

LATEST = 10**18


@require_safe
def log(request: Request, instance: str) -> HttpResponse:
    """The event log, newest first."""
    snapshot = seen(request, instance)
    return render(request, "instances/log.html", _log(request, snapshot))


def _log(request: Request, snapshot: Snapshot) -> dict[str, Any]:
    wanted = LogFilter.read(request.GET)
    before = as_number(request.GET.get("before"), 0, LATEST, default=LATEST)
    events, next_before = lines.page(current.tail(), snapshot.facts.id, wanted, None if before == LATEST else before)
    flow = snapshot.instance.flow
    return {
        "page": snapshot.facts._asdict() | {"position": str(snapshot.position)},
        "base": base_of(snapshot.facts.id),
        "filter": wanted,
        "tasks": [(task, flow.rows[number].name) for task, number in flow.index.items()],
        "events": [(lines.say(event, flow), event) for event in events],
        "before": next_before,
        "first": before == LATEST,
    }


@require_safe
def log_news(request: Request, instance: str) -> HttpResponse:
    """The newest events anew when there are any since `v`."""
    tail, name = current.tail(), check_seen(request, instance)

    def fragments(before: Position) -> bytes | None:
        snapshot = seen(request, name)
        if not any(seq >= before.offset for seq in tail.seqs(snapshot.facts.id)[-1:]):
            return None
        return get_template("instances/log.html#news").render(_log(request, snapshot)).encode()

    about = ("log", name, LogFilter.read(request.GET).query)
    return as_response(news_of(tail, request.GET.get("v", ""), about, fragments))


@require_safe
def log_file(request: Request, instance: str, kind: str) -> HttpResponseBase:
    """The events a filter wants, oldest first, for other programs: `jsonl` as the log has them, `csv` defused."""
    try:
        name = seen(request, instance).facts.id
    except Unreadable as unreadable:  # its events are what whoever mends it needs
        name = unreadable.head.id
    if kind not in ("jsonl", "csv"):
        raise Http404("The log can be had as events.jsonl and as events.csv.")
    events = lines.everything(current.tail(), name, LogFilter.read(request.GET))
    body = lines.as_jsonl(events) if kind == "jsonl" else lines.as_csv(events)
    media = "application/x-ndjson" if kind == "jsonl" else "text/csv; charset=utf-8"
    response = StreamingHttpResponse(body, content_type=media)
    response["Content-Disposition"] = str(content_disposition_header(True, f"{name}-events.{kind}"))
    return response


@require_safe
def files(request: Request, instance: str) -> HttpResponse:
    """The artifacts, newest first."""
    snapshot = seen(request, instance)
    listing = selectors.artifacts(current.store(), snapshot.facts.id)
    context = {"page": snapshot.facts._asdict(), "base": base_of(snapshot.facts.id), "listing": listing}
    return render(request, "instances/files.html", context)


@require_safe
def file(request: Request, instance: str, name: str) -> HttpResponseBase:
    """One artifact: a download; with `?view` a page that shows its beginning, with `?open` an HTML page in a cage."""
    snapshot = seen(request, instance)
    file = _opened(snapshot, name)
    if "view" in request.GET:
        return _view(request, snapshot, name, file)
    if "open" in request.GET and selectors.kind(name) == "page":
        return _caged(file)
    response = FileResponse(file, content_type=selectors.media_type(name))
    response["Content-Length"] = str(selectors.size_of(file))
    response["Content-Disposition"] = str(content_disposition_header(True, selectors.file_name(name)))
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response


def _opened(snapshot: Snapshot, name: str) -> BinaryIO:
    store = current.store()
    try:
        return store.open_file(store.artifacts(snapshot.facts.id), name)
    except (OSError, StoreError, UnicodeEncodeError) as error:
        raise Http404(f"There is no file “{selectors.shown_name(name)}” here.") from error


def _view(request: Request, snapshot: Snapshot, name: str, file: BinaryIO) -> HttpResponse:
    kind, size = selectors.kind(name), selectors.size_of(file)
    if kind in ("text", "table", "page"):
        preview = selectors.preview(file, name)
    else:
        file.close()
        preview = Preview("", [], [], False)
    context = {
        "page": snapshot.facts._asdict(),
        "base": base_of(snapshot.facts.id),
        "name": name,
        "shown": selectors.shown_name(name),
        "kind": kind,
        "size": size,
        "preview": preview,
        "limit": selectors.PREVIEW_BYTES,
    }
    return render(request, "instances/file.html", context)


_STYLE = re.compile(rb"<style[^>]*>(.*?)</style>", re.DOTALL | re.IGNORECASE)
MAX_PAGE = 20 * 1024 * 1024


def _caged(file: BinaryIO) -> HttpResponse:
    """A stranger's HTML page: an origin of its own, no scripts, nothing from anywhere; only its own style sheets."""
    with file:
        body = file.read(MAX_PAGE)
    hashes = {base64.b64encode(hashlib.sha256(style).digest()).decode() for style in _STYLE.findall(body)}
    styles = " ".join(f"'sha256-{each}'" for each in sorted(hashes)) or "'none'"
    cage = "sandbox; default-src 'none'; img-src data:; form-action 'none'; frame-ancestors 'none'"
    response = HttpResponse(body, content_type="text/html; charset=utf-8")
    response["Content-Security-Policy"] = f"{cage}; style-src {styles}"
    response["Content-Disposition"] = "inline"
    return response
