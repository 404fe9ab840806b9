"""Pages as a browser takes them: how a template breaks its lines is for its authors and says nothing to a reader."""

import re
from typing import Any

from django.test import Client

# what a space beside it never shows next to: blocks, parts of tables and lists, and what is not shown at all
_BLOCKS = (
    "article|aside|body|br|caption|datalist|dd|details|div|dl|dt|fieldset|footer|form|h[1-6]|head|header|html|legend|"
    "li|link|main|meta|nav|ol|optgroup|option|p|script|section|select|summary|table|tbody|td|template|th|thead|title|"
    "tr|ul"
)
_KEPT = re.compile(r"(<(?:pre|textarea|script)\b.*?</(?:pre|textarea|script)>)", re.DOTALL)
_TAG = re.compile(r"<[a-zA-Z/](?:\"[^\"]*\"|'[^']*'|[^>\"'])*>")
_BROKEN_LINE = re.compile(r"[ \t]*\n\s*")


def as_seen(page: str) -> str:
    """The page with every line break of its source as a browser shows it: as a space, or beside a block not at all."""
    return "".join(part if number % 2 else _joined(part) for number, part in enumerate(_KEPT.split(page)))


def _joined(page: str) -> str:
    page = _TAG.sub(lambda tag: re.sub(r"\s+(/?>)$", r"\1", _BROKEN_LINE.sub(" ", tag.group())), page)
    page = _BROKEN_LINE.sub("\n", page)
    page = re.sub(rf"\n(?=</?(?:{_BLOCKS})\b|</button>)", "", page)
    return re.sub(rf"(</?(?:{_BLOCKS}|button)\b[^>]*>)\n", r"\1", page).replace("\n", " ")


class Browser(Client):
    """A client whose pages have their lines joined as a browser joins them."""

    def request(self, **request: Any) -> Any:
        response = super().request(**request)
        if not response.streaming and response.get("Content-Type", "").startswith("text/html"):
            response.content = as_seen(response.content.decode()).encode()
        return response
