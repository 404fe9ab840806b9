"""Artifacts and the logs of attempts: listed, shown, downloaded; nothing outside the store is ever read."""

import html
import os
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from board.log.store import log_name
from board.log.tail import Tail
from board.selectors.instance.files import log_after, log_tail, unfinished
from board.selectors.instance.rows import row_path
from tests.views.boards import say, start
from tests.views.conftest import Login

FILES = "/instances/2026Q1/files/"
ATTEMPT = "/instances/2026Q1/tasks/validate@Rwanda/attempts/1/"


@pytest.fixture
def tail(cast: dict[str, User], store: Path) -> Tail:
    found = start(store)
    say(found, "delivery", "done", "Rwanda")
    say(found, "validate", "doing", "Rwanda", actor="worker", attempt="1")
    return found


@pytest.fixture
def artifacts(tail: Tail, store: Path) -> Path:
    path = store / "2026Q1" / "artifacts"
    path.mkdir(parents=True)
    return path


@pytest.fixture
def log(tail: Tail, store: Path) -> Path:
    path = store / "2026Q1" / "logs"
    path.mkdir(parents=True)
    return path / log_name("validate", "Rwanda", 1)


def body(response: Any) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else response.content


# artifacts


def test_files_are_listed_with_size_and_time_the_newest_first(artifacts: Path, login: Login) -> None:
    (artifacts / "old.txt").write_text("x" * 2048)
    os.utime(artifacts / "old.txt", (1, 1))
    (artifacts / "sub").mkdir()
    (artifacts / "sub" / "new.csv").write_text("a,b\n1,2\n")
    page = login("nobody").get(FILES).text
    assert page.index("sub/new.csv") < page.index("old.txt")
    assert "2.0\xa0KB" in page
    assert "1 Jan" in page


def test_a_download_is_an_attachment_of_the_right_type(artifacts: Path, login: Login) -> None:
    (artifacts / "täble, 1.csv").write_bytes(b"a,b\n")
    (artifacts / "page.html").write_bytes(b"<script>alert(1)</script>")
    (artifacts / "pic.svg").write_bytes(b"<svg/>")
    (artifacts / "odd.xyz").write_bytes(b"\0\1")
    for name, kind in (
        ("täble, 1.csv", "text/csv"),
        ("page.html", "text/html"),
        ("pic.svg", "image/svg+xml"),
        ("odd.xyz", "application/octet-stream"),
    ):
        response = login("ana").get(FILES + name)
        assert response.status_code == 200, name
        assert response["Content-Type"].startswith(kind) or kind == "application/octet-stream"
        assert response["Content-Disposition"].startswith("attachment")
        assert "sandbox" in response["Content-Security-Policy"]
        assert body(response) == (artifacts / name).read_bytes()


def test_a_html_page_opens_in_a_cage_with_its_own_styles_only(artifacts: Path, login: Login) -> None:
    (artifacts / "report.html").write_text("<style>h1{color:red}</style><h1>Hi</h1><script>alert(1)</script>")
    response = login("ana").get(f"{FILES}report.html?open")
    policy = response["Content-Security-Policy"]
    assert policy.startswith("sandbox; default-src 'none'")
    assert "style-src 'sha256-" in policy
    assert "unsafe" not in policy
    assert "script-src" not in policy
    assert "&lt;script&gt;" in login("ana").get(f"{FILES}report.html?view").text


def test_texts_tables_and_pictures_are_previewed(artifacts: Path, login: Login) -> None:
    (artifacts / "a.txt").write_text("<b>" + "ü" * 100_000)
    (artifacts / "t.csv").write_text("name;value\n=1+1;<i>\n" + "x;y\n" * 500)
    (artifacts / "p.png").write_bytes(b"\x89PNG")
    (artifacts / "b.bin").write_bytes(bytes(range(256)))
    client = login("ana")
    text = client.get(f"{FILES}a.txt?view").text
    assert "&lt;b&gt;ü" in text
    assert "only the beginning is shown" in text
    table = client.get(f"{FILES}t.csv?view").text
    assert "<td><bdi>&lt;i&gt;</bdi></td>" in table
    assert table.count("<tr>") == 101
    assert f'<img class="preview-image" src="{FILES}p.png"' in client.get(f"{FILES}p.png?view").text
    assert "no preview" in client.get(f"{FILES}b.bin?view").text


