"""From a ready row to something that can be started: its command, its log, its environment."""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, replace

from board.log.directory import NotPlain
from board.log.store import Store, log_name
from board.process.engine.instance import Instance
from board.process.engine.status.status import is_finished
from board.services.attempts import Attempt, next_attempt, too_many_rounds
from worker.config import Config
from worker.recover import RUN_DIR, Marks
from worker.scheduler import sequential_group
from worker.script import environment, executors
from worker.script.attempt import Limits, Script
from worker.script.code_version import CodeVersion
from worker.script.executors import Command
from worker.script.jail import Refused, check_again
from worker.script.packages import PackageVersions

_NONE_FILE = "none.json"
Outputs = dict[str, dict[str, dict[str, str]]]


@dataclass(slots=True)
class Prepared:
    """An attempt that may begin: everything is checked and open, nothing is started or appended yet."""

    attempt: Attempt
    script: str
    command: Command
    environment: dict[str, str]
    limits: Limits
    log_fd: int
    sequential: str  # the group that does one at a time, "" for none
    outputs_file: str

    def close(self) -> None:
        """Let go of what was opened, when nothing is started after all."""
        os.close(self.log_fd)
        self.forget_outputs()

    def forget_outputs(self) -> None:
        """Remove the file of outputs the script was given."""
        if not self.outputs_file.endswith(_NONE_FILE):
            with contextlib.suppress(OSError):
                os.unlink(self.outputs_file)


class Workshop:
    """Prepares attempts in one store and one jobs directory."""

    def __init__(self, config: Config, store: Store) -> None:
        self._config, self._store = config, store
        self.marks = Marks(store)
        self.code = CodeVersion(config.jobs)
        self._packages = PackageVersions()
        self._base = environment.of_this_process()
        self._run = store.root / RUN_DIR
        for name, _ in store.directory.scan(RUN_DIR):
            if name.endswith(".json"):
                store.directory.remove(f"{RUN_DIR}/{name}")

    def next(self, instance: Instance, row: int) -> Attempt:
        """Return the attempt that would begin now, with the place of its log.

        A log that is there is somebody's, of an attempt that our log does not know of: the next number is taken.
        """
        attempt = next_attempt(instance, row)
        number = attempt.number
        while self._is_written(self._log_of(attempt, number)):
            number += 1
        return replace(attempt, number=number, log=self._log_of(attempt, number))

    def _log_of(self, attempt: Attempt, number: int) -> str:
        return f"{attempt.instance}/logs/{log_name(attempt.task, attempt.element, number)}"

    def _is_written(self, log: str) -> bool:
        try:
            fact = self._store.directory.stat(log)
        except OSError:
            return False
        return stat.S_ISREG(fact.st_mode) and fact.st_size > 0

    def prepare(self, instance: Instance, attempt: Attempt) -> Prepared:
        """Check and open everything; raises Refused, or OSError when the store cannot be written."""
        reason = too_many_rounds(instance, attempt.row)
        if reason:
            raise Refused(reason)
        definition = instance.definition(attempt.row)
        config = self._config
        command = executors.command(
            definition.script, config.jobs, packages=config.packages, interpreters=config.interpreters
        )
        fd = self.open_log(attempt)
        try:
            mark = self.marks.of(attempt)
            outputs = outputs_for(instance, attempt.row)
            outputs_file = self._write_outputs(mark, outputs)
            artifacts = self._artifacts(instance.id)
            variables = environment.script_environment(
                self._base,
                instance=instance.id,
                task=attempt.task,
                element=attempt.element,
                attempt=attempt.number,
                artifacts=artifacts,
                store=str(self._store.root),
                run=mark,
                params=definition.env,
                outputs=outputs,
                outputs_file=outputs_file,
            )
        except BaseException:
            os.close(fd)
            raise
        limits = Limits(definition.timeout_s, config.max_log_bytes, config.grace_s)
        group = sequential_group(instance, instance.statuses.task[attempt.row])
        return Prepared(attempt, definition.script, command, variables, limits, fd, group, outputs_file)

    def code_version(self, prepared: Prepared) -> str:
        """What the attempt runs: the jobs directory's version, or the package's."""
        command = prepared.command
        return self._packages.read(command, str(self._config.jobs)) if command.package else self.code.read()

    def start(self, prepared: Prepared, now: float) -> Script:
        """Start it, after one more look at what would run; raises Refused, OSError or ValueError."""
        if prepared.command.file is not None:
            check_again(prepared.script, prepared.command.file)
        return Script.start(
            prepared.command.program,
            prepared.command.arguments,
            prepared.environment,
            str(self._config.jobs),
            prepared.log_fd,
            prepared.limits,
            now,
        )

    def open_log(self, attempt: Attempt) -> int:
        """The open log of an attempt; its directory is made if missing. Refused when something else is in its place."""
        files, flags = self._store.directory, os.O_RDWR | os.O_CREAT | os.O_APPEND
        try:
            try:
                return files.open(attempt.log, flags, 0o644)
            except FileNotFoundError:
                files.make_folder(os.path.dirname(attempt.log))
                return files.open(attempt.log, flags, 0o644)
        except NotPlain as error:
            raise Refused(f"something that is not a log is in its place: {error.strerror}") from error

    def _artifacts(self, instance: str) -> str:
        """Where the scripts of an instance put what they make; Refused when a link or a file is in its place."""
        folder = self._store.artifacts(instance)
        try:
            self._store.directory.make_folder(self._store.relative(folder))
        except NotPlain as error:
            raise Refused(f"the artifacts of this instance are not a directory: {error.strerror}") from error
        return str(folder)

    def write_reason(self, attempt: Attempt, reason: str) -> None:
        """Write why an attempt is refused where its log would be."""
        try:
            fd = self.open_log(attempt)
        except Refused:
            return  # that is the reason
        try:
            os.write(fd, f"worker: refused: {reason}\n".encode("utf-8", "replace"))
        finally:
            os.close(fd)

    def _write_outputs(self, mark: str, outputs: Outputs) -> str:
        name = f"{mark}.json" if outputs else _NONE_FILE
        if outputs or not self._store.directory.has(f"{RUN_DIR}/{name}"):
            self.marks.keep()
            data = json.dumps(outputs, ensure_ascii=False).encode("utf-8", "surrogatepass")
            self._store.directory.write(f"{RUN_DIR}/{name}", data)
        return str(self._run / name)


def outputs_for(instance: Instance, row: int) -> Outputs:
    """What the finished tasks a row depends on handed on in their latest round: by task, element (or ""), key."""
    outputs_of: Outputs = {}
    for s in dict.fromkeys(s for s, _ in instance.flow.lowered[instance.statuses.task[row]]):
        for source in instance.related(row, s):
            outputs: Mapping[str, str] = instance.outputs(source)
            if outputs and is_finished(instance.status(source)):
                outputs_of.setdefault(instance.flow.tasks[s], {})[instance.element_of(source)] = dict(outputs)
    return outputs_of
