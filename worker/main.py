"""A worker as a process of its own: the lock, the signals, the heartbeat, then the loop."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import replace

from board.log.file import open_log
from board.log.store import Store
from board.log.tail import Tail
from worker.config import Config
from worker.console import Report
from worker.heartbeat import Heartbeat
from worker.lock import WorkerLock
from worker.loop import Worker
from worker.script import process_tree
from worker.signals import Stop
from worker.start_from_file import start


def work(config: Config) -> int:
    """Serve a store until there is nothing more to do; the exit status. LockHeld, LogError, ConfigError."""
    store = Store(config.store).ensure()
    keep_to_ourselves()
    report = Report(config)
    stop = Stop()
    tail = Tail(open_log(store))
    stop.listen()
    with _held(config, store, stop) as heartbeat:
        if config.process is not None:
            instance = start(tail, config.process, config.elements, config.instance, report)
            config = replace(config, instance=instance)
        lock = heartbeat.lock if heartbeat is not None else None
        worker = Worker(config, tail, store, lock=lock, stop=stop, report=report)
        if heartbeat is not None:
            heartbeat.says = worker.state
        return worker.run()


def keep_to_ourselves() -> None:
    """Adopt orphans of scripts, and hand no open file and no secret of this process to them."""
    process_tree.become_subreaper()
    process_tree.hide_environment()
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            if int(name) > 2:
                os.set_inheritable(int(name), False)


@contextlib.contextmanager
def _held(config: Config, store: Store, stop: Stop) -> Iterator[Heartbeat | None]:
    if not config.lock:
        yield None
        return
    heartbeat = Heartbeat(WorkerLock.take(store.root), on_loss=stop.lose)
    heartbeat.start()
    try:
        yield heartbeat
    finally:
        heartbeat.stop()
        heartbeat.lock.release()
