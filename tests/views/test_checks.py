"""The system checks of what is around the board."""

import os
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import CheckMessage, run_checks
from django.core.management import call_command

from board import checks
from board.log.tail import shared
from board.process.definition.table import ProcessTable
from board.services import definitions
from board.services.actor import anybody


@pytest.fixture
def jobs(tmp_path: Path, settings: Any) -> Path:
    path = tmp_path / "jobs"
    path.mkdir()
    settings.FOLDBOARD_JOBS = path
    return path


def found(*, deploy: bool = False) -> dict[str, CheckMessage]:
    said = run_checks(tags=[checks.TAG], include_deployment_checks=deploy)
    return {str(message.id): message for message in said}


def save(store: Path, *scripts: str) -> None:
    rows: list[dict[str, str | None]] = [
        {"task": f"t{n}", "name": script, "role": "system", "script": script} for n, script in enumerate(scripts)
    ]
    definitions.save(shared(store), anybody("ed"), "Quarterly", ProcessTable.from_rows(rows), "")


def test_a_fresh_checkout_has_nothing_to_complain_about(store: Path, jobs: Path) -> None:
    assert found() == {}


def test_a_store_that_is_not_there_yet_is_fine_when_it_can_be_made(tmp_path: Path, jobs: Path, settings: Any) -> None:
    settings.FOLDBOARD_STORE = tmp_path / "not" / "yet"
    assert found() == {}


def test_a_store_that_is_a_file_is_named(tmp_path: Path, jobs: Path, settings: Any) -> None:
    (tmp_path / "file").write_text("")
    settings.FOLDBOARD_STORE = tmp_path / "file" / "store"
    assert "is no directory" in found()["foldboard.W001"].msg


def test_a_store_on_a_network_file_system_is_named(
    store: Path, jobs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "file_system_of", lambda _: "nfs4")
    assert "nfs4" in found()["foldboard.W002"].msg


def test_the_file_system_is_that_of_the_nearest_mount(tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
        "2 1 0:1 / /srv rw shared:1 - nfs4 host:/srv rw\n"
        "3 2 0:2 / /srv/my\\040store rw - xfs /dev/sdb rw\n"
    )
    kinds = {
        path: checks.file_system_of(Path(path), str(mounts)) for path in ("/etc", "/srv/a", "/srvx", "/srv/my store/x")
    }
    assert kinds == {"/etc": "ext4", "/srv/a": "nfs4", "/srvx": "ext4", "/srv/my store/x": "xfs"}


def test_a_jobs_directory_that_is_missing_is_named(store: Path, tmp_path: Path, settings: Any) -> None:
    settings.FOLDBOARD_JOBS = tmp_path / "nowhere"
    assert "nowhere" in found()["foldboard.W003"].msg


def test_a_script_that_a_process_names_and_nobody_put_there_is_named(store: Path, jobs: Path) -> None:
    (jobs / "here.sh").write_text("")
    save(store, "here.sh", "gone.sh", "package.module:function")
    assert "gone.sh" in found()["foldboard.W005"].msg
    assert "here.sh" not in found()["foldboard.W005"].msg


def test_an_interpreter_that_is_missing_is_named_only_when_something_needs_it(
    store: Path, jobs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "board.checks.shutil.which", lambda program: None if program == "Rscript" else f"/bin/{program}"
    )
    (jobs / "a.sh").write_text("")
    save(store, "a.sh")
    assert found() == {}
    save(store, "a.sh", "pkg::forecast")
    assert "Rscript" in found()["foldboard.W004"].msg


def test_a_worker_that_runs_as_root_is_named(store: Path, jobs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "worker_uid", lambda: 0)
    assert "root" in found(deploy=True)["foldboard.W006"].msg


def test_a_jobs_directory_the_worker_may_write_is_named(
    store: Path, jobs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "worker_uid", lambda: 54321)
    script = jobs / "a.sh"
    script.write_text("")
    jobs.chmod(0o755)
    script.chmod(0o644)
    assert found(deploy=True) == {}
    script.chmod(0o666)
    assert str(script) in found(deploy=True)["foldboard.W007"].msg


def test_who_owns_a_file_may_write_it_by_the_owner_bits_alone(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("")
    path.chmod(0o077)
    assert not checks.may_write(path, os.getuid())


def test_the_owner_of_the_lock_runs_the_worker(store: Path) -> None:
    (store / ".worker.lock").mkdir()
    (store / ".worker.lock" / "owner").write_text("{}")
    assert checks.worker_uid() == os.getuid()


def test_no_check_opens_the_database(store: Path, jobs: Path) -> None:
    # the test has no database: a query would raise
    found(deploy=True)


def test_the_models_need_no_new_migration(db: None) -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
