"""What one message says: the bytes of a file, judged without looking at any instance (semantics, section 8.5)."""

from __future__ import annotations

import json
import unicodedata
from typing import NamedTuple

from board.log.store import id_problem
from board.process.engine.events import REGISTER, WORKER

MAX_BYTES = 1 << 20
_WORKER_FIELDS = frozenset({"attempt", "log", "took", "code_version", "error"})
_DEFAULTS = {"instance": "latest", "element": "", "field": "status", "value": "done", "actor": "external"}


class Rejected(Exception):
    """A message that can never apply: the code, and a sentence for whoever sent it."""

    def __init__(self, code: str, why: str) -> None:
        super().__init__(f"{code}: {why}")
        self.code = code


class Message(NamedTuple):
    """What one message says, all of it text; `ref` is the name it is known by."""

    ref: str
    task: str
    instance: str
    element: str
    field: str
    value: str
    actor: str


def read_message(ref: str, data: bytes) -> Message:
    """What the bytes of one message say, without looking at any instance; raises Rejected."""
    said = _object(data)
    if said.get("task") is None:
        raise Rejected("no_task", "the message names no task")
    texts = {key: _text(key, said[key]) for key in ("task", *_DEFAULTS) if key in said}
    texts = {**_DEFAULTS, **texts}
    task = texts["task"].strip()
    if not task:
        raise Rejected("empty_task", "the task of the message is empty")
    if task.startswith("@"):
        raise Rejected("reserved_task", f"{task} is reserved: an instance is started and cancelled otherwise")
    name, value = texts["field"].strip(), texts["value"]
    if not name:
        raise Rejected("empty_field", "the field of the message is empty")
    if name in _WORKER_FIELDS or name.startswith("output."):
        raise Rejected("worker_field", f"the field {name} is for the worker to record")
    if name == "status":
        value = value.strip()
        if value in ("", "blocked", "skipped"):
            raise Rejected("bad_status", f"{value!r} is no status a message may set; it follows from the table")
    instance = texts["instance"].strip() or "latest"
    if instance != "latest" and (problem := id_problem(instance)):
        raise Rejected("bad_instance", problem)
    actor = _unreserved(texts["actor"].strip() or _DEFAULTS["actor"])
    return Message(ref, task, instance, texts["element"].strip(), name, value, actor)


def _unreserved(actor: str) -> str:
    """The actor of a message; raises Rejected for what would pass for the worker or for a re-arming."""
    plain = unicodedata.normalize("NFKC", actor).strip()  # `ｗｏｒｋｅｒ` and `（` look the same
    if plain.casefold() in (WORKER, REGISTER):
        raise Rejected("reserved_actor", f"{plain} is what the log calls itself; name the sender otherwise")
    if "(" in plain or ")" in plain:
        raise Rejected("reserved_actor", "parentheses mark what was done on somebody's behalf; leave them out")
    if not plain.isprintable():
        raise Rejected("reserved_actor", f"{plain!r} has characters that nobody sees; leave them out")
    return actor


def _object(data: bytes) -> dict[str, object]:
    try:
        # Numbers stay as they were written; a lone surrogate cannot be written to the log.
        said = json.loads(data.decode("utf-8-sig"), parse_int=str, parse_float=str, parse_constant=_no_number)
        if b"\\u" in data:
            json.dumps(said, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise Rejected("unreadable", f"this is no JSON: {error}") from error
    if not isinstance(said, dict):
        raise Rejected("no_task", "a message is a JSON object that names a task")
    return said


def _no_number(name: str) -> str:
    raise ValueError(f"{name} is no number of JSON")


def _text(key: str, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if value is None and key != "value":
        return _DEFAULTS.get(key, "")
    raise Rejected("not_scalar", f"the {key} of a message is a text, a number, true or false")
