"""The version of a package whose function a script cell names, asked of the interpreter that will run it."""

from __future__ import annotations

import os
import subprocess  # nosec B404 # each call is judged where it stands

from worker.script.executors import Command

_TIMEOUT_S = 30.0
_R = (
    'd <- system.file("DESCRIPTION", package = commandArgs(TRUE)[1]);'
    "cat(d, if (nzchar(d)) as.character(read.dcf(d, fields = 'Version')), sep = '\\n')"
)
_PYTHON = (
    "import importlib.metadata as m, importlib.util as u, sys\n"
    "name = sys.argv[1]\n"
    "spec = u.find_spec(name)\n"
    "print(spec.origin or '' if spec else '')\n"
    "names = m.packages_distributions().get(name, [name])\n"
    "try: print(m.version(names[0]))\n"
    "except m.PackageNotFoundError: print('')\n"
)


class PackageVersions:
    """Versions by package; not asked again while the file that tells is the same."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[str, tuple[int, ...], str]] = {}

    def read(self, command: Command, directory: str) -> str:
        """`mypkg 1.2.0`; the name alone when the package tells no version or is not there."""
        key = command.language, command.package
        known = self._known.get(key)
        if known is None or not known[1] or _look(known[0]) != known[1]:
            origin, version = _ask(command, directory)
            known = self._known[key] = origin, _look(origin), version
        return f"{command.package} {known[2]}".strip()


def _ask(command: Command, directory: str) -> tuple[str, str]:
    words = [command.program, *command.arguments[1 : -2 if command.language == "R" else -4]]
    code = ["-e", _R, command.package] if command.language == "R" else ["-c", _PYTHON, command.package]
    try:
        done = subprocess.run(  # nosec B603 # a name of a package, checked before, is an argument
            [*words, *code],
            cwd=directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return "", ""
    origin, version, *_ = [*done.stdout.decode("utf-8", "replace").splitlines(), "", ""]
    return origin.strip(), version.strip()[:64]


def _look(path: str) -> tuple[int, ...]:
    try:
        facts = os.stat(path)
    except OSError:
        return ()
    return facts.st_ino, facts.st_size, facts.st_mtime_ns
