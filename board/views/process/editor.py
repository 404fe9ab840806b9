"""The editor: the table as a grid, each edit one POST, saving with a note, and what collides with others' saves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import count, takewhile
from typing import Any

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from board.accounts.permissions import actor_for
from board.models import Draft
from board.process.editing.diff import Side
from board.process.editing.grid import GridError
from board.process.engine.decide import Refusal
from board.selectors import current
from board.selectors.editor import editor as selectors
from board.selectors.editor import edits, row_form
from board.selectors.editor.problems import roles_held
from board.selectors.editor.processes import changes, going
from board.selectors.words import column_word, said_for_people
from board.views.process.processes import check_editor
from board.web import drafts
from board.web.http import Request

STEPS = {"undo": drafts.undo, "redo": drafts.redo}


def _editing(request: Request, name: str) -> selectors.Editing:
    check_editor(request)
    editing = selectors.editing(request.user, current.tail(), name)
    if editing is None:
        raise Http404(f"There is no process “{name}”.")
    return editing


@require_safe
def edit(request: Request, name: str) -> HttpResponse:
    """The grid; `?row=N` opens that row's form, which is how rows are edited without scripts."""
    editing = _editing(request, name)
    edits.keep(editing)
    wanted = request.GET.get("row", "")
    row = int(wanted) if wanted.isdecimal() and int(wanted) <= len(editing.grid.rows) else None
    context = {
        "editing": editing,
        "rows": selectors.numbered(editing.lines),
        "blank": selectors.rendered(selectors.blank_line(editing)),
        "headings": [(column, column_word(column)) for column in selectors.CORE],
        "panel": row_form.form_of(editing, row),
        "row": row,
        "row_title": editing.lines[row].title if row is not None and row < len(editing.lines) else "",
        "choices": row_form.choices(editing, roles_held()),
        "going": going(current.tail(), name),
    }
    return render(request, "editor/edit.html", context)


@require_safe
def picture(request: Request, name: str) -> HttpResponse:
    """The picture alone, which takes a while for a large process."""
    return HttpResponse(_editing(request, name).picture)


# edits


@require_POST
def op(request: Request, name: str) -> HttpResponse:
    """One edit; a script gets JSON with what changed, a form the page again."""
    check_editor(request)
    is_script = request.content_type == "application/json"
    said = _json(request) if is_script else _form(request.POST)
    try:
        draft = _made(request, name, said)
    except GridError as error:
        return _refused(request, name, is_script, 422, f"{str(error)[:1].upper()}{str(error)[1:]}.")
    except Refusal as refusal:
        if refusal.code == "no_process":
            raise Http404(refusal.message) from refusal
        return _refused(request, name, is_script, 409, said_for_people(refusal.message))
    if not is_script:
        return redirect(_back(request, name))
    editing = selectors.of_draft(request.user, current.tail(), draft)
    shown = (_whole(said.get("draft")), _whole(said.get("edits")), str(said.get("base", "")))
    before = shown if draft.edits == shown[1] + 1 else None
    return JsonResponse(edits.answer(editing, before=before, picture=not said.get("more")))


def _made(request: Request, name: str, said: Mapping[str, Any]) -> Draft:
    """The draft with the edit made; raises GridError and Refusal."""
    do, called = str(said.get("do", "")), str(said.get("called", ""))[:40]
    to = None if do in STEPS else drafts.edit_of(said)
    number, base = _whole(said.get("draft")), str(said.get("base", ""))
    draft = drafts.begin_at(request.user, current.tail(), name, number, base, called)
    if to is None:
        return STEPS[do](draft, _whole(said.get("edits")), called)
    return drafts.change(draft, _whole(said.get("edits")), to, called)


def _refused(request: Request, name: str, is_script: bool, status: int, message: str) -> HttpResponse:
    """A refusal with the draft as it is now, so that a page that lags behind is right again."""
    if not is_script:
        messages.error(request, message)
        return redirect(_back(request, name))
    editing = _editing(request, name)
    said = edits.answer(editing, before=None, picture=True) | {"message": message}
    return JsonResponse(said, status=status)


def _json(request: Request) -> dict[str, Any]:
    try:
        said = json.loads(request.body)
    except (ValueError, RecursionError) as error:
        raise BadRequest("This is no edit.") from error
    if not isinstance(said, dict) or not isinstance(said.get("rows", []), list):
        raise BadRequest("This is no edit.")
    return said


