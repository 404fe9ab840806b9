"""Login for every page that does not say otherwise."""

from typing import Any

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from board.views.account import login_and_keep


class LoginMiddleware(LoginRequiredMiddleware):
    """Asks who it is; a fragment gets 401, never somebody else's page, and a form is kept until after the login."""

    def handle_no_permission(self, request: HttpRequest, view_func: Any) -> HttpResponseBase:  # type: ignore[override]
        """Answer 401 to htmx (a redirect would put a page into a row), else keep the form and ask for a login."""
        if request.headers.get("HX-Request") == "true":
            return HttpResponse("Your login has expired. Log in again; what you typed is still here.", status=401)
        if request.method == "POST":
            return login_and_keep(request)
        return super().handle_no_permission(request, view_func)
