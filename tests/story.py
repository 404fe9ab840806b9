"""A store with a story in it: two processes, three instances, something late, something failed, something coming."""

from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import structs

from board.log.event import Event
from board.log.file import open_log
from board.log.tail import Tail, shared
from board.process.definition.table import ElementList, ProcessTable
from board.services import definitions, instances, tasks
from board.services.actor import Actor, anybody
from board.services.tasks import Place

COLLECTION = "Quarterly data collection"
RELEASE = "Release"
ADMIN = anybody("admin")
OLGA = Actor("olga", frozenset({"operator"}), operator=True)
ANA = Actor("ana", frozenset({"analyst"}))
BEN = Actor("ben", frozenset({"analyst"}))
ROWS: list[dict[str, str | None]] = [
    {"task": "each_country", "name": "Each country", "collection": "country"},
    {"task": "delivery", "name": "Delivery", "role": "system", "parent": "each_country"},
    {
        "task": "validate", "name": "Validate", "role": "system", "script": "validate.py", "retry": "1",
        "depends_on": "delivery", "parent": "each_country",
    },
    {
        "task": "review", "name": "Review", "role": "analyst", "depends_on": "validate", "parent": "each_country",
        "due": "2d", "description": "Compare with **last year** and look at the gaps.",
    },
    {
        "task": "approve", "name": "Approve the data", "role": "steward", "depends_on": "each_country",
        "not_by": "review", "description": "All countries are reviewed. Approve, so that they can be put together.",
    },
    {"task": "qa", "name": "QA check", "role": "system", "script": "qa.py", "depends_on": "approve, reconcile"},
    {"task": "reconcile", "name": "Reconcile", "role": "analyst", "depends_on": "qa:false", "due": "2d"},
    {"task": "sign_off", "name": "Approve publication", "role": "management", "depends_on": "qa:true", "due": "3d"},
    {"task": "publish", "name": "Publish", "role": "system", "script": "publish.sh", "depends_on": "sign_off:approved"},
]  # fmt: skip
RELEASE_ROWS: list[dict[str, str | None]] = [
    {"task": "build", "name": "Build", "role": "system", "script": "build.sh"},
    {"task": "check", "name": "Check the build", "role": "analyst", "depends_on": "build", "due": "1d"},
    {
        "task": "go", "name": "Go or no go", "role": "management", "depends_on": "check", "not_by": "check",
        "description": "Read the notes. `approved` ships it; `rejected` sends it back, with your reason.",
    },
    {"task": "ship", "name": "Ship", "role": "system", "script": "ship.sh", "depends_on": "go:approved"},
    {"task": "mend", "name": "Mend the findings", "role": "analyst", "depends_on": "go:rejected"},
]  # fmt: skip
COUNTRIES = (
    ("Rwanda", "Africa", "ana"), ("Cambodia", "Asia", "ana"), ("Switzerland", "Europe", "ben"),
    ("Brazil", "Americas", ""), ("Japan", "Asia", "ben"), ("Norway", "Europe", ""), ("Kenya", "Africa", ""),
)  # fmt: skip


def _written(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


class Teller:
    """Appends to a store at times of its own, so that things can have happened a while ago."""

    def __init__(self, store: Path, now: datetime | None = None) -> None:
        self.tail: Tail = shared(store)
        self.now = now or datetime.now(UTC)

    def ago(self, **how_long: float) -> str:
        """A time of the log so long ago."""
        return _written(self.now - timedelta(**how_long))

    def say(
        self,
        at: str,
        instance: str,
        task: str,
        value: str,
        element: str = "",
        *,
        actor: str = "platform",
        field: str = "status",
        attempt: int | str = "",
        ref: str = "",
    ) -> None:
        """One event as another program would append it."""
        event = Event(at, instance, task, field, value, actor, element, ref, attempt)
        with self.tail.acting() as acting:
            acting.append([event])

    def script(self, at: str, instance: str, task: str, outcome: str, element: str = "", error: str = "") -> None:
        """What the worker appends for one attempt."""
        said = [("status", "doing"), ("attempt", "1"), *([("error", error)] if error else []), ("status", outcome)]
        for field, value in said:
            self.say(at, instance, task, value, element, actor="worker", field=field, attempt=1)


def tell(store: Path) -> Tail:
    """The story: 2026Q1 in the middle, 4.2 before its decision, 4.1 with a failed script."""
    now, tail = datetime.now(UTC), shared(store)
    events = [structs.replace(event, ts=_written(now - how_long)) for how_long, event in _story()]
    with tail.acting() as acting:
        acting.append(events)
    return tail


@cache
def _story() -> list[tuple[timedelta, Event]]:
    """What happens, and how long ago: told once, as the services and other programs tell it."""
    now = datetime.now(UTC).replace(microsecond=0)
    with TemporaryDirectory() as folder:
        _tell(Teller(Path(folder), now))
        events = open_log(Path(folder)).read().events
    return [(now - datetime.fromisoformat(event.ts), event) for event in events]


def _tell(teller: Teller) -> None:
    tail, ago = teller.tail, teller.ago
    definitions.save(tail, ADMIN, COLLECTION, ProcessTable.from_rows(ROWS[:-1]), "As agreed", now=lambda: ago(days=9))
    note = "The report is published by a script now"
    definitions.save(tail, ADMIN, COLLECTION, ProcessTable.from_rows(ROWS), note, now=lambda: ago(days=7))
    release = ProcessTable.from_rows(RELEASE_ROWS)
    definitions.save(tail, ADMIN, RELEASE, release, "First version", now=lambda: ago(days=30))
    elements = ElementList.from_rows(("country", "continent", "assignee"), COUNTRIES)
    instances.start(tail, OLGA, COLLECTION, "2026Q1", elements, now=lambda: ago(days=6))
    for country, days in (("Rwanda", 3.0), ("Cambodia", 1.0), ("Switzerland", 1.0), ("Brazil", 0.2), ("Kenya", 0.1)):
        teller.say(ago(days=days), "2026Q1", "delivery", "done", country, ref=f"{country.lower()}.json")
        teller.script(ago(days=days), "2026Q1", "validate", "done", country)
    teller.say(ago(hours=2), "2026Q1", "delivery", "done", "Japan", ref="japan.json")
    teller.script(ago(hours=2), "2026Q1", "validate", "failed", "Japan", "3 values out of range")
    tasks.start(tail, "2026Q1", Place("review", "Cambodia"), ANA, now=lambda: ago(minutes=20))
    real = "Two gaps, both real"
    tasks.finish(tail, "2026Q1", Place("review", "Switzerland"), BEN, note=real, now=lambda: ago(minutes=50))
    _release(teller, "Release-4.1", 8)
    _release(teller, "Release-4.2", 2)
    teller.say(ago(days=3), "Release-4.1", "go", "approved", actor="mira")
    teller.script(ago(days=3), "Release-4.1", "ship", "failed", error="timeout after 60s")


def _release(teller: Teller, name: str, days: float) -> None:
    instances.start(teller.tail, OLGA, RELEASE, name, None, now=lambda: teller.ago(days=days))
    teller.script(teller.ago(days=days), name, "build", "done")
    note = "Two open findings, both minor: see the list"
    tasks.finish(teller.tail, name, Place("check"), BEN, note=note, now=lambda: teller.ago(days=days / 2))
