"""The worker's page: is it alive, what runs, what waits."""

from django.http import HttpResponse
from django.shortcuts import render

from board.http import Request


def index(request: Request) -> HttpResponse:
    """The page."""
    return render(request, "worker/index.html")
