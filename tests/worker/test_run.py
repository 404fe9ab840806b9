"""Scripts run: what they get, what becomes of what they print and how they end, in which order they are served."""

import itertools
import json
import os
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import pytest

from board.log.event import Event
from board.services import tasks
from board.services.actor import anybody
from board.services.tasks import Place
from tests.tools import tool
from tests.worker.site import REPO, Site, wait_for

BOSS = anybody("boss")
SHELL = {"role": "system", "script": "s.sh"}


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


def test_a_failed_attempt_is_tried_again_and_each_attempt_has_its_log(site: Site) -> None:
    site.script("s.sh", 'echo "try $PROC_ATTEMPT"; test "$PROC_ATTEMPT" = 3')
    site.start([{"task": "t", **SHELL, "retry": "2"}])
    assert site.work() == 0
    said = [(e.value, e.actor) for e in site.events(task="t", field="status")]
    assert said == [
        ("doing", "worker"),
        ("failed", "worker"),
        ("open", "worker (retry 1/2)"),
        ("doing", "worker"),
        ("failed", "worker"),
        ("open", "worker (retry 2/2)"),
        ("doing", "worker"),
        ("done", "worker"),
    ]
    assert [site.log("t", attempt=n) for n in (1, 2, 3)] == ["try 1\n", "try 2\n", "try 3\n"]


def test_a_retry_by_an_operator_counts_anew_and_the_numbers_go_on(site: Site) -> None:
    site.script("s.sh", "exit 1")
    site.start([{"task": "t", **SHELL, "retry": "1"}])
    assert site.work() == 3
    tasks.retry(site.tail, "i", Place("t"), BOSS)
    assert site.work() == 3
    assert site.values("attempt") == ["1", "2", "3", "4"]
    again = [e.actor for e in site.events(field="status") if "retry" in e.actor]
    assert again == ["worker (retry 1/1)", "worker (retry 1/1)"]


def test_a_retry_waits_its_delay_while_other_work_goes_on(site: Site) -> None:
    site.script("bad.sh", "date +%s.%N; exit 1")
    site.script("s.sh", "sleep 0.05")
    rows = [{"task": "bad", "role": "system", "script": "bad.sh", "retry": "2", "retry_delay": "0.4"}]
    site.start([*rows, *({"task": f"t{n}", **SHELL} for n in range(6))])
    assert site.work(no_wait=False, instance="i", slots=1) == 3
    times = [float(site.log("bad", attempt=n)) for n in (1, 2, 3)]
    assert 0.4 <= times[1] - times[0] < 2
    assert 0.8 <= times[2] - times[1] < 3
    between = [e.task for e in site.events(field="status")]
    assert between.index("t0") < len(between) - 1 - between[::-1].index("bad")


def test_a_delay_decided_by_an_earlier_worker_is_kept(site: Site) -> None:
    site.script("s.sh", "exit 1")
    site.start([{"task": "t", **SHELL, "retry": "1", "retry_delay": "3600"}])
    assert site.work() == 0
    assert site.status("t") == "open"
    assert site.work() == 0
    assert site.values("attempt") == ["1"]


def test_a_timeout_ends_the_script_and_fractions_count(site: Site) -> None:
    site.script("s.sh", "sleep 30")
    site.start([{"task": "t", **SHELL, "timeout": "0.3"}])
    begun = time.monotonic()
    assert site.work() == 3
    assert time.monotonic() - begun < 5
    assert site.values("error") == ["timeout after 0.3s"]
    assert site.status("t") == "failed"


def test_a_script_that_ignores_term_is_killed_after_the_grace(site: Site) -> None:
    site.script("s.sh", "trap '' TERM; while :; do sleep 0.05; done")
    site.start([{"task": "t", **SHELL, "timeout": "0.2"}])
    begun = time.monotonic()
    site.work(grace_s=0.5)
    assert 0.7 <= time.monotonic() - begun < 6
    assert site.values("error") == ["timeout after 0.2s"]


