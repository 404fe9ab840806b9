"""Actors of the log: who stands behind them, and on what occasion."""

import pytest

from board.process.engine.events import REARM, RETRY, WORKER, Author, account, on_behalf, read_author


@pytest.mark.parametrize(
    ("actor", "author"),
    [
        ("ana", Author("ana")),
        ("ana (re-arm)", Author("ana", "re-arm")),
        ("worker (retry 1/2)", Author("worker", "retry", "1/2")),
        ("worker (recovered)", Author("worker", "recovered")),
        ("", Author("")),
    ],
)
def test_an_actor_is_taken_apart_and_written_as_it_was(actor: str, author: Author) -> None:
    assert read_author(actor) == author
    assert str(author) == actor
    assert account(actor) == author.account


def test_what_is_done_on_behalf_of_a_behalf_names_the_one_behind_it() -> None:
    assert on_behalf("ana (re-arm)", REARM) == "ana (re-arm)"
    assert on_behalf(WORKER, RETRY, "2/3") == "worker (retry 2/3)"
