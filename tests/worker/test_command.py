"""`manage.py runworker` as people and cron run it: exit statuses, one file without the board, no database."""

import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.worker.site import REPO, Site, wait_for

TABLE = "task,name,role,depends_on,script\ncount,Count,system,,count.sh\nsign_off,Sign off,boss,count,\n"


@pytest.fixture
def table(site: Site) -> Path:
    site.script("count.sh", "echo ::process-output rows=3::")
    path = site.root / "p.csv"
    path.write_text(TABLE)
    return path


def run(site: Site, *arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    settings = {"FOLDBOARD_VAR": str(site.root / "var"), "FOLDBOARD_STORE": str(site.store.root)}
    return subprocess.run(
        [sys.executable, "manage.py", "runworker", *map(str, arguments)],
        cwd=REPO,
        env={**os.environ, **settings, "FOLDBOARD_JOBS": str(site.jobs), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def call(site: Site, *arguments: str | Path) -> int:
    """The command in this process; its exit status."""
    with pytest.raises(SystemExit) as ended:
        call_command("runworker", *map(str, arguments), f"--store={site.store.root}", f"--jobs={site.jobs}")
    return int(ended.value.code or 0)


@pytest.fixture(autouse=True)
def stay_as_we_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command makes its process the reaper of orphans and takes its signals: not this one, it has other work."""
    monkeypatch.setattr("worker.main.keep_to_ourselves", lambda: None)
    monkeypatch.setattr("worker.signals.Stop.listen", lambda _: None)


def test_one_file_is_run_without_the_board_and_without_a_database(site: Site, table: Path) -> None:
    done = run(
        site, "--process", table, "--instance", "2026Q1", "--no-wait", FOLDBOARD_DATABASE_URL="sqlite:////nowhere/db"
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == f"worker: started 2026Q1 from {table}"
    assert lines[1].startswith("worker: instance=2026Q1 store=")
    assert lines[2:] == [
        "* count -> count.sh",
        "  done in 0.0s (2026Q1/logs/count-1.log)",
        "worker: waiting for people on: sign_off",
    ]
    assert site.status("count", instance="2026Q1") == "done"
    assert not (site.root / "var" / "board.sqlite3").exists()


def test_a_changed_file_changes_no_instance_that_exists_and_that_is_said(
    site: Site, table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(site, "--process", table, "--no-wait") == 0
    table.write_text(TABLE + "more,More,system,,count.sh\n")
    assert call(site, "--process", table, "--no-wait") == 0
    assert "differs from what p was started with" in capsys.readouterr().out
    assert site.instance("p").find("more") is None


def test_a_group_needs_its_elements_and_gets_them_from_a_file(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.script("s.sh", "echo $PROC_ELEMENT")
    table, elements = site.root / "g.csv", site.root / "e.csv"
    table.write_text("task,name,role,script,collection,parent\neach,Each,,,unit,\nt,T,system,s.sh,,each\n")
    elements.write_text("unit,region\n007,N\nZürich,S\n")
    with pytest.raises(CommandError, match="element list is missing") as refused:
        call(site, "--process", table, "--no-wait")
    assert refused.value.returncode == 2
    assert call(site, "--process", table, "--elements", elements, "--no-wait") == 0
    assert site.log("t", "007", instance="g") == "007\n"
    assert site.log("t", "Zürich", instance="g") == "Zürich\n"


@pytest.mark.parametrize(
    ("text", "arguments", "code"),
    [
        ("exit 0", ["--instance", "i"], 0),
        ("exit 1", ["--instance", "latest"], 3),
        ("exit 1", ["--no-wait"], 3),
        ("exit 0", ["--timeout", "30"], 0),
    ],
)
def test_the_exit_status_says_how_it_ended(site: Site, text: str, arguments: list[str], code: int) -> None:
    site.script("s.sh", text)
    site.start([{"task": "t", "role": "system", "script": "s.sh"}])
    assert call(site, *arguments, "--quiet") == code


def test_with_all_instances_served_each_line_says_of_which(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.script("s.sh", "exit 0")
    rows = [{"task": "t", "role": "system", "script": "s.sh"}, {"task": "u", "role": "system", "script": "gone.sh"}]
    for instance in ("2026Q1", "2026Q2"):
        site.start(rows, instance=instance)
    assert call(site, "--no-wait") == 3
    said = capsys.readouterr().out.splitlines()
    for instance in ("2026Q1", "2026Q2"):
        assert f"* {instance} t -> s.sh" in said
        assert f"* {instance} u -> gone.sh" in said


def test_it_gives_up_waiting_for_people_after_the_time(site: Site) -> None:
    site.start([{"task": "t", "role": "boss"}])
    assert call(site, "--timeout", "0.3", "--tick", "0.1") == 5
    assert call(site, "--instance", "i", "--timeout", "0.3", "--tick", "0.1") == 5


@pytest.mark.parametrize(
    "arguments",
    [
        ["--slots", "0"],
        ["--process", "missing.csv"],
        ["--elements", "missing.csv"],
        ["--interpreter", "jl"],
        ["--grace", "-1"],
        ["--jobs", "/nowhere/at/all"],
    ],
)
def test_wrong_arguments_are_one_line_and_exit_2(site: Site, arguments: list[str]) -> None:
    with pytest.raises(CommandError) as refused:
        call_command("runworker", f"--store={site.store.root}", f"--jobs={site.jobs}", *arguments)
    assert refused.value.returncode == 2
    assert "\n" not in str(refused.value)


def test_a_second_worker_exits_4_and_says_who_is_first(site: Site) -> None:
    site.start([{"task": "t", "role": "boss"}])
    with site.working() as first:
        wait_for(lambda: "waiting" in site.said)
        with pytest.raises(CommandError, match=f"process {first.pid}") as refused:
            call_command("runworker", "--no-wait", f"--store={site.store.root}", f"--jobs={site.jobs}")
    assert refused.value.returncode == 4


def test_cron_may_overlap_and_the_second_start_does_no_harm(site: Site) -> None:
    site.script("s.sh", "echo x >> ran; sleep 1")
    site.start([{"task": "t", "role": "system", "script": "s.sh"}])
    starts = [site.spawn(no_wait=True) for _ in range(4)]
    codes = sorted(process.wait(60) for process in starts)
    assert codes[0] == 0
    assert set(codes) <= {0, 4}
    assert (site.jobs / "ran").read_text() == "x\n"


def test_extensions_get_the_interpreter_that_is_named(site: Site) -> None:
    site.script("a.lst", "hello")
    site.start([{"task": "t", "role": "system", "script": "a.lst"}])
    assert call(site, "--no-wait", "--interpreter", "lst=cat -n") == 0
    assert site.log("t") == "     1\thello"


def test_a_standard_output_that_is_gone_does_not_disturb_the_work(site: Site) -> None:
    site.script("s.sh", ":")
    site.start([{"task": f"t{n}", "role": "system", "script": "s.sh"} for n in range(5)])
    read, write = os.pipe()
    os.close(read)
    import json

    options = {"store": str(site.store.root), "jobs": str(site.jobs), "no_wait": True}
    worker = subprocess.Popen([sys.executable, "-m", "tests.worker.child", json.dumps(options)], cwd=REPO, stdout=write)
    os.close(write)
    worker.wait(60)
    assert site.status("t4") == "done"


def test_ingest_takes_the_inbox_in_without_a_worker(site: Site) -> None:
    site.start([{"task": "t", "role": "system"}])
    site.message("good", task="t")
    site.message("bad", task="nope")
    out = StringIO()
    call_command("ingest", f"--store={site.store.root}", stdout=out)
    assert "1 applied, 1 rejected" in out.getvalue()
    assert "rejected bad.json: unknown_task" in out.getvalue()
    assert site.status("t") == "done"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "text",
    [
        "north\nsouth\neast\n",
        "unit\nnorth\nsouth\n",
        "unit;region\nnorth;a\nsouth;b\n",
        '["a", "b"]',
        "\ufeffnorth\n",
        "",
    ],
)
def test_a_list_in_a_file_is_the_same_elements_for_worker_and_command(site: Site, settings: Any, text: str) -> None:
    settings.FOLDBOARD_STORE = site.store.root
    site.script("s.sh", "exit 0")
    table, elements = site.root / "g.csv", site.root / "e.csv"
    table.write_text("task,name,role,script,collection,parent\neach,Each,,,unit,\nt,T,system,s.sh,,each\n")
    elements.write_text(text)
    assert call(site, "--process", table, "--elements", elements, "--no-wait", "--instance", "by-worker") == 0
    call_command("startinstance", table, "by-command", elements=str(elements), stdout=StringIO())
    worker, command = site.instance("by-worker"), site.instance("by-command")
    assert worker.elements == command.elements
