"""Lines that another program, or an enemy, may write into the log."""

import json
from typing import Any

from hypothesis import strategies as st

from board.log.event import MAX_LINE

GOOD = "2026Q1"  # the instance that they are not about
NAME = "Quarterly data collection"


def line(instance: Any = "odd", task: Any = "a", field: Any = "status", value: Any = "done", **more: Any) -> bytes:
    said = {"ts": "2026-11-29T16:04:31Z", "actor": "x"} | more
    return json.dumps(said | {"instance": instance, "task": task, "field": field, "value": value}).encode()


def stamp(process: Any, elements: Any = None, instance: str = "odd", **fields: Any) -> list[bytes]:
    """The start of an instance as another program may write it."""
    said = {"name": NAME, "process": json.dumps(process), **fields}
    if elements is not None:
        said["elements"] = json.dumps(elements)
    return [line(instance, "@instance", field, value) for field, value in said.items()]


SMALL: dict[str, Any] = {
    "task": ["a", "b"],
    "name": ["A", "B"],
    "role": ["analyst", "system"],
    "script": ["", "b.sh"],
    "due": ["2d", ""],
}
ATTEMPTS: tuple[Any, ...] = (10**4290, "9" * 5000, -5, 1.5, None, [], 999999999)
MANY = [f"t{n}" for n in range(30_000)]
HOSTILE: dict[str, list[bytes]] = {
    "an instance with a slash": stamp(SMALL, instance="a/b") + stamp(SMALL, instance="../x"),
    "a task with a slash": [*stamp({"task": ["a/b"], "role": ["analyst"]}), line(task="a/b")],
    "a task with a newline": [*stamp({"task": ["a\nb"], "role": ["analyst"]}), line(GOOD, "a\nb")],
    "a table of 30,000 rows": stamp({"task": MANY}),
    "a table of 30,000 rows in a chain": stamp({"task": MANY, "depends_on": ["", *MANY[:-1]]}),
    "a table of 100,000 columns": stamp({f"c{n}": ["x"] for n in range(100_000)} | {"task": MANY[:5000]}),
    "groups in groups without end": stamp(
        {"task": MANY[:4000], "collection": ["u"] * 3999 + [""], "parent": ["", *MANY[:3999]]}, {"u": ["a"]}
    ),
    "everything waits for everything": stamp({"task": MANY[:1000], "depends_on": [",".join(MANY[:1000])] * 1000}),
    "a million elements": stamp(
        {"task": ["g", "a"], "collection": ["u", ""], "parent": ["", "g"]}, {"u": [str(n) for n in range(1_000_000)]}
    ),
    "elements that are none": stamp(
        {"task": ["g", "a"], "collection": ["u", ""], "parent": ["", "g"]}, {"u": ["a\nb", "", "x" * 500]}
    ),
    "a line of 40 megabytes": [line(GOOD, "note", "note", "x" * 40_000_000), line("x" * (MAX_LINE + 1))],
    "a name of 8 megabytes": stamp(SMALL, name="x" * 8_000_000, created="y" * 8_000_000),
    "an actor of 8 megabytes": [*stamp(SMALL), line(actor="x" * 8_000_000), line(task="b", value="y" * 8_000_000)],
    "deep JSON": [
        b'{"instance":"odd","task":"@instance","field":"process","value":' + b"[" * 200_000,
        line("odd", "@instance", "process", "[" * 200_000),
        line("odd", "@instance", "elements", '{"a":' * 90_000),
    ],
    "values that are no text": stamp({"task": ["a", 3, None, True, 1.5, ["x"], {"y": 1}]}) + stamp(3) + stamp(None),
    "lone surrogates": [
        *stamp({"task": ["a"], "name": ["\ud800"], "role": ["analyst"]}, name="\udfff"),
        line(actor="\ud800"),
        b'{"instance":"odd","task":"a","field":"f","value":"\\ud800"}',
    ],
    "zero bytes": [*stamp(SMALL | {"name": ["A\0", "\0"]}, name="\0"), b"\0" * 100, line(value="\0", actor="\0")],
    "odd times": [
        *stamp(SMALL, created="0000-00-00T00:00:00Z"),
        line(value="open", ts="9999-12-31T23:59:59Z"),
        line(field="due", value="9999-12-31"),
        line(task="b", value="doing", ts="not a time", attempt=-1),
    ],
    "deadlines beyond the calendar": [
        *stamp(SMALL | {"due": ["999999999w", "36525d"]}),
        line(field="due", value="0001-01-01"),
        line(value="open", ts="8999-01-01T00:00:00Z"),
    ],
    "odd attempts": [
        *stamp(SMALL),
        *(line(task="b", value="doing", actor="worker", attempt=number) for number in ATTEMPTS),
    ],
    "odd parts of a start": [
        *stamp(SMALL, version=3, created=None, cancelled={"a": 1}),
        line("odd", "@instance", "x" * 9999),
        line("odd", "@instance", "cancelled", "y" * 9_000_000),
        line("odd2", "@instance", "name", []),
    ],
    "names of processes": [
        line("@processes", name, "process", json.dumps(SMALL))
        for name in ("a/b", "..", ".", "%2F", "x\ny", "@new", "", "?#", "x" * 200, "\ud800", "ü ö")
    ],
    "saved processes with errors": [
        line("@processes", f"p{n}", "process", json.dumps(process))
        for n, process in enumerate(
            (
                {"task": ["a/b", "a/b"]},
                {"task": MANY},
                {"task": []},
                3,
                {"task": [None]},
                {"parent": ["x"], "task": ["x"]},
            )
        )
    ],
    "odd fields of @processes": [
        line("@processes", NAME, field, value)
        for field in ("note", "version", "x")
        for value in ("", None, 3, ["x"], "y" * 100_000)
    ],
    "instances of reserved names": [
        each
        for name in ("latest", "inbox", "@x", "@instance", "events.jsonl", ".", "-")
        for each in stamp(SMALL, instance=name)
    ],
    "lines that are none": [
        b"",
        b" ",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"instance":',
        b'"x"',
        b"1e999",
        b"{}" * 1000,
    ],
    "many bad lines": [b"x"] * 100_000,
}


