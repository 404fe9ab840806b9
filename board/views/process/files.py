"""Processes from files and into files: a new one, an import that is shown before it is taken, exports."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from typing import Any

import msgspec
from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_http_methods, require_safe

from board.accounts.permissions import may_view
from board.exchange import exports, imports
from board.process import bpmn, files
from board.process.definition.table import COLUMNS, ProcessTable
from board.process.editing.grid import MAX_EDITED
from board.process.engine.decide import Refusal
from board.process.files import MAX_COLUMNS, Reading, Unreadable, Unwritable
from board.process.flow.flow import compile_flow
from board.selectors import current
from board.selectors.editor import editor as editing
from board.selectors.editor import process_templates
from board.selectors.editor.problems import problems_of
from board.selectors.editor.processes import changes, picture
from board.selectors.words import said_for_people
from board.views.process.processes import check_editor, may_edit
from board.web import drafts
from board.web.http import Request

MAX_TOLD = 1000  # elements of a drawing whose fate the page lists; how many more there are is said
MAX_KEPT = 3_000_000  # bytes of a file that travel in the form, for another of its processes to be chosen
EMPTY = ProcessTable((), ())

# a new process


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: Request) -> HttpResponse:
    """A name, and what it begins with: nothing, a template, or a file that is shown first."""
    check_editor(request)
    typed = {"name": "", "start": "blank"} | {k: request.POST[k] for k in ("name", "start") if k in request.POST}
    if request.method != "POST":
        return _new_page(request, typed)
    name = typed["name"].strip()
    try:
        if "table" in request.POST:
            table = _confirmed(request)
        elif typed["start"] == "file":
            reading, data = _upload(request)
            return _preview(request, name or reading.name, reading, data, new=True)
        else:
            template = process_templates.find(typed["start"])
            table = template.table if template is not None else EMPTY
        drafts.begin_new(request.user, current.tail(), name, table)
    except Unreadable as error:
        return _new_page(request, typed, str(error))
    except Refusal as refusal:
        if "table" not in request.POST:
            return _new_page(request, typed, refusal.message)
        shown = Reading(_confirmed(request), (), "json")
        return _preview(request, name, shown, b"", new=True, problem=refusal.message)
    return redirect("process-edit", name)


def _new_page(request: Request, typed: dict[str, str], problem: str = "") -> HttpResponse:
    context = {
        "typed": typed,
        "problem": problem,
        "templates": process_templates.TEMPLATES,
        "limit": bpmn.LIMIT_BYTES,
    }
    return render(request, "processes/new.html", context, status=422 if problem else 200)


# an import


@require_http_methods(["GET", "HEAD", "POST"])
def take_in(request: Request, name: str) -> HttpResponse:
    """A file for a process that is there: chosen, shown with what it would change, then put into the draft."""
    check_editor(request)
    edited = editing.editing(request.user, current.tail(), name)
    if edited is None:
        raise Http404(f"There is no process “{name}”.")
    if request.method != "POST":
        return render(request, "processes/import.html", {"name": name, "editing": edited})
    try:
        if "table" not in request.POST:
            reading, data = _upload(request)
            return _preview(request, name, reading, data, edited=edited)
        drafts.begin_import(request.user, current.tail(), name, _confirmed(request))
    except Unreadable as error:
        return render(
            request, "processes/import.html", {"name": name, "editing": edited, "problem": str(error)}, status=422
        )
    except Refusal as refusal:
        messages.error(request, said_for_people(refusal.message))
        return redirect("process-import", name)
    messages.success(request, "The file is in your draft. Undo takes it back; nothing is saved yet.")
    return redirect("process-edit", name)


def _upload(request: Request) -> tuple[Reading, bytes]:
    """The file or the pasted text that was sent, read; raises Unreadable."""
    upload = request.FILES.get("file")
    kept, pasted = request.POST.get("kept", ""), request.POST.get("pasted", "")
    called = request.POST.get("called", "")
    if upload is not None:
        data, called = upload.read(bpmn.LIMIT_BYTES + 1), upload.name or ""
    elif kept:
        data = _unpacked(kept)
    else:
        data = pasted.encode()
    if not data.strip():
        raise Unreadable("No file was chosen, and nothing was pasted.", "Choose a CSV, XLSX, JSON or BPMN file.")
    reading = imports.read_process(data, called, pool=request.POST.get("pool", ""))
    if len(reading.table.rows) > MAX_EDITED:
        what = f"At most {MAX_EDITED} rows can be edited here, and these are {len(reading.table.rows):,}."
        raise Unreadable(what, "Repeat rows by a group, or save the file with `manage.py importprocess`.")
    return reading, data


def _unpacked(kept: str) -> bytes:
    try:
        return b64decode(kept, validate=True)
    except ValueError as error:
        raise BadRequest("The file did not come through.") from error


def _confirmed(request: Request) -> ProcessTable:
    """The table that was shown, as it travelled in the form."""
    not_whole = "The table did not come through."
    try:
        columns = msgspec.json.decode(request.POST.get("table", "").encode(), type=dict[str, list[str]])
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise BadRequest(not_whole) from error
    if len(columns) > MAX_COLUMNS + len(COLUMNS) or any(len(column) > MAX_EDITED for column in columns.values()):
        raise BadRequest(not_whole)
    return ProcessTable.from_columns(columns)


def _preview(
    request: Request,
    name: str,
    reading: Reading,
    data: bytes,
    *,
    edited: editing.Editing | None = None,
    new: bool = False,
    problem: str = "",
) -> HttpResponse:
    """What a file holds: what it would change, what was remarked, what is wrong, what became of each element."""
    table = reading.table
    problems = problems_of(table)
    keep = len(reading.pools) > 1 and len(data) <= MAX_KEPT
    told = sorted(reading.became, key=lambda remark: ("dropped", "approximated", "taken").index(remark.became))
    context: dict[str, Any] = {
        "name": name,
        "new": new,
        "editing": edited,
        "reading": reading,
        "problem": problem,
        "problems": [(p, reading.line_of(p.row)) for p in problems],
        "errors": sum(p.level == "error" for p in problems),
        "changes": changes(edited.table if edited is not None else EMPTY, table),
        "told": told[:MAX_TOLD],
        "untold": max(0, len(told) - MAX_TOLD),
        "counts": {word: sum(r.became == word for r in told) for word in ("taken", "approximated", "dropped")},
        "can": not reading.errors and bool(table.rows),
        "table": json.dumps(table.to_columns(), ensure_ascii=False),
        "kept": b64encode(data).decode() if keep else "",
        "called": request.POST.get("called", "") or getattr(request.FILES.get("file"), "name", ""),
        "picture": picture(table, name),
    }
    return render(request, "processes/preview.html", context, status=422 if problem else 200)


# exports


@require_safe
def export(request: Request, name: str) -> HttpResponse:
    """A version, or with `?draft=1` one's own draft, as a file: `?format=csv` and so on."""
    table, version = _exported(request, name)
    kind = request.GET.get("format", "csv")
    try:
        body, media, ending = _written(table, name, kind)
    except Unwritable as error:
        messages.error(request, f"{str(error)[:1].upper()}{str(error)[1:]}")
        return redirect("process", name)
    response = HttpResponse(body, content_type=media)
    response["Content-Disposition"] = content_disposition_header(True, f"{name}-{version}.{ending}") or "attachment"
    return response


def _exported(request: Request, name: str) -> tuple[ProcessTable, str]:
    if request.GET.get("draft") == "1" and may_edit(request):
        edited = editing.editing(request.user, current.tail(), name)
        if edited is not None:
            return edited.table, "draft" if edited.draft is not None else edited.base_version
    saved, wanted = current.tail().versions(name), request.GET.get("version", "")
    definition = next((each for each in reversed(saved) if not wanted or each.version == wanted), None)
    if definition is None or not may_view(request.user, compile_flow(saved[-1].table).roles):
        raise Http404(f"There is no process “{name}”.")
    return definition.table, definition.version


def _written(table: ProcessTable, name: str, kind: str) -> tuple[bytes, str, str]:
    """The bytes, their type and the ending of the file's name; raises Unwritable, Http404 for an unknown kind."""
    if kind == "csv-semicolon":
        return files.write_csv(table, ";"), files.MEDIA_TYPES["csv"], "csv"
    known = next((each for each in exports.KINDS if each == kind), None)
    if known is None:
        raise Http404(f"There is no format “{kind}”.")
    return exports.written(table, name, known), exports.MEDIA_TYPES[known], known
