"""From a script cell to the command that runs it: always a list of arguments, never a line for a shell."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from board.process.definition.script_cell import INTERPRETERS, Function, ScriptError, read_script
from worker.script import jail
from worker.script.jail import Refused

# The names arrive as arguments, so nothing of the cell is ever read as code.
_CALL = "import importlib, sys; getattr(importlib.import_module(sys.argv[1]), sys.argv[2])()"


@dataclass(frozen=True, slots=True)
class Command:
    """What to execute: the program's absolute path, its arguments, and where its code comes from."""

    program: str
    arguments: tuple[str, ...]
    file: jail.Found | None = None  # the script, to be looked at again right before it runs
    language: str = ""  # "R" or "python" when a package's function is called
    package: str = ""


def command(
    script: str,
    jobs: Path,
    *,
    packages: frozenset[str] = frozenset(),
    interpreters: Mapping[str, tuple[str, ...]] = INTERPRETERS,
) -> Command:
    """The command of a script cell; raises Refused with the rule it breaks."""
    try:
        named = read_script(script)
    except ScriptError as error:
        raise Refused(f"the script {script!r} may not run: {error}") from None
    if isinstance(named, Function):
        return _call(script, named, packages, interpreters)
    words = interpreters.get(named.extension)
    if words is None:
        known = " ".join(sorted(interpreters))
        raise Refused(f"the script {script!r} has no interpreter: known are {known}, others by --interpreter")
    file = jail.find(jobs, script)
    return Command(_program(words[0]), (*words, file.path), file)


def _call(
    script: str, function: Function, packages: frozenset[str], interpreters: Mapping[str, tuple[str, ...]]
) -> Command:
    if function.package not in packages:
        raise Refused(
            f"the package {function.package!r} may not run here; whoever runs the worker may allow it by --packages"
        )
    if function.language == "R":
        words = interpreters.get(".R", INTERPRETERS[".R"])
        arguments: tuple[str, ...] = ("-e", f"{script}()")
    else:
        words = interpreters.get(".py", INTERPRETERS[".py"])
        arguments = ("-c", _CALL, function.module, function.name)
    return Command(_program(words[0]), (*words, *arguments), None, function.language, function.package)


def _program(word: str) -> str:
    path = _which(word, os.environ.get("PATH", ""))
    if path is not None and not os.access(path, os.X_OK):  # it was installed elsewhere since
        _which.cache_clear()
        path = _which(word, os.environ.get("PATH", ""))
    if path is None:
        _which.cache_clear()
        raise Refused(f"the interpreter {word!r} is not installed on the machine of the worker")
    return path


@lru_cache(maxsize=64)
def _which(word: str, path: str) -> str | None:
    found = shutil.which(word, path=path)
    return None if found is None else os.path.abspath(found)
