"""The board's filter: read from the address, written back to it, asked of every row.

A filter is a value: equal filters have equal addresses, so what is rendered for one serves everybody who looks at the
same. Nothing in it is personal: "mine" carries the name it means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from board.process.definition.cells import names
from board.selectors.instance.rows import RowView

SORTS = {"": "list order", "status": "status", "due": "due date"}
FACET = "f."
NOBODY = "-"  # the person filter's word for unassigned rows
MAX_TEXT = 200
# what people want to see first when they sort by status; answers come with `done`
STATUS_ORDER = ("failed", "doing", "open", "blocked", "done", "skipped")


@dataclass(frozen=True, slots=True)
class Filter:
    """Which rows of a board are shown, and in which order. Empty text means: any."""

    status: str = ""
    person: str = ""
    role: str = ""
    mine: str = ""
    text: str = ""
    sort: str = ""
    facets: tuple[tuple[str, str], ...] = ()

    @classmethod
    def read(cls, query: Mapping[str, str], columns: Sequence[str] = ()) -> Filter:
        """Return the filter an address asks for, without words it does not know. `columns`: the facets there are."""
        sort = query.get("sort", "")
        return cls(
            status=query.get("status", "").strip()[:MAX_TEXT],
            person=query.get("person", "").strip()[:MAX_TEXT],
            role=query.get("role", "").strip()[:MAX_TEXT],
            mine=query.get("mine", "").strip()[:MAX_TEXT],
            text=query.get("text", "").strip()[:MAX_TEXT],
            sort=sort if sort in SORTS else "",
            facets=tuple((c, query[FACET + c][:MAX_TEXT]) for c in columns if query.get(FACET + c)),
        )

    @property
    def query(self) -> str:
        """The filter as the query part of an address, "" when it leaves everything as it is."""
        named = [(name, getattr(self, name)) for name in ("status", "person", "role", "mine", "text", "sort")]
        return urlencode([(n, v) for n, v in named if v] + [(FACET + c, v) for c, v in self.facets])

    @property
    def narrows(self) -> bool:
        """Whether any row could be left out."""
        return replace(self, sort="") != EVERYTHING

    def facet(self, column: str) -> str:
        return dict(self.facets).get(column, "")

    def wants(self, view: RowView) -> bool:
        """Return whether a row is shown."""
        return (
            (not self.status or view.status == self.status)
            and (not self.person or view.assignee == ("" if self.person == NOBODY else self.person))
            and (not self.role or self.role in (view.role, *names(view.role)))
            and (not self.mine or view.assignee == self.mine or view.at_it == self.mine)
            and all(view.facet(column) == value for column, value in self.facets)
            and (not self.text or all(word in view.hay for word in self.text.casefold().split()))
        )

    def arrange(self, views: list[RowView]) -> list[RowView]:
        """Return rows of one section in the order asked for; rows alike stay in list order."""
        if self.sort == "status":
            views.sort(key=lambda view: _status_rank(view.status))
        elif self.sort == "due":
            views.sort(key=lambda view: (view.due == "", view.due))
        return views


def _status_rank(status: str) -> int:
    return STATUS_ORDER.index(status) if status in STATUS_ORDER else STATUS_ORDER.index("done")


EVERYTHING = Filter()
