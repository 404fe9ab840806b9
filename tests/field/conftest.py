"""The cast, its logins and an empty store, as the tests of the pages have them."""

from tests.views.conftest import cast, login, store

__all__ = ["cast", "login", "store"]
