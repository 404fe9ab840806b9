"""What a failed script said last: on its card and on its row's page, escaped, cut, and never more read than the end."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User

from board.log.store import Store
from board.log.tail import Tail
from board.selectors.instance.last_line import TAIL_BYTES, last_line
from tests.story import tell
from tests.views.boards import say
from tests.views.conftest import Login

ROW = "/instances/2026Q1/tasks/validate@Japan/"


@pytest.fixture
def tail(cast: dict[str, User], store: Path) -> Tail:
    return tell(store)


def write(store: Path, text: str | bytes, attempt: int = 1) -> Path:
    """The log of Japan's validation."""
    path = Store(store).log_path("2026Q1", "validate", "Japan", attempt)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(store: Path) -> str:
    return last_line(Store(store), "2026Q1", "validate", "Japan", 1)


def test_it_is_on_the_card_and_on_the_page_and_is_text(tail: Tail, store: Path, login: Login) -> None:
    write(
        store, "reading\nValueError: <b>1960</b> is missing\n\nworker: ended what the script left running behind it\n"
    )
    olga = login("olga")
    for page in (olga.get("/").text, olga.get(ROW).text):
        assert "<bdi>ValueError: &lt;b&gt;1960&lt;/b&gt; is missing</bdi>" in page
        assert "<b>1960</b>" not in page
    say(tail, "validate", "open", "Japan", actor="olga")
    assert "It said last" not in olga.get(ROW).text


def test_without_a_log_and_for_what_somebody_ended_nothing_is_said(tail: Tail, store: Path, login: Login) -> None:
    olga = login("olga")
    assert "It said last" not in olga.get(ROW).text
    write(store, "still reading\n")
    say(tail, "validate", "failed", "Japan", actor="olga")
    assert "It said last" not in olga.get(ROW).text
    assert "<bdi>still reading</bdi>" not in olga.get("/").text


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("Error in read.csv(path) :\n  cannot open the connection\nCalls: main\nExecution halted\n",
         "cannot open the connection"),
        ("one\r 10 %\r 20 %\n-----\n\n", "20 %"),
        ("bad figures\n::process-output rows=3::\n", "bad figures"),
        ("line 3: R: not found", "line 3: R: not found"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("", ""),
        ("\n\n***\n", ""),
        ("x" * 100_000, "x" * 199 + "…"),
        ("ü" * 5000 + "\n", "ü" * 199 + "…"),
        (b"\xff\xfe\n", ""),
    ],
)  # fmt: skip
def test_the_line_that_tells_something_is_found(tmp_path: Path, log: str | bytes, said: str) -> None:
    write(tmp_path, log)
    assert read(tmp_path) == said


def test_a_log_that_is_a_link_or_gone_says_nothing(tmp_path: Path) -> None:
    assert read(tmp_path) == ""
    (tmp_path / "secret").write_text("a stranger's file")
    path = write(tmp_path, "")
    path.unlink()
    path.symlink_to(tmp_path / "secret")
    assert read(tmp_path) == ""


def test_only_the_end_of_a_log_is_read(tmp_path: Path) -> None:
    write(tmp_path, "the reason\n" + "\n" * TAIL_BYTES)
    assert read(tmp_path) == ""