def test_a_log_beyond_the_limit_ends_the_attempt_with_that_error(site: Site) -> None:
    site.script("s.sh", "yes 'no end' ")
    site.start([{"task": "t", **SHELL}])
    site.work(max_log_bytes=1_000_000)
    assert site.values("error")[0].startswith("log larger than 0.95")
    assert site.store.log_path("i", "t", "", 1).stat().st_size < 1_100_000


def test_a_sequential_group_runs_one_script_at_a_time_and_the_earlier_element_first(site: Site) -> None:
    site.script("s.py", SPAN)
    rows = [
        {"task": "each", "collection": "unit", "sequential": "yes"},
        {"task": "a", "role": "system", "script": "s.py", "parent": "each"},
        {"task": "b", "role": "system", "script": "s.py", "parent": "each", "depends_on": "a"},
    ]
    site.start(rows, ["1", "2", "3"])
    site.work(slots=4)
    spans = sorted(read_spans(site))
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(spans))
    assert [span[2] for span in spans] == ["a@1", "b@1", "a@2", "b@2", "a@3", "b@3"]


def test_slots_are_shared_over_instances(site: Site) -> None:
    site.script("s.py", SPAN)
    rows = [{"task": "each", "collection": "unit"}, {"task": "t", "role": "system", "script": "s.py", "parent": "each"}]
    site.start(rows, [str(n) for n in range(12)], instance="long")
    site.start(rows, ["x", "y"], instance="short")
    site.work(slots=2)
    order = [e.instance for e in site.events("", field="attempt")]
    assert "short" in order[:2]
    assert order[:4].count("short") == 2


def test_as_many_scripts_run_at_a_time_as_there_are_slots(site: Site) -> None:
    site.script("s.py", SPAN)
    rows = [{"task": "each", "collection": "unit"}, {"task": "t", "role": "system", "script": "s.py", "parent": "each"}]
    site.start(rows, [str(n) for n in range(9)])
    site.work(slots=3)
    spans = read_spans(site)
    most = max(sum(1 for other in spans if other[0] <= span[0] < other[1]) for span in spans)
    assert most == 3


def test_a_check_and_its_loop_run_on_until_the_answer_is_true(site: Site) -> None:
    site.script(
        "check.sh",
        'test "$PROC_ATTEMPT" = 3 && echo ::process-output status=true:: || echo ::process-output status=false::',
    )
    site.script("fix.sh", "echo fixed")
    rows = [
        {"task": "check", "role": "system", "script": "check.sh", "depends_on": "fix"},
        {"task": "fix", "role": "system", "script": "fix.sh", "depends_on": "check:false"},
        {"task": "end", "role": "system", "script": "fix.sh", "depends_on": "check:true"},
    ]
    site.start(rows)
    assert site.work() == 0
    assert site.status("end") == "done"
    assert [e.value for e in site.events(task="check", field="status") if e.value not in ("doing", "open")] == [
        "false",
        "false",
        "true",
    ]


def test_a_loop_of_scripts_alone_stops_after_a_hundred_rounds(site: Site) -> None:
    site.script("s.sh", "echo ::process-output status=false::")
    rows = [
        {"task": "check", **SHELL, "depends_on": "fix"},
        {"task": "fix", **SHELL, "depends_on": "check:false"},
    ]
    site.start(rows)
    assert site.work() == 3
    assert site.status("check") == "failed"
    assert len([e for e in site.events(task="check", field="status") if e.value == "false"]) == 100
    assert "100 rounds" in site.values("error", task="check")[0]


def test_rows_no_longer_needed_are_not_run(site: Site) -> None:
    site.script("s.sh", "sleep 0.7")
    rows = [
        {"task": "each", "collection": "unit", "complete_when": "1"},
        {"task": "t", **SHELL, "parent": "each"},
        {"task": "after", **SHELL, "depends_on": "each"},
    ]
    site.start(rows, [str(n) for n in range(6)])
    assert site.work(slots=1) == 0
    assert site.status("after") == "done"
    assert len(site.values("attempt", task="t")) < 4


