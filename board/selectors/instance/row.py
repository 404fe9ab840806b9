"""One row: what it waits for, what was done to it, round by round, and what somebody may do now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from board.accounts.names import shown
from board.log.event import Event
from board.process.engine import decide
from board.process.engine.actor import Actor
from board.process.engine.decide import Refusal
from board.process.engine.events import REARM, WORKER, account, read_author, signature
from board.process.engine.instance import Instance
from board.process.engine.status.status import MET, NEVER, STALLED, is_finished
from board.selectors.instance.log import EventLine, is_quiet, say
from board.selectors.instance.rows import row_path

# fields that a row's page shows in a place of their own
KNOWN = frozenset({"status", "assignee", "due", "note", "attempt", "log", "took", "code_version", "error", "late"})
MAX_REOPENED = 200  # rows named in the preview of a reopening


class GateView(NamedTuple):
    """One thing a row waits for: its name, how it stands, where to look, and what it handed on."""

    name: str
    state: str
    words: str
    path: str
    task: str
    outputs: list[tuple[str, str]]


class AttemptView(NamedTuple):
    """One attempt of the worker, numbered as in the log."""

    number: int
    round: int
    started: str
    ended: str
    outcome: str
    took: str
    error: str
    code: str
    manual: bool


class Round(NamedTuple):
    """Everything that happened to a row until it was opened again, newest first."""

    number: int
    lines: list[tuple[EventLine, bool]]  # a line, and whether it is only bookkeeping


class Answer(NamedTuple):
    """One way to finish: the value, the word on the button, whether it asks for a note."""

    value: str
    word: str
    asks_note: bool


class Heard(NamedTuple):
    """What somebody said on another task of a row's loop."""

    who: str
    task: str
    text: str
    ts: str


class Offers(NamedTuple):
    """What somebody may do to a row as it stands; `refused` says why finishing is not among it."""

    answers: list[Answer]
    take: str
    start: bool
    assign: bool
    due: bool
    reopen: bool
    comment: bool
    retry: bool
    fail: bool
    refused: str

    @property
    def note_always(self) -> bool:
        """Whether every way to finish asks for a note."""
        return all(answer.asks_note for answer in self.answers)

    @property
    def note_words(self) -> str:
        """The answers that ask for one, in words."""
        return " or ".join(answer.value for answer in self.answers if answer.asks_note)

    @property
    def are_any(self) -> bool:
        return any((self.answers, self.take, self.start, self.assign, self.reopen, self.comment, self.retry, self.fail))


def offers(instance: Instance, row: int, who: Actor) -> Offers:
    """Return what the row's menu shows to `who`."""
    answers, refused = _answers(instance, row, who)
    assignee = instance.value(row, "assignee")
    take = f"Take over from {shown(assignee)}" if assignee else "Take"
    return Offers(
        answers=answers,
        take=take if decide.may("take", instance, row, who) else "",
        start=instance.status(row) == "open" and decide.may("start", instance, row, who),
        assign=decide.may("assign", instance, row, who),
        due=decide.may("assign", instance, row, who),
        reopen=_may_reopen(instance, row, who),
        comment=decide.may("comment", instance, row, who),
        retry=decide.may("retry", instance, row, who),
        fail=decide.may("fail", instance, row, who),
        refused=refused,
    )


def _may_reopen(instance: Instance, row: int, who: Actor) -> bool:
    # a failed script is retried: the same event under the name people look for
    return decide.may("reopen", instance, row, who) and not decide.may("retry", instance, row, who)


def _answers(instance: Instance, row: int, who: Actor) -> tuple[list[Answer], str]:
    task, definition = instance.task_of(row), instance.definition(row)
    offered = instance.flow.answers(task)
    try:
        decide.finish(instance, row, who, offered[0], "…")
    except Refusal as refusal:
        return [], refusal.message
    asks = definition.is_receive
    answers = [
        Answer(value, "Finish" if value == "done" else value, asks or instance.flow.asks_note(task, value))
        for value in offered
    ]
    # the first one is what Enter and the eye find: never the one that rejects
    return sorted(answers, key=lambda answer: answer.asks_note), ""


def reopened_along(instance: Instance, row: int) -> tuple[list[str], int]:
    """Return the rows that reopening this one can take along, as people call them, and how many there are."""
    rows = decide.would_reopen(instance, row)
    return [decide.title(instance, r) for r in rows[:MAX_REOPENED]], len(rows)


