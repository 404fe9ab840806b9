"""The cast, its logins and an empty store, as the tests of pages have them; and where a worker works."""

from tests.views.conftest import cast, login, store
from tests.worker.conftest import site

__all__ = ["cast", "login", "site", "store"]
