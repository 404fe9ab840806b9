"""My work: what is open for me now, over all instances."""

from django.http import HttpResponse
from django.shortcuts import render

from board.http import Request


def index(request: Request) -> HttpResponse:
    """The page a day starts with."""
    return render(request, "work/index.html")
