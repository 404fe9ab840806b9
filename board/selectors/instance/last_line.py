"""What a failed script said last: the line of its log that tells more than an exit code."""

from __future__ import annotations

import re

from board.log.errors import StoreError
from board.log.store import Store
from board.process.engine.events import WORKER, account
from board.process.engine.instance import Instance
from board.selectors.instance.files import log_tail

TAIL_BYTES = 4096  # read of a log, however long it is
MAX_CHARS = 200
# what the worker adds, what R ends with after its message, outputs, and lines of nothing but marks
_TELLS_NOTHING = re.compile(r"worker: |Execution halted$|Calls: |::process-output |[\W_]*$")


def failed_attempt(instance: Instance, row: int) -> int:
    """Return the attempt a row failed with, 0 without one or when somebody ended it; ask inside `tail.reading()`."""
    status = instance.latest(row, "status")
    by_worker = status is not None and account(status.actor) == WORKER
    return instance.attempts(row) if by_worker and instance.status(row) == "failed" else 0


def last_line(store: Store, instance: str, task: str, element: str, attempt: int) -> str:
    """Return the last line of an attempt's log that says something, at most 200 characters; "" without one."""
    path = store.log_path(instance, task, element, attempt)
    try:
        end = log_tail(store.open_file(path.parent, path.name), TAIL_BYTES).text
    except (OSError, StoreError):
        return ""
    lines = (line.strip() for line in reversed(end.splitlines()))
    said = next((line for line in lines if not _TELLS_NOTHING.match(line)), "")
    return said if len(said) <= MAX_CHARS else said[: MAX_CHARS - 1].rstrip() + "…"
