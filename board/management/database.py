"""Where the accounts are, for the commands that copy them."""

from pathlib import Path

from django.conf import settings


def sqlite_path() -> Path | None:
    """The file of the SQLite database; None when the settings use another kind."""
    default = settings.DATABASES["default"]
    return Path(default["NAME"]) if default["ENGINE"].endswith("sqlite3") else None
