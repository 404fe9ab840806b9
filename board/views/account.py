"""Login, logout and the own password."""

from typing import Any

from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy


class Login(LoginView):
    """The login page."""

    redirect_authenticated_user = True


class Logout(LogoutView):
    """Logout; a POST, so that no picture on a strange page can do it."""


class PasswordChange(PasswordChangeView):
    """The own password."""

    success_url = reverse_lazy("work")


def login_and_keep(request: HttpRequest) -> HttpResponse:
    """The login page for a form that was sent after the login had expired."""
    return redirect("login")


def locked_out(request: HttpRequest, credentials: dict[str, Any] | None = None, *args: Any) -> HttpResponse:
    """429: too many wrong passwords for one name from one address."""
    return render(request, "registration/locked.html", status=429)
