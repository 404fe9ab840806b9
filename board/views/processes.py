"""The saved processes: the list, and each as a table to read, with its versions."""

from django.http import Http404, HttpResponse
from django.shortcuts import render

from board.http import Request
from board.permissions import may_start
from board.selectors import desk
from board.selectors import processes as selectors


def index(request: Request) -> HttpResponse:
    """Every process somebody sees."""
    found = selectors.listing(desk.tail(), request.user)
    return render(request, "processes/list.html", {"processes": found, "may_start": may_start(request.user)})


def detail(request: Request, name: str) -> HttpResponse:
    """One process as its table says, at `?version=` or the newest."""
    found = selectors.process(desk.tail(), request.user, name, request.GET.get("version", ""))
    if found is None:
        raise Http404(f"There is no process “{name}”.")
    context = {"process": found, "may_start": may_start(request.user)}
    return render(request, "processes/detail.html", context)