def gates(instance: Instance, row: int) -> list[GateView]:
    """Return everything a row waits for or has waited for, in the order written."""
    views = []
    for gate, state in instance.statuses.gates(row):
        word, words = _gate_words(gate.label, state)
        source, element = None, ""
        if gate.kind == "task" and gate.per_element:
            element = instance.element_of(row) if instance.repeats(gate.id) else ""
            source = instance.find(gate.id, element)
        path = row_path(gate.id, element) if source is not None else ""
        outputs = [] if source is None else [(k, v) for k, v in instance.outputs(source).items() if k != "status"]
        views.append(GateView(instance.name_of(gate.id), word, words, path, gate.id, sorted(outputs)))
    return views


def _gate_words(label: str, state: int) -> tuple[str, str]:
    if state == MET:
        return "done", f"answered “{label}”" if label else "finished"
    if state == NEVER:
        return "skipped", f"did not answer “{label}”" if label else "not needed"
    if state == STALLED:
        return "failed", "failed: it can be retried or repaired"
    return "blocked", f"waits for the answer “{label}”" if label else "waits for it"


def rounds(instance: Instance, events: Iterable[Event]) -> list[Round]:
    """Return a row's events by round, newest first; a round ends when somebody, or a re-arm, opens a finished row."""
    rounds_so_far = [Round(1, [])]
    finished = False
    for event in events:
        if event.field == "status":
            if finished and not is_finished(event.value or "open") and _opens_anew(event):
                rounds_so_far.append(Round(rounds_so_far[-1].number + 1, []))
            finished = is_finished(event.value or "open")
        rounds_so_far[-1].lines.append((say(event, instance.flow), is_quiet(event)))
    return [each._replace(lines=each.lines[::-1]) for each in reversed(rounds_so_far)]


def _opens_anew(event: Event) -> bool:
    return account(event.actor) != WORKER or read_author(event.actor).occasion == REARM


def attempts(events: Sequence[Event]) -> list[AttemptView]:
    """Return the worker's attempts, the newest first."""
    by_number: dict[int, AttemptView] = {}
    number_of_round, finished, by_hand = 1, False, False
    for event in events:
        number = event.attempt_number
        if event.field == "status" and not number:
            opened = event.value in ("", "open", "blocked")
            number_of_round += opened and finished and _opens_anew(event)
            by_hand = opened and account(event.actor) != WORKER and not read_author(event.actor).occasion
        if event.field == "status":
            finished = is_finished(event.value or "open")
        if not number:
            continue
        at = by_number.get(number) or AttemptView(number, number_of_round, "", "", "", "", "", "", by_hand)
        by_number[number] = _with(at, event)
    return sorted(by_number.values(), reverse=True)


def _with(at: AttemptView, event: Event) -> AttemptView:
    if event.field == "status":
        if event.value == "doing":
            return at._replace(started=event.ts)
        if is_finished(event.value):
            return at._replace(ended=event.ts, outcome=event.value)
        return at if at.outcome else at._replace(ended=event.ts, outcome="interrupted")
    if event.field == "late":
        return at._replace(ended=event.ts, outcome=f"{event.value} (too late)")
    if event.field == "took":
        return at._replace(took=event.value)
    if event.field == "error":
        return at._replace(error=event.value)
    return at._replace(code=event.value) if event.field == "code_version" else at


def heard(instance: Instance, row: int) -> Heard | None:
    """Return what was said last on another task of a row's loop since its own last finish: why it is back."""
    flow, own = instance.flow, instance.statuses.task[row]
    if flow.cycle_of(own) == len(flow.cycles) or is_finished(instance.status(row)):
        return None
    before = instance.finished(row)
    notes: list[Heard] = []
    for task in flow.cycles[flow.cycle_of(own)]:
        rows = instance.related(row, task) if task != own else ()
        note = instance.latest(rows[0], "note") if len(rows) == 1 else None
        if note is not None and note.value and (before is None or note.ts >= before.ts):
            notes.append(Heard(shown(signature(note)), flow.rows[task].name, note.value, note.ts))
    return max(notes, key=lambda each: each.ts, default=None)


def comments(events: Iterable[Event]) -> list[Event]:
    """Return what people said about a row, oldest first."""
    return [event for event in events if event.field == "note"]
