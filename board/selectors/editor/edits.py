"""What an edit changed: the answer names the rows that stayed as they were by their place and sends only the others."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

from django.contrib.auth.models import User
from django.template.loader import get_template

from board.selectors.editor.editor import Editing, GridRow, rendered

KEPT_PAGES = 200
DRAWN_AT_ONCE = 60  # tasks; a larger picture is asked for when nobody types


class _Shown:
    """What was last sent to the pages people have open, so that an answer leaves out the rows that stayed alike."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.pages: OrderedDict[tuple[Any, ...], tuple[GridRow, ...]] = OrderedDict()

    def keep(self, edited: Editing) -> None:
        with self.lock:
            self.pages[_key(edited.user, edited.name, edited.number, edited.edits, edited.base_version)] = edited.lines
            while len(self.pages) > KEPT_PAGES:
                self.pages.popitem(last=False)

    def lines(self, *key: Any) -> tuple[GridRow, ...] | None:
        with self.lock:
            return self.pages.get(_key(*key))


def _key(user: User, name: str, draft: int, edits: int, base: str) -> tuple[Any, ...]:
    return user.pk, name, draft, edits, "" if draft else base


_shown = _Shown()


def keep(edited: Editing) -> None:
    """Remember what a page shows from now on."""
    _shown.keep(edited)


def answer(edited: Editing, *, before: tuple[int, int, str] | None, picture: bool) -> dict[str, Any]:
    """Return what a page needs after an edit: rows, problems, state.

    A number among the rows is the place of a row that stayed as it was.
    `before`: draft, edits and base version of what the page shows; None sends every row. A picture of None is to be
    asked for.
    """
    known = _shown.lines(edited.user, edited.name, *before) if before is not None else None
    places: dict[GridRow, list[int]] = {}
    for place in range(len(known or ()) - 1, -1, -1):
        places.setdefault((known or ())[place], []).append(place)
    rows = [places[line].pop() if places.get(line) else rendered(line) for line in edited.lines]
    _shown.keep(edited)
    said: dict[str, Any] = {
        "draft": edited.number,
        "edits": edited.edits,
        "base": edited.base_version,
        "rows": rows,
        "columns": list(edited.grid.columns),
        "errors": edited.errors,
        "undo": bool(edited.draft and edited.draft.past),
        "redo": bool(edited.draft and edited.draft.future),
        "problems": get_template("editor/edit.html#problems").render({"editing": edited}),
        "state": get_template("editor/edit.html#state").render({"editing": edited}),
    }
    if picture:
        said["picture"] = edited.picture if len(edited.flow.tasks) <= DRAWN_AT_ONCE else None
    return said
