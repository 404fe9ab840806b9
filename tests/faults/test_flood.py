"""Floods: endless and odd output, ten thousand answers, thousands of messages; the worker's memory stays flat."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.faults.conftest import scale
from tests.worker.site import Site, end, wait_for

MEGABYTE = 1024 * 1024
MOST_MEMORY_MB = 120
FLOODS = {
    "lines": "seq 1 1000000000",
    "one line": "yes | tr -d '\\n'",
    "zeros": "cat /dev/zero",
    "rubbish": "cat /dev/urandom",
    "openings without an end": "yes '::process-output key=value' | tr -d '\\n'",
    "a value without an end": "printf '::process-output key='; cat /dev/zero | tr '\\0' x",
    "half characters": "yes \"$(printf '\\342\\202')\" | tr -d '\\n'",
    "errors": "cat /dev/zero >&2",
    "colons": "yes ::::::::::::::::::::::::::::: | tr -d '\\n'",
}


def peak_mb(process: subprocess.Popen[str]) -> float:
    """The most memory a worker that still runs has held, in megabytes."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def test_no_flood_of_output_costs_memory_and_each_ends_with_that_error(site: Site) -> None:
    limit = scale(8, 100) * MEGABYTE
    for n, flood in enumerate(FLOODS.values()):
        site.script(f"f{n}.sh", flood)
    rows = [{"task": f"f{n}", "role": "system", "script": f"f{n}.sh", "timeout": "300"} for n in range(len(FLOODS))]
    site.start([*rows, {"task": "end", "role": "boss"}])
    worker = site.spawn(max_log_bytes=limit)
    wait_for(lambda: len(site.values("took")) == len(FLOODS), scale(120, 900))
    print(f"{len(FLOODS)} floods of {limit // MEGABYTE} MB each: {peak_mb(worker):.0f} MB of memory")
    assert peak_mb(worker) < MOST_MEMORY_MB
    assert end(worker) == 0
    assert {e.value for e in site.events(field="error")} == {f"log larger than {limit // MEGABYTE} MB"}
    for number in range(len(FLOODS)):
        path = site.store.log_path("i", f"f{number}", "", 1)
        assert limit <= path.stat().st_size < limit + 1000
        path.unlink()


def test_a_log_of_gigabytes_that_is_allowed_is_read_in_pieces(site: Site) -> None:
    size = scale(60, 2048) * MEGABYTE
    site.script("s.sh", f"head -c {size} /dev/zero | tr '\\0' x; echo ::process-output status=end::")
    site.start([{"task": "t", "role": "system", "script": "s.sh"}, {"task": "end", "role": "boss"}])
    worker = site.spawn(max_log_bytes=size + MEGABYTE)
    wait_for(lambda: site.status("t") == "end", scale(120, 600))
    print(f"a log of {size // MEGABYTE} MB: {peak_mb(worker):.0f} MB of memory")
    assert peak_mb(worker) < MOST_MEMORY_MB
    assert end(worker) == 0
    site.store.log_path("i", "t", "", 1).unlink()


def test_ten_thousand_answers_and_a_thousand_keys_are_one_answer_and_a_thousand_keys(site: Site) -> None:
    answers = "seq 1 10000 | sed 's/.*/::process-output status=answer &::/'"
    site.script("s.sh", answers + "; seq 1 1200 | sed 's/.*/::process-output key&=&::/'; head -c 300000 /dev/urandom")
    site.start([{"task": "t", "role": "system", "script": "s.sh"}])
    assert site.work() == 0
    assert site.status("t") == "answer 10000"
    kept = [e.field for e in site.events() if e.field.startswith("output.")]
    assert len(kept) == 1000
    assert "outputs are left out" in site.log("t")


def test_outputs_too_large_for_an_environment_are_in_the_file(site: Site) -> None:
    site.script("s.py", "for n in range(900): print(f'::process-output k{n}=' + 'x' * 4000 + '::')")
    site.script(
        "use.py",
        "import json, os\n"
        "said = json.load(open(os.environ['PROC_OUTPUTS']))['s']['']\n"
        "print(len(said), sum(name.startswith('PROC_OUTPUT_') for name in os.environ) < 900)\n",
    )
    rows = [{"task": "s", "role": "system", "script": "s.py"}]
    site.start([*rows, {"task": "use", "role": "system", "script": "use.py", "depends_on": "s"}])
    assert site.work() == 0
    assert site.log("use") == "900 True\n"


def test_a_full_artifacts_folder_and_a_removed_one_are_the_scripts_own_trouble(site: Site) -> None:
    site.script("fill.sh", 'head -c 50000000 /dev/zero > "$PROC_ARTIFACTS/big"; rm -rf "$PROC_ARTIFACTS"')
    site.script("next.sh", 'test -d "$PROC_ARTIFACTS" && echo there')
    rows = [{"task": "fill", "role": "system", "script": "fill.sh"}]
    site.start([*rows, {"task": "next", "role": "system", "script": "next.sh", "depends_on": "fill"}])
    assert site.work() == 0
    assert site.log("next") == "there\n"


