"""What may run: a name in the jobs directory, and nothing that leads out of it (semantics, section 9.7).

Whoever deploys the jobs directory decides what runs; whoever edits a process only picks from it. The text of a cell is
judged before the file system is touched (`board/process/definition/script_cell.py`); here the file is, after all links
are followed, and once more right before it runs.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NamedTuple


class Refused(Exception):
    """A script that may not run; the message says which rule it breaks."""


class Found(NamedTuple):
    """A script's real path, and the device and inode it had when it was judged."""

    path: str
    device: int
    inode: int


def find(jobs: Path, script: str) -> Found:
    """The file a script cell names, links followed; raises Refused unless it is a regular file inside `jobs`.

    The text was judged before (`script_cell.read_script`).
    """
    try:
        root, _ = _resolve(os.fspath(jobs))
        path, facts = _resolve(os.path.join(root, script))
    except (OSError, ValueError) as error:
        raise Refused(f"the script {script!r} is not in the jobs directory: {_why(error)}") from error
    if not path.startswith(root.rstrip("/") + "/"):
        raise Refused(f"the script {script!r} is a link that leads out of the jobs directory")
    if not stat.S_ISREG(facts.st_mode):
        raise Refused(f"the script {script!r} is not a regular file")
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
