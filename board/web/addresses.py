"""What an address may hold: converters between its parts and instance ids, rows, names and files."""

import os
import re
from typing import Any
from urllib.parse import quote, unquote, unquote_to_bytes

_ODD = re.compile(r"[%\\\x00-\x1f\x7f\udc80-\udcff]+")


class IdConverter:
    """An instance id in an address: letters, digits, `. _ -`, not starting with `.` or `-`, at most 64 characters."""

    regex = r"[^/]+"

    def to_python(self, value: str) -> str:
        """Return the id as it stands."""
        return value

    def to_url(self, value: str) -> str:
        """Return the id as it stands."""
        return value


class TextConverter:
    """Any text in one part of an address, such as the name of a process: what would end the part is written encoded."""

    regex = r"[^/]+"

    def to_python(self, value: str) -> str:
        """Return the text."""
        return unquote(value)

    def to_url(self, value: str) -> str:
        """Return the text with `/` and `%` encoded, and dots where they would mean a folder."""
        return value.replace(".", "%2E") if value.strip(".") == "" else quote(value, safe=" .")


class RowConverter:
    """A row in an address: `TASK` or `TASK@ELEMENT`; the element is any text, so `/` and `%` are written encoded."""

    regex = r"[^/]+"

    def to_python(self, value: str) -> tuple[str, str]:
        """Return (task, element), element "" for a single task. A task id has no `@`, so the first one divides."""
        task, _, element = value.partition("@")
        return task, unquote(element)

    def to_url(self, value: tuple[str, str] | str) -> str:
        """Return the part of a row, (task, element) or `TASK[@ELEMENT]`; Django encodes what else may not be in it."""
        task, element = value if isinstance(value, tuple) else (value.partition("@")[0], value.partition("@")[2])
        return f"{task}@{quote(element, safe=' ')}" if element else task


class FileConverter:
    """The name of a file that a script gave: any bytes, with `/`; what an address cannot hold is written encoded."""

    regex = r"(?s:.+)"

    def to_python(self, value: str) -> str:
        """Return the name, bytes that are not text as `os.fsdecode` gives them."""
        return os.fsdecode(unquote_to_bytes(value))

    def to_url(self, value: str) -> str:
        """Return it with `%`, `\\`, control characters and bytes that are not text encoded; Django does the rest."""
        return _ODD.sub(lambda odd: quote(os.fsencode(odd[0])), value)


CONVERTERS: dict[str, Any] = {"id": IdConverter, "row": RowConverter, "text": TextConverter, "file": FileConverter}
