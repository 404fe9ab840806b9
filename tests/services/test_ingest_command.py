"""`manage.py ingest` takes in messages as the worker does, and says what became of each."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from pytest_django.fixtures import Settings

from board.log.store import Store
from board.log.tail import shared
from board.process.table import ProcessTable
from board.services import instances
from board.services.actor import Actor


@pytest.fixture
def store(tmp_path: Path, settings: Settings) -> Store:
    """A store with one instance that waits for a message."""
    settings.FOLDBOARD_STORE = tmp_path / "store"
    made = Store(settings.FOLDBOARD_STORE).ensure()
    table = ProcessTable.from_rows([{"task": "delivery", "role": "system"}, {"task": "review", "role": "analyst"}])
    instances.start(shared(made.root), Actor("olga", operator=True), "P", "I", table=table)
    return made


def send(store: Store, name: str, **message: str) -> None:
    """Put a message into the inbox."""
    (store.inbox / name).write_text(json.dumps(message))


def ingest(*options: str, status: int = 0) -> str:
    """Run the command; what it printed."""
    out = io.StringIO()
    if status:
        with pytest.raises(SystemExit) as stopped:
            call_command("ingest", *options, stdout=out)
        assert stopped.value.code == status
    else:
        call_command("ingest", *options, stdout=out)
    return out.getvalue()


def test_a_message_is_applied_and_said(store: Store) -> None:
    send(store, "a.json", task="delivery", actor="platform")
    assert ingest() == "a.json: I delivery: status=done (platform)\n"
    found = shared(store.root).get("I")
    assert found
    assert found.status(found.rows_of("delivery")[0]) == "done"
    assert ingest() == "The inbox is empty.\n"


def test_what_can_never_apply_ends_with_status_1(store: Store) -> None:
    send(store, "a.json", task="ghost")
    assert "a.json: rejected, unknown_task" in ingest(status=1)


def test_a_program_reads_what_became_of_every_file(store: Store) -> None:
    send(store, "a.json", task="delivery")
    send(store, "b.json", task="ghost")
    send(store, "c.json", task="delivery", instance="later")
    (store.processed / "d.json").write_text("{}")
    send(store, "d.json", task="delivery")
    said: dict[str, Any] = json.loads(ingest("--json", status=1))
    assert said == {
        "applied": ["a.json"], "rejected": {"b.json": "unknown_task"}, "pending": ["c.json"],
        "duplicate": ["d.json"], "stuck": {},
    }  # fmt: skip