# made up

scalars = st.sampled_from(
    [
        "",
        "a",
        "b",
        "a/b",
        "..",
        "\ud800",
        "\0",
        "x" * 5000,
        "9" * 5000,
        "@new",
        "@instance",
        "latest",
        "a\nb",
        "<b>{{ x }}",
        "%2F",
        "\u202e",
        "0000-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
        "8999-12-31T00:00:00+14:00",
        "2026-11-29T16:04:31Z",
        "open",
        "doing",
        "blocked",
        "failed",
        "false",
        "worker",
        "worker (recovered)",
        "ana (re-arm)",
        "system",
        "n=0",
        "pct=1e9",
        "g",
        "a:false",
        "a, b",
        "g:done",
        "inclusive",
        -1,
        0,
        1.5,
        10**30,
        True,
        None,
        "2w",
        "1h",
        "u",
        "no",
    ]
) | st.text(max_size=8)
jsons = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner), max_leaves=5
)
KEYS = ("ts", "instance", "task", "field", "value", "actor", "element", "ref", "attempt", "x")
fields = st.sampled_from(
    ["status", "assignee", "due", "note", "attempt", "error", "output.x", "priority", "late", "cancelled"]
)
tasks = st.sampled_from(["a", "b", "@instance", "@x", "nobody", "a/b"])
events = st.builds(
    lambda known, more: json.dumps({"ts": "2026-11-29T16:04:31Z", "actor": "x"} | known | more).encode(),
    st.fixed_dictionaries(
        {
            "instance": st.sampled_from(["odd", "odd", "new", GOOD, "@processes", "a/b"]),
            "task": tasks,
            "field": fields,
            "value": scalars,
        },
    ),
    st.dictionaries(st.sampled_from(KEYS), jsons, max_size=2),
)
COLUMNS = (
    "task",
    "name",
    "role",
    "depends_on",
    "script",
    "collection",
    "parent",
    "join",
    "complete_when",
    "retry",
    "due",
    "params",
    "assignee",
    "not_by",
    "rearm",
    "per",
    "x",
    "description",
    "sequential",
    "timeout",
)
cells = st.dictionaries(st.sampled_from(COLUMNS), st.lists(jsons, max_size=4) | jsons, max_size=4)
FREE = ("name", "role", "assignee", "description", "x", "per", "rearm", "sequential", "not_by")  # say what they like


def _of_three(columns: tuple[str, ...]) -> st.SearchStrategy[dict[str, Any]]:
    """A table of a group, its member and a single task, with odd cells in some columns."""
    return st.dictionaries(st.sampled_from(columns), st.lists(scalars, min_size=3, max_size=3), max_size=3).map(
        lambda more: {"task": ["g", "a", "b"], "collection": ["u", "", ""], "parent": ["", "g", ""]} | more
    )


near, sound = _of_three(COLUMNS[1:]), _of_three(FREE)
two = st.just({"u": ["a", "b"]})
stamps = st.builds(
    lambda process, elements, name: stamp(process, elements, name=name),
    st.one_of(sound, sound, sound, near, cells, jsons),
    st.one_of(two, two, two, st.none(), cells, jsons),
    jsons,
)
saves = st.builds(
    lambda name, process: [line("@processes", name, "process", json.dumps(process))], scalars, cells | near
)
singles = (events | st.binary(max_size=60)).map(lambda found: [found])


@st.composite
def damaged(draw: st.DrawFn) -> list[bytes]:
    """A valid start with some bytes of it changed."""
    found = stamp(SMALL | {"depends_on": ["", "a"]}, {"u": ["x"]})
    n = draw(st.integers(0, len(found) - 1))
    at = draw(st.integers(0, len(found[n])))
    found[n] = found[n][:at] + draw(st.binary(max_size=3)) + found[n][at + draw(st.integers(0, 3)) :]
    return found


any_lines = st.lists(singles | stamps | saves | damaged(), max_size=12)
"""A few of all kinds, each a list of lines that belong together."""
