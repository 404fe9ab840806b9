"""Login, logout and the own password."""

import logging
from typing import Any

from django.contrib import messages
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeView
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils import timezone

from board.accounts.sessions import SessionStore
from board.web import unsent_forms as keeping
from board.web.http import Request

_logger = logging.getLogger(__name__)


class Login(LoginView):
    """The login; static/js/shared/live.js lays its form over a page whose login has expired."""

    redirect_authenticated_user = True

    def get_form_kwargs(self) -> dict[str, Any]:
        """Labels without a colon, as on every page."""
        return super().get_form_kwargs() | {"label_suffix": ""}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """With the form that was being sent, if there was one."""
        return super().get_context_data(**kwargs) | {"kept": self.request.POST.get("kept", "")}

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Log in; a kept form is shown again before anything of it is sent."""
        response = super().form_valid(form)
        kept = keeping.read(self.request.POST.get("kept", ""))
        if kept is None:
            return response
        self.request.session["kept"] = keeping.as_session(kept)
        return redirect("resume")


class Logout(LogoutView):
    """Logout; a POST, so that no picture on a strange page can do it."""

    http_method_names = ("post", "options")

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """End the session; where the database cannot be written, the browser forgets it at least, and is told so."""
        try:
            return super().post(request, *args, **kwargs)
        except DatabaseError:
            _logger.exception("A session could not be ended: the database cannot be written.")
            request.session = SessionStore()  # an empty one, for which the cookie is taken back
            request.user = AnonymousUser()
            return render(request, "registration/logged_out_here.html")


class PasswordChange(PasswordChangeView):
    """The own password."""

    template_name = "registration/password.html"
    success_url = reverse_lazy("work")

    def get_form_kwargs(self) -> dict[str, Any]:
        """Labels without a colon, as on every page."""
        return super().get_form_kwargs() | {"label_suffix": ""}

    def form_valid(self, form: Any) -> HttpResponse:
        """Other browsers of this account are logged out by it, and its tokens end; this browser stays."""
        spoke = form.user.tokens.filter(ended_by="", ends__gt=timezone.now()).exists()
        response = super().form_valid(form)
        tokens = " Programs that used a token of yours need a new one." if spoke else ""
        messages.success(self.request, f"Your password is changed. Other browsers have to log in again.{tokens}")
        return response


def resume(request: Request) -> HttpResponse:
    """The form that was being sent when the login had expired, to be sent now or thrown away."""
    stored = request.session.get("kept")
    if stored is None:
        return redirect("work")
    return render(request, "registration/resume.html", {"kept": keeping.from_session(stored)})


def login_and_keep(request: HttpRequest) -> HttpResponse:
    """The login page for a form that was sent after the login had expired, with the form inside (status 401)."""
    kept = keeping.keep(request)
    context = {
        "form": AuthenticationForm(request, label_suffix=""),
        "kept": kept.to_text() if kept else "",
        "next": kept.back if kept else "",
    }
    return render(request, "registration/login.html", context, status=401)


def locked_out(request: HttpRequest, *_: Any) -> HttpResponse:
    """429: too many wrong passwords for this name, or from this address."""
    return render(request, "registration/locked.html", status=429)
