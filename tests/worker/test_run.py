"""Scripts run: what they get, and what becomes of what they print and how they end."""

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest

from board.log.event import Event
from tests.tools import tool
from tests.worker.site import REPO, SHELL, Site
from worker.console import reason


def test_one_attempt_is_recorded_in_order_with_its_number(site: Site) -> None:
    site.script("s.sh", "echo hello; echo ::process-output rows=12::")
    site.start([{"task": "t", **SHELL}])
    assert site.work() == 0
    events = site.events(task="t")
    assert [e.field for e in events] == ["status", "attempt", "code_version", "log", "took", "output.rows", "status"]
    assert [e.value for e in events][:2] == ["doing", "1"]
    assert events[3].value == "i/logs/t-1.log"
    assert (site.store.root / events[3].value).read_text() == "hello\n::process-output rows=12::\n"
    assert events[4].value.endswith("s")
    assert {(e.actor, e.attempt) for e in events} == {("worker", 1)}
    assert site.status("t") == "done"


@pytest.mark.parametrize(
    ("name", "text", "answer"),
    [
        ("a.sh", "echo '::process-output status= approved ::'", "approved"),
        ("a.py", "print('::process-output status=needs work::')", "needs work"),
        ("a.R", "cat('::process-output status=false::\\n')", "false"),
    ],
)
def test_shell_python_and_r_scripts_answer_a_check(site: Site, name: str, text: str, answer: str) -> None:
    if name == "a.R":
        tool("Rscript")
    site.script(name, text)
    site.start([{"task": "check", "role": "system", "script": name}])
    site.work()
    assert site.status("check") == answer


@pytest.mark.parametrize("answer", ["open", "doing", "blocked", "skipped"])
def test_an_answer_that_is_no_answer_fails_with_that_reason(site: Site, answer: str) -> None:
    site.script("s.sh", f"echo ::process-output status={answer}::")
    site.start([{"task": "check", **SHELL}, {"task": "next", "role": "boss", "depends_on": "check"}])
    assert site.work() == 3
    assert site.status("check") == "failed"
    assert answer in site.values("error", task="check")[0]


def test_with_a_failing_exit_code_the_outputs_stay_and_the_answer_does_not_count(site: Site) -> None:
    site.script("s.sh", "echo ::process-output rows=3::; echo ::process-output status=true::; exit 7")
    site.start([{"task": "t", **SHELL}])
    site.work()
    assert site.status("t") == "failed"
    assert site.values("output.rows") == ["3"]
    assert site.values("error") == ["exit code 7"]


def test_a_script_ended_by_a_signal_has_failed_and_the_signal_is_named(site: Site) -> None:
    site.script("s.sh", "kill -SEGV $$")
    site.start([{"task": "t", **SHELL}])
    site.work()
    assert site.values("error") == ["ended by SIGSEGV"]


def test_exit_code_124_is_no_timeout(site: Site) -> None:
    site.script("s.sh", "exit 124")
    site.start([{"task": "t", **SHELL, "timeout": "60"}])
    site.work()
    assert site.values("error") == ["exit code 124"]


