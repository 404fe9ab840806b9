"""A work instruction: Markdown a process editor wrote, as HTML that cannot do anything."""

from functools import lru_cache

import nh3
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt

_TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
_SCHEMES = {"http", "https", "mailto"}
_markdown = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])


@lru_cache(maxsize=512)
def instruction(text: str) -> SafeString:
    """Return Markdown as safe HTML: no HTML of its own, no pictures, links to http, https and mail only."""
    # headings begin below the page's own two levels, so that the outline of the page stays whole
    tokens = _markdown.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 2, 6)}"
    html = _markdown.renderer.render(tokens, _markdown.options, {})
    return SafeString(nh3.clean(html, tags=_TAGS, attributes=_ATTRIBUTES, url_schemes=_SCHEMES))  # nosec B703 # nh3 leaves only what is listed
