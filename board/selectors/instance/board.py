"""The board of one instance: header, sections, rows, and the news for those who look at it.

Every fragment is rendered once for all who look at the same: rows by what they show, news by (instance, from, to,
filter). So nothing in here depends on who asks; what does, a page adds itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.template.loader import get_template
from django.utils.safestring import SafeString, mark_safe

from board.accounts.names import shown
from board.process.definition.cells import names
from board.selectors.instance.filters import NOBODY, Filter
from board.selectors.instance.rows import RowView, Section, Sheet
from board.selectors.words import DueWords, due_words, state_word

FOLD_OVER = 25  # rows; a longer section starts folded
UNFOLDED_ROWS = 200  # rows a page starts with at most, over all sections
PAGE_ROWS = 200
NEWS_ROWS = 400  # changed rows sent one by one; of more, a section is told to load itself anew
MAX_OPTIONS = 80  # different values of a facet, a person: more are found by text


class SectionView(NamedTuple):
    """A section as the page shows it under a filter."""

    section: Section
    matches: int
    narrowed: bool
    folded: bool
    rows: SafeString
    shown: int

    @property
    def more(self) -> int:
        return self.matches - self.shown


@lru_cache(maxsize=40_000)
def _row_html(base: str, view: RowView, who: str, due: DueWords, facets: tuple[str, ...], live: bool) -> SafeString:
    cells = [view.facet(column) for column in facets]
    context = {"base": base, "v": view, "who": who, "due": due, "cells": cells, "live": live}
    return SafeString(get_template("instances/board.html#row").render(context).strip())  # nosec B703 # made by a template, which escapes


class Rendering:
    """Renders the rows of one instance, as they are in the minute of `now`."""

    def __init__(self, base: str, columns: Sequence[str], zone: ZoneInfo, now: datetime, *, live: bool = True) -> None:
        self.base, self.columns, self.zone, self.now, self.live = base, tuple(columns), zone, now, live

    def row(self, view: RowView) -> SafeString:
        """Return one row's fragment; equal rows are rendered once."""
        due = due_words(view.due, self.now, self.zone)
        return _row_html(self.base, view, shown(view.person), due, self.columns, self.live)

    def rows(self, views: Iterable[RowView]) -> SafeString:
        return mark_safe("".join(map(self.row, views)))  # nosec B308, B703 # made by a template, which escapes


def sections(sheet: Sheet, wanted: Filter, rendering: Rendering, opened: Collection[str] = ()) -> list[SectionView]:
    """Return every section in flow order; those over 25 rows folded unless they are in `opened`."""
    left = UNFOLDED_ROWS
    views_of_sections: list[SectionView] = []
    for section in sheet.sections:
        views = rows_of(sheet, section, wanted)
        folded = section.repeats and section.task not in opened and (len(views) > FOLD_OVER or len(views) > left)
        shown = [] if folded else views[:PAGE_ROWS]
        if section.repeats and section.task not in opened:
            left -= len(shown)
        html = rendering.rows(shown)
        views_of_sections.append(SectionView(section, len(views), wanted.narrows, folded, html, len(shown)))
    return views_of_sections


def rows_of(sheet: Sheet, section: Section, wanted: Filter) -> list[RowView]:
    """Return a section's rows that a filter wants, in its order."""
    views = sheet.views[section.rows.start : section.rows.stop]
    if wanted.narrows:
        views = [view for view in views if wanted.wants(view)]
    return wanted.arrange(views)


def page_of(
    sheet: Sheet, section: Section, wanted: Filter, rendering: Rendering, start: int, most: int = PAGE_ROWS
) -> SectionView:
    """Return the next rows of a section, from number `start` of those that match; `shown` counts to their end."""
    views = rows_of(sheet, section, wanted)
    shown = views[start : start + most]
    return SectionView(section, len(views), wanted.narrows, False, rendering.rows(shown), start + len(shown))


class Option(NamedTuple):
    """One choice of the toolbar: what the address carries, the words, how many rows have it."""

    value: str
    label: str
    rows: int


class Options(NamedTuple):
    """What the toolbar offers: only what some row has."""

    status: list[Option]
    person: list[Option]
    role: list[Option]
    facets: list[tuple[str, list[Option]]]


def options(sheet: Sheet, columns: Sequence[str]) -> Options:
    """Return the choices there are. A column of more different values than fit a list is left out: text finds them."""
    statuses = Counter(view.status for view in sheet.views)
    people = Counter(view.assignee for view in sheet.views)
    unassigned = people.pop("", 0)
    roles = Counter(role for view in sheet.views for role in names(view.role))
    offered = [Option(NOBODY, "nobody", unassigned)] if unassigned and people else []
    named = [Option(name, name, count) for name, count in people.most_common(MAX_OPTIONS)]
    return Options(
        status=[Option(status, state_word(status), count) for status, count in statuses.most_common(MAX_OPTIONS)],
        person=sorted(named) + offered,
        role=sorted(Option(role, role, count) for role, count in roles.items()),
        facets=[(column, choices) for column in columns if (choices := _facet_options(sheet, column))],
    )


