"""`manage.py logout`: end the logins of an account, or of everybody."""

import json
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from board.accounts import sessions


class Command(BaseCommand):
    """Ends sessions; tokens of the API are ended by `apitoken --end`."""

    help = "End the logins of an account in every browser, or with --all those of everybody."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whose logins, and for whom the answer is."""
        parser.add_argument("account", nargs="?", help="whose logins")
        parser.add_argument("--all", action="store_true", help="everybody's, your own too")
        parser.add_argument("--json", action="store_true", help="one JSON object")

    def handle(self, *args: Any, account: str | None, **options: Any) -> None:
        """End them and say how many there were."""
        if (account is None) != options["all"]:
            raise CommandError("Say whose logins: an account, or --all for everybody's.", returncode=2)
        ended = sessions.end_all() if account is None else sessions.end_of(_found(account))
        if options["json"]:
            self.stdout.write(json.dumps({"account": account, "ended": ended}, ensure_ascii=False))
        else:
            self.stdout.write(f"Ended {ended} login(s) of {account or 'everybody'}.")


def _found(account: str) -> User:
    user = User.objects.filter(username=account).first()
    if user is None:
        raise CommandError(f"There is no account “{account}”: see /admin/.", returncode=2)
    return user
