"""What an address may hold: converters between its parts and instance ids, rows, names and files."""

from typing import Any
from urllib.parse import quote, unquote


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
    """The name of a file below a folder, with `/`: whatever its writer called it, line ends included."""

    regex = r"(?s:.+)"

    def to_python(self, value: str) -> str:
        """Return the name."""
        return value

    def to_url(self, value: str) -> str:
        """Return the name; Django encodes what an address may not hold."""
        return value


CONVERTERS: dict[str, Any] = {"id": IdConverter, "row": RowConverter, "text": TextConverter, "file": FileConverter}
