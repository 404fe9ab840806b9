"""A dry run: a draft or a saved version played through; the steps travel in the form, and nothing is written."""

from __future__ import annotations

import json
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from board.accounts.permissions import may_view
from board.process.definition.table import ProcessTable
from board.process.engine.dry_run import MADE_UP, MAX_MOVES, Move
from board.process.engine.instance import InstanceError
from board.process.flow.flow import compile_flow
from board.process.validation.problems import check
from board.selectors import current
from board.selectors.editor import dry_run as selectors
from board.selectors.editor import editor as editing
from board.views.process.processes import may_edit
from board.web.bounds import is_text
from board.web.http import Request


@require_http_methods(["GET", "HEAD", "POST"])
def dryrun(request: Request, name: str) -> HttpResponse:
    """The steps so far, and one more, one less or none."""
    table, what = _table(request, name)
    errors = [problem for problem in check(table) if problem.level == "error"]
    context: dict[str, Any] = {"name": name, "what": what, "query": request.GET.urlencode(), "errors": errors}
    if not errors:
        try:
            moves = _moves(request, table)
            since = len(_read(request.POST.get("moves", ""))) if "finish" in request.POST else None
            run = selectors.dry_run(table, name, moves, since)
            context |= {"run": run, "moves": json.dumps(run.moves, ensure_ascii=False), "elements": MADE_UP}
        except InstanceError as error:
            context["cannot"] = f"{str(error)[:1].upper()}{str(error)[1:]}."
    return render(request, "processes/try.html", context)


def _table(request: Request, name: str) -> tuple[ProcessTable, str]:
    """What is played: `?draft=1` one's own draft, `?version=` a saved one, else the newest; and how it is called."""
    if request.GET.get("draft") == "1" and may_edit(request):
        edited = editing.editing(request.user, current.tail(), name)
        if edited is not None and edited.draft is not None:
            return edited.table, "draft"
    saved, wanted = current.tail().versions(name), request.GET.get("version", "")
    definition = next((each for each in reversed(saved) if not wanted or each.version == wanted), None)
    if definition is None or not may_view(request.user, compile_flow(saved[-1].table).roles):
        raise Http404(f"There is no process “{name}”.")
    return definition.table, definition.version


def _moves(request: Request, table: ProcessTable) -> list[Move]:
    moves = _read(request.POST.get("moves", ""))
    if request.POST.get("do") == "back":
        return moves[:-1]
    step = _read(f"[{request.POST.get('finish', '')}]")
    if not step:
        return moves
    if step[0].element != selectors.ALL:
        return [*moves, step[0]]
    played = selectors.dry_run(table, "", moves)
    spots = (spot for part in played.parts if part.section.task == step[0].task for spot in part.spots)
    return [*moves, *(step[0]._replace(element=spot.view.element) for spot in spots if spot.answers)]


def _read(said: str) -> list[Move]:
    """Moves as they stand in the form; what is none is left out."""
    try:
        moves = json.loads(said) if said else []
    except (ValueError, RecursionError):
        return []
    if not isinstance(moves, list) or not is_text(moves):
        return []
    whole = (each for each in moves[:MAX_MOVES] if isinstance(each, list) and len(each) == 3)
    return [Move(*map(str, each)) for each in whole]
