"""One line in, one line out."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from board.log.event import BadLine, Event, decode, encode, utcnow
from tests.log.make import event

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
names = texts.filter(bool)
attempts = st.just("") | st.integers(0, 10**9 - 1) | names
events = st.builds(
    Event, ts=texts, instance=names, task=names, field=names, value=texts, actor=texts, element=texts, ref=texts,
    attempt=attempts,
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