def test_the_environment_is_the_promised_one(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLDBOARD_SECRET_KEY", "hush")
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "board.settings")
    monkeypatch.setenv("PROC_PARAM_LEFT", "from outside")
    monkeypatch.setenv("OTHER_TOOL", "kept")
    site.script(
        "s.py", "import os, json; json.dump(dict(os.environ), open(os.environ['PROC_ARTIFACTS'] + '/env', 'w'))"
    )
    params = (
        "mode=full; PATH=/evil; LD_PRELOAD=/evil.so; PROC_TASK=evil; q=a=b; " + 'quote=O\'Brien & "Söhne" $5  two\\'
    )
    site.start([{"task": "t", "role": "system", "script": "s.py", "params": params}])
    site.work()
    said = json.loads((site.store.artifacts("i") / "env").read_text())
    assert said["PROC_INSTANCE"] == "i"
    assert said["PROC_TASK"] == "t"
    assert said["PROC_ELEMENT"] == ""
    assert said["PROC_ATTEMPT"] == "1"
    assert said["PROC_STORE"] == str(site.store.root)
    assert said["PROC_ARTIFACTS"] == str(site.store.artifacts("i"))
    assert json.loads(Path(said["PROC_OUTPUTS"]).read_text()) == {}
    assert len(said["PROC_RUN"]) == 32
    assert said["PROC_PARAM_MODE"] == "full"
    assert said["PROC_PARAM_PATH"] == "/evil"
    assert said["PROC_PARAM_PROC_TASK"] == "evil"
    assert said["PROC_PARAM_Q"] == "a=b"
    assert said["PROC_PARAM_QUOTE"] == 'O\'Brien & "Söhne" $5  two\\'
    assert said["OTHER_TOOL"] == "kept"
    assert said["PATH"] == os.environ["PATH"]
    assert "LD_PRELOAD" not in said
    withheld = [name for name in said if name.startswith(("FOLDBOARD", "DJANGO")) or name == "PROC_PARAM_LEFT"]
    assert withheld == []
    assert "hush" not in said.values()


def test_outputs_reach_those_who_depend_on_them_by_element_and_as_a_file(site: Site) -> None:
    site.script("load.sh", 'echo "::process-output row-count=$PROC_ELEMENT$PROC_ATTEMPT::"')
    site.script("own.sh", 'echo "own=$PROC_OUTPUT_LOAD_ROW_COUNT"')
    site.script("all.py", "import os; print(open(os.environ['PROC_OUTPUTS']).read())")
    rows = [
        {"task": "each", "collection": "unit"},
        {"task": "load", "role": "system", "script": "load.sh", "parent": "each"},
        {"task": "own", "role": "system", "script": "own.sh", "parent": "each", "depends_on": "load"},
        {"task": "all", "role": "system", "script": "all.py", "depends_on": "load"},
    ]
    site.start(rows, ["north", "süd"])
    assert site.work() == 0
    assert site.log("own", "north") == "own=north1\n"
    assert site.log("own", "süd") == "own=süd1\n"
    assert json.loads(site.log("all")) == {"load": {"north": {"row-count": "north1"}, "süd": {"row-count": "süd1"}}}


def test_standard_input_is_empty_and_nothing_else_is_open(site: Site) -> None:
    site.script("s.sh", "cat; ls -l /proc/self/fd | sed 's/.* \\([0-9]* ->\\)/\\1/'; pwd")
    site.start([{"task": "t", **SHELL}])
    with (site.root / "leak").open("w") as leak:
        os.set_inheritable(leak.fileno(), True)
        site.work()
    lines = site.log("t").splitlines()
    assert lines[-1] == str(site.jobs)
    assert [line for line in lines if line.startswith("0 ->")] == ["0 -> /dev/null"]
    assert all("leak" not in line and "events" not in line and "owner" not in line for line in lines)


def test_a_broken_pipe_ends_a_script_as_anywhere_else(site: Site) -> None:
    site.script("s.py", "import signal; print(signal.getsignal(signal.SIGTERM))")
    site.script("s.sh", "yes | head -1; trap '' PIPE; echo fine")
    site.start([{"task": "t", **SHELL, "timeout": "10"}])
    site.work()
    assert site.log("t") == "y\nfine\n"


def test_a_script_left_open_by_a_missing_program_says_so(site: Site) -> None:
    site.script("s.jl", "x")
    site.start([{"task": "t", "role": "system", "script": "s.jl"}])
    assert site.work(interpreters={".jl": ("no-such-program",)}) == 3
    assert "no-such-program" in site.values("error")[0]


