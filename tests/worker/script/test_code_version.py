"""The code version: the commit of the jobs directory, whether it has changes, else a hash of what is in it."""

import os
import subprocess
from pathlib import Path

import pytest

from worker.script import code_version
from worker.script.code_version import CodeVersion


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "a.sh").write_text("echo a\n")
    (tmp_path / "other.txt").write_text("x\n")
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", "-A")
    commit(tmp_path)
    return tmp_path


def git(directory: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=directory, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(directory: Path) -> None:
    git(directory, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qam", "x", "--allow-empty")


def test_a_clean_working_tree_is_its_commit(repository: Path) -> None:
    assert CodeVersion(repository / "jobs").read() == git(repository, "rev-parse", "HEAD")[:8]


def test_dirty_speaks_of_the_jobs_directory_only_and_is_seen_at_once(repository: Path) -> None:
    version = CodeVersion(repository / "jobs")
    clean = version.read()
    (repository / "other.txt").write_text("changed\n")
    assert version.read() == clean
    (repository / "jobs" / "a.sh").write_text("echo b\n")
    assert version.read() == f"{clean}-dirty"
    (repository / "jobs" / "a.sh").write_text("echo a\n")
    assert version.read() == clean
    (repository / "jobs" / "new.sh").write_text("echo new\n")
    assert version.read() == f"{clean}-dirty"
    (repository / "jobs" / "new.sh").unlink()
    (repository / "jobs" / "__pycache__").mkdir()
    (repository / "jobs" / "__pycache__" / "a.pyc").write_text("x")
    assert version.read() == clean


def test_a_commit_a_checkout_and_an_amendment_are_seen(repository: Path) -> None:
    version = CodeVersion(repository / "jobs")
    first = version.read()
    commit(repository)
    second = version.read()
    assert second != first
    assert second == git(repository, "rev-parse", "HEAD")[:8]
    git(repository, "checkout", "-q", "--detach", "HEAD~1")
    assert version.read() == first
    git(repository, "pack-refs", "--all")
    git(repository, "checkout", "-q", "main")
    assert version.read() == second


def test_a_linked_working_tree_is_one(repository: Path) -> None:
    linked = repository.parent / "linked"
    git(repository, "worktree", "add", "-q", "-b", "side", str(linked))
    version = CodeVersion(linked / "jobs")
    assert version.read() == git(linked, "rev-parse", "HEAD")[:8]
    commit(linked)
    assert version.read() == git(linked, "rev-parse", "HEAD")[:8]


def test_a_directory_git_does_not_know_is_hashed(repository: Path) -> None:
    (repository / ".gitignore").write_text("scratch/\n")
    (repository / "scratch").mkdir()
    (repository / "scratch" / "s.sh").write_text("1")
    version = CodeVersion(repository / "scratch")
    first = version.read()
    (repository / "scratch" / "s.sh").write_text("2")
    assert first != version.read()
    assert "dirty" not in version.read()


def test_a_repository_without_a_commit_is_hashed(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "a.sh").write_text("1")
    assert len(CodeVersion(tmp_path).read()) == 8


if os.geteuid() == 0:  # nobody else can give a directory away

    def test_a_directory_of_another_account_is_no_hindrance(repository: Path) -> None:
        expected = git(repository, "rev-parse", "HEAD")[:8]
        for path in (repository, *repository.rglob("*")):
            os.chown(path, 65534, 65534)
        assert CodeVersion(repository / "jobs").read() == expected


def test_what_the_repository_configures_is_not_run(repository: Path) -> None:
    canary = repository / "canary"
    git(repository, "config", "core.fsmonitor", f"touch {canary}; false")
    CodeVersion(repository / "jobs").read()
    assert not canary.exists()


def test_names_and_bytes_make_the_hash_and_times_do_not(tmp_path: Path) -> None:
    versions = set()
    for number, (name, text) in enumerate([("a", "x"), ("b", "x"), ("a", "y"), ("sub/a", "x")]):
        path = tmp_path / str(number) / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
        versions.add(CodeVersion(tmp_path / str(number)).read())
    assert len(versions) == 4
    same = tmp_path / "same"
    same.mkdir()
    (same / "a").write_text("x")
    os.utime(same / "a", (1, 1))
    assert CodeVersion(same).read() == CodeVersion(tmp_path / "0").read()


def test_unchanged_files_are_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abc":
        (tmp_path / name).write_text(name)
    read: list[str] = []
    digest = code_version._digest

    def noting(jobs: Path, name: str, signature: code_version.Signature) -> bytes:
        read.append(name)
        return digest(jobs, name, signature)

    monkeypatch.setattr(code_version, "_digest", noting)
    version = CodeVersion(tmp_path)
    version.read()
    version.read()
    (tmp_path / "b").write_text("changed")
    version.read()
    assert sorted(read) == ["a", "b", "b", "c"]


def test_odd_files_do_not_hang_or_fail(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "out").symlink_to("/etc")
    (tmp_path / os.fsdecode(b"bad\xff")).write_text("x")
    version = CodeVersion(tmp_path)
    assert len(version.read()) == 8
    assert version.read() == version.read()


def test_a_directory_that_is_gone_has_a_version_all_the_same(tmp_path: Path) -> None:
    assert len(CodeVersion(tmp_path / "nowhere").read()) == 8
