"""What a worker is told when it starts: frozen, checked as a whole, units in the names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from board.process.definition.script_cell import INTERPRETERS


class ConfigError(ValueError):
    """An option that cannot be; the message names it and what would be right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """One worker's settings; paths are absolute. `instance` "" serves all, `timeout_s` None never gives up."""

    store: Path
    jobs: Path
    instance: str = ""
    process: Path | None = None
    elements: Path | None = None
    no_wait: bool = False
    tick_s: float = 1.0
    timeout_s: float | None = None
    slots: int = field(default_factory=lambda: os.process_cpu_count() or 1)
    packages: frozenset[str] = frozenset()
    interpreters: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: INTERPRETERS)
    inbox: bool = True
    inbox_status: str = "any"
    lock: bool = True
    quiet: bool = False
    max_log_bytes: int = 100 * 1024 * 1024
    reserve_bytes: int = 0
    grace_s: float = 5.0
    drain_s: float = 30.0

    def __post_init__(self) -> None:
        if self.slots < 1:
            raise ConfigError(f"--slots is {self.slots}; at least 1 script at a time")
        for name, value in (("--tick", self.tick_s), ("--max-log", self.max_log_bytes)):
            if not value > 0:
                raise ConfigError(f"{name} is {value:g}; it must be more than 0")
        for name, value in (("--grace", self.grace_s), ("--drain", self.drain_s), ("--timeout", self.timeout_s or 0)):
            if not value >= 0:
                raise ConfigError(f"{name} is {value:g}; seconds cannot be negative")
        if self.reserve_bytes < 0:
            raise ConfigError("FOLDBOARD_RESERVE_MB is less than 0; 0 keeps no reserve")
        if self.elements is not None and self.process is None:
            raise ConfigError("--elements is the list for the start of a --process; name that file too")
        for path, name in ((self.process, "--process"), (self.elements, "--elements")):
            if path is not None and not path.is_file():
                raise ConfigError(f"{name} {path}: there is no such file")
        if not self.jobs.is_dir():
            raise ConfigError(f"the jobs directory {self.jobs} does not exist; set FOLDBOARD_JOBS or --jobs")

    @property
    def ends_by_itself(self) -> bool:
        """Whether the worker exits when everything it serves is complete or stuck."""
        return self.no_wait or bool(self.instance) or self.timeout_s is not None


def read_packages(text: str) -> frozenset[str]:
    """`a,b` as a set of names."""
    return frozenset(name for part in text.split(",") if (name := part.strip()))


def read_interpreters(pairs: list[str]) -> dict[str, tuple[str, ...]]:
    """`jl=julia --startup-file=no` adds to, or replaces, the interpreters by extension; raises ConfigError."""
    interpreters = dict(INTERPRETERS)
    for pair in pairs:
        extension, equals, command = pair.partition("=")
        extension = extension.strip().lstrip(".")
        words = tuple(command.split())
        if not (equals and extension and words) or "/" in extension:
            raise ConfigError(f"--interpreter {pair!r}: write EXTENSION=COMMAND, such as jl=julia")
        interpreters[f".{extension}"] = words
    return interpreters
