"""Hundreds who watch one board ask each second: most of them are answered here, before the rest of the stack.

Who was let through to the news of an instance is remembered for two and a half seconds, by cookie and address. Within
them only what needs no making is answered: 204, or news that are made already; they are the same for everybody who may
look.
A logout or a change of accounts in this process ends it at once; one in another process, within that time.
"""

import re
import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_out
from django.db.models.signals import m2m_changed, post_save
from django.http import HttpRequest, HttpResponseBase

KEPT_S = 2.5
MOST = 20_000
_NEWS = re.compile(r"/instances/([^/]+)/news/")


class WatchMiddleware:
    """Answers polls of those it knows; everything else, and every third poll of theirs, goes the whole way."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self.known: dict[tuple[str, str], float] = {}
        for signal, sender in ((user_logged_out, None), (m2m_changed, User.groups.through), (post_save, User)):
            signal.connect(self.forget, sender=sender, weak=False, dispatch_uid=f"watching {id(self)} {id(signal)}")

    def forget(self, **_: Any) -> None:
        """Let everybody's next poll go the whole way."""
        self.known.clear()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The answer that is there, or what the rest of the stack says."""
        found = _NEWS.fullmatch(request.path_info)
        if found is None or request.method != "GET":
            return self.get_response(request)
        who = (request.COOKIES.get(settings.SESSION_COOKIE_NAME, ""), request.path_info)
        if self.known.get(who, 0.0) > time.monotonic():
            from board.views import board

            answer = board.kept_news(found[1], request.GET)
            if answer is not None:
                return board.as_response(answer)
        response = self.get_response(request)
        if response.status_code in (200, 204) and who[0]:
            if len(self.known) >= MOST:
                self.known.clear()
            self.known[who] = time.monotonic() + KEPT_S
        return response
