from tests.views.conftest import cast, login, store  # noqa: F401  fixtures
