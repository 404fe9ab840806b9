"""Git, asked about a working tree that somebody else may own, so that nothing their repository configures can run.

Filters, hooks, monitors, includes, transports and working trees elsewhere all stand in the configuration of a
repository. So git is not shown it: it gets a scratch repository with links to what the other one holds (objects, refs,
index) and a configuration of our own. Submodules are asked one by one, each in the same way.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess  # nosec B404 # each call is judged where it stands
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

_TIMEOUT_S = 20.0
_MAX_TEXT = 1 << 16
# what of a repository says how its bytes are to be read; a plain word names no program and no file
_FORMAT = frozenset(
    (
        *("core.autocrlf", "core.checkstat", "core.eol", "core.filemode", "core.ignorecase"),
        *("core.precomposeunicode", "core.symlinks", "core.trustctime"),
        *("extensions.objectformat", "extensions.refstorage"),
    )
)
_WORD = re.compile(r"[A-Za-z0-9]+")
_LINKED = ("objects", "refs", "packed-refs", "reftable", "info", "shallow")
_CONFIG = """[core]
\trepositoryFormatVersion = 1
\tbare = false
\tfsmonitor = false
\thooksPath = /dev/null
\tattributesFile = /dev/null
\texcludesFile = /dev/null
[protocol]
\tallow = never
"""


class Repository(NamedTuple):
    """Where git keeps what it knows of a working tree: `own` has HEAD and the index, `common` the rest."""

    work_tree: Path
    own: Path
    common: Path


def repository(git: Path) -> Repository | None:
    """The repository a `.git` leads to: a folder, or a file that says `gitdir: PATH`; None when it leads nowhere."""
    try:
        own = git if git.is_dir() else (git.parent / text_of(git).removeprefix("gitdir:").strip()).resolve()
        told = own / "commondir"
        common = (own / text_of(told).strip()).resolve() if told.exists() else own
        return Repository(git.parent, own, common) if (own / "HEAD").exists() else None
    except (OSError, ValueError, RuntimeError):
        return None


def text_of(path: Path) -> str:
    """The text of a small regular file; raises OSError, also for a pipe, which would keep us waiting."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(f"{path} is no regular file")
        return file.read(_MAX_TEXT).decode("utf-8", "surrogateescape")


def version(checkout: Repository, directory: Path) -> str:
    """`0067d2a2`, `0067d2a2-dirty` for changes in a directory of the working tree; "" when git knows nothing of it."""
    with _shadow(checkout) as environment:
        sha = _git(environment, directory, "rev-parse", "--verify", "--short=8", "HEAD")
        known = _git(environment, directory, "ls-files", "--stage", "-z", "--", ".")
        if not sha or not known:
            return ""
        status = ("status", "--porcelain", "-uall", "--ignore-submodules=dirty", "--", ".")
        changes = _git(environment, directory, *status)
    if changes is None:
        return ""
    dirty = any("__pycache__/" not in line and not line.endswith(".pyc") for line in changes.splitlines())
    dirty = dirty or any(map(_is_dirty, (directory / name for name in _submodules(known))))
    return sha.strip()[:8] + ("-dirty" if dirty else "")


def _submodules(staged: str) -> Iterator[str]:
    """The paths of the submodules among lines `MODE SHA STAGE<tab>PATH`."""
    return (line.partition("\t")[2] for line in staged.split("\0") if line.startswith("160000 "))


def _is_dirty(submodule: Path) -> bool:
    checkout = repository(submodule / ".git") if os.path.lexists(submodule / ".git") else None
    return checkout is not None and version(checkout, submodule).endswith("-dirty")


@contextmanager
def _shadow(checkout: Repository) -> Iterator[Mapping[str, str]]:
    """The environment in which git sees a repository without its configuration."""
    with tempfile.TemporaryDirectory(prefix="foldboard-git-") as scratch:
        shadow = Path(scratch)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {
            "GIT_DIR": scratch,
            "GIT_WORK_TREE": os.fspath(checkout.work_tree),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "LC_ALL": "C",
        }
        for name in _LINKED:
            if (checkout.common / name).exists():
                (shadow / name).symlink_to(checkout.common / name)
        for path in (checkout.own / "index", *checkout.own.glob("sharedindex.*")):
            if path.exists():
                (shadow / path.name).symlink_to(path)
        with suppress(OSError):
            (shadow / "HEAD").write_text(text_of(checkout.own / "HEAD"))
            (shadow / "theirs").write_text(text_of(checkout.common / "config"), errors="surrogateescape")
        (shadow / "config").write_text(_CONFIG + _format(shadow / "theirs", environment))
        yield environment


def _format(theirs: Path, environment: Mapping[str, str]) -> str:
    """What their configuration says of how files are stored, word by word and without what it includes."""
    arguments = ("config", "--file", os.fspath(theirs), "--no-includes", "--null", "--list")
    said = (_git(environment, theirs.parent, *arguments) or "").split("\0")
    pairs = (entry.partition("\n")[::2] for entry in said)
    kept = ((key.split("."), value) for key, value in pairs if key in _FORMAT and _WORD.fullmatch(value))
    return "".join(f"[{section}]\n\t{name} = {value}\n" for (section, name), value in kept)


def _git(environment: Mapping[str, str], directory: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(  # nosec B603, B607 # our own words, no shell; git as PATH has it
            ["git", *arguments],
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else None
