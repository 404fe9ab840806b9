"""`--process FILE`: one definition without the board, started as an instance if it is new."""

from __future__ import annotations

import re
from pathlib import Path

from board.exchange import imports
from board.log.tail import Tail
from board.process import files
from board.process.definition.elements import ElementError
from board.process.definition.table import ElementList, ProcessTable
from board.process.engine.decide import Refusal
from board.services import instances
from board.services.actor import anybody
from worker.config import ConfigError
from worker.console import Report

ACTOR = "runworker"


def start(tail: Tail, process: Path, elements: Path | None, instance: str, report: Report) -> str:
    """Start the instance unless it exists; its id is `instance`, else the file's name. ConfigError when refused."""
    table = read_process(process)
    instance_id = instance or re.sub(r"[^\w.-]", "_", process.stem).lstrip(".-")
    there = tail.get(instance_id) if instance_id != "latest" else None
    if instance_id == "latest":
        raise ConfigError("--process starts an instance: give it an id by --instance")
    if there is not None:
        if there.version != table.version:
            report.line(
                f"worker: {process} ({table.version}) differs from what {instance_id} was started with"
                f" ({there.version}); the instance goes on with its own"
            )
        return instance_id
    try:
        listed = read_elements(elements, table) if elements is not None else None
        instances.start(tail, anybody(ACTOR), process.stem, instance_id, listed, table=table)
    except (Refusal, ElementError) as error:
        raise ConfigError(str(error)) from error
    report.line(f"worker: started {instance_id} from {process}")
    return instance_id


def read_process(path: Path) -> ProcessTable:
    """The table in a file; raises ConfigError with what is wrong."""
    try:
        reading = imports.read_process(path.read_bytes(), path.name)
    except (OSError, files.Unreadable) as error:
        raise ConfigError(f"{path} cannot be read as a process: {error}") from error
    if reading.errors:
        raise ConfigError(f"{path} cannot be read as a process: {reading.errors[0]}")
    return reading.table


def read_elements(path: Path, table: ProcessTable) -> ElementList:
    """The element list in a file, read as the board reads one. ConfigError, ElementError."""
    try:
        return imports.read_elements(path.read_bytes(), table).elements
    except (OSError, files.Unreadable) as error:
        raise ConfigError(f"{path} cannot be read as a list of elements: {error}") from error
