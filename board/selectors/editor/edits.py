"""What an edit changed: the answer names the rows that stayed as they were by their place and sends only the others."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

from django.contrib.auth.models import User
from django.template.loader import get_template

from board.selectors.editor.editor import Editing, Line, rendered

KEPT_PAGES = 200
DRAWN_AT_ONCE = 60  # tasks; a larger picture is asked for when nobody types


class _Shown:
    """What was last sent to the pages people have open, so that an answer leaves out the rows that stayed alike."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.pages: OrderedDict[tuple[Any, ...], tuple[Line, ...]] = OrderedDict()

    def keep(self, now: Editing) -> None:
        with self.lock:
            self.pages[_key(now.user, now.name, now.number, now.edits, now.base_version)] = now.lines
            while len(self.pages) > KEPT_PAGES:
                self.pages.popitem(last=False)

    def lines(self, *key: Any) -> tuple[Line, ...] | None:
        with self.lock:
            return self.pages.get(_key(*key))


def _key(user: User, name: str, draft: int, edits: int, base: str) -> tuple[Any, ...]:
    return user.pk, name, draft, edits, "" if draft else base


_shown = _Shown()


def keep(now: Editing) -> None:
    """Remember what a page shows from now on."""
    _shown.keep(now)


def answer(now: Editing, *, before: tuple[int, int, str] | None, picture: bool) -> dict[str, Any]:
    """What a page needs after an edit: rows (a number is the place of a row that stayed as it was), problems, state.

    `before`: draft, edits and base version of what the page shows; None sends every row. A picture of None is to be
    asked for.
    """
    known = _shown.lines(now.user, now.name, *before) if before is not None else None
    places: dict[Line, list[int]] = {}
    for place in range(len(known or ()) - 1, -1, -1):
        places.setdefault((known or ())[place], []).append(place)
    rows = [places[line].pop() if places.get(line) else rendered(line) for line in now.lines]
    _shown.keep(now)
    said: dict[str, Any] = {
        "draft": now.number,
        "edits": now.edits,
        "base": now.base_version,
        "rows": rows,
        "columns": list(now.grid.columns),
        "errors": now.errors,
        "undo": bool(now.draft and now.draft.past),
        "redo": bool(now.draft and now.draft.future),
        "problems": get_template("editor/edit.html#problems").render({"editing": now}),
        "state": get_template("editor/edit.html#state").render({"editing": now}),
    }
    if picture:
        said["picture"] = now.picture if len(now.flow.tasks) <= DRAWN_AT_ONCE else None
    return said
