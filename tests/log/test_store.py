"""Paths of the store: what is no id stays out, and no two rows share a file."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from board.log.errors import StoreError
from board.log.store import Store, id_problem, log_name

texts = st.text(min_size=1, max_size=200)


@pytest.mark.parametrize("good", ["2026Q1", "a", "ä-ö_ü.1", "x" * 64, "_x", "9"])
def test_letters_digits_dot_underscore_and_hyphen_make_an_id(good: str) -> None:
    assert id_problem(good) == ""


@pytest.mark.parametrize(
    "bad",
    [
        "", ".", "..", ".x", "-x", "a/b", "a b", "a\n", "a\0", "a\\b", "x" * 65, "𝔘" * 64, "latest", "Latest", "inbox",
        "archive", "processes", "events.jsonl", "EVENTS.LOCK", "@processes", "a:b", "²",
    ],
)  # fmt: skip
def test_what_is_no_id_says_why_and_makes_no_path(bad: str, tmp_path: Path) -> None:
    assert id_problem(bad)
    with pytest.raises(StoreError):
        Store(tmp_path).logs(bad)


def test_the_name_of_a_log_is_the_row_and_the_attempt() -> None:
    assert log_name("count", "", 1) == "count-1.log"
    assert log_name("review", "north", 12) == "review@north-12.log"


@pytest.mark.parametrize(
    ("element", "name"),
    [
        ("2024/01", "r@2024%2f01-1.log"),
        ("..", "r@..-1.log"),
        ("a b", "r@a%20b-1.log"),
        ("x\n", "r@x%0a-1.log"),
        ("100%", "r@100%25-1.log"),
        ("a@b", "r@a%40b-1.log"),
        ("FRA", "r@FRA~7-1.log"),
        ("a~7", "r@a%7e7-1.log"),
    ],
)
def test_unsafe_characters_are_encoded(element: str, name: str) -> None:
    assert log_name("r", element, 1).lower() == name.replace("@..", "@%2e.").lower()


@given(texts, texts, texts, texts, st.integers(1, 99), st.integers(1, 99))
def test_no_two_rows_share_a_file_even_where_case_does_not_count(
    task: str, element: str, other_task: str, other_element: str, n: int, other_n: int
) -> None:
    names = {
        key: log_name(*key).casefold()
        for key in [(task, element, n), (other_task, other_element, other_n), (task, "", n), (task + element, "", n)]
    }
    assert len(set(names.values())) == len(names)
    for name in names.values():
        assert "/" not in name
        assert not name.startswith(".")
        assert name.isascii()
        assert len(name) <= 150 + len("-99.log")


@given(st.text("xX.@~%17 -", min_size=1, max_size=6), st.text("xX.@~%17 -", min_size=1, max_size=6))
def test_names_that_nearly_collide_do_not(one: str, other: str) -> None:
    if one != other:
        assert log_name("t", one, 1).casefold() != log_name("t", other, 1).casefold()


def test_ten_like_elements_have_ten_logs() -> None:
    elements = ["x.1", "x_1", "X.1", "x 1", "x:1"]
    assert len({log_name("t", e, n).casefold() for e in elements for n in (1, 2)}) == 10


def test_long_names_are_cut_and_stay_apart() -> None:
    names = {log_name("t", "é" * 120 + end, 1) for end in "abc"}
    assert len(names) == 3
    assert {len(name) for name in names} == {150 + len("-1.log")}


def test_a_store_is_made_with_its_inbox(tmp_path: Path) -> None:
    store = Store(tmp_path / "deep" / "store").ensure()
    assert store.processed.is_dir()
    assert store.failed.is_dir()
    assert store.ensure() is store


def test_a_store_that_cannot_be_made_says_which_setting(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="FOLDBOARD_STORE"):
        Store(tmp_path / "file" / "store").ensure()


def test_a_path_outside_is_not_told_as_relative(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert store.relative(store.log_path("2026Q1", "count", "", 1)) == "2026Q1/logs/count-1.log"
    with pytest.raises(StoreError):
        store.relative(Path("/etc/passwd"))


@pytest.fixture
def artifacts(tmp_path: Path) -> Store:
    store = Store(tmp_path / "store")
    folder = store.artifacts("i")
    (folder / "sub").mkdir(parents=True)
    (folder / "report.html").write_text("hello")
    (folder / "sub" / "b.png").write_bytes(b"png")
    (folder / "link.txt").symlink_to("/etc/passwd")
    (folder / "out").symlink_to("/etc")
    os.mkfifo(folder / "pipe")
    (tmp_path / "secret").write_text("no")
    return store


def test_files_lists_regular_files_only(artifacts: Store) -> None:
    assert [(f.name, f.size) for f in artifacts.files(artifacts.artifacts("i"))] == [
        ("report.html", 5),
        ("sub/b.png", 3),
    ]
    assert list(artifacts.files(artifacts.artifacts("none"))) == []


def test_a_file_is_opened_by_its_name(artifacts: Store) -> None:
    with artifacts.open_file(artifacts.artifacts("i"), "sub/b.png") as file:
        assert file.read() == b"png"
    with pytest.raises(FileNotFoundError):
        artifacts.open_file(artifacts.artifacts("i"), "none")


@pytest.mark.parametrize(
    "name",
    [
        "link.txt", "out/passwd", "pipe", "sub", "", ".", "..", "../../../secret", "/etc/passwd", "sub/../report.html",
        "a\0b", "report.html/x",
    ],
)  # fmt: skip
def test_links_pipes_folders_and_ways_out_are_refused_and_do_not_block(artifacts: Store, name: str) -> None:
    with pytest.raises(StoreError):
        artifacts.open_file(artifacts.artifacts("i"), name)


def test_a_backslash_is_a_letter_of_a_name(artifacts: Store) -> None:
    (artifacts.artifacts("i") / "..\\x").write_text("mine")
    with artifacts.open_file(artifacts.artifacts("i"), "..\\x") as file:
        assert file.read() == b"mine"


def test_what_stands_where_files_belong_and_is_none_is_named(artifacts: Store) -> None:
    artifacts.ensure()
    artifacts.events_path.symlink_to("/etc/passwd")
    os.mkfifo(artifacts.inbox / "m.json")
    artifacts.logs("i").symlink_to("/etc")
    assert artifacts.strangers() == ["events.jsonl", "i/logs", "inbox/m.json"]
