"""Ids, answers and times: from what a drawing says to what a table can."""

import re

from board.process.definition.cells import RESERVED_ANSWERS, is_id

_MOST = 64
_WRAPPED = re.compile(r"^(?:[$#]\{(?P<juel>.*)\}|=\s*(?P<feel>.*))$", re.DOTALL)
_ISO = re.compile(
    r"P(?:(?P<y>\d+)Y)?(?:(?P<mo>\d+)M)?(?:(?P<w>\d+)W)?(?:(?P<d>\d+)D)?"
    r"(?:T(?:(?P<h>\d+)H)?(?:(?P<m>\d+)M)?(?:(?P<s>\d+)(?:\.\d+)?S)?)?"
)
_ISO_S = {"y": 365 * 86400, "mo": 30 * 86400, "w": 604800, "d": 86400, "h": 3600, "m": 60, "s": 1}
_SPOKEN = re.compile(r"(\d{1,4})\s*([^\W\d]+)", re.UNICODE)
_SPOKEN_S = {
    "min": 60,
    "minute": 60,
    "std": 3600,
    "stunde": 3600,
    "h": 3600,
    "hour": 3600,
    "day": 86400,
    "tag": 86400,
    "week": 604800,
    "woche": 604800,
    "month": 30 * 86400,
    "monat": 30 * 86400,
}
_DUE = (("w", 604800), ("d", 86400), ("h", 3600), ("m", 60))
_MAX_S = 36525 * 86400
_SCRIPT = re.compile(r"(?:[\w-]+/)*[\w.-]+\.(?:R|r|py)|[A-Za-z][\w.]*::[\w.]+|[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_OPERATORS = re.compile(r"[=<>!]=|&&|\|\||[(){}\[\]<>=;]")
_SAYABLE = re.compile(
    r"(?P<negated>!\s*|not\s+|not\s*(?=\())?\(?\s*(?P<name>[^\W\d][\w.]*)\s*"
    r"(?:={1,3}\s*(?P<quote>[\"']?)(?P<value>[\w -]+)(?P=quote))?\s*\)?"
)
_MOST_OF_A_NAME = 32
# what modelling tools call an element nobody named: sid-83B90C46…, Activity_0x1y2z3, _93c466ab-b271-…, _6-203
_MADE_UP = re.compile(
    r"sid-[0-9A-Fa-f]{4}|(?:^|_)(?:Activity|\w*Task|\w*Event|\w*Gateway|SubProcess|CallActivity)_[01][0-9a-z]{5,6}(?![^_])"
    r"|(?:^|_)_?[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-|^_\d+-\d+"
)
_ENOUGH = re.compile(
    r"nrofcompletedinstances\s*(?:(?P<part>/\s*nrofinstances)\s*)?(?:>=|==|=|&gt;=)\s*(?P<value>\d+(?:\.\d+)?)"
)
_COUNT = re.compile(r"(?:n\s*=\s*|(?:>=|==)\s*)?(\d{1,6})\s*(?:(?:of|von|/)\s*\d+)?")


def readable(wanted: str, name: str) -> str:
    """Give the id a name suggests where the wanted one was made up by a tool, else the wanted one."""
    if not _MADE_UP.search(wanted) or _MADE_UP.search(name):
        return wanted
    words = re.sub(r"[\W_]+", "_", name.casefold()).strip("_")[:_MOST_OF_A_NAME].strip("_")
    return _mended(words) if words else wanted


class Ids:
    """Gives out task ids: the wanted one when it is valid and free, else the nearest that is."""

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self.tried: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        """Give the id a row has from now on."""
        stem = wanted if is_id(wanted) else _mended(wanted)
        spelling, n = stem, 1
        while spelling in self.taken:
            n = self.tried[stem] = self.tried.get(stem, 1) + 1
            ending = f"_{n}"
            spelling = stem[: _MOST - len(ending)] + ending
        self.taken.add(spelling)
        return spelling


def _mended(wanted: str) -> str:
    parts = "".join(c if c.isalpha() or c.isdecimal() or c in "_.-" else "_" for c in wanted)[: _MOST - 1]
    return parts if is_id(parts) else f"_{parts}"


def answer(text: str) -> str:
    """Give a text as an answer can be written: one line, no comma, none of the words that are states."""
    text = " ".join(_unwrapped(text.strip()).replace(",", ";").split()).strip(" ;")
    return f"is {text}" if text in RESERVED_ANSWERS else "has failed" if text == "failed" else text


def _unwrapped(text: str) -> str:
    match = _WRAPPED.match(text)
    return (match["juel"] or match["feel"] or "").strip() if match else text


def condition(text: str) -> str:
    """Say a condition in words (`approved`, `not approved`, `size is large`), `""` when it is code that has none."""
    match = _SAYABLE.fullmatch(_unwrapped(text.strip()).strip())
    if not match or (match["negated"] and match["value"]):
        return ""
    if match["value"]:
        return f"{match['name']} is {match['value']}"
    return f"not {match['name']}" if match["negated"] else match["name"]


def is_code(text: str) -> bool:
    """Say whether a text is an expression of an engine and not words of people."""
    return bool(_WRAPPED.match(text.strip()) or _OPERATORS.search(text))


def is_script(text: str) -> bool:
    """Say whether the text of a script task names a script as the worker does."""
    return bool(_SCRIPT.fullmatch(text.strip()))


def duration_s(*texts: str) -> int | None:
    """Read a span of time in seconds: `PT36H`, `7 days`, `5 Min.`; the first text that is one."""
    for text in texts:
        iso = _ISO.fullmatch(text.strip().strip('"'))
        if iso and any(iso.groups()):
            return sum(int(number) * _ISO_S[unit] for unit, number in iso.groupdict().items() if number)
        for number, word in _SPOKEN.findall(text):
            for ending in ("", "s", "n", "en", "e", "es"):
                unit = _SPOKEN_S.get(word.lower().removesuffix(ending))
                if unit:
                    return int(number) * unit
    return None


def due(seconds: int) -> str:
    """Write a span of time as the column `due` has it, in whole minutes at least; `""` when it is too long."""
    if not 0 < seconds <= _MAX_S:
        return ""
    unit, size = next(((unit, size) for unit, size in _DUE if seconds % size == 0), ("m", 60))
    return f"{-(-seconds // size)}{unit}"


def enough(condition: str) -> str:
    """Read the completion condition of several instances as a quorum, `""` when it says something else."""
    match = _ENOUGH.fullmatch(_unwrapped(condition).strip().lower())
    if not match:
        return ""
    value = float(match["value"])
    if match["part"]:
        return f"pct={value * 100:g}" if 0 < value <= 1 else ""
    return f"n={value:g}" if value.is_integer() and value else ""


def count(*texts: str) -> str:
    """Read how many a complex join waits for (`2`, `n=2`, `2 of 3`, `>= 2`), `""` when no text says it."""
    for text in texts:
        text = re.sub(r"^(?:activationcount|activeinstances)\s*", "", _unwrapped(text).strip(), flags=re.IGNORECASE)
        match = _COUNT.fullmatch(text.lower())
        if match and int(match[1]):
            return f"n={int(match[1])}"
    return ""