def _facet_options(sheet: Sheet, column: str) -> list[Option]:
    counts = Counter(value for view in sheet.views if (value := view.facet(column)))
    return sorted(Option(v, v, n) for v, n in counts.items()) if 1 < len(counts) <= MAX_OPTIONS else []


class Totals(NamedTuple):
    """All rows of an instance by state, for the bar of its head; what is skipped or no longer needed is left out."""

    done: int
    doing: int
    open: int
    failed: int
    total: int


class Head(NamedTuple):
    """Where an instance stands: the bar, the word, the sentence, what failed, and how many scripts are in progress."""

    state: str
    sentence: str
    total: Totals
    troubles: list[RowView]
    more_troubles: int
    running: int


def head(sheet: Sheet) -> Head:
    """Return the head of a board."""
    failed = [view for view in sheet.views if view.status == "failed"] if sheet.any_failed else []
    running = sum(section.counts.doing for section in sheet.sections if section.definition.is_script)
    return Head(sheet.state, sheet.sentence, totals(sheet), failed[:3], max(0, len(failed) - 3), running)


def totals(sheet: Sheet) -> Totals:
    """Return the counts of all sections together."""
    summed = [sum(getattr(section.counts, name) for section in sheet.sections) for name in Totals._fields]
    counted = Totals(*summed)
    skipped = sum(section.counts.skipped for section in sheet.sections)
    if skipped:
        skipped -= sum(view.is_put_off for view in sheet.views)
    rest = counted.total - skipped
    if sheet.left_over:
        finished = counted.done + sum(1 for row in sheet.left_over if sheet.views[row].kind == "done")
        return counted._replace(total=max(rest - len(sheet.left_over), finished))
    return counted._replace(total=rest)


class Yours(NamedTuple):
    """What is open for one person on this board: the first rows, and how many there are."""

    first: list[RowView]
    total: int

    @property
    def more(self) -> int:
        return self.total - len(self.first)


def yours(sheet: Sheet, tasks: Collection[str], name: str) -> Yours | None:
    """Return rows of the `tasks` somebody may do, theirs or nobody's, assigned ones first; None without any."""
    views = [
        view
        for section in sheet.sections
        if section.task in tasks and (section.counts.open or section.counts.doing)
        for view in sheet.views[section.rows.start : section.rows.stop]
        if view.status in ("open", "doing") and view.assignee in ("", name) and not view.left_over
        if view.status == "open" or name in (view.assignee, view.at_it)
    ]
    views.sort(key=lambda view: (view.assignee != name, view.due == "", view.due))
    return Yours(views[:3], len(views)) if views else None


def news_html(sheet: Sheet, rows: Collection[int], wanted: Filter, rendering: Rendering, more: dict[str, Any]) -> str:
    """Return the fragments of what changed: rows, the heads of their sections, the board's head; `more` is the rest."""
    by_section: dict[int, list[RowView]] = {}
    for row in sorted(rows):
        view = sheet.views[row]
        by_section.setdefault(sheet.section_of[view.task].number, []).append(view)
    reload = [n for n, views in by_section.items() if len(views) > NEWS_ROWS // max(1, len(by_section))]
    sent = [view for n, views in by_section.items() if n not in reload for view in views]
    gone = [view.row for view in sent if wanted.narrows and not wanted.wants(view)]
    touched = [section for section in sheet.sections if section.number in by_section and section.repeats]
    heads = [SectionView(s, _matches(sheet, s, wanted), wanted.narrows, True, SafeString(""), 0) for s in touched]
    counts = get_template("instances/board.html#counts")
    top = get_template("instances/board.html#head").render({"head": head(sheet), "base": rendering.base})
    return get_template("instances/board.html#news").render(
        {
            "rows": rendering.rows(sent),
            "heads": SafeString("".join(counts.render({"s": s}) for s in heads)),  # nosec B703 # made by a template, which escapes
            "head_html": SafeString(top),  # nosec B703 # made by a template, which escapes
            "gone": " ".join(f"r{row}" for row in gone),
            "reload": " ".join(f"s{n}" for n in reload),
            **more,
        }
    )


def _matches(sheet: Sheet, section: Section, wanted: Filter) -> int:
    if not wanted.narrows:
        return len(section.rows)
    return sum(1 for view in sheet.views[section.rows.start : section.rows.stop] if wanted.wants(view))
