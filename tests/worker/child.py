"""A worker process for the tests: as the command, without Django's start-up. One argument: JSON of a Config."""

import json
import sys
from pathlib import Path

from worker.config import Config
from worker.lock import LockError
from worker.main import work

options = json.loads(sys.argv[1])
paths = {name: Path(options[name]) for name in ("store", "jobs", "process", "elements") if name in options}
try:
    sys.exit(work(Config(**{**options, **paths})))
except LockError as error:
    print(error)
    sys.exit(4)
