"""The rows of an instance as people see them, kept up to date by judging only what an event touched.

A `RowView` holds all that a row shows and nothing else, so it is the key of the row's rendered fragment: rows that show
the same are rendered once. A `Sheet` is one instance's views, cheap to filter and safe to read from any thread, because
views are never changed, only replaced.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC
from typing import NamedTuple
from urllib.parse import quote
from zoneinfo import ZoneInfo

from board.accounts.names import shown
from board.process.definition.table import Row
from board.process.engine.events import author
from board.process.engine.instance import STATES, Counts, Instance
from board.selectors.words import role_words, state_word

MAX_WHY = 160  # characters of a reason, an error or a note that a row shows; the row's page has all of it
SHOWN_OUTPUTS = 3
LEFT_OVER = "no longer needed"
STALE = "stale"
KINDS = frozenset({"open", "doing", "blocked", "skipped", "failed", "done"})


class RowView(NamedTuple):
    """All that one row shows. `due` is UTC, "" for none; `log` is the attempt whose log is linked, 0 for none."""

    row: int
    task: str
    task_name: str
    element: str
    role: str
    role_words: str
    facets: tuple[tuple[str, str], ...]
    assignee: str
    at_it: str  # who is at it, or finished it
    status: str
    why: str
    due: str
    marks: tuple[str, ...]
    log: int
    hay: str

    @property
    def kind(self) -> str:
        """The chip's class: every answer looks alike."""
        return self.status if self.status in KINDS else "answer"

    @property
    def word(self) -> str:
        """What people read for the status."""
        return state_word(self.status)

    @property
    def person(self) -> str:
        """Who is at it or finished it, else whose it is."""
        return self.at_it or self.assignee

    @property
    def label(self) -> str:
        """How people call the row: its task and element."""
        return f"{self.task_name} · {self.element}" if self.element else self.task_name

    @property
    def path(self) -> str:
        """The row's part of an address."""
        return row_path(self.task, self.element)

    @property
    def left_over(self) -> bool:
        return LEFT_OVER in self.marks

    @property
    def is_put_off(self) -> bool:
        """Whether it is skipped only until a check is answered again: the one reason a skipped row gives."""
        return self.status == "skipped" and bool(self.why)

    def facet(self, column: str) -> str:
        return next((value for name, value in self.facets if name == column), "")


def row_path(task: str, element: str = "") -> str:
    """Return a row's part of an address: `TASK` or `TASK@ELEMENT`.

    The element is encoded twice, so that `/` and `..` survive.
    """
    return quote(f"{task}@{quote(element, safe=' ')}" if element else task, safe="@")


class Section(NamedTuple):
    """One task of the flow: its definition, where its rows begin and end, and its counts."""

    number: int
    task: str
    name: str
    role: str
    repeats: bool
    rows: range
    counts: Counts
    definition: Row
    collection: str

    @property
    def role_words(self) -> str:
        return role_words(self.definition)

    @property
    def may_be_due(self) -> bool:
        """Whether its rows may have a deadline: of the table, or given by somebody."""
        return self.role != "system" or bool(self.definition.due)

    @property
    def counts_words(self) -> str:
        """The counts as a sentence for a tooltip."""
        named = [(state_word(name), getattr(self.counts, name)) for name in STATES]
        said = ", ".join(f"{count} {word}" for word, count in named if count)
        enough = f"; {self.counts.required} are enough" if self.counts.required < self.counts.total else ""
        return f"{said or 'nothing'} of {self.counts.total}{enough}"


