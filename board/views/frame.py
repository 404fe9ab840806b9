"""The frame of a page that stays open: the worker's mark, its banner, the badge, and which day it is."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from board.selectors.frame import shell
from board.web.http import Request


@require_safe
def frame(request: Request) -> HttpResponse:
    """The parts anew, asked for every half minute by js/shared/frame.js; 204 while those of version `v` are true."""
    frame_now = shell(request.user)
    if request.GET.get("v") == frame_now.version:
        return HttpResponse(status=204)
    return render(request, "includes/frame.html", {"shell": frame_now})
