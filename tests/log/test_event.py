"""One line in, one line out."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from board.log.errors import AppendError
from board.log.event import MAX_LINE, BadLine, Event, check_length, decode, encode, utcnow
from board.log.store import RESERVED
from board.process.definition.elements import id_problem
from tests.log.writing import event

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
names = texts.filter(bool)
ids = st.from_regex(r"@?[a-zäλ_][a-z0-9äλ_.-]{0,30}", fullmatch=True)
elements = texts.filter(lambda text: not text or not id_problem(text))
attempts = st.just("") | st.integers(0, 10**9 - 1) | names
events = st.builds(
    Event, ts=texts, instance=ids.filter(lambda name: name[0] != "@" and name not in RESERVED), task=ids, field=names,
    value=texts, actor=texts, element=elements, ref=texts, attempt=attempts,
)  # fmt: skip
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
jsons = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3))
KEYS = {"ts", "instance", "task", "field", "value", "actor", "element", "ref", "attempt"}


def read(line: bytes) -> Event:
    found = decode(line)
    assert isinstance(found, Event), found
    return found


@given(events)
def test_what_is_written_is_read_back_the_same(given_event: Event) -> None:
    line = encode(given_event)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert read(line) == given_event


@given(events, st.dictionaries(texts.filter(lambda key: key not in KEYS), jsons, max_size=3))
def test_keys_of_other_programs_survive_reading_and_writing(given_event: Event, others: dict[str, object]) -> None:
    line = json.dumps(json.loads(encode(given_event)) | others).encode()
    found = read(line)
    assert found.others == others
    assert read(encode(found)) == found
    assert encode(found).count(b"\n") == 1


@given(st.binary(max_size=80) | jsons.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_an_event_or_a_bad_line_and_never_an_exception(line: bytes) -> None:
    found = decode(line)
    if isinstance(found, Event):
        assert found.instance
        assert found.task
        assert found.field
        assert read(encode(found)) == found
    else:
        assert found.reason


@given(events, st.integers(0, 200), st.binary(max_size=3))
def test_a_damaged_line_never_raises(given_event: Event, at: int, noise: bytes) -> None:
    line = encode(given_event)
    decode(line[:at])
    decode(line[:at] + noise + line[at:])


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("false", "false"),
        ("true", "true"),
        ("3", "3"),
        ("1.50", "1.50"),
        ("1e400", "1e400"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("null", ""),
        ('"null"', "null"),
        ('{"a": [1,  2]}', '{"a": [1,  2]}'),
    ],
)
def test_values_of_other_programs_become_text_as_written(written: str, text: str) -> None:
    assert read(b'{"instance":"i","task":"t","field":"f","value":%s}' % written.encode()).value == text


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "empty line"),
        (b" \r", "empty line"),
        (b'{"instance":"i","task":"t"}', "no field"),
        (b'{"instance":null,"task":"t","field":"f"}', "no instance"),
        (b'{"instance":"i","task":"","field":"f"}', "no task"),
        (b'{"instance":"i","task":"t","field":"f"', "no JSON object"),
        (b'["instance","task","field"]', "no JSON object"),
        (b"3", "no JSON object"),
        (b"\0\0\0", "no JSON object"),
        (b'{"instance":"i","task":"t","field":"f","value":"\xff"}', "not UTF-8"),
        (b'{"instance":"i","task":"t","field":"f","other":"\xff"}', "not UTF-8"),
        (b'{"a":' * 100_000, "nested too deeply"),
        (b'{"ts":"2026","inst{"instance":"i","task":"t","field":"f"}', "no JSON object"),
    ],
)
def test_what_is_no_event_says_why(line: bytes, reason: str) -> None:
    found = decode(line)
    assert isinstance(found, BadLine)
    assert found.reason.startswith(reason)


@pytest.mark.parametrize(
    "instance", ["a/b", "..", ".x", "-x", "a b", "a\nb", "a\0", "latest", "Inbox", "@other", "x" * 65]
)
def test_what_cannot_be_an_instance_makes_a_bad_line(instance: str) -> None:
    found = decode(encode(event(instance=instance)))
    assert isinstance(found, BadLine)
    assert found.reason.startswith("no instance id")


@pytest.mark.parametrize(
    "task", ["a/b", "1st", "a b", "a\n", "@", "@@x", "@a/b", "x@y", "\ud7a3/", "x" * 65, "@" + "x" * 65]
)
def test_what_cannot_be_a_task_makes_a_bad_line(task: str) -> None:
    found = decode(encode(event(task=task)))
    assert isinstance(found, BadLine)
    assert found.reason.startswith("no task id")


def test_a_task_that_a_table_may_not_know_or_a_later_version_may_reserve_is_an_event() -> None:
    assert read(encode(event(task="forecast.2"))).task == "forecast.2"
    assert read(encode(event(task="@timer"))).task == "@timer"


@pytest.mark.parametrize("element", ["a\nb", "a\0b", " north", "north ", "\u202eevil", "\u2028", "\ufffd", "x" * 129])
def test_what_cannot_be_an_element_makes_a_bad_line(element: str) -> None:
    found = decode(encode(msgspec.structs.replace(event(), element=element)))
    assert isinstance(found, BadLine)
    assert found.reason.startswith("no element id")


def test_an_element_is_any_text_that_can_be_printed() -> None:
    for element in ("a/b", "Korea, Rep.", "..", "%2F", "x" * 128, "Zürich\u00a0West"):
        assert read(encode(msgspec.structs.replace(event(), element=element))).element == element


@pytest.mark.parametrize("name", ["@new", "a\nb", " x", "\0", "x" * 129])
def test_what_cannot_be_the_name_of_a_process_makes_a_bad_line(name: str) -> None:
    found = decode(encode(event(instance="@processes", task=name, field="process")))
    assert isinstance(found, BadLine)
    assert found.reason.startswith("no name of a process")
    assert read(encode(event(instance="@processes", task="Quarterly / small", field="process"))).value == "done"


def test_a_line_longer_than_any_event_is_passed_over_and_never_written() -> None:
    long = event("x" * MAX_LINE)
    found = decode(encode(long))
    assert isinstance(found, BadLine)
    assert found.reason == "longer than 32,000,000 bytes"
    with pytest.raises(AppendError, match=r"The status of review would be longer than 32,000,000 bytes"):
        check_length(long)
    check_length(event("ä" * (MAX_LINE // 3)))


def test_element_ref_and_attempt_are_written_only_when_set() -> None:
    assert encode(event()) == (
        b'{"ts":"2026-11-29T16:04:31Z","instance":"2026Q1","task":"review","field":"status","value":"done","actor":"ana"}\n'
    )
    full = Event("t", "i", "t", "f", "", "a", element="north", ref="mail-4711", attempt=2)
    assert list(json.loads(encode(full)))[-3:] == ["element", "ref", "attempt"]


def test_an_attempt_is_a_number_whoever_wrote_it() -> None:
    line = '{"instance":"i","task":"t","field":"f","attempt":%s}'
    numbers = [read((line % written).encode()).attempt_number for written in ("2", '"2"', '"x"', "true", "null", "-1")]
    assert numbers == [2, 2, 0, 0, 0, 0]


def test_a_lone_surrogate_of_a_form_cannot_stop_the_writer() -> None:
    assert read(encode(event("a\ud800b"))).value == "a?b"


def test_a_key_named_like_our_own_slot_is_a_foreign_key_like_any_other() -> None:
    found = read(b'{"instance":"i","task":"t","field":"f","(other keys)":"x","extra":1}')
    assert found.others == {"(other keys)": "x", "extra": 1}


def test_windows_line_ends_and_a_byte_order_mark_do_no_harm() -> None:
    assert read(b'\xef\xbb\xbf{"instance":"i","task":"t","field":"f"}\r\n').instance == "i"


def test_the_last_of_a_repeated_key_wins() -> None:
    assert read(b'{"instance":"i","task":"t","field":"f","value":"1","value":2}').value == "2"


def test_the_clock_tells_utc_in_whole_seconds() -> None:
    assert len(utcnow()) == len("2026-11-29T16:04:31Z")
