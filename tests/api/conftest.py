"""The cast and the store of the view tests."""

from tests.views.conftest import cast, login, store

__all__ = ["cast", "login", "store"]
