"""An instance as data, for programs: the API and `manage.py instance --json` say the same."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from board.process.engine.instance import Counts, Instance


def head_of(instance: Instance) -> dict[str, Any]:
    """Return what a list says of an instance."""
    return {
        "instance": instance.id,
        "process": instance.name,
        "version": instance.version,
        "created": instance.created,
        "created_by": instance.created_by,
        "state": instance.state,
        "sentence": instance.sentence(),
    }


def record(instance: Instance, zone: ZoneInfo) -> dict[str, Any]:
    """Return the head, every row in table order and the counts of every repeated task; null is "not there"."""
    return head_of(instance) | {
        "rows": [_row(instance, row, zone) for row in range(instance.size)],
        "counts": [
            {"task": task} | dict(zip(Counts._fields, instance.counts(task), strict=True))
            for task in instance.flow.tasks
            if instance.repeats(task)
        ],
    }


def _row(instance: Instance, row: int, zone: ZoneInfo) -> dict[str, str | None]:
    waiting, due = instance.waiting(row), instance.due(row, zone)
    return {
        "task": instance.task_of(row),
        "element": instance.element_of(row) or None,
        "status": instance.status(row),
        "waiting": waiting.id if waiting is not None else None,
        "assignee": instance.value(row, "assignee") or None,
        "due": due.isoformat() if due is not None else None,
    }
