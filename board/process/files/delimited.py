"""CSV in every dialect spreadsheets write, as numbered lines of cells; and CSV out."""

import re
from collections.abc import Iterable, Sequence

from board.process.files import formulas
from board.process.files.headings import is_known
from board.process.files.reading import MAX_CELLS, MAX_LINES, Remark, Unreadable

_DELIMITERS = (",", ";", "\t", "|")
_SEP_LINE = re.compile(r"\ufeff?\"?sep=([^\r\n\"])\"?[ \t]*(?:\r\n|\n|\r|\Z)", re.IGNORECASE)
_NEWLINE = re.compile(r"\r\n|\n|\r")
_QUOTED = re.compile(r'[ ]*"((?:[^"]++|"")*+)"')

Lines = list[tuple[int, list[str]]]


def read_lines(text: str, most: int = MAX_LINES) -> tuple[Lines, list[Remark]]:
    """Split a text into its lines of cells, each with the number of the line it starts on."""
    text = text.removeprefix("\ufeff")
    said = _SEP_LINE.match(text)
    start, line = (said.end(), 2) if said else (0, 1)
    return _Splitter(text, said[1] if said else _delimiter(text), start, line).split(most)


def split_by(text: str, delimiter: str, most: int = MAX_LINES) -> tuple[Lines, list[Remark]]:
    """Split a text into its lines of cells by a delimiter that is known."""
    return _Splitter(text, delimiter, 0, 1).split(most)


def write_lines(rows: Iterable[Sequence[str]], delimiter: str = ",") -> str:
    """Write rows of cells as CSV with CRLF; a cell a spreadsheet would take for a formula gets our mark."""
    return "".join(delimiter.join(_quoted(formulas.mark(cell)) for cell in row) + "\r\n" for row in rows)


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if any(c in cell for c in '",;\t|\r\n') or cell != cell.strip() else cell


def _delimiter(text: str) -> str:
    """Choose the delimiter that makes most known columns of the first line that is not blank, else most columns."""
    head = next((line for line in _NEWLINE.split(text[:20_000]) if line.strip(' \t,;|"')), "")

    def worth(delimiter: str) -> tuple[int, int]:
        lines, _ = _Splitter(head, delimiter, 0, 1).split()
        cells = lines[0][1] if lines else []
        return sum(map(is_known, cells)), len(cells)

    return max(_DELIMITERS, key=worth)


class _Splitter:
    """One walk over the text, cell by cell. Lenient: what is broken is remarked and read as well as it can be."""

    def __init__(self, text: str, delimiter: str, start: int, line: int) -> None:
        self.text = text
        self.at = start
        self.line = line
        self.delimiter = delimiter
        self.plain = re.compile(f"[^{re.escape(delimiter)}\r\n]*")
        self.blank = re.compile(f"(?:[ \t{re.escape(delimiter)}]*+(?:\r\n|\n|\r|\\Z))++")
        self.remarks: list[Remark] = []

    def split(self, most: int = MAX_LINES) -> tuple[Lines, list[Remark]]:
        lines: Lines = []
        count = 0
        while self._skip_blank():
            number, cells = self.line, [self._cell()]
            while self.text.startswith(self.delimiter, self.at) and len(cells) <= MAX_CELLS:
                self.at += 1
                cells.append(self._cell())
            if newline := _NEWLINE.match(self.text, self.at):
                self.at = newline.end()
                self.line += 1
            lines.append((number, cells))
            count += len(cells)
            if count > MAX_CELLS:
                raise Unreadable(f"The file has more than {MAX_CELLS:,} cells.", "Keep the table alone.")
            if len(lines) > most:
                raise Unreadable(f"The file has more than {most:,} rows.", "Keep the table alone.")
        return lines, self.remarks

    def _skip_blank(self) -> bool:
        """Step over lines without cells, which spreadsheets write by the thousand; say whether a line is left."""
        if blank := self.blank.match(self.text, self.at):
            self.line += len(_NEWLINE.findall(blank[0]))
            self.at = blank.end()
        return self.at < len(self.text)

    def _cell(self) -> str:
        quoted = _QUOTED.match(self.text, self.at)
        if quoted is None:
            return self._unquoted()
        started = self.line
        self.at = quoted.end()
        self.line += len(_NEWLINE.findall(quoted[1]))
        rest = self._plain()
        if rest.strip():
            message = 'There is text after a closing quote: inside a quoted cell, a quote is written twice (`""`).'
            self.remarks.append(Remark(message, "stray-quote", line=started))
        return quoted[1].replace('""', '"') + rest.rstrip()

    def _unquoted(self) -> str:
        cell = self._plain()
        if cell.lstrip(" ").startswith('"'):
            message = 'A quote is opened here and never closed: close it, or write the quote twice (`""`).'
            self.remarks.append(Remark(message, "unclosed-quote", "error", self.line))
        return cell

    def _plain(self) -> str:
        match = self.plain.match(self.text, self.at)
        assert match is not None  # the pattern matches the empty text too
        self.at = match.end()
        return match[0]
