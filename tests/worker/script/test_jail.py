"""What may run: hostile script values are refused, each with a reason, and nothing of them is executed."""

import os
from pathlib import Path

import pytest

from tests.tools import tool
from tests.worker.site import Site
from worker.script import executors
from worker.script.executors import command
from worker.script.jail import Refused, check_again

HOSTILE = [
    # absolute, drives, homes, backslashes
    "/bin/sh",
    "//bin/sh",
    "/etc/../bin/x.sh",
    "C:x.sh",
    "c:/x.sh",
    "Z:\\x.sh",
    "~/x.sh",
    "~root/x.sh",
    "sub/~/x.sh",
    "..\\x.sh",
    "sub\\x.sh",
    "\\\\host\\share\\x.sh",
    # climbing out
    "..",
    "../x.sh",
    "../outside/x.sh",
    "sub/../../outside/x.sh",
    "sub/../ok.sh",
    "./../x.sh",
    "a/b/../../../x.sh",
    "ok.sh/..",
    " ../x.sh",
    ".. /x.sh",
    "sub/.. /x.sh",
    # control characters and what looks like something else
    "ok.sh\0",
    "ok.sh\0.R",
    "ok.sh\n",
    "ok\n.sh",
    "ok.sh\r",
    "ok\t.sh",
    "\x1b[2Jok.sh",
    "ok\u2028.sh",
    "ok\x85.sh",
    "\ud800.sh",
    "‥/x.sh",
    "．．/x.sh",
    "..∕outside∕x.sh",
    "ok\u200b.sh",
    "оk.sh",  # a Cyrillic o
    # what is no regular file, or none at all
    ".",
    "./",
    "sub",
    "sub/",
    "dir.sh",
    "pipe.sh",
    "socket.sh",
    "device.sh",
    "missing.sh",
    "ok.sh/",
    "ok.sh/x",
    "x" * 300 + ".sh",
    "x/" * 600 + "x.sh",
    # links out of the jail, links to nothing, links in a circle
    "link-to-sh.sh",
    "link-to-outside.sh",
    "linked/x.sh",
    "dangling.sh",
    "circle.sh",
    "proc.sh",
    # no interpreter for it
    "ok",
    "binary.exe",
    "ok.SH",
    "ok.sh.bak",
    "page.html",
    ".sh",
    # options and shell lines
    "-e",
    "--version",
    "-c id",
    "ok.sh; touch canary",
    "ok.sh && touch canary",
    "$(touch canary).sh",
    "`touch canary`.sh",
    "| touch canary",
    "ok.sh > canary",
    "*.sh",
    # functions: only the plain form, only of packages that are allowed
    "os:system",
    "os.path:join",
    "subprocess:run",
    "builtins:exec",
    "base::system",
    "good::run()",
    "good:::hidden",
    "good::run; system('touch canary')",
    "good::run\nsystem('x')",
    "good::",
    "::run",
    "good.mod:",
    ":run",
    "good.mod:run()",
    "good.mod:a.b",
    "good.mod:run:more",
    "good..mod:run",
    "good.mod:__import__('os')",
    "good mod:run",
    "good.mod:лambda",
    "-e::run",
    "good::-e",
    "",
    "   ",
]


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    jobs, outside = tmp_path / "jobs", tmp_path / "outside"
    (jobs / "sub").mkdir(parents=True)
    (jobs / "dir.sh").mkdir()
    outside.mkdir()
    for path in (jobs / "ok.sh", jobs / "sub" / "deep.sh", outside / "x.sh", tmp_path / "x.sh"):
        path.write_text("touch canary\n")
    for name in ("ok", "binary.exe", "ok.SH", "ok.sh.bak", "page.html", ".sh"):
        (jobs / name).write_text("touch canary\n")
    os.mkfifo(jobs / "pipe.sh")
    os.mknod(jobs / "socket.sh", 0o140644)
    (jobs / "device.sh").symlink_to("/dev/zero")
    (jobs / "link-to-sh.sh").symlink_to("/bin/sh")
    (jobs / "link-to-outside.sh").symlink_to(outside / "x.sh")
    (jobs / "linked").symlink_to(outside)
    (jobs / "dangling.sh").symlink_to("nowhere.sh")
    (jobs / "circle.sh").symlink_to("circle.sh")
    (jobs / "proc.sh").symlink_to("/proc/self/exe")
    (jobs / "inside.sh").symlink_to("sub/deep.sh")
    return jobs


