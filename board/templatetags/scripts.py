"""The scripts of a page: native modules, which the browser is told of at once with all they import."""

import re
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath

from django import template
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()
_IMPORT = re.compile(r"""^import\b[^"';]*["'](\.[^"']+)["']""", re.MULTILINE)


@register.simple_tag
def module(name: str) -> SafeString:
    """The tag of a script below `static/js`, after links by which the browser asks for its imports all at once."""
    links = format_html_join("", '<link rel="modulepreload" href="{}">\n', ((static(each),) for each in imported(name)))
    return format_html('{}<script type="module" src="{}"></script>', links, static(name))


@cache
def imported(name: str) -> tuple[str, ...]:
    """Return the names of all scripts that a script imports, by way of others too, nearest first."""
    names = [name]
    for each in names:  # it grows meanwhile
        text = Path(str(finders.find(each))).read_text(encoding="utf-8")
        wanted = (normpath(join(dirname(each), url)) for url in _IMPORT.findall(text))
        names += [other for other in dict.fromkeys(wanted) if other not in names]
    return tuple(names[1:])
