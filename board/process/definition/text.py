"""What every cell goes through: text without the characters no file format can carry."""

import re

# XML (so XLSX and BPMN too) cannot hold these, and UTF-8 no lone surrogate. They become a visible
# mark instead of vanishing, so that an id with one is refused and not silently another id.
_NO_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NEWLINE = re.compile("\r\n?")
MARK = "\ufffd"
MAX_HEADING = 128


def clean(cell: object) -> str:
    """Give a cell as the table keeps it: text, trimmed, newlines as `\\n`, nothing (None) as empty."""
    if cell is None:
        return ""
    text = (cell if isinstance(cell, str) else spelled(cell)).strip()
    if text.isprintable():  # nearly every cell: no newline and nothing of the below is printable
        return text
    return _NO_TEXT.sub(MARK, _NEWLINE.sub("\n", text)).strip()


def spelled(value: object) -> str:
    """Spell a value of JSON or a spreadsheet as a person would: `3` for 3.0, `true` for True."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def heading(text: str) -> str:
    """A name or a time of the log as lists show it: of whoever's hand, text that can be printed and has an end."""
    return clean(text)[:MAX_HEADING]


def shown(text: str, limit: int = 60) -> str:
    """Shorten an offending text for a message: one line, at most `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
