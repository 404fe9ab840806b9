"""Attacks on whoever asks for the version of the code: what a repository configures is never run."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from worker.script.code_version import CodeVersion


class Trap:
    """A repository with the jobs in it, and a program that leaves a mark when somebody runs it."""

    def __init__(self, root: Path) -> None:
        self.root, self.mark, self.program = root / "repository", root / "ran", root / "program"
        self.program.write_text(f"#!/bin/sh\necho ran >>{self.mark}\nexit 1\n")
        self.program.chmod(0o755)
        self.make(self.root)

    def make(self, root: Path) -> None:
        (root / "jobs").mkdir(parents=True)
        (root / "jobs" / "a.sh").write_text("echo a\n")
        self.git("init", "-q", "-b", "main", at=root)
        self.commit(at=root)

    def git(self, *arguments: str, at: Path | None = None) -> str:
        done = subprocess.run(["git", *arguments], cwd=at or self.root, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def commit(self, at: Path | None = None) -> None:
        self.git("add", "-A", at=at)
        self.git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qam", "x", "--allow-empty", at=at)

    def config(self, name: str, value: str) -> None:
        self.git("config", name, value)

    def attribute(self, said: str) -> None:
        """Say something of every file, as whoever may write to the repository can."""
        (self.root / ".git" / "info" / "attributes").write_text(f"* {said}\n")

    def touch(self, path: Path | None = None) -> None:
        """Make git read a file again that has not changed."""
        os.utime(path or self.root / "jobs" / "a.sh", (1, 1))

    def ran(self) -> bool:
        found = self.mark.exists()
        self.mark.unlink(missing_ok=True)
        return found

    @property
    def head(self) -> str:
        return self.git("rev-parse", "HEAD")[:8]


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path)


def clean_filter(trap: Trap) -> None:
    trap.attribute("filter=evil")
    trap.config("filter.evil.clean", str(trap.program))


def long_running_filter(trap: Trap) -> None:
    trap.attribute("filter=evil")
    trap.config("filter.evil.process", str(trap.program))


def filter_in_the_tree(trap: Trap) -> None:
    (trap.root / "jobs" / ".gitattributes").write_text("*.sh filter=evil\n")
    trap.commit()
    trap.config("filter.evil.clean", str(trap.program))


def included_filter(trap: Trap) -> None:
    trap.attribute("filter=evil")
    included = trap.root / ".git" / "more"
    included.write_text(f'[filter "evil"]\n\tclean = {trap.program}\n')
    trap.config("include.path", str(included))


def filter_included_if(trap: Trap) -> None:
    trap.attribute("filter=evil")
    included = trap.root / ".git" / "more"
    included.write_text(f'[filter "evil"]\n\tclean = {trap.program}\n')
    trap.config("includeIf.onbranch:main.path", str(included))


def filter_of_a_working_tree(trap: Trap) -> None:
    trap.attribute("filter=evil")
    trap.config("extensions.worktreeConfig", "true")
    (trap.root / ".git" / "config.worktree").write_text(f'[filter "evil"]\n\tclean = {trap.program}\n')


def monitor(trap: Trap) -> None:
    trap.config("core.fsmonitor", str(trap.program))


def hook(trap: Trap) -> None:
    hook = trap.root / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.symlink_to(trap.program)


def hooks_elsewhere(trap: Trap) -> None:
    hooks = trap.root.parent / "hooks"
    hooks.mkdir()
    (hooks / "post-index-change").symlink_to(trap.program)
    trap.config("core.hooksPath", str(hooks))


def filter_of_a_submodule(trap: Trap) -> None:
    other = trap.root.parent / "other"
    trap.make(other)
    trap.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "jobs/sub")
    trap.commit()
    own = trap.root / ".git" / "modules" / "jobs" / "sub"
    trap.git("config", "filter.evil.clean", str(trap.program), at=trap.root / "jobs" / "sub")
    (own / "info" / "attributes").write_text("* filter=evil\n")
    trap.touch(trap.root / "jobs" / "sub" / "jobs" / "a.sh")


def transport_of_a_missing_object(trap: Trap) -> None:
    trap.config("core.repositoryFormatVersion", "1")
    trap.config("extensions.partialClone", "origin")
    trap.config("remote.origin.url", "ssh://nowhere/x")
    trap.config("remote.origin.promisor", "true")
    trap.config("core.sshCommand", str(trap.program))
    tree = trap.git("rev-parse", "HEAD^{tree}")
    (trap.root / ".git" / "objects" / tree[:2] / tree[2:]).unlink()


def does_nothing_to_status(trap: Trap) -> None:
    """Programs that git runs elsewhere; here for the day it should run them in what we ask."""
    for name in ("diff.external", "core.pager", "pager.status", "core.editor", "core.askPass", "core.gitProxy",
                 "core.alternateRefsCommand", "gpg.program", "credential.helper", "diff.evil.textconv",
                 "diff.evil.command", "merge.evil.driver", "filter.evil.smudge", "uploadpack.packObjectsHook",
                 "interactive.diffFilter", "sequence.editor"):  # fmt: skip
        trap.config(name, str(trap.program))
    trap.config("alias.status", f"!{trap.program}")
    trap.config("alias.rev-parse", f"!{trap.program}")
    trap.config("log.showSignature", "true")
    trap.attribute("diff=evil merge=evil")


RUN_BY_GIT = (
    clean_filter, long_running_filter, filter_in_the_tree, included_filter, filter_included_if,
    filter_of_a_working_tree, monitor, hook, hooks_elsewhere, filter_of_a_submodule, transport_of_a_missing_object,
)  # fmt: skip


@pytest.mark.parametrize("attack", RUN_BY_GIT)
def test_what_git_would_run_is_not_run(trap: Trap, attack: Callable[[Trap], None]) -> None:
    attack(trap)
    trap.touch()
    assert CodeVersion(trap.root / "jobs").read()
    assert not trap.ran()
    subprocess.run(["git", "status", "--porcelain"], cwd=trap.root, capture_output=True, check=False)
    assert trap.ran(), "the attack is none: git itself is not taken in by it"


def test_other_programs_of_a_configuration_are_not_run(trap: Trap) -> None:
    does_nothing_to_status(trap)
    trap.touch()
    assert CodeVersion(trap.root / "jobs").read() == trap.head
    assert not trap.ran()


def test_a_working_tree_elsewhere_is_not_looked_at(trap: Trap, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    trap.config("core.worktree", str(tmp_path / "elsewhere"))
    assert CodeVersion(trap.root / "jobs").read() == trap.git("rev-parse", "HEAD")[:8]


def test_a_repository_in_the_jobs_runs_nothing_either(trap: Trap) -> None:
    trap.make(trap.root / "jobs" / "nested")
    trap.git("config", "core.fsmonitor", str(trap.program), at=trap.root / "jobs" / "nested")
    assert CodeVersion(trap.root / "jobs").read() == f"{trap.head}-dirty"
    assert not trap.ran()


def test_changes_in_a_submodule_are_changes(trap: Trap) -> None:
    filter_of_a_submodule(trap)
    version = CodeVersion(trap.root / "jobs")
    assert version.read() == trap.head
    (trap.root / "jobs" / "sub" / "jobs" / "a.sh").write_text("echo b\n")
    assert version.read() == f"{trap.head}-dirty"
    assert not trap.ran()


def test_how_files_are_stored_is_still_heeded(tmp_path: Path) -> None:
    trap = Trap(tmp_path)
    trap.config("core.autocrlf", "true")
    trap.config("core.fileMode", "false")
    (trap.root / "jobs" / "a.sh").unlink()
    trap.git("checkout", "jobs/a.sh")
    assert (trap.root / "jobs" / "a.sh").read_bytes() == b"echo a\r\n"
    (trap.root / "jobs" / "a.sh").chmod(0o755)
    trap.touch()
    assert CodeVersion(trap.root / "jobs").read() == trap.head


@pytest.mark.parametrize("name", ["HEAD", "config", "commondir"])
def test_a_pipe_in_a_repository_holds_nobody_up(trap: Trap, name: str) -> None:
    path = trap.root / ".git" / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    assert len(CodeVersion(trap.root / "jobs").read()) >= 8


def test_a_repository_of_sha256_has_a_version(trap: Trap, tmp_path: Path) -> None:
    root = tmp_path / "new"
    (root / "jobs").mkdir(parents=True)
    (root / "jobs" / "a.sh").write_text("echo a\n")
    trap.git("init", "-q", "-b", "main", "--object-format=sha256", at=root)
    trap.commit(at=root)
    assert CodeVersion(root / "jobs").read() == trap.git("rev-parse", "HEAD", at=root)[:8]
