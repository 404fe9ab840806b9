"""The `params` cell: what reaches a script as its environment (semantics, section 1.1)."""

import re

_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class ParamsError(ValueError):
    """The cell cannot become environment variables."""


def parse_params(cell: str | None) -> dict[str, str]:
    """Read `key=value; key2=value2` as `{"PROC_PARAM_KEY": "value", …}`; raises ParamsError naming the part."""
    found: dict[str, str] = {}
    for part in (cell or "").split(";"):
        if not part.strip():
            continue
        key, _, value = part.partition("=")
        name = _variable(key.strip(), part.strip())
        if name in found:
            raise ParamsError(f"`{key.strip()[:60]}` is given twice (upper and lower case are the same key)")
        if "\0" in value:
            raise ParamsError(f"the value of `{key.strip()[:60]}` holds a NUL character")
        found[name] = value.strip()
    return found


def _variable(key: str, part: str) -> str:
    if not _KEY.fullmatch(key):
        raise ParamsError(
            f"“{part[:60]}” has no usable key: a key is made of the letters a-z, digits and `_`, no digit first"
        )
    return f"PROC_PARAM_{key.upper()}"
