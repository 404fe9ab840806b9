"""The least a poll can cost: a WSGI application that always says that nothing changed."""

from collections.abc import Callable, Iterable
from typing import Any


def application(_: dict[str, Any], start: Callable[[str, list[tuple[str, str]]], Any]) -> Iterable[bytes]:
    """204, whatever is asked."""
    start("204 No Content", [("X-Position", "floor-0"), ("Content-Length", "0")])
    return []
