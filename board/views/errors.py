"""Pages for what went wrong: each says what happened and what to do, and loses nothing that was typed."""

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils import timezone

from board import kept as keeping
from board.permissions import may_start
from board.views.common import Unreadable, base_of


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400: too large, under a name the board does not answer to, or what the exception says in a sentence."""
    reason = str(exception) if isinstance(exception, BadRequest) else ""
    return render(request, "400.html", {"reason": reason}, status=400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403; the exception's text, if it has one, is a sentence for people."""
    return render(request, "403.html", {"reason": str(exception or "")}, status=403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404, also for what somebody may not see: that it exists is not said. What is there and unreadable says why."""
    if isinstance(exception, Unreadable):
        head = exception.head
        context = {"head": head, "base": base_of(head.id), "may_start": may_start(exception.user)}
        return render(request, "instances/unreadable.html", context, status=404)
    return render(request, "404.html", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """500, without the frame: what broke may be the frame, or the database, or the files."""
    context = {"at": f"{timezone.localtime():%H:%M:%S}", "css": _css(), "kept": _kept(request)}
    return HttpResponse(render_to_string("500.html", context), status=500)


@login_not_required
def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 for a form whose token is no longer good (a login in another tab): it comes back, to be sent again.

    A fragment's form without a login gets 401 like any other: the token went with the cookies.
    """
    if request.headers.get("HX-Request") == "true" and not request.user.is_authenticated:
        return HttpResponse("Your login has expired. Log in again; what you typed is still here.", status=401)
    return render(request, "csrf.html", {"kept": keeping.keep(request)}, status=403)


def _css() -> str:
    try:
        return static("css/base.css")
    except ValueError:  # not collected
        return ""


def _kept(request: HttpRequest) -> keeping.Kept | None:
    try:
        return keeping.keep(request)
    except Exception:  # the form itself may be what broke the page
        return None
