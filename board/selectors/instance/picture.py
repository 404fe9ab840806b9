"""The process as a picture, coloured by the state of an instance."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import lru_cache

from board.process.flow.flow import Flow
from board.process.picture.layout import is_large
from board.process.picture.svg import TaskState, draw, node
from board.selectors.instance.rows import Section, Sheet
from board.selectors.words import state_word


def drawn(sheet: Sheet, flow: Flow, name: str) -> str:
    """Return the whole picture as SVG; "" for a process without tasks or with too many."""
    if not flow.tasks or is_large(flow):
        return ""
    states = tuple(_state(sheet, section) for section in sheet.sections)
    return _drawn(flow, name, tuple(section.task for section in sheet.sections), states)


@lru_cache(maxsize=64)
def _drawn(flow: Flow, name: str, tasks: tuple[str, ...], states: tuple[TaskState, ...]) -> str:
    return draw(flow, None, dict(zip(tasks, states, strict=True)), name=name, link=_link(flow))


def nodes(sheet: Sheet, flow: Flow, tasks: Collection[str]) -> str:
    """Return the nodes of some tasks, to be swapped one by one."""
    if is_large(flow):
        return ""
    link = _link(flow)
    touched = (section for section in sheet.sections if section.task in tasks)
    return "".join(node(flow, None, section.task, _state(sheet, section), link=link) for section in touched)


def _link(flow: Flow) -> Callable[[str], str]:
    return lambda task: f"#s{flow.index[task]}"


def _state(sheet: Sheet, section: Section) -> TaskState:
    """Return a single task's own state; of a repeated one the state that wants attention first, with its counts."""
    if not section.repeats:
        view = sheet.views[section.rows.start]
        return TaskState(view.kind, view.word)
    counts = section.counts
    settled = counts.done + counts.skipped
    state = next((name for name in ("failed", "doing", "open") if getattr(counts, name)), "blocked")
    if settled == counts.total and not counts.failed:
        state = "done" if counts.done or not counts.total else "skipped"
    return TaskState(state, state_word(state), counts.done, counts.total, counts.failed)
