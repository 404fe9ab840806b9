"""What users met with names that became paths."""

import os
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from board.log.event import Event
from board.log.store import Store
from board.log.tail import shared
from board.process.definition.elements import ElementError, ElementList
from board.process.engine.decide import Refusal
from board.process.validation.problems import check
from board.services.definitions import check_name
from board.services.instances import check_id
from tests.reported.playing import Case, table_of
from tests.views.conftest import Login
from tests.worker.site import Site

EACH = """
    task,role,script,collection,parent
    each,,,unit,
    load,system,load.sh,,each
    """
LIKE = ["x.1", "x_1", "X.1", "x 1", "x:1", "a/b", "a%2Fb", "..", "CON", "ü", "u\u0308", "x" * 128]
OUT = [
    "../../events.jsonl", "..%2f..%2fevents.jsonl", "%2e%2e/%2e%2e/events.jsonl", "..%252f..%252fevents.jsonl",
    "/etc/passwd", "//etc/passwd", "%2Fetc%2Fpasswd", "..", ".", "report.txt/..", "a%00.txt", "%00", "link.txt",
    "folder", "folder/../../../events.jsonl", "linked/passwd", "pipe", "....//....//etc/passwd", "C:%5Cwindows", "%ff",
]  # fmt: skip


@pytest.mark.parametrize(
    "task", ["a/b", "..", ".", "a b", "x" * 300, "x\n", "a@b", "@instance", "a\u202eb", "1a", "-e"]
)
def test_an_id_that_is_none_is_refused_with_its_row_before_it_becomes_a_path(task: str) -> None:
    """Users met: a name with a slash became a file name, and the run failed before it began."""
    found = check(table_of("task,role\nfine,analyst").from_rows([{"task": "fine"}, {"task": task}]))
    if task == "x\n":  # cells are trimmed
        assert found == []
        return
    assert [(p.level, p.row, p.column) for p in found] == [("error", 2, "task")]


def test_a_name_may_be_anything_and_enters_no_path(tmp_path: Path) -> None:
    """Users met: a name with a slash became a file name, and the run failed before it began."""
    site = Site(tmp_path)
    site.script("s.sh", "echo ok")
    site.start([{"task": "t", "name": "in/out: ../../ § CON?", "role": "system", "script": "s.sh"}])
    site.work()
    assert site.log("t") == "ok\n"
    assert [p.name for p in (site.store.root / "i" / "logs").iterdir()] == ["t-1.log"]


@pytest.mark.parametrize(
    "instance", ["../x", ".hidden", "-rf", "a/b", "", "x" * 65, "latest", "inbox", "a b", "ä" * 3 + "/"]
)
def test_an_instance_id_that_could_leave_the_store_is_none(instance: str) -> None:
    with pytest.raises(Refusal):
        check_id(instance)


@pytest.mark.parametrize("name", ["", "@processes", "x" * 129, "a\nb", "a\x00b", "a\ufffdb"])
def test_a_process_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(Refusal):
        check_name(name)


@pytest.mark.parametrize("element", ["a\nb", "a\x00", "x" * 129])
def test_an_element_without_a_printable_name_is_refused(element: str) -> None:
    """Users met: a name with a slash became a file name, and the run failed before it began."""
    with pytest.raises(ElementError):
        ElementList.from_ids(["fine", element])


def test_elements_that_look_alike_have_logs_of_their_own(tmp_path: Path) -> None:
    """Users met: replaced characters made two names one file."""
    site = Site(tmp_path)
    site.script("load.sh", 'printf "%s %s" "$PROC_ELEMENT" "$PROC_ATTEMPT"; test "$PROC_ATTEMPT" = 2')
    rows = [
        {"task": "each", "collection": "unit"},
        {"task": "load", "role": "system", "script": "load.sh", "parent": "each", "retry": "1"},
    ]
    site.start(rows, LIKE)
    site.work(slots=4)
    for element in LIKE:
        for attempt in (1, 2):
            assert site.log("load", element, attempt) == f"{element} {attempt}"
    names = [p.name for p in (site.store.root / "i" / "logs").iterdir()]
    assert len(names) == 2 * len(LIKE)
    assert len({name.casefold() for name in names}) == len(names)  # also where case does not count


@pytest.fixture
def artifacts(cast: dict[str, User], store: Path) -> Path:
    """The files of an instance, with ways out laid among them."""
    Case("task,role,script\nload,system,load.sh", tail=shared(store))
    found = Store(store).artifacts("i")
    found.mkdir(parents=True, exist_ok=True)
    (found / "report.txt").write_text("fine")
    (found / "folder").mkdir()
    (found / "link.txt").symlink_to("/etc/passwd")
    (found / "linked").symlink_to("/etc")
    os.mkfifo(found / "pipe")
    return found


@pytest.mark.parametrize("name", OUT)
@pytest.mark.parametrize("query", ["", "?view", "?open"])
def test_no_address_leads_out_of_the_files_of_an_instance(artifacts: Path, login: Login, name: str, query: str) -> None:
    """Users met: `../` in an address, then in an imported record, read any file.

    A link led out of the folder that was checked by its text alone.
    """
    answer = login("ana").get(f"/instances/i/files/{name}{query}")
    assert answer.status_code in (301, 404), name
    assert b"root:" not in answer.getvalue()


def test_a_file_of_the_instance_is_there_and_a_link_is_told_of_and_not_followed(artifacts: Path, login: Login) -> None:
    """Users met: a link led out of the folder that was checked by its text alone."""
    ana = login("ana")
    assert ana.get("/instances/i/files/report.txt").getvalue() == b"fine"
    page = ana.get("/instances/i/files/").text
    assert "report.txt" in page
    assert "a link: only files written here are shown" in page
    assert "files/link.txt" not in page
    assert "passwd" not in page


def test_the_path_of_a_log_is_worked_out_and_never_taken_from_the_log_of_events(
    artifacts: Path, store: Path, login: Login
) -> None:
    """Users met: `../` in an address, then in an imported record, read any file."""
    with shared(store).acting() as acting:
        said = (("status", "doing"), ("log", "../../../../../../etc/passwd"), ("status", "failed"))
        acting.append([Event("2026-11-29T16:00:00Z", "i", "load", f, v, "worker", attempt=1) for f, v in said])
    ana = login("ana")
    assert "root:" not in ana.get("/instances/i/tasks/load/").text
    for address in ("attempts/1/", "attempts/1/log", "attempts/1/?after=0"):
        answer = ana.get(f"/instances/i/tasks/load/{address}")
        assert b"root:" not in answer.getvalue()
    assert ana.get("/instances/i/tasks/load/attempts/1/log").status_code == 404


@pytest.mark.parametrize("script", ["../../bin/sh", "/bin/sh", "a/../../b.sh", "~/x.sh", "C:\\x.sh", "..\\x.sh"])
def test_a_script_that_leaves_the_jobs_directory_is_an_error_of_its_row(script: str) -> None:
    """Users met: `../` in an address, then in an imported record, read any file."""
    found = check(table_of("task").from_rows([{"task": "t", "role": "system", "script": script}]))
    assert ("error", 1, "script") in [(p.level, p.row, p.column) for p in found]
