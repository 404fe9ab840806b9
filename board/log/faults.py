"""Faults of the program itself: the traceback goes to the log of the program, plain words go to people.

Whoever catches an exception that nobody foresaw, so that one odd instance does not take the others down, calls
`note_fault`. The log of the program is Python's `logging`; it has nothing to do with the event log.
"""

from __future__ import annotations

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime

from board.process.definition.text import shown

MAX_REASON = 500
"""Characters of what people are told of a fault."""

request_id: ContextVar[str] = ContextVar("request_id", default="")
"""The id of the request that is being answered; "" outside of one."""


def note_fault(logger: logging.Logger, error: Exception, problem: str, *, instance: str = "") -> str:
    """Log an exception with its traceback; return what people are told: that it is ours, and where to look it up.

    `problem` is a sentence without its full stop, such as "Instance x cannot be folded".
    """
    logger.error("%s", problem, exc_info=error, extra={"instance": instance})
    clues = (("request", request_id.get()), ("instance", instance))
    where = " and ".join(f"{kind} {clue}" for kind, clue in clues if clue)
    return shown(
        f"This is a fault of Foldboard itself. Its log has the details{where and f' under {where}'}: "
        f"{type(error).__name__}: {error}",
        MAX_REASON,
    )


class Ids(logging.Filter):
    """A filter that drops nothing and gives every record the ids of its request and of its instance."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Set `request_id` and `instance`, and `ids` for a line of text; "" where there is none."""
        clues = {"request": request_id.get(), "instance": getattr(record, "instance", "")}
        record.request_id, record.instance = clues["request"], clues["instance"]
        record.ids = "".join(f" [{kind} {clue}]" for kind, clue in clues.items() if clue)
        return True


class JsonLines(logging.Formatter):
    """A formatter that makes each record one line of JSON, its traceback included."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as a JSON object; what it does not have is left out."""
        facts = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "request_id": getattr(record, "request_id", ""),
            "instance": getattr(record, "instance", ""),
            "traceback": self.formatException(record.exc_info) if record.exc_info else "",
        }
        return json.dumps({name: fact for name, fact in facts.items() if fact}, ensure_ascii=False)
