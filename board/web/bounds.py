"""What no request may bring, and what is said when too many want something large: for every view at once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin

from board.exchange.apart import Busy
from board.web import unsent_forms as keeping

NO_TEXT = "A character in this is none that can be written (a zero, or half of a pair): remove it, then send it again."
_NONE = re.compile("[\0\ud800-\udfff]")
_ESCAPED = re.compile(rb"\\u(?:0000|d[89a-f])", re.IGNORECASE)  # in JSON; nothing else there can hold one


class BoundsMiddleware(MiddlewareMixin):
    """400 for text that no file and no database can hold, 503 when what is asked for has to wait."""

    def process_view(self, request: HttpRequest, view: Callable[..., Any], *_: object) -> HttpResponse | None:
        """Look at every field of an address and of a form, and every text of JSON, before a view does."""
        if all(map(is_text, _said(request))):
            return None
        if request.path.startswith("/api/"):
            return JsonResponse({"code": "text", "message": NO_TEXT}, status=400)
        raise BadRequest(NO_TEXT)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The page that says when to come again, with the form that was sent; the same as JSON for programs."""
        if not isinstance(exception, Busy):
            return None
        answer: HttpResponse
        if request.path.startswith("/api/"):
            message = f"Others are having something large made: ask again in {exception.again_s} seconds."
            answer = JsonResponse({"code": "busy", "message": message}, status=503)
        else:
            context = {"again": exception.again_s, "kept": keeping.keep(request)}
            answer = render(request, "busy.html", context, status=503)
        answer["Retry-After"] = str(exception.again_s)
        return answer


def _said(request: HttpRequest) -> Iterable[Any]:
    yield dict(request.GET.lists())
    if request.content_type == "application/json":
        yield _json(request.body)
    elif request.method == "POST":
        yield dict(request.POST.lists())
        yield [each.name for _, files in request.FILES.lists() for each in files]


def _json(body: bytes) -> Any:
    """What JSON says, where it could hold such a text at all; what is no JSON the view tells."""
    try:
        return json.loads(body) if _ESCAPED.search(body) else None
    except (ValueError, RecursionError):
        return None


def is_text(said: Any) -> bool:
    """Whether every text in a value, as deep as it goes, can be written."""
    left = [said]
    while left:
        each = left.pop()
        if isinstance(each, str):
            if _NONE.search(each):
                return False
        elif isinstance(each, Mapping):
            left += [*each, *each.values()]
        elif isinstance(each, (list, tuple)):
            left += each
    return True
