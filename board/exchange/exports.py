"""A process as a file of any kind, within bounds; what took long is kept by version, for whoever asks next."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from threading import Lock
from typing import Literal, get_args

from board.exchange import pictures
from board.exchange.apart import TooDear, apart
from board.process import files
from board.process.definition.table import ProcessTable
from board.process.files import Format, Unwritable
from board.process.flow.flow import compile_flow
from board.process.picture.layout import is_large

Kind = Literal["csv", "xlsx", "json", "bpmn", "svg", "png", "pdf"]
KINDS: tuple[Kind, ...] = get_args(Kind)
KEPT_BYTES = 32_000_000

MEDIA_TYPES: dict[Kind, str] = {
    **dict(files.MEDIA_TYPES.items()),
    "svg": "image/svg+xml",
    "png": "image/png",
    "pdf": "application/pdf",
}
_DRAWN = {"svg": pictures.svg, "png": pictures.png, "pdf": pictures.pdf}
_kept: OrderedDict[tuple[str, ProcessTable, str], bytes] = OrderedDict()
_lock = Lock()


def written(table: ProcessTable, name: str, kind: Kind) -> bytes:
    """The bytes of a process as a file; raises Unwritable, and Busy when others are having something large drawn."""
    work = partial(_DRAWN[kind], table, name) if kind in _DRAWN else partial(files.write, table, _format(kind), name)
    if kind not in ("png", "pdf", "xlsx") and (kind in ("csv", "json") or not is_large(compile_flow(table))):
        return work()
    about = (kind, table, name)
    with _lock:
        found = _kept.get(about)
        if found is not None:
            _kept.move_to_end(about)
            return found
    try:
        found = apart(work)
    except TooDear as error:
        raise Unwritable(f"This process as {kind.upper()} {error}: take CSV, or draw it in parts.") from None
    _keep(about, found)
    return found


def _format(kind: str) -> Format:
    return next(each for each in files.FORMATS if each == kind)


def _keep(about: tuple[str, ProcessTable, str], found: bytes) -> None:
    with _lock:
        _kept[about] = found
        while len(_kept) > 1 and sum(map(len, _kept.values())) > KEPT_BYTES:
            _kept.popitem(last=False)
