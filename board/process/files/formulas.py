"""Cells a spreadsheet would run: marked on the way out, and exactly our own mark removed on the way in."""

import re

# A cell that starts with one of these is a formula to some spreadsheet (the wide ones in East Asian settings).
# Cells that already carry apostrophes before one get one more, so that reading can always take exactly one away.
_RISKY = re.compile("'*[=+\\-@\t\r＝＋－＠]")
_MARKED = re.compile("''*[=+\\-@\t\r＝＋－＠]")


def mark(cell: str) -> str:
    """Give the cell with our mark `'` before it, if a spreadsheet could take it for a formula."""
    return f"'{cell}" if _RISKY.match(cell) else cell


def unmark(cell: str) -> str:
    """Give the cell without our mark."""
    return cell[1:] if _MARKED.match(cell) else cell
