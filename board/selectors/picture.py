"""The process as a picture, coloured by the state of an instance."""

from collections.abc import Collection

from board.process.flow import Flow
from board.selectors.sheet import Sheet


def drawn(sheet: Sheet, flow: Flow, base: str) -> str:
    """The whole picture as SVG."""
    return ""


def nodes(sheet: Sheet, flow: Flow, tasks: Collection[str], base: str) -> str:
    """The nodes of some tasks, to be swapped one by one."""
    return ""