@pytest.mark.parametrize(
    "tamper",
    [
        'rm -f "$PROC_STORE/i/logs/"*',
        'for f in "$PROC_STORE/i/logs/"*; do : > "$f"; done',
        'rm -rf "$PROC_STORE/i"',
        'rm -rf "$PROC_STORE/.worker.run"',
        'mkfifo "$PROC_STORE/i/logs/next-1.log"',
        'ln -s /etc/passwd "$PROC_STORE/i/logs/next-1.log"',
        'mkdir "$PROC_STORE/i/logs/next-1.log"',
    ],
)
def test_a_script_that_tampers_with_the_store_does_not_take_the_worker_down(site: Site, tamper: str) -> None:
    site.script("s.sh", tamper + "; echo '::process-output status=true::'")
    site.script("ok.sh", "exit 0")
    rows = [{"task": "s", "role": "system", "script": "s.sh"}]
    rows += [{"task": "next", "role": "system", "script": "ok.sh", "depends_on": "s", "retry": "1"}]
    site.start([*rows, {"task": "other", "role": "system", "script": "ok.sh", "depends_on": "s"}])
    site.work(timeout_s=1.0)
    assert site.status("s") == "true"
    assert site.status("other") == "done"


def test_logs_that_became_a_link_are_not_written_through_it(site: Site, tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir()
    site.script("s.sh", f'mv "$PROC_STORE/i/logs" "$PROC_STORE/i/elsewhere"; ln -s {private} "$PROC_STORE/i/logs"')
    site.script("ok.sh", "exit 0")
    rows = [{"task": "s", "role": "system", "script": "s.sh"}]
    site.start([*rows, {"task": "next", "role": "system", "script": "ok.sh", "depends_on": "s"}])
    site.work(timeout_s=1.0)
    assert site.status("next") == "failed"
    assert "i/logs is not a plain file" in site.values("error")[-1]
    assert not list(private.iterdir())


def test_five_thousand_messages_with_bad_ones_and_duplicates(site: Site) -> None:
    number = scale(1000, 5000)
    rows = [{"task": "each", "collection": "unit"}, {"task": "delivery", "role": "system", "parent": "each"}]
    site.start(rows, [f"e{n}" for n in range(number)])
    worker = site.spawn()
    wait_for(lambda: "waiting for messages" in site.said)
    worker.send_signal(signal.SIGSTOP)  # so that all lie there at once
    for message in range(number):
        said = json.dumps({"task": "delivery", "element": f"e{message}"})
        put(site, f"m{message:05}", "{oops" if message % 10 == 3 else said)
    worker.send_signal(signal.SIGCONT)
    begun = time.monotonic()
    wait_for(lambda: not any(site.store.inbox.glob("*.json")), 300)
    print(f"{number} messages in {time.monotonic() - begun:.2f}s, {peak_mb(worker):.0f} MB")
    good = [f"m{n:05}" for n in range(number) if n % 10 != 3]
    for name in good[: number // 50]:
        put(site, name, json.dumps({"task": "delivery", "element": "e0"}))
    wait_for(lambda: not any(site.store.inbox.glob("*.json")), 60)
    assert peak_mb(worker) < MOST_MEMORY_MB
    assert end(worker) == 0
    events = site.events(field="status")
    assert len(events) == len(good)
    assert len({e.ref for e in events}) == len(good)
    assert len(list(site.store.failed.glob("*.error"))) == number // 10
    assert site.instance().counts("delivery").done == len(good)


def put(site: Site, name: str, text: str) -> None:
    fresh = site.store.inbox / f".{name}"
    fresh.write_text(text)
    fresh.rename(site.store.inbox / f"{name}.json")


def test_many_elements_fit_into_the_memory(site: Site) -> None:
    number = scale(3000, 10_000)
    site.script("s.sh", "exit 0")
    rows = [
        {"task": "each", "collection": "unit"},
        {"task": "a", "role": "boss", "parent": "each"},
        {"task": "b", "role": "system", "script": "s.sh", "parent": "each", "depends_on": "a"},
        {"task": "c", "role": "boss", "parent": "each", "depends_on": "b"},
    ]
    site.start(rows, [f"element-{n}" for n in range(number)])
    worker = site.spawn()
    wait_for(lambda: "waiting for people" in site.said, 120)
    print(f"{3 * number} rows in {peak_mb(worker):.0f} MB")
    assert peak_mb(worker) < MOST_MEMORY_MB
    assert end(worker) == 0
