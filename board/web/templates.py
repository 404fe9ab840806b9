"""Templates as they are sent: laid out for people in the file, without its indentation on the wire."""

import re

from django.template.base import Origin
from django.template.loaders import filesystem

_INDENTATION = re.compile(r"(?<=\n)[ \t]+")


class Loader(filesystem.Loader):
    """The loader of our own templates, which leaves out what indents their lines: it would be sent with every row."""

    def get_contents(self, origin: Origin) -> str:
        """Return the text of a template without its indentation."""
        return _INDENTATION.sub("", super().get_contents(origin))
