"""What every request passes through: freshness, where it comes from, what base.html shows on every page."""

from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponseBase
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.deprecation import MiddlewareMixin
from django_htmx.middleware import HtmxDetails

from board.selectors import frame


class Request(HttpRequest):
    """A request that has passed the middleware: somebody is logged in. For annotations only."""

    user: User
    htmx: HtmxDetails


class FreshMiddleware(MiddlewareMixin):
    """Nothing is shown from a cache: after a logout, and after Back, the page is asked for again.

    A page and its fragments share addresses, so every answer varies with the header that tells them apart.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Add the two headers where a view has not decided itself."""
        if not response.has_header("Cache-Control"):
            patch_cache_control(response, no_store=True, private=True)
        patch_vary_headers(response, ["HX-Request"])
        return response


def from_here(request: HttpRequest) -> bool:
    """Return whether a form was sent by one of our own pages, as the browser says; no word from it means no."""
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site == "same-origin"
    origin = request.headers.get("Origin")
    return origin is not None and origin == f"{request.scheme}://{request.get_host()}"


def shell(request: HttpRequest) -> dict[str, Any]:
    """Return what base.html needs on every page; nothing for a stranger."""
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return {}
    return {"shell": frame.shell(user)}
