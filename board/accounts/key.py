"""The key that signs sessions and forms: made once, kept in a file only its owner can read."""

import os
import secrets
import tempfile
from pathlib import Path


def kept_key(path: Path) -> str:
    """Return the key in `path`, made at the first call; "" when the file can neither be read nor made.

    Several processes may start at once on a fresh machine: the first link wins and the others read it.
    A process that may not read it (the worker of another account) gets "" and runs: it signs nothing, and
    Django itself refuses an empty key at the moment somebody wants to sign.
    """
    try:
        if not path.exists():
            _make(path)
        return path.read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # mkstemp gives mode 600, and a link never replaces what another process made first
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".secret_key-")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(64))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)
        except FileExistsError:
            return
    finally:
        os.unlink(draft)
