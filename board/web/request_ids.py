"""An id for each request: in every line that is logged meanwhile, in the answer, and on the page of a fault."""

import re
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.core.signals import request_finished
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseBase
from django.utils.deprecation import MiddlewareMixin

from board.log.faults import request_id

HEADER = "X-Request-ID"
_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")


class RequestIdMiddleware(MiddlewareMixin):
    """Gives the request an id, and the answer the same; one that a proxy of ours made is taken over."""

    def process_request(self, request: HttpRequest) -> None:
        """Set the id for everything that is logged from here on."""
        request_id.set(_from_proxy(request) or uuid4().hex)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Tell the id to whoever asked."""
        response[HEADER] = request_id.get()
        return response


@receiver(request_finished)
def _forget(**_: Any) -> None:
    """Forget the id when the last byte of an answer was made: the thread goes on with other things."""
    request_id.set("")


def _from_proxy(request: HttpRequest) -> str:
    """Return the id a proxy of ours gave; "" without one, and where strangers could have written it."""
    given = request.headers.get(HEADER, "") if settings.FOLDBOARD_PROXIES else ""
    return given if _ID.fullmatch(given) else ""