def _form(form: QueryDict) -> dict[str, Any]:
    """An edit from a form: ticked rows, a button, or every cell of one row."""
    said: dict[str, Any] = form.dict() | {"rows": form.getlist("rows")}
    match form.get("do", ""):
        case "up" | "down" as way:
            said |= {"do": "move", "by": -1 if way == "up" else 1}
        case "add":
            said["row"] = max((_whole(row) + 1 for row in said["rows"]), default=_whole(form.get("count")))
        case "ungroup":
            said["row"] = said["rows"][0] if said["rows"] else form.get("row", "")
        case "row":
            cells = [form[f"cell.{n}"] for n in takewhile(lambda n: f"cell.{n}" in form, count())]
            said |= {"do": "put", "column": "task", "block": [cells]}
    return said


def _back(request: Request, name: str) -> str:
    row = request.POST.get("back", "")
    return reverse("process-edit", args=[name]) + (f"?row={row}#row" if row.isdecimal() else "")


def _whole(said: object) -> int:
    text = str(said if said is not None else "")
    return int(text) if text.isdecimal() and len(text) < 16 else 0


# saving


@require_http_methods(["GET", "HEAD", "POST"])
def save(request: Request, name: str) -> HttpResponse:
    """What saving changes, the note, and where somebody else saved meanwhile the cells to choose; then a version."""
    editing = _editing(request, name)
    if editing.draft is None:
        messages.info(request, "There is nothing to save: nothing was changed.")
        return redirect("process-edit", name)
    if request.method != "POST":
        return _save_page(request, editing)
    note, chosen = request.POST.get("note", "").strip()[:2000], _chosen(request.POST)
    if _whole(request.POST.get("edits")) != editing.edits or request.POST.get("newest", "") != _newest(editing):
        return _save_page(
            request, editing, note, chosen, problem="It was changed elsewhere meanwhile: look at it once more."
        )
    try:
        if request.POST.get("do") == "take":
            drafts.take_in(editing.draft, current.tail(), editing.edits, chosen)
            messages.success(request, "What others saved is in your draft now. Put right what is wrong, then save.")
            return redirect("process-edit", name)
        asked = drafts.save(editing.draft, current.tail(), actor_for(request.user), note, chosen)
    except Refusal as refusal:
        return _save_page(request, editing, note, chosen, problem=said_for_people(refusal.message))
    if asked is not None:
        return _save_page(request, editing, note, chosen, problem="Choose for every cell that collides.")
    saved = current.tail().definition(name)
    messages.success(request, f"Saved as version {saved.version if saved else ''}. Running instances keep theirs.")
    return redirect("process", name)


def _save_page(
    request: Request,
    editing: selectors.Editing,
    note: str = "",
    chosen: Mapping[tuple[str, str], Side] | None = None,
    *,
    problem: str = "",
) -> HttpResponse:
    assert editing.draft is not None  # nosec B101 # for the type checker: asked before
    merging = row_form.merging(editing)
    context = {
        "editing": editing,
        "note": note,
        "problem": problem,
        "changes": changes(selectors.base_of(editing.draft), editing.table),
        "merging": merging,
        "conflicts": [(c, (chosen or {}).get((c.task, c.column), "")) for c in merging.conflicts] if merging else [],
        "newest": _newest(editing),
        "going": going(current.tail(), editing.name),
    }
    return render(request, "editor/save.html", context, status=422 if problem else 200)


def _newest(editing: selectors.Editing) -> str:
    return editing.newest.version if editing.newest else ""


def _chosen(form: QueryDict) -> dict[tuple[str, str], Side]:
    """What was chosen for each collision: fields `side.N` beside `task` and `column` in the same order."""
    chosen: dict[tuple[str, str], Side] = {}
    for number, key in enumerate(zip(form.getlist("task"), form.getlist("column"), strict=False)):
        side = form.get(f"side.{number}", "")
        if side in ("mine", "theirs"):
            chosen[key] = "mine" if side == "mine" else "theirs"
    return chosen


@require_POST
def discard(request: Request, name: str) -> HttpResponse:
    """Throw the own draft away; the question was asked by the button."""
    check_editor(request)
    draft = drafts.find(request.user, name)
    if draft is not None:
        drafts.discard(draft)
        messages.success(request, f"Your draft of {name} is thrown away.")
    saved = current.tail().definition(name) is not None
    return redirect("process", name) if saved else redirect("processes")
