"""Pages for what went wrong: each says what happened and what to do, and loses nothing that was typed."""

import errno
import json
import logging
import sys

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import BadRequest
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils import timezone

from board.accounts.permissions import may_start
from board.log.errors import AppendError, ReadError
from board.log.faults import note_fault, request_id
from board.views.instance.common import Unreadable, base_of
from board.web import unsent_forms as keeping

_logger = logging.getLogger(__name__)
RETRY_S = 10
API = "/api/"
# what a disk or a machine says, and not a fault of ours in naming a file
OF_THE_DISK = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.ESTALE, errno.EMFILE, errno.ENFILE}
)


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
    """500, without the frame: what broke may be the frame, or the database, or the files.

    503 where it was no fault of the board's: Django asks here for every exception, of a view or of what is around it.
    """
    sentence = _out_of_order(sys.exception())
    if sentence:
        return _unavailable(request, sentence)
    if _is_of_a_program(request):
        message = f"This is a fault of Foldboard itself. Its log has the details under request {request_id.get()}."
        return JsonResponse({"code": "fault", "message": message}, status=500)
    at = f"{timezone.localtime():%H:%M:%S}"
    context = {"at": at, "request_id": request_id.get(), "css": _css(), "kept": _kept(request)}
    return HttpResponse(render_to_string("500.html", context), status=500)


def _out_of_order(failed: BaseException | None) -> str:
    """What to tell people when log, database or disk cannot be used for now; "" for anything else."""
    match failed:
        case AppendError() | ReadError():
            return str(failed)
        case OperationalError():
            reason = str(failed).strip().splitlines() or ["no reason given"]
            return f"The database of accounts cannot be used now: {reason[0]}. Repeat it in a moment."
        case OSError() if failed.errno in OF_THE_DISK:
            return f"A file of the board cannot be used now: {failed.strerror}. Repeat it in a moment."
    return ""


def _unavailable(request: HttpRequest, sentence: str) -> HttpResponse:
    """503 for each kind of caller: JSON for programs, words at the foot of the window for a fragment, else a page."""
    if _is_of_a_program(request):
        answer: HttpResponse = JsonResponse({"code": "unavailable", "message": sentence}, status=503)
    elif request.headers.get("HX-Request") == "true":
        answer = HttpResponse(sentence, status=503, content_type="text/plain; charset=utf-8")
        answer["HX-Trigger"] = json.dumps({"say": {"text": sentence, "kind": "error"}})
    else:
        answer = HttpResponse(render_to_string("503.html", _as_it_was(request, sentence)), status=503)
    answer["Retry-After"] = str(RETRY_S)
    return answer


def _is_of_a_program(request: HttpRequest) -> bool:
    return request.path.startswith(API) and request.path != API


def _as_it_was(request: HttpRequest, sentence: str) -> dict[str, object]:
    kept = _kept(request)
    return {
        "sentence": sentence,
        "css": _css(),
        "kept": kept,
        # without its password a form is not worth sending again
        "whole": kept is not None and not any("password" in name for name in request.POST),
        "again": kept.back if kept else request.get_full_path(),
        "csrf_token": get_token(request),
    }


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
    except Exception as error:  # the form itself may be what broke the page
        note_fault(_logger, error, "What was sent cannot be kept")
        return None
