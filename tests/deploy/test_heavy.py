"""The board as it is served, while many ask for something heavy: everybody else is answered."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path

import pytest

from board.log.tail import shared
from board.process.definition.table import ProcessTable
from board.services import definitions
from board.services.actor import anybody
from tests.bench.serving import Served, serving


def table(number: int) -> ProcessTable:
    """Chains beside each other with ways across, which take seconds to lay out; another one for every number."""
    before = [", ".join(f"t{k}" for k in range(max(0, n - 5), n)) for n in range(600)]
    rows = [{"task": f"t{n}", "name": f"{number}-{n}", "depends_on": waits} for n, waits in enumerate(before)]
    return ProcessTable.from_rows(rows)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path, 1, workers=1) as found:
        tail = shared(found.store)
        tail.refresh()
        for number in range(16):
            definitions.save(tail, anybody("ed"), f"P{number}", table(number), "large")
        yield found


def ask(served: Served, path: str) -> tuple[int, str, float]:
    """(status, Retry-After, seconds) of a page."""
    connection = HTTPConnection("127.0.0.1", served.port, timeout=60)
    began = time.monotonic()
    connection.request("GET", path, headers={"Cookie": f"foldboard_session={served.sessions[0]}"})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, answer.headers.get("Retry-After", ""), time.monotonic() - began


def test_while_sixteen_pictures_are_asked_for_the_board_answers(served: Served) -> None:
    paths = [f"/processes/P{n}/export/?format={'png' if n % 2 else 'svg'}" for n in range(16)]
    with ThreadPoolExecutor(16) as many:
        asked = [many.submit(ask, served, path) for path in paths]
        waits: list[float] = []
        while not all(each.done() for each in asked):
            status, _, took = ask(served, "/health/")
            assert status == 200
            waits.append(took)
            time.sleep(0.05)
        answers = [each.result() for each in asked]
    assert {status for status, _, _ in answers} <= {200, 302, 503}
    busy = [after for status, after, _ in answers if status == 503]
    assert busy
    assert all(int(after) > 0 for after in busy)
    assert len(waits) > 3
    assert sorted(waits)[len(waits) // 2] < 0.5
    assert max(waits) < 3
