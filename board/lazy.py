"""Views by their dotted name, imported when they are first asked for."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from django.http import HttpRequest, HttpResponseBase


def view(dotted: str) -> Callable[..., HttpResponseBase]:
    """A view that imports `board.views.<dotted>` at its first request, so one broken page takes no other with it."""
    module, _, name = f"board.views.{dotted}".rpartition(".")

    def call(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response: HttpResponseBase = getattr(import_module(module), name)(request, *args, **kwargs)
        return response

    call.__name__ = name
    call.__qualname__ = dotted
    return call