def view_of(instance: Instance, row: int, zone: ZoneInfo) -> RowView:
    """Return everything a row shows, read from the folded instance."""
    definition = instance.definition(row)
    element = instance.element_of(row)
    status = instance.status(row)
    moved = instance.latest(row, "status")
    assignee = instance.value(row, "assignee")
    due = instance.due(row, zone)
    facets = tuple(instance.facets(row).items())
    why = _cut(_why(instance, row, status))
    at_it = author(moved) if moved is not None and status not in ("open", "blocked", "skipped") else ""
    word = state_word(status)
    people = [name for name in (assignee, at_it) if name]
    parts = (element, definition.name, *(value for _, value in facets), *people, *map(shown, people), word, why)
    return RowView(
        row=row,
        task=definition.task,
        task_name=definition.name,
        element=element,
        role=definition.role,
        role_words=role_words(definition),
        facets=facets,
        assignee=assignee,
        at_it=at_it,
        status=status,
        why=why,
        due=due.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if due is not None else "",
        marks=tuple(_marks(instance, row)),
        log=instance.attempts(row) if definition.is_script else 0,
        hay="\n".join(part for part in parts if part).casefold(),
    )


def _cut(text: str) -> str:
    return text if len(text) <= MAX_WHY else text[: MAX_WHY - 1].rstrip() + "…"


def _why(instance: Instance, row: int, status: str) -> str:
    """Return the one thing worth saying about a row: what it waits for, went wrong, came out or was noted."""
    if status == "blocked":
        waiting = instance.held_by(row)
        if waiting is None:
            return ""
        return f"for {instance.name_of(waiting.id)}{', which failed' if waiting.failed else ''}"
    if status == "skipped":
        check = instance.asked_again(row)
        return f"for now: {instance.name_of(check)} will be answered again" if check else ""
    definition = instance.definition(row)
    if definition.is_script:
        return " · ".join(_of_script(instance, row, status))
    moved = instance.latest(row, "status")
    if definition.is_receive and moved is not None and moved.ref and status != "open":
        return f"by message {moved.ref}"
    return instance.value(row, "note") if status != "open" else ""


def _of_script(instance: Instance, row: int, status: str) -> Iterable[str]:
    attempts, tries = instance.attempts(row), instance.definition(row).retries + 1
    if attempts and (attempts > 1 or status == "failed"):
        yield f"attempt {attempts} of {tries}" if attempts <= tries else f"attempt {attempts}"
    if status == "failed" and (error := instance.value(row, "error")):
        yield error
    if status not in ("failed", "open", "doing"):
        if took := instance.value(row, "took"):
            yield took
        outputs = [(k[7:], e.value) for k, e in instance.fields(row).items() if k.startswith("output.")]
        yield from (f"{key} = {value}" for key, value in sorted(outputs)[:SHOWN_OUTPUTS] if key != "status")


def _marks(instance: Instance, row: int) -> Iterable[str]:
    if instance.is_left_over(row):
        yield LEFT_OVER
    if instance.is_stale(row):
        yield STALE
    moved = instance.latest(row, "status")
    if moved is not None and moved.ref and not instance.definition(row).is_receive:
        yield "by message"


class Sheet:
    """One instance's rows and sections as they were when it was built or last brought up to date."""

    def __init__(
        self, instance: Instance, zone: ZoneInfo, before: Sheet | None = None, rows: Iterable[int] = ()
    ) -> None:
        """Build it from nothing, or from the sheet `before` when only `rows` changed since; which stays as it was."""
        self.zone = zone
        self.left_over = instance.left_over()
        if before is None:
            self.views = [view_of(instance, row, zone) for row in range(instance.size)]
        else:
            self.views = before.views.copy()
            for row in rows:
                self.views[row] = view_of(instance, row, zone)
        flow = instance.flow
        self.sections = tuple(_section(instance, t) for t in flow.order)
        self.section_of = {section.task: section for section in self.sections}
        self.state = instance.state
        self.sentence = instance.sentence()
        self.seq = instance.seq

    @property
    def any_failed(self) -> bool:
        return any(section.counts.failed for section in self.sections)


def _section(instance: Instance, number: int) -> Section:
    flow = instance.flow
    definition, group = flow.rows[number], flow.group_of[number]
    return Section(
        number,
        definition.task,
        definition.name,
        definition.role,
        bool(group),
        instance.rows_of(definition.task),
        instance.counts(definition.task),
        definition,
        flow.groups[group].row.collection if group else "",
    )
