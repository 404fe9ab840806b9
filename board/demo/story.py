"""What the demo's board starts with: accounts, the definition, and one instance of it that waits for deliveries."""

import csv
import shutil
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import Group, User

from board.accounts.permissions import actor_for
from board.demo.home import DemoError
from board.log.tail import Tail, shared
from board.process.definition.elements import ElementList
from board.process.definition.table import ProcessTable
from board.services import definitions, instances

PROCESS = "Quarterly data collection"
PASSWORD = "demo"  # nosec B105 # of a demo on 127.0.0.1
NOTE = "As it comes with the demo"

# account: (first name, last name, its group)
PEOPLE: dict[str, tuple[str, str, str]] = {
    "ana": ("Ana", "Weiss", "analyst"),
    "ben": ("Ben", "Krug", "analyst"),
    "sam": ("Sam", "Okafor", "steward"),
    "mira": ("Mira", "Lindt", "management"),
    "olga": ("Olga", "Petrova", "operator"),
    "ed": ("Ed", "Moore", "editor"),
}

# The countries with something to find come first, so that they are there however few are asked for.
FIRST = (
    "Rwanda", "Cambodia", "Norway", "Brazil", "Japan", "Kenya", "Germany", "Mexico", "India", "Egypt", "Portugal",
    "New Zealand",
)  # fmt: skip
ASSIGNED = {"Rwanda": "ana", "Cambodia": "ana"}


def make_people() -> None:
    """The cast of the demo, each with its group; everybody's password is the same."""
    User.objects.create_superuser("admin", password=PASSWORD, first_name="Admin")
    for name, (first, last, group) in PEOPLE.items():
        person = User.objects.create_user(name, password=PASSWORD, first_name=first, last_name=last)
        person.groups.add(Group.objects.get_or_create(name=group)[0])


def continents() -> dict[str, str]:
    """Every country there are figures of, with its continent."""
    with (Path(settings.FOLDBOARD_JOBS) / "data" / "gapminder.csv").open(newline="", encoding="utf-8") as file:
        return {line["country"]: line["continent"] for line in csv.DictReader(file)}


def countries(count: int) -> list[dict[str, str]]:
    """The element list: so many countries in alphabetical order, with continent and who they are assigned to."""
    known = continents()
    if not 1 <= count <= len(known):
        raise DemoError(f"--countries {count}: there are figures of 1 to {len(known)} countries.")
    chosen = sorted([*FIRST, *(name for name in known if name not in FIRST)][:count])
    return [{"country": name, "continent": known[name], "assignee": ASSIGNED.get(name, "")} for name in chosen]


def write_countries(path: Path, rows: list[dict[str, str]]) -> None:
    """Keep the list where the stand-in for the platform reads it."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


def definition() -> ProcessTable:
    """The process as jobs/quarterly.csv has it; where there is no R, the forecast is made in Python."""
    with (Path(settings.FOLDBOARD_JOBS) / "quarterly.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not shutil.which("Rscript"):
        for row in rows:
            row["script"] = row["script"].replace("forecast.R", "forecast.py")
    return ProcessTable.from_rows(rows)


def begin(tail: Tail, rows: list[dict[str, str]], instance: str) -> None:
    """Save the definition as the process editor, start the instance as the operator."""
    definitions.save(tail, actor_for(User.objects.get(username="ed")), PROCESS, definition(), NOTE, base="")
    elements = ElementList.from_columns({name: [row[name] for row in rows] for name in rows[0]})
    instances.start(tail, actor_for(User.objects.get(username="olga")), PROCESS, instance, elements)


def set_up(list_path: Path, count: int, instance: str) -> None:
    """Everything of the story that is there before anybody logs in."""
    rows = countries(count)
    write_countries(list_path, rows)
    make_people()
    begin(shared(settings.FOLDBOARD_STORE), rows, instance)
