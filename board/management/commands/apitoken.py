"""Make, list or end tokens of the API."""

import json
from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from board.api import tokens
from board.models import Token


class Command(BaseCommand):
    help = "Make a token of the API for an account (shown once), end one, or list them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("account", nargs="?")
        parser.add_argument("--name", default="", help="what uses the token")
        lasts = f"how long it lasts: {tokens.DAYS}, at most {tokens.MOST_DAYS}"
        parser.add_argument("--days", type=int, default=tokens.DAYS, help=lasts)
        parser.add_argument("--end", action="store_true", help="end the account's tokens of that name instead")
        parser.add_argument("--list", action="store_true", help="list the account's tokens instead, or everybody's")
        parser.add_argument("--json", action="store_true", help="one JSON object, or a list of them")

    def handle(self, *args: Any, account: str | None, name: str, **options: Any) -> None:
        user = _found(account) if account is not None else None
        if options["list"]:
            tokens = Token.objects.select_related("user").order_by("user__username", "created")
            self._list(tokens if user is None else tokens.filter(user=user), as_json=options["json"])
            return
        if user is None:
            raise CommandError("Say whose token: apitoken ACCOUNT --name NAME.", returncode=2)
        if not name:
            raise CommandError("Say what uses the token: --name NAME.", returncode=2)
        if options["end"]:
            self._end(user, name, as_json=options["json"])
        else:
            self._make(user, name, options["days"], as_json=options["json"])

    def _make(self, user: User, name: str, days: int, *, as_json: bool) -> None:
        if not 1 <= days <= tokens.MOST_DAYS:
            raise CommandError(f"--days is a number from 1 to {tokens.MOST_DAYS}.", returncode=2)
        if not user.is_active:
            raise CommandError(f"“{user}” is switched off, and so would be its token: see /admin/.", returncode=2)
        secret = tokens.make(user, name, days)
        made = _facts(Token.objects.select_related("user").get(digest=tokens.digest_of(secret)))
        self.stdout.write(json.dumps(made | {"token": secret}, ensure_ascii=False) if as_json else secret)

    def _end(self, user: User, name: str, *, as_json: bool) -> None:
        ended, _ = Token.objects.filter(user=user, name=name).delete()
        if not ended:
            raise CommandError(f"“{user}” has no token of the name “{name}”.", returncode=2)
        said = {"account": user.username, "name": name, "ended": ended}
        self.stdout.write(json.dumps(said, ensure_ascii=False) if as_json else f"Ended {ended} token(s) of {user}.")

    def _list(self, tokens: Iterable[Token], *, as_json: bool) -> None:
        facts = [_facts(token) for token in tokens]
        if as_json:
            self.stdout.write(json.dumps(facts, ensure_ascii=False, indent=2))
            return
        for each in facts:
            state = f"ended: {each['ended']}" if each["ended"] else f"ends {each['ends']}"
            self.stdout.write(f"{each['account']}: {each['name']}, made {each['created']}, {state}")


def _facts(token: Token) -> dict[str, str]:
    """A token for programs: `ended` is "" while it is good."""
    return {
        "account": token.user.username,
        "name": token.name,
        "created": f"{timezone.localdate(token.created):%Y-%m-%d}",
        "ends": f"{timezone.localdate(token.ends):%Y-%m-%d}",
        "ended": tokens.why_ended(token),
    }


def _found(account: str) -> User:
    user = User.objects.filter(username=account).first()
    if user is None:
        raise CommandError(f"There is no account “{account}”: see /admin/.", returncode=2)
    return user
