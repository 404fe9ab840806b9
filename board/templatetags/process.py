"""What the pages of processes draw alike."""

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString

from board.selectors import words

register = template.Library()


@register.filter
def coded(sentence: str) -> SafeString:
    """Return a message with what stands between `backticks` as code; everything in it is escaped."""
    parts = sentence.split("`")
    if len(parts) % 2 == 0:  # one without its other half
        return escape(sentence)
    return SafeString("".join(f"<code>{escape(p)}</code>" if n % 2 else escape(p) for n, p in enumerate(parts)))  # nosec B703 # every piece is escaped


@register.filter
def heading(column: str) -> str:
    """Return what people call a column of the process table."""
    return words.column_word(column)
