"""What a `script` cell names, by its text alone: the jobs directory is a jail, semantics, section 9.7, is its rule.

    forecast.R  sub/load.py     a file in the jobs directory; its extension says which interpreter runs it
    mypkg::forecast             an exported R function, called without arguments
    mypkg.reports:forecast      a Python function, called without arguments

The editor, the checks at the start and the worker all ask here; the worker's jail adds what only the file system tells.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

MAX_LENGTH = 1024
INTERPRETERS: Mapping[str, tuple[str, ...]] = {".R": ("Rscript", "--vanilla"), ".sh": ("sh",), ".py": ("python3",)}
"""What runs a file of an extension, unless the worker is told otherwise: a program and its first arguments."""
_DRIVE = re.compile(r"[A-Za-z]:(?!:)")
_NOT_TEXT = frozenset({"Cc", "Cs", "Zl", "Zp"})
_R_FUNCTION = re.compile(r"([A-Za-z][A-Za-z0-9.]*)::([A-Za-z.][A-Za-z0-9._]*)", re.ASCII)
_PYTHON_FUNCTION = re.compile(r"([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)", re.ASCII)
_FUNCTION_REMEDY = "write package::function (R) or package.module:function (Python)"
_FILE_REMEDY = "name a file in the jobs directory, such as sub/load.py"


class ScriptError(ValueError):
    """A cell that names nothing the worker may run; the message says why, and what to write instead."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a package: `language` is `R` or `python`, `package` the one that has to be allowed."""

    language: str
    package: str
    module: str
    name: str


@dataclass(frozen=True, slots=True)
class ScriptFile:
    """A file in the jobs directory, by its relative path."""

    path: str

    @property
    def extension(self) -> str:
        return PurePosixPath(self.path).suffix


def read_script(script: str) -> Function | ScriptFile:
    """Return what a cell names; raises ScriptError."""
    if why := why_not(script):
        raise ScriptError(why)
    if not _is_function(script):
        return ScriptFile(script)
    if match := _R_FUNCTION.fullmatch(script):
        return Function("R", match[1], match[1], match[2])
    match = _PYTHON_FUNCTION.fullmatch(script)
    assert match is not None
    return Function("python", match[1], match[1] + match[2], match[3])


def why_not(script: str) -> str:
    """Say why the worker would refuse a cell by its text alone, with the remedy; `""` if it would not."""
    if not script.strip():
        return "the cell is empty; " + _FILE_REMEDY
    if len(script) > MAX_LENGTH:
        return f"it has {len(script):,} characters, at most {MAX_LENGTH:,} are possible"
    if not script.isprintable() and any(unicodedata.category(c) in _NOT_TEXT for c in script):
        return "it holds a control character; remove it"
    if why := _why_it_leaves(script):
        return f"{why}; {_FILE_REMEDY}"
    if _is_function(script) and not (_R_FUNCTION.fullmatch(script) or _PYTHON_FUNCTION.fullmatch(script)):
        return "it is not a plain function; " + _FUNCTION_REMEDY
    return ""


def _why_it_leaves(script: str) -> str:
    segments = script.split("/")
    if "\\" in script:
        return "it holds a backslash"
    if script.startswith("/"):
        return "it is an absolute path"
    if _DRIVE.match(script) and not _PYTHON_FUNCTION.fullmatch(script):
        return "it starts with a drive letter"
    if ".." in map(str.strip, segments):
        return "it climbs out with `..`"
    if any(segment.startswith("~") for segment in segments):
        return "it names a home directory by `~`"
    return ""


def _is_function(script: str) -> bool:
    return ":" in script and "/" not in script
