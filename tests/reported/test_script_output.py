"""What users met with what scripts print and leave: huge, cut in the middle of a character, binary, growing."""

import time
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from board.log.store import Store
from board.log.tail import shared
from board.selectors.instance.files import moment_of
from board.services import attempts
from tests.reported.playing import Case
from tests.views.conftest import Login

ROW = "/instances/i/tasks/load/"


@pytest.fixture
def log(cast: dict[str, User], store: Path) -> Path:
    """The log file of an attempt that is running."""
    Case("task,role,script\nload,system,load.sh", tail=shared(store)).begin("load")
    path = Store(store).log_path("i", "load", "", 1)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def follow(login: Login, after: int) -> tuple[str, int, bool]:
    """What the page asks for every second: the text since a place, the next place, whether it still runs."""
    answer = login("ana").get(f"{ROW}attempts/1/?after={after}")
    assert answer.status_code == 200
    return answer.content.decode(), int(answer["X-Next"]), answer["X-Running"] == "yes"


@pytest.mark.parametrize("line", [b"x" * 79 + b"\n", b"x" * 80], ids=["many lines", "one line"])
def test_the_page_of_a_huge_log_is_there_at_once_with_its_end(log: Path, login: Login, line: bytes) -> None:
    """Users met: a log of 300,000 lines or of 1 GB took the page, the browser or the server down."""
    with log.open("wb") as file:
        for _ in range(64):
            file.write(line * (1 << 14))
        file.write(b"the end\n")
    ana = login("ana")
    ana.get(ROW)
    started = time.perf_counter()
    page = ana.get(ROW)
    assert time.perf_counter() - started < 1
    assert len(page.content) < 200_000
    assert "the end" in page.text
    assert "showing the last" in page.text
    whole = ana.get(f"{ROW}attempts/1/log")
    assert whole.streaming
    assert whole["Content-Length"] == str(log.stat().st_size)
    assert sum(map(len, whole)) == log.stat().st_size


def test_a_log_of_many_short_lines_is_shown_whole(log: Path, login: Login) -> None:
    """Users met: a log over a low limit was not shown at all."""
    log.write_text("".join(f"{n}\n" for n in range(7000)))
    page = login("ana").get(ROW).text
    assert ">0\n1\n2\n" in page
    assert "6999\n" in page
    assert "all <span" in page


def test_a_log_a_little_over_what_is_shown_says_how_much_and_of_how_much(log: Path, login: Login) -> None:
    """Users met: a log over a low limit was not shown at all."""
    log.write_bytes(b"first\n" + b"y" * 70_000 + b"\nlast\n")
    page = login("ana").get(ROW).text
    assert "showing the last <span" in page
    assert "68.4" in page  # of how much, in KB
    assert "last\n" in page


def test_following_by_offset_loses_doubles_and_garbles_no_character(log: Path, login: Login) -> None:
    """Users met: a window of bytes into a log cut a character in two."""
    text = "€" * 30_000 + "ü\n" + "𝄞" * 1000
    data = text.encode()
    seen, at = "", 0
    with log.open("ab") as file:
        for start in range(0, len(data), 9_999):  # cuts in the middle of characters
            file.write(data[start : start + 9_999])
            file.flush()
            piece, at, running = follow(login, at)
            seen += piece
            assert running
    piece, at, _ = follow(login, at)
    assert seen + piece == text
    assert at == len(data)


def test_the_tail_shown_first_begins_with_a_whole_character(log: Path, login: Login) -> None:
    """Users met: a window of bytes into a log cut a character in two."""
    log.write_text("€" * 200_000)
    page = login("ana").get(ROW).text
    assert "€€€" in page
    assert page.count("\ufffd") <= 1


def test_the_log_of_a_failed_run_may_be_binary(log: Path, store: Path, login: Login) -> None:
    """Users met: what showed the log of a failed job broke on binary output, and took the run with it."""
    log.write_bytes(bytes(range(256)) * 400 + b"\x1b[31m\x00\xff\xfe<script>alert(1)</script>")
    with shared(store).acting() as acting:
        instance = acting.instance("i")
        assert instance is not None
        attempts.finish(acting, attempts.Attempt("i", 0, "load", "", 1), attempts.Result("failed", 0.1, "exit code 1"))
    for page in (ROW, f"{ROW}attempts/1/", f"{ROW}attempts/1/?after=100", "/", "/instances/i/", "/worker/"):
        answer = login("olga").get(page)
        assert answer.status_code == 200, page
        assert "<script>alert" not in answer.text or page.endswith("after=100")
    assert login("olga").get(f"{ROW}attempts/1/?after=0")["Content-Type"].startswith("text/plain")


@pytest.mark.parametrize("after", ["-1", "x", "1e3", "99999999999999999999", "", "٣"])
def test_an_offset_that_is_none_is_no_fault_of_the_board(log: Path, login: Login, after: str) -> None:
    assert login("ana").get(f"{ROW}attempts/1/?after={after}").status_code == 400


def test_an_offset_beyond_the_end_waits_for_more(log: Path, login: Login) -> None:
    log.write_text("short")
    assert follow(login, 10**6)[0] == ""


@pytest.mark.parametrize(("seconds", "year"), [(1e12, 9999), (-1e12, 1970), (float("inf"), 9999), (1.8e9, 2027)])
def test_a_file_dated_beyond_the_calendar_is_listed_all_the_same(seconds: float, year: int) -> None:
    assert moment_of(seconds).year == year