def test_functions_of_allowed_packages_run_and_their_version_is_recorded(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = site.root / "library"
    (library / "mypkg").mkdir(parents=True)
    (library / "mypkg" / "__init__.py").write_text("")
    (library / "mypkg" / "reports.py").write_text("def forecast():\n    print('::process-output status=sunny::')\n")
    info = library / "mypkg-1.4.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mypkg\nVersion: 1.4\n")
    (info / "top_level.txt").write_text("mypkg\n")
    monkeypatch.setenv("PYTHONPATH", str(library))
    rows = [
        {"task": "python", "role": "system", "script": "mypkg.reports:forecast"},
        {"task": "r", "role": "system", "script": "utils::sessionInfo"},
        {"task": "no", "role": "system", "script": "stats::runif"},
    ]
    site.start(rows)
    assert site.work(packages=frozenset({"mypkg", "utils"})) == 3
    assert site.status("python") == "sunny"
    assert site.values("code_version", task="python") == ["mypkg 1.4"]
    assert site.status("r") == "done"
    assert site.values("code_version", task="r")[0].startswith("utils 4")
    assert site.status("no") == "failed"


def test_what_the_worker_says_is_as_documented(site: Site) -> None:
    site.script("count.sh", "echo 1")
    site.start(
        [
            {"task": "count", "role": "system", "script": "count.sh"},
            {"task": "sign_off", "role": "boss", "depends_on": "count"},
        ]
    )
    out = StringIO()
    site.worker(out, instance="i", no_wait=True, quiet=False).run()
    lines = out.getvalue().splitlines()
    assert lines[0].startswith("worker: instance=i store=")
    assert lines[0].split(" code=")[1] == site.values("code_version")[0]
    assert lines[1] == "* count -> count.sh"
    assert lines[2] == "  done in 0.0s (i/logs/count-1.log)"
    assert lines[3] == "worker: waiting for people on: sign_off"


def test_a_broken_instance_does_not_stop_the_others(site: Site) -> None:
    site.script("s.sh", ":")
    now = "2026-11-29T10:00:00Z"
    site.append(
        Event(now, "broken", "@instance", "process", "{not json", "x"),
        Event(
            now,
            "../out",
            "@instance",
            "process",
            '{"task":["a"],"name":["A"],"role":["system"],"script":["s.sh"]}',
            "x",
        ),
        Event(now, "half", "t", "status", "done", "x"),
    )
    site.start([{"task": "t", **SHELL}])
    out = StringIO()
    assert site.worker(out, no_wait=True, quiet=False).run() == 0
    assert site.status("t") == "done"
    assert "nothing of the instance 'broken' can be run" in out.getvalue()
    assert [bad.reason for bad in site.tail.bad_lines()] == ["no instance id: '../out'"]
    assert not (site.store.root.parent / "out").exists()


def test_the_code_version_follows_the_files_at_each_attempt(site: Site) -> None:
    site.script("s.sh", "echo 'exit 0' > s.sh; exit 1")
    site.start([{"task": "t", **SHELL, "retry": "1"}, {"task": "u", **SHELL, "depends_on": "t"}])
    assert site.work() == 0
    first, second, third = site.values("code_version")
    assert first != second == third
    assert len(first) == len(second) == 8


def test_scripts_of_the_same_account_cannot_read_the_workers_own_environment() -> None:
    code = (
        "import ctypes, os\n"
        "from worker.main import keep_to_ourselves\n"
        "os.set_inheritable(os.open('/', os.O_RDONLY), True)\n"
        "keep_to_ourselves()\n"
        "libc = ctypes.CDLL(None)\n"
        "left = [fd for fd in os.listdir('/proc/self/fd') if int(fd) > 2 and os.path.exists('/proc/self/fd/' + fd)"
        " and os.get_inheritable(int(fd))]\n"
        "print(libc.prctl(3, 0, 0, 0, 0), left)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=REPO, capture_output=True, text=True, check=True)
    assert done.stdout == "0 []\n"


def test_what_went_wrong_names_files_without_their_place(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nothing") as met:
        (tmp_path / "nothing").open()
    assert reason(met.value) == "nothing: No such file or directory"
    assert reason(ValueError("it is so")) == "it is so"
