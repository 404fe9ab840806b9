"""Make or end a token of the API."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from board.api import tokens
from board.models import Token


class Command(BaseCommand):
    help = "Make a token of the API for an account (shown once), or end one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("account")
        parser.add_argument("--name", default="", help="what uses the token")
        parser.add_argument("--end", action="store_true", help="end the account's tokens of that name instead")

    def handle(self, *args: Any, account: str, name: str, end: bool, **options: Any) -> None:
        user = User.objects.filter(username=account).first()
        if user is None:
            raise CommandError(f"There is no account “{account}”: see /admin/.", returncode=2)
        if not name:
            raise CommandError("Say what uses the token: --name NAME.", returncode=2)
        if end:
            ended, _ = Token.objects.filter(user=user, name=name).delete()
            if not ended:
                raise CommandError(f"“{account}” has no token of the name “{name}”.", returncode=2)
            self.stdout.write(f"Ended {ended} token(s) of {account}.")
            return
        self.stdout.write(tokens.make(user, name))
