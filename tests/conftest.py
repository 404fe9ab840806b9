"""What every test shares."""

import tempfile

import pytest
from hypothesis import settings as examples

# an example may take as long as the machine is busy; how fast things are is what the benchmarks measure
examples.register_profile("foldboard", deadline=None)
examples.load_profile("foldboard")


def pytest_configure(config: pytest.Config) -> None:
    """Settings no test wants as they are in production: collected files, slow passwords, sessions on disk."""
    from django.conf import settings

    settings.STATIC_ROOT = tempfile.mkdtemp(prefix="foldboard-static-")
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    }
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.CACHES = settings.CACHES | {"sessions": settings.CACHES["default"]}
