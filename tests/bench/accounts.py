"""Run as `python -m tests.bench.accounts N`: the cast, N logged-in watchers, collected files; prints session keys."""

import json
import os
import sys

import django


def main(watchers: int) -> None:
    """Everything a served board needs but the store."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "board.settings")
    django.setup()
    from django.conf import settings
    from django.contrib.auth import login
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.http import HttpRequest

    from board.accounts.sessions import SessionStore
    from tests.cast import make_cast

    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    people = [*make_cast().values()]
    people += User.objects.bulk_create([User(username=f"watcher{n}") for n in range(watchers - len(people))])
    keys = []
    for user in people[:watchers] if watchers else people[:1]:
        request = HttpRequest()
        request.session = SessionStore()
        login(request, user, backend="board.accounts.permissions.Accounts")
        request.session.save()
        keys.append(request.session.session_key)
    print(json.dumps(keys))


if __name__ == "__main__":
    main(int(sys.argv[1]))
