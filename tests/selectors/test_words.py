"""The words for states, columns and roles, each said in one place."""

from zoneinfo import ZoneInfo

from django.utils import timezone

from board.process.definition.table import Row
from board.selectors.words import column_word, plural, role_words, said_for_people, state_word
from board.templatetags import look


def test_an_answer_is_its_own_word_whatever_it_is_called() -> None:
    assert [state_word(status) for status in ("doing", "blocked", "gone", "approved")] == [
        "in progress",
        "waiting",
        "gone",
        "approved",
    ]
    assert look.chip("gone") == look.chip("went").replace("went", "gone")
    assert "not alive" in look.chip("not alive")


def test_a_column_of_the_users_own_keeps_its_name() -> None:
    assert (column_word("retry_delay"), column_word("my_own")) == ("retry delay", "my_own")


def test_a_role_of_nobody_is_anyone() -> None:
    assert role_words(Row(task="a")) == "anyone"


def test_one_is_not_many() -> None:
    assert (plural(1, "task", "tasks"), plural(0, "task", "tasks")) == ("1 task", "0 tasks")


def test_times_within_a_sentence_are_told_as_people_read_them() -> None:
    with timezone.override(ZoneInfo("Europe/Berlin")):
        assert said_for_people("ana was first, 2020-11-29T16:04:00Z") == "ana was first, 29 Nov, 17:04"
    assert said_for_people("2020-13-29T16:04:00Z is not a time") == "2020-13-29T16:04:00Z is not a time"
