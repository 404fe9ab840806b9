"""Run as `python -m tests.browser.prepare`: accounts, sessions and collected files; prints the session keys as JSON."""

import json
import os

import django


def main() -> None:
    """Everything a live board needs but the store."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "board.settings")
    django.setup()
    from django.contrib.auth import login
    from django.core.management import call_command
    from django.http import HttpRequest

    from board.accounts.sessions import SessionStore
    from tests.cast import make_cast

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    keys = {}
    for name, user in make_cast().items():
        request = HttpRequest()
        request.session = SessionStore()
        login(request, user, backend="board.accounts.permissions.Accounts")
        request.session.save()
        keys[name] = request.session.session_key
    print(json.dumps(keys))


if __name__ == "__main__":
    main()
