"""`manage.py instance ID`: where an instance stands."""

import argparse
import json
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from board.log.errors import LogError
from board.log.tail import shared
from board.management.process_files import shown
from board.process.engine.instance import Instance
from board.selectors.current import zone
from board.selectors.instance.as_json import record


class Command(BaseCommand):
    """Prints the state, the sentence and every row of an instance; without an id, all instances."""

    help = "Print where an instance stands, row by row; without an id, a line for each instance."
    requires_system_checks = ()

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Which one, and for whom."""
        parser.add_argument("instance", nargs="?", default="", help="its id, or latest")
        parser.add_argument("--json", action="store_true", help="one JSON object: state, sentence, rows, counts")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print it."""
        tail, wanted = shared(settings.FOLDBOARD_STORE), options["instance"]
        try:
            with tail.reading():
                ids = [wanted] if wanted else [head.id for head in tail.ids()]
                looked_at = [(each, tail.get(each), tail.head(each)) for each in ids]
                if wanted and looked_at[0][1] is None:
                    broken = looked_at[0][2].broken if looked_at[0][2] else ""
                    raise CommandError(broken or f"There is no instance “{shown(wanted)}”.", returncode=2)
                records = [record(instance, zone()) for _, instance, _ in looked_at if instance is not None]
                whole = looked_at[0][1] if wanted else None
        except LogError as error:
            raise CommandError(str(error), returncode=2) from None
        if options["json"]:
            self.stdout.write(json.dumps(records[0] if wanted else records, ensure_ascii=False, indent=2))
        elif whole is not None:
            self._one(whole, records[0])
        else:
            for each in records:
                self.stdout.write(f"{each['instance']}: {each['state']}. {shown(each['sentence'])}")

    def _one(self, instance: Instance, facts: dict[str, Any]) -> None:
        self.stdout.write(f"{instance.id}: {shown(instance.name)}, version {instance.version}")
        self.stdout.write(f"{facts['state']}. {shown(facts['sentence'])}")
        for row in facts["rows"]:
            name = f"{row['task']}@{row['element']}" if row["element"] else row["task"]
            more = [f"for {row['waiting']}" if row["waiting"] else "", row["assignee"] or "", row["due"] or ""]
            self.stdout.write("  ".join(["", f"{row['status']:<8}", shown(name), *(m for m in map(shown, more) if m)]))
