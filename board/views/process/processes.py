"""The saved processes: the list, and each as a table to read, with its versions."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from board.accounts.permissions import actor_for, may, may_start
from board.process.engine.decide import Refusal
from board.selectors import current
from board.selectors.editor import processes as selectors
from board.selectors.words import said_for_people
from board.services import definitions
from board.web.http import Request


def may_edit(request: Request) -> bool:
    """Whether somebody may edit, import and restore processes."""
    return may(request.user, "edit a process")


def check_editor(request: Request) -> None:
    """403 for everybody else."""
    if not may_edit(request):
        raise PermissionDenied("Only a process editor may change a process.")


@require_safe
def index(request: Request) -> HttpResponse:
    """Every process somebody sees, and their own drafts of new ones."""
    context = {
        "processes": selectors.listing(current.tail(), request.user),
        "drafts": selectors.unsaved(current.tail(), request.user),
        "may_start": may_start(request.user),
        "may_edit": may_edit(request),
    }
    return render(request, "processes/list.html", context)


@require_safe
def detail(request: Request, name: str) -> HttpResponse:
    """One process as its table says, at `?version=` or the newest; a draft of one's own that was never saved."""
    shown = selectors.process(current.tail(), request.user, name, request.GET.get("version", ""))
    if shown is None:
        if may_edit(request) and any(draft.name == name for draft in selectors.unsaved(current.tail(), request.user)):
            return redirect("process-edit", name)
        raise Http404(f"There is no process “{name}”.")
    context = {
        "process": shown,
        "picture": selectors.picture(shown.definition.table, name),
        "may_start": may_start(request.user),
        "may_edit": may_edit(request),
    }
    return render(request, "processes/detail.html", context)


@require_POST
def restore(request: Request, name: str) -> HttpResponse:
    """Save an older version anew."""
    check_editor(request)
    try:
        definitions.restore(current.tail(), actor_for(request.user), name, request.POST.get("version", ""))
    except Refusal as refusal:
        messages.error(request, said_for_people(refusal.message))
    else:
        messages.success(request, "Restored: the older version is the newest again. Nothing of the others is lost.")
    return redirect("process", name)