def test_a_finish_of_another_program_is_followed_by_what_it_left_out(site: Site) -> None:
    rows = [
        {"task": "draft", "role": "boss", "depends_on": "qa:false"},
        {"task": "qa", "role": "boss", "depends_on": "draft"},
    ]
    site.start(rows)
    now = "2026-11-29T10:00:00Z"
    site.append(Event(now, "i", "draft", "status", "done", "ana"), Event(now, "i", "qa", "status", "false", "ben"))
    site.work()
    last = site.events(task="draft", field="status")[-1]
    assert (last.value, last.actor) == ("open", "ben (re-arm)")
    site.work()
    assert len([e for e in site.events(task="draft") if "re-arm" in e.actor]) == 1


def test_a_row_finished_by_somebody_is_late_for_its_script(site: Site) -> None:
    site.script("s.sh", "touch started; sleep 30")
    site.start([{"task": "t", **SHELL}])
    with site.working() as process:
        wait_for(lambda: (site.jobs / "started").exists())
        tasks.fail(site.tail, "i", Place("t"), BOSS, "enough")
        wait_for(lambda: site.values("late"))
        assert process.poll() is None
    assert site.values("late") == ["failed"]
    assert site.status("t") == "failed"
    assert site.events(task="t", field="status")[-1].actor == "boss"


def test_a_cancelled_instance_ends_its_scripts_and_opens_nothing(site: Site) -> None:
    from board.services import instances

    site.script("s.sh", "touch started; sleep 30")
    site.script("quick.sh", ":")
    site.start([{"task": "t", **SHELL}, {"task": "u", "role": "system", "script": "quick.sh", "depends_on": "t"}])
    with site.working():
        wait_for(lambda: (site.jobs / "started").exists())
        instances.cancel(site.tail, "i", BOSS, "wrong quarter")
        wait_for(lambda: site.status("t") == "open")
        site.message("m", task="u", instance="i")
        wait_for(lambda: (site.store.failed / "m.json.error").exists())
        (site.jobs / "s.sh").write_text(":")
        instances.resume(site.tail, "i", BOSS)
        wait_for(lambda: site.status("u") == "done")
    assert site.values("late") == ["failed"]


def test_work_wakes_at_once_for_events_and_for_messages(site: Site) -> None:
    site.script("s.sh", "date +%s.%N")
    rows = [{"task": "go", "role": "boss"}, {"task": "t", **SHELL, "depends_on": "go"}]
    rows += [{"task": "come", "role": "system"}, {"task": "u", **SHELL, "depends_on": "come"}]
    site.start(rows)
    with site.working(tick_s=30.0):
        wait_for(lambda: "waiting for people on: go" in site.said)
        begun = time.time()
        tasks.finish(site.tail, "i", Place("go"), BOSS)
        wait_for(lambda: site.status("t") == "done")
        assert float(site.log("t")) - begun < 10
        begun = time.time()
        site.message("m", task="come")
        wait_for(lambda: site.status("u") == "done")
        assert float(site.log("u")) - begun < 10


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
    assert "nothing of the instance '../out' can be run" in out.getvalue()
    assert not (site.store.root.parent / "out").exists()


def test_the_code_version_follows_the_files_at_each_attempt(site: Site) -> None:
    site.script("s.sh", "echo 'exit 0' > s.sh; exit 1")
    site.start([{"task": "t", **SHELL, "retry": "1"}, {"task": "u", **SHELL, "depends_on": "t"}])
    assert site.work() == 0
    first, second, third = site.values("code_version")
    assert first != second == third
    assert len(first) == len(second) == 8


SPAN = f"""#!{sys.executable}
import os, time
begun = time.monotonic()
time.sleep(0.1)
row = os.environ["PROC_TASK"] + "@" + os.environ["PROC_ELEMENT"]
with open(os.environ["PROC_ARTIFACTS"] + "/spans", "a") as file:
    file.write(f"{{begun}} {{time.monotonic()}} {{row}}\\n")
"""


def read_spans(site: Site) -> list[tuple[float, float, str]]:
    lines = (site.store.artifacts("i") / "spans").read_text().splitlines()
    return [(float(a), float(b), row) for a, b, row in (line.split() for line in lines)]


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