@pytest.mark.parametrize(
    "name",
    ["../events.jsonl", "..%2fevents.jsonl", "%2e%2e/events.jsonl", "..%2f..%2f..%2f..%2fetc%2fpasswd", "/etc/passwd",
     "%2fetc%2fpasswd", "file%00.log", "no such.txt", "sub/../../events.jsonl", "..\\events.jsonl", "",
     "sub", ".", "x/"],
)  # fmt: skip
def test_no_name_leads_out_of_the_artifacts(artifacts: Path, login: Login, name: str) -> None:
    (artifacts / "sub").mkdir()
    response = login("admin").get(FILES + name)
    assert b"@instance" not in body(response)
    assert b"root:" not in body(response)
    assert response.status_code in ((404, 301) if name else (200,))


def test_links_and_pipes_are_refused_and_hold_nobody_up(artifacts: Path, login: Login, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret words")
    (artifacts / "link.txt").symlink_to(secret)
    (artifacts / "dir").symlink_to(tmp_path)
    os.mkfifo(artifacts / "pipe.txt")
    client = login("admin")
    page = client.get(FILES).text
    assert page.count("a link: only files written here are shown") == 2
    assert "not a regular file" in page
    for name in ("link.txt", "dir/secret.txt", "pipe.txt", "dir"):
        for query in ("", "?view", "?open"):
            response = client.get(FILES + name + query)
            assert response.status_code == 404
            assert b"secret words" not in body(response)


def test_names_are_strangers_text(artifacts: Path, login: Login) -> None:
    name = '<img src=x onerror="alert(1)">.txt'
    (artifacts / name).write_text("x")
    (artifacts / ("\u202e" + "y" * 200)).write_text("x")
    with open(os.fsencode(artifacts) + b"/bad-\xff.txt", "wb") as file:
        file.write(b"x")
    page = login("ana").get(FILES).text
    assert "<img src=x" not in page
    assert "bad-�.txt" in page


HOSTILE = [
    b"a\nb.txt", b"..\\x.txt", b"100%.txt", b"%41.txt", b"bad-\xff.txt", b"a%\xff\n\\.txt", b"\x01\t\r.txt",
    b"a?b#c.txt", b" .txt", "\u202ee\u0301.txt".encode(), b"sub\n/x.txt", b"\"q'.txt", b"%2e%2e%2fx.txt",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_whatever_a_file_is_called_it_is_listed_shown_and_downloaded(
    artifacts: Path, login: Login, name: bytes
) -> None:
    path = os.path.join(os.fsencode(artifacts), name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(b"told by " + name)
    client = login("ana")
    page = client.get(FILES)
    assert page.status_code == 200
    addresses = [
        html.unescape(found) for found in re.findall(r'<a (?:class="linked" )?href="([^"]+/files/[^"]+)"', page.text)
    ]
    view, download = addresses
    assert client.get(view).status_code == 200
    response = client.get(download)
    assert body(response) == b"told by " + name
    assert response["Content-Disposition"].startswith("attachment")


def test_an_artifacts_folder_that_is_a_link_is_said_and_not_served_through(
    artifacts: Path, login: Login, tmp_path: Path
) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "secret_key").write_text("secret words")
    artifacts.rename(tmp_path / "away")
    artifacts.symlink_to(tmp_path / "private")
    client = login("admin")
    page = client.get(FILES).text
    assert "secret_key" not in page
    response = client.get(f"{FILES}secret_key")
    assert response.status_code == 404
    assert b"secret words" not in body(response)


def test_a_logs_folder_that_is_a_link_is_not_read_through(log: Path, login: Login, tmp_path: Path) -> None:
    log.write_text("secret words")
    log.parent.rename(tmp_path / "private")
    log.parent.symlink_to(tmp_path / "private")
    for address in (ATTEMPT, f"{ATTEMPT}log", f"{ATTEMPT}?after=0", "/instances/2026Q1/tasks/validate@Rwanda/", "/"):
        response = login("admin").get(address)
        assert response.status_code in (200, 404)
        assert b"secret words" not in body(response)


# logs


def test_the_end_of_a_log_is_shown_first_and_the_whole_is_a_download(log: Path, login: Login) -> None:
    log.write_text("".join(f"line {n}\n" for n in range(20_000)))
    page = login("nobody").get(ATTEMPT).text
    assert "line 19999" in page
    assert "line 1\n" not in page
    assert "showing the last" in page
    assert "KB" in page
    response = login("nobody").get(f"{ATTEMPT}log")
    assert body(response) == log.read_bytes()
    assert response["Content-Disposition"].startswith("attachment")
    assert response["Content-Length"] == str(log.stat().st_size)


def test_a_huge_log_opens_at_once(log: Path, login: Login) -> None:
    with log.open("wb") as file:
        file.truncate(800 * 1024 * 1024)
        file.seek(0, os.SEEK_END)
        file.write(b"\nthe end\n")
    page = login("ana").get(ATTEMPT)
    assert "the end" in page.text
    assert len(page.content) < 400_000


def test_binary_and_terminal_codes_do_not_break_the_page(log: Path, login: Login) -> None:
    log.write_bytes(os.urandom(100_000) + b"\x1b[31mred\x00\r\n</pre><script>alert(1)</script>")
    page = login("ana").get(ATTEMPT).text
    assert "␛[31mred␀" in page
    assert "<script>alert" not in page
    assert login("ana").get("/instances/2026Q1/tasks/validate@Rwanda/").status_code == 200


def follow(client: Client, offset: int) -> tuple[str, int, bool]:
    response = client.get(f"{ATTEMPT}?after={offset}")
    assert response.status_code == 200
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    return response.text, int(response["X-Next"]), response["X-Running"] == "yes"


def test_a_growing_log_is_followed_without_losing_or_doubling_a_character(log: Path, login: Login, tail: Tail) -> None:
    client, whole = login("ana"), "€🎉ü\n" * 3000
    data = whole.encode()
    log.write_bytes(b"")
    done = threading.Event()

    def write() -> None:
        with log.open("ab", buffering=0) as file:
            for at in range(0, len(data), 701):  # cuts characters wherever it likes
                file.write(data[at : at + 701])
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    got, offset = "", 0
    while not done.is_set() or offset < len(data):
        text, offset, running = follow(client, offset)
        got += text
        assert running
    writer.join()
    assert got == whole
    say(tail, "validate", "done", "Rwanda", actor="worker", attempt="1")
    assert follow(client, offset) == ("", offset, False)


@pytest.mark.parametrize("after", ["-1", "x", "1e3", "9" * 30, "", "٣"])
def test_an_offset_is_a_number(log: Path, login: Login, after: str) -> None:
    log.write_text("x")
    assert login("ana").get(f"{ATTEMPT}?after={after}").status_code == 400


def test_the_path_of_a_log_is_worked_out_and_never_taken_from_an_event(tail: Tail, store: Path, login: Login) -> None:
    for value in ("../../../../proc/self/environ", "/etc/passwd", "2026Q1/../events.jsonl"):
        say(tail, "validate", value, "Rwanda", field="log", actor="worker", attempt="1")
        assert "root:" not in login("admin").get("/instances/2026Q1/tasks/validate@Rwanda/").text
        assert login("admin").get(f"{ATTEMPT}log").status_code == 404
    assert login("admin").get("/instances/2026Q1/tasks/validate@Rwanda/attempts/99/").status_code == 404


def test_a_log_that_is_a_link_is_not_followed(log: Path, login: Login, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret words")
    log.symlink_to(tmp_path / "secret")
    assert "secret words" not in login("admin").get(ATTEMPT).text
    assert login("admin").get(f"{ATTEMPT}log").status_code == 404


def test_five_elements_that_look_alike_have_five_logs(cast: dict[str, User], store: Path, login: Login) -> None:
    elements = ["x.1", "x_1", "X.1", "x 1", "x:1"]
    tail = start(store, elements=[(each, "r") for each in elements])
    logs = store / "2026Q1" / "logs"
    logs.mkdir(parents=True)
    for each in elements:
        say(tail, "validate", "doing", each, actor="worker", attempt="1")
        (logs / log_name("validate", each, 1)).write_text(f"I am {each}!")
    assert len({name.lower() for name in os.listdir(logs)}) == 5
    for each in elements:
        page = login("ana").get(f"/instances/2026Q1/tasks/{row_path('validate', each)}/").text
        assert f"I am {each}!" in page


@pytest.mark.parametrize(
    ("data", "held"), [(b"", 0), (b"a", 0), ("é".encode()[:1], 1), ("€".encode()[:2], 2), ("🎉".encode()[:3], 3),
                       ("🎉".encode(), 0), (b"\xff", 0), (b"\x80\x80\x80\x80", 0), (b"ab\xe2", 1)],
)  # fmt: skip
def test_what_begins_a_character_at_the_end_is_held_back(data: bytes, held: int) -> None:
    assert unfinished(data) == held


def test_any_window_of_a_log_is_readable(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(("€" * 200_000).encode())
    for window in (1000, 1001, 1002):
        part = log_tail(path.open("rb"), window)
        assert set(part.text) == {"€"}
        assert log_after(path.open("rb"), part.next, 100).text == ""
