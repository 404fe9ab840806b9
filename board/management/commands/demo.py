"""`manage.py demo`: a fresh store with a story in it, a board, a worker and a stand-in for the delivery platform."""

import argparse
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command
from django.utils import timezone

from board.demo.home import DemoError, Home
from board.demo.run import Wishes, run


class Command(BaseCommand):
    """Sets the demo up and runs it until Ctrl-C."""

    help = "Start a demo on this machine: a fresh store, accounts, board, worker and deliveries. Ctrl-C ends it."
    requires_system_checks = ()  # they speak of the installation beside the demo

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """The demo's few choices."""
        parser.add_argument("--port", type=int, default=8000, help="port on 127.0.0.1; a free one if it is taken")
        parser.add_argument("--countries", type=int, default=12, help="how many countries deliver, at most 142")
        parser.add_argument("--interval", type=float, help="seconds between two deliveries (3, or less for many)")
        parser.add_argument("--dir", type=Path, default=settings.BASE_DIR / "var" / "demo", help="where it lives")
        parser.add_argument("--inside", metavar="INSTANCE", help=argparse.SUPPRESS)

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the demo; with --inside, which the demo asks of itself, only fill store and database."""
        try:
            if options["inside"]:
                self.fill(options["inside"], options["countries"])
                return
            wishes = Wishes(
                settings.BASE_DIR, options["dir"], options["port"], options["countries"], options["interval"]
            )
            sys.exit(run(wishes, timezone.localdate()))
        except DemoError as problem:
            raise CommandError(str(problem), returncode=2) from None

    def fill(self, instance: str, countries: int) -> None:
        """Tables, collected files, accounts, the definition and the instance."""
        from board.demo import story

        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        story.set_up(Home(settings.FOLDBOARD_VAR).countries, countries, instance)
