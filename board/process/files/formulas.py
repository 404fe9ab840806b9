"""Cells a spreadsheet would run: marked on the way out, and exactly our own mark removed on the way in."""

import re

# A text that starts with one of these is a formula to some spreadsheet (the wide ones in East Asian settings). Which
# sign divides cells is the spreadsheet's choice, not ours, and by another one a quote within a line protects nothing:
# so a text starts after each of these signs too, behind spaces and quotes.
# Texts that already carry apostrophes before it get one more, so that reading can always take exactly one away.
_START = r"""(?:\A(?=[ "]*'*[=+\-@\t\r\n＝＋－＠])|(?<=[,;|\t\r\n])(?=[ "]*'*[=+\-@＝＋－＠]))([ "]*)"""
_RISKY = re.compile(_START)
_MARKED = re.compile(_START + "'")


def mark(cell: str) -> str:
    """Give the cell with our mark `'` wherever a spreadsheet could take what follows for a formula."""
    return _RISKY.sub(r"\1'", cell)


def unmark(cell: str) -> str:
    """Give the cell without our marks."""
    return _MARKED.sub(r"\1", cell)
