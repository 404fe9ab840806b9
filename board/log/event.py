"""One event: one JSON object on one line, in and out (semantics, section 3.1).

Lines of other programs may carry numbers, truths, nulls and keys of their own: scalars become text as they were
written (`false`, `3`), null is empty, other keys are kept in `extra`. What cannot be an event is a `BadLine`: no JSON
object, without one of the keys it needs, an instance, a task or an element that can be none, or longer than any event.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from board.log.errors import AppendError
from board.log.store import id_problem
from board.process.definition import cells, elements

# The wire name of `extra`; a line that really has this key is read the slow way, so nothing is ever taken for it.
_EXTRA = "(other keys)"
_TEXTS = ("ts", "instance", "task", "field", "value", "actor", "element", "ref")
_NEEDED = ("instance", "task", "field")
_BOM = b"\xef\xbb\xbf"

PROCESSES = "@processes"
"""The instance whose tasks are the saved processes."""

MAX_LINE = 32_000_000
"""The longest line that is an event, in bytes: the largest table or list a start may stamp is shorter."""

TOO_LONG = f"longer than {MAX_LINE:,} bytes"


class Event(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One fact of an instance; `extra` is the JSON text of an object with the keys we do not know, or ""."""

    ts: str
    instance: str
    task: str
    field: str
    value: str
    actor: str
    element: str = ""
    ref: str = ""
    attempt: int | str = ""
    extra: str = msgspec.field(default="", name=_EXTRA)

    @property
    def others(self) -> dict[str, Any]:
        """The keys this program does not know, decoded."""
        return dict(json.loads(self.extra)) if self.extra else {}

    @property
    def attempt_number(self) -> int:
        """The attempt this event belongs to, from 1; 0 when it belongs to none."""
        text = str(self.attempt)
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


class BadLine(NamedTuple):
    """A line that is not an event: its number (from 1) and offset in the file (0 when not known), and why."""

    line_no: int
    offset: int
    reason: str


_decode_event = msgspec.json.Decoder(Event).decode
_decode_keys = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_encode = msgspec.json.Encoder().encode


def utcnow() -> str:
    """The time now as events carry it: UTC, whole seconds, `2026-11-29T16:04:31Z`."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def encode(event: Event) -> bytes:
    """The event as one line with its newline; never another newline in it, a lone surrogate becomes `?`."""
    try:
        body = _encode(event if not event.extra else msgspec.structs.replace(event, extra=""))
    except UnicodeEncodeError:
        return encode(_printable(event))
    if event.extra:
        rest = msgspec.json.format(event.extra.encode(), indent=-1)
        body = body[:-1] + b"," + rest[1:] if rest != b"{}" else body
    return body + b"\n"


def check_length(event: Event) -> None:
    """Raise AppendError for an event whose line would be too long to be read as one."""
    # a character takes six bytes at most, and only a value is ever long
    if len(event.value) > MAX_LINE // 8 and len(encode(event)) > MAX_LINE:
        raise AppendError(f"The {event.field} of {event.task} would be {TOO_LONG}: nothing was written, shorten it.")


def decode(line: bytes) -> Event | BadLine:
    """Return the event of one line (with its newline or without), or why it is not one; never an exception."""
    decoded = _decoded(line) if len(line) <= MAX_LINE else BadLine(0, 0, TOO_LONG)
    if isinstance(decoded, Event) and (fault := id_fault(decoded.instance, decoded.task, decoded.element)):
        return BadLine(0, 0, fault)
    return decoded


def id_fault(instance: str, task: str, element: str) -> str:
    """Return why a line that names these cannot be an event, "" when it can.

    They need not be known (a log of another program), but nothing of this board is ever called what cannot be an id.
    """
    if len(instance) + len(task) + len(element) > _LONGEST:  # not kept, so that what is kept stays small
        return _id_fault(instance, task, element)
    return _known_id_fault(instance, task, element)


def _id_fault(instance: str, task: str, element: str) -> str:
    if instance == PROCESSES:
        odd = task.startswith("@") or elements.id_problem(task)
        return f"no name of a process: {task[:129]!r}" if odd else ""
    if id_problem(instance):
        return f"no instance id: {instance[:65]!r}"
    # what begins with @ is reserved, for this version and later ones
    if not cells.is_id(task.removeprefix("@")):
        return f"no task id: {task[:66]!r}"
    return f"no element id: {element[:129]!r}" if element and elements.id_problem(element) else ""


_LONGEST = 64 + 65 + elements.MAX_LENGTH
_known_id_fault = lru_cache(maxsize=32768)(_id_fault)  # a log says the same few thousand again and again


def _decoded(line: bytes) -> Event | BadLine:
    try:
        event = _decode_event(line)
        if not event.extra and event.instance and event.task and event.field:
            return event
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return _decode_odd(line)
    except UnicodeDecodeError:
        return BadLine(0, 0, "not UTF-8")
    except RecursionError:
        return BadLine(0, 0, "nested too deeply")
    except (msgspec.DecodeError, ValueError) as error:
        return BadLine(0, 0, f"no JSON object: {error}")


def _decode_odd(line: bytes) -> Event | BadLine:
    line = line.removeprefix(_BOM).strip(b" \t\r\n")
    if not line:
        return BadLine(0, 0, "empty line")
    line.decode()  # the decoder does not look into the text of keys it skips
    raw = {key: bytes(value) for key, value in _decode_keys(line).items()}
    known = {key: _text(raw.pop(key)) for key in _TEXTS if key in raw}
    for key in _NEEDED:
        if not known.get(key):
            return BadLine(0, 0, f"no {key}")
    attempt = _attempt(raw.pop("attempt")) if "attempt" in raw else ""
    extra = b",".join(_encode(key) + b":" + value for key, value in raw.items())
    extra = msgspec.json.format(b"{" + extra + b"}", indent=-1) if extra else b""
    return Event(
        ts=known.get("ts", ""),
        instance=known["instance"],
        task=known["task"],
        field=known["field"],
        value=known.get("value", ""),
        actor=known.get("actor", ""),
        element=known.get("element", ""),
        ref=known.get("ref", ""),
        attempt=attempt,
        extra=extra.decode(),
    )


def _text(raw: bytes) -> str:
    if raw.startswith(b'"'):
        return str(msgspec.json.decode(raw))
    return "" if raw == b"null" else raw.decode()


def _attempt(raw: bytes) -> int | str:
    return int(raw) if raw.isdigit() and len(raw) < 10 else _text(raw)


def _printable(event: Event) -> Event:
    fields = msgspec.structs.asdict(event)
    clean = {k: v.encode("utf-8", "replace").decode() if isinstance(v, str) else v for k, v in fields.items()}
    return Event(**clean)