@pytest.mark.parametrize("script", HOSTILE, ids=ascii)
def test_a_hostile_script_value_is_refused_with_a_reason(script: str, jobs: Path) -> None:
    with pytest.raises(Refused) as refused:
        command(script, jobs, packages=frozenset({"good"}))
    assert len(str(refused.value)) > 20


@pytest.mark.parametrize("script", ["ok.sh", "sub/deep.sh", "./ok.sh", "sub//deep.sh", "inside.sh"])
def test_a_file_inside_the_jail_runs_by_its_real_path(script: str, jobs: Path) -> None:
    found = command(script, jobs)
    assert found.arguments[0] == "sh"
    assert found.arguments[1] in (str(jobs / "ok.sh"), str(jobs / "sub" / "deep.sh"))
    assert os.path.isabs(found.program)


def test_a_script_exchanged_between_check_and_run_is_refused(jobs: Path) -> None:
    found = command("ok.sh", jobs).file
    assert found is not None
    (jobs / "ok.sh").unlink()
    with pytest.raises(Refused):
        check_again("ok.sh", found)
    (jobs / "ok.sh").symlink_to("/bin/sh")
    with pytest.raises(Refused):
        check_again("ok.sh", found)


def test_a_jobs_directory_that_is_itself_a_link_is_no_obstacle(jobs: Path) -> None:
    other = jobs.parent / "current"
    other.symlink_to(jobs)
    assert command("ok.sh", other).arguments == ("sh", str(jobs / "ok.sh"))


def test_a_sibling_whose_name_begins_like_the_jail_is_outside(jobs: Path) -> None:
    sibling = jobs.parent / "jobs2"
    sibling.mkdir()
    (sibling / "x.sh").write_text("touch canary\n")
    (jobs / "to-sibling.sh").symlink_to(sibling / "x.sh")
    with pytest.raises(Refused, match="leads out"):
        command("to-sibling.sh", jobs)


def test_functions_run_only_from_packages_that_are_allowed(jobs: Path) -> None:
    allowed = frozenset({"good"})
    assert command("good.sub.mod:run", jobs, packages=allowed).arguments[-2:] == ("good.sub.mod", "run")
    for function in ("good.sub.mod:run", "good::run"):
        with pytest.raises(Refused, match="--packages"):
            command(function, jobs)


def test_a_function_of_an_r_package_that_is_allowed_is_called_by_r(jobs: Path) -> None:
    tool("Rscript")
    assert command("good::run", jobs, packages=frozenset({"good"})).arguments[-2:] == ("-e", "good::run()")


def test_an_interpreter_that_is_not_installed_is_named(jobs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(jobs))
    executors._which.cache_clear()
    with pytest.raises(Refused, match="'sh' is not installed"):
        command("ok.sh", jobs)
    executors._which.cache_clear()


def test_all_of_it_at_once_runs_nothing_and_says_why_in_event_and_log(site: Site, jobs: Path) -> None:
    usable = [s for s in HOSTILE if s.strip() not in ("", "ok.sh") and "\ud800" not in s]  # a cell is trimmed
    rows = [{"task": f"t{n}", "role": "system", "script": script, "retry": "3"} for n, script in enumerate(usable)]
    start = [*site_start(site, rows)]
    assert site.work(packages=frozenset({"good"})) == 3
    assert not list(site.root.rglob("canary"))
    for task in start:
        assert site.status(task) == "failed", task
        assert len(site.values("error", task=task)) == 1
        assert site.log(task).startswith("worker: refused: ")
        assert [e.field for e in site.events(task=task)] == ["attempt", "log", "error", "status"]


def site_start(site: Site, rows: list[dict[str, str]]) -> list[str]:
    """Start a table the validator would refuse, as another program's log may hold it."""
    import json

    from board.log.event import Event

    columns = {name: [row.get(name, "") for row in rows] for name in ("task", "role", "script", "retry")}
    columns["name"] = columns["task"]
    said = {"name": "P", "process": json.dumps(columns), "created": "2026-01-01T00:00:00Z"}
    site.append(*(Event("2026-01-01T00:00:00Z", "i", "@instance", k, v, "other") for k, v in said.items()))
    instance = site.instance()
    return [instance.task_of(row) for row in range(instance.size) if instance.definition(row).is_script]
