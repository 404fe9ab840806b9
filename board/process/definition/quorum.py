"""How many are enough: the words of `join` and `complete_when` (semantics, section 4.5).

Every spec is read here and nowhere else, and percentages are worked out in whole
numbers, because 7 % of 100 must be 7 and never 8.
"""

import re
from functools import lru_cache

INCLUSIVE = "inclusive"
HINT = "`all`, `any`, `n=3` or `3`, `pct=90` or `90%`"

_COUNT = re.compile(r"(?:n\s*=\s*)?([0-9]+)", re.IGNORECASE)
_DECIMAL = r"([0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
_PERCENT = re.compile(rf"pct\s*=\s*{_DECIMAL}\s*%?|{_DECIMAL}\s*%", re.IGNORECASE)
_DIGITS_KEPT = 40


class QuorumError(ValueError):
    """The text says no quorum."""


def need(spec: str | None, n: int) -> int:
    """Give how many of `n` are enough under `spec` (empty: all of them); raises QuorumError for anything else."""
    text = (spec or "").strip()
    word = text.lower()
    if word in ("", "all"):
        return n
    wanted = 1 if word == "any" else _wanted(text, n)
    return min(n, max(1, wanted))


def is_inclusive(spec: str | None) -> bool:
    """Say whether a `join` waits for every activated branch rather than for a number."""
    return (spec or "").strip().lower() == INCLUSIVE


@lru_cache(maxsize=1024)
def _wanted(text: str, n: int) -> int:
    if match := _COUNT.fullmatch(text):
        return _whole(match[1])
    if match := _PERCENT.fullmatch(text):
        return _share(match[1] or match[2], n)
    raise QuorumError(f"“{text[:60]}” is no quorum: write {HINT}")


def _whole(digits: str) -> int:
    # Python refuses to read very long numbers; beyond 18 digits every n is exceeded anyway.
    digits = digits.lstrip("0") or "0"
    return int(digits) if len(digits) <= 18 else 10**18


def _share(percent: str, n: int) -> int:
    whole, _, fraction = percent.partition(".")
    kept, rest = fraction[:_DIGITS_KEPT], fraction[_DIGITS_KEPT:]
    # What is cut off can only matter by being more than nothing, which one more digit says as well.
    kept += "1" if rest.strip("0") else "0"
    scale: int = 10 ** len(kept)
    share = _whole(whole or "0") * scale + int(kept)
    return -(-share * n // (100 * scale))
