"""From a script cell to the command that runs it: always a list of arguments, never a line for a shell.

forecast.R               a file in the jobs directory; the extension says which interpreter
mypkg::forecast          an exported R function without arguments
mypkg.reports:forecast   a Python function without arguments
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from worker.script import jail
from worker.script.jail import Refused

INTERPRETERS: Mapping[str, tuple[str, ...]] = {
    ".R": ("Rscript", "--vanilla"),
    ".sh": ("sh",),
    ".py": ("python3",),
}
_R_FUNCTION = re.compile(r"([A-Za-z][A-Za-z0-9.]*)::([A-Za-z.][A-Za-z0-9._]*)", re.ASCII)
_PYTHON_FUNCTION = re.compile(r"([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)", re.ASCII)
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


def is_function(script: str) -> bool:
    """Whether a cell is meant as a function of a package rather than as a file."""
    return ":" in script and "/" not in script


def command(
    script: str,
    jobs: Path,
    *,
    packages: frozenset[str] = frozenset(),
    interpreters: Mapping[str, tuple[str, ...]] = INTERPRETERS,
) -> Command:
    """The command of a script cell; raises Refused with the rule it breaks."""
    jail.check_text(script)
    if is_function(script):
        return _function(script, packages, interpreters)
    file = jail.find(jobs, script)
    extension = os.path.splitext(script)[1]
    words = interpreters.get(extension)
    if words is None:
        known = " ".join(sorted(interpreters))
        raise Refused(f"the script {script!r} has no interpreter: known are {known}, others by --interpreter")
    return Command(_program(words[0]), (*words, file.path), file)


def _function(script: str, packages: frozenset[str], interpreters: Mapping[str, tuple[str, ...]]) -> Command:
    if function := _R_FUNCTION.fullmatch(script):
        package = function[1]
        language, words = "R", interpreters.get(".R", INTERPRETERS[".R"])
        arguments: tuple[str, ...] = ("-e", f"{script}()")
    elif function := _PYTHON_FUNCTION.fullmatch(script):
        package = function[1]
        language, words = "python", interpreters.get(".py", INTERPRETERS[".py"])
        arguments = ("-c", _CALL, function[1] + function[2], function[3])
    else:
        raise Refused(
            f"{script!r} is no plain function: write package::function (R) or package.module:function (Python)"
        )
    if package not in packages:
        raise Refused(f"the package {package!r} may not run here; whoever runs the worker may allow it by --packages")
    return Command(_program(words[0]), (*words, *arguments), None, language, package)


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
    program = shutil.which(word, path=path)
    return None if program is None else os.path.abspath(program)
