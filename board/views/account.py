"""Login, logout and the own password."""

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeView
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator

from board import kept as keeping
from board.http import Request


@method_decorator(login_not_required, name="dispatch")
class Login(LoginView):
    """The login: a page of its own, or (asked for by htmx) laid over the page whose login has expired."""

    request: Request

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Who is logged in already, perhaps in another tab, goes on."""
        if request.user.is_authenticated:
            return self._in_place() if self._is_over() else redirect(self.get_success_url())
        return super().dispatch(request, *args, **kwargs)

    def get_template_names(self) -> list[str]:
        """The page or its part."""
        return ["registration/login.html#over" if self._is_over() else "registration/login.html"]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """With the form that was being sent, if there was one."""
        return super().get_context_data(**kwargs) | {"kept": self.request.POST.get("kept", "")}

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Log in; a kept form is shown again before anything of it is sent."""
        login(self.request, form.get_user())
        if self._is_over():
            return self._in_place()
        kept = keeping.read(self.request.POST.get("kept", ""))
        if kept is not None:
            self.request.session["kept"] = keeping.as_session(kept)
            return redirect("resume")
        return redirect(self.get_success_url())

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """422 for a part, so that nobody takes it for a page."""
        return self.render_to_response(self.get_context_data(form=form), status=422 if self._is_over() else 200)

    def _is_over(self) -> bool:
        return bool(self.request.htmx)

    def _in_place(self) -> JsonResponse:
        """What the page under the login needs to go on: its forms' new token, and whether it is the same person."""
        return JsonResponse({"token": get_token(self.request), "name": self.request.user.get_username()})


class Logout(LogoutView):
    """Logout; a POST, so that no picture on a strange page can do it."""

    http_method_names = ("post", "options")


class PasswordChange(PasswordChangeView):
    """The own password."""

    template_name = "registration/password.html"
    success_url = reverse_lazy("work")

    def form_valid(self, form: Any) -> HttpResponse:
        """Other browsers of this account are logged out by it; this one stays."""
        response = super().form_valid(form)
        messages.success(self.request, "Your password is changed. Other browsers have to log in again.")
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
        "form": AuthenticationForm(request),
        "kept": kept.to_text() if kept else "",
        "next": kept.back if kept else "",
    }
    return render(request, "registration/login.html", context, status=401)


def locked_out(request: HttpRequest, *_: Any) -> HttpResponse:
    """429: too many wrong passwords for one name from one address."""
    template = "registration/locked.html"
    return render(request, f"{template}#over" if cast(Request, request).htmx else template, status=429)
