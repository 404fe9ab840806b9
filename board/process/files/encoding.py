"""Bytes of a text file to text, whatever program saved it."""

import codecs

from board.process.files.reading import Remark, Unreadable

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 4000


def decode(data: bytes) -> tuple[str, list[Remark]]:
    """Give the text without its byte order mark, and a remark if the encoding was a guess; raises Unreadable."""
    mark, encoding = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), (b"", _unmarked(data)))
    remarks: list[Remark] = []
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        if encoding != "utf-8":
            what = f"The text is broken at byte {error.start:,} (it looked like {encoding.upper()})."
            raise Unreadable(what, "Copy the file anew, or save it as “CSV UTF-8”.") from error
        text, remarks = _western(data[len(mark) :])
    if "\0" in text:
        raise Unreadable("This is no text file.", "Choose a CSV, XLSX, JSON or BPMN file.")
    return text, remarks


def _unmarked(data: bytes) -> str:
    """Recognise UTF-16 without a mark: every second byte of a Latin header is zero."""
    sample = data[:_SAMPLE]
    zeros_even, zeros_odd = sample[0::2].count(0), sample[1::2].count(0)
    zeros = max(zeros_even, zeros_odd)
    if not zeros or zeros * 4 < len(sample) // 2 or (zeros_even and zeros_odd):
        return "utf-8"
    return "utf-16-be" if zeros_even else "utf-16-le"


def _western(data: bytes) -> tuple[str, list[Remark]]:
    try:
        text, name = data.decode("cp1252"), "Windows-1252"
    except UnicodeDecodeError:
        text, name = data.decode("latin-1"), "Latin-1"
    message = f"The file is not UTF-8 and was read as {name}: check that letters such as ä, é or ß are right."
    return text, [Remark(message, "encoding-guessed")]
