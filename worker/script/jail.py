"""What may run: a name in the jobs directory, and nothing that leads out of it.

Whoever deploys the jobs directory decides what runs; whoever edits a process only picks from it. The text is judged
before the file system is touched, the file after all links are followed, and once more right before it runs.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from pathlib import Path
from typing import NamedTuple

_DRIVE = re.compile(r"[A-Za-z]:")
_MAX_LENGTH = 1024


class Refused(Exception):
    """A script that may not run; the message says which rule it breaks."""


class Found(NamedTuple):
    """A script's real path, and the device and inode it had when it was judged."""

    path: str
    device: int
    inode: int


def check_text(script: str) -> None:
    """Judge the cell alone, without looking at any file; raises Refused."""
    if not script.strip():
        raise Refused("the script cell is empty")
    if len(script) > _MAX_LENGTH:
        raise Refused(f"the name of the script is longer than {_MAX_LENGTH} characters")
    plain = script.isascii() and script.isprintable()
    if not plain and any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in script):
        raise Refused(f"the name of the script {script!r} holds a control character")
    if "\\" in script:
        raise Refused(f"the name of the script {script!r} holds a backslash")
    if script.startswith("/") or _DRIVE.match(script):
        raise Refused(f"the script {script!r} is an absolute path; name a file inside the jobs directory")
    parts = script.split("/")
    if ".." in (part.strip() for part in parts):
        raise Refused(f"the script {script!r} leaves the jobs directory by '..'")
    if any(part.startswith("~") for part in parts):
        raise Refused(f"the script {script!r} names a home directory by '~'")


def find(jobs: Path, script: str) -> Found:
    """The file a script cell names, links followed; raises Refused unless it is a regular file inside `jobs`.

    The text was judged before (`check_text`).
    """
    try:
        root, _ = _resolve(os.fspath(jobs))
        path, facts = _resolve(os.path.join(root, script))
    except (OSError, ValueError) as error:
        raise Refused(f"the script {script!r} is not in the jobs directory: {_why(error)}") from error
    if not path.startswith(root.rstrip("/") + "/"):
        raise Refused(f"the script {script!r} is a link that leads out of the jobs directory")
    if not stat.S_ISREG(facts.st_mode):
        raise Refused(f"the script {script!r} is no regular file")
    return Found(path, facts.st_dev, facts.st_ino)


def check_again(script: str, file: Found) -> None:
    """Raise Refused when there is another file by now where the script was found."""
    try:
        facts = os.lstat(file.path)
    except OSError as error:
        raise Refused(f"the script {script!r} is gone: {_why(error)}") from error
    if (facts.st_dev, facts.st_ino) != (file.device, file.inode) or not stat.S_ISREG(facts.st_mode):
        raise Refused(f"the script {script!r} was exchanged while it was about to run")


def _resolve(path: str) -> tuple[str, os.stat_result]:
    """The real path of a file and its facts, of one and the same file however fast links are exchanged."""
    fd = os.open(path, os.O_PATH | os.O_CLOEXEC)  # opens nothing: a pipe does not block, a device does not act
    try:
        return os.readlink(f"/proc/self/fd/{fd}"), os.fstat(fd)
    finally:
        os.close(fd)


def _why(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
