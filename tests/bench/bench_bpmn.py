"""What becomes of a folder of BPMN files: `make bench-bpmn FOLDER=path` prints the totals and each file.

Imported whole: every element was taken as it is. With remarks: something was approximated or dropped, and said so.
Refused: no process in it, with the reason. Crashed: a defect of the reader, as is a table with errors.
"""

from __future__ import annotations

import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from board.process.bpmn import Unreadable, read
from board.process.validation.problems import check

OUTCOMES = ("imported whole", "imported with remarks", "refused", "crashed")
ENDINGS = (".bpmn", ".bpmn2", ".xml")


class Result(NamedTuple):
    path: Path
    outcome: str
    took_s: float
    said: str
    errors: int = 0


def tried(path: Path) -> Result:
    """Read one file as an import would."""
    began = time.perf_counter()
    try:
        reading = read(path.read_bytes())
        errors = [problem for problem in check(reading.table) if problem.level == "error"]
    except Unreadable as refusal:
        return Result(path, "refused", time.perf_counter() - began, str(refusal))
    except Exception:
        last = traceback.format_exc().strip().splitlines()[-1]
        return Result(path, "crashed", time.perf_counter() - began, last)
    took_s = time.perf_counter() - began
    told = Counter(remark.became for remark in reading.remarks)
    words = ", ".join(f"{told[word]} {word}" for word in ("taken", "approximated", "dropped") if told[word])
    said = f"{len(reading.table.rows)} rows; {words}" + "".join(f"; {problem}" for problem in errors)
    return Result(path, OUTCOMES[not reading.whole], took_s, said, len(errors))


def main(folder: Path) -> int:
    """Try every file below a folder; 1 when one crashed or gave a table with errors, 2 when there is none."""
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in ENDINGS)
    if not files:
        print(f"No BPMN file ({', '.join(ENDINGS)}) below {folder}.", file=sys.stderr)
        return 2
    results = [tried(path) for path in files]
    for result in results:
        print(f"{result.took_s:6.3f} s  {result.path.relative_to(folder)}: {result.outcome}: {result.said}")
    print()
    totals = Counter(result.outcome for result in results)
    for outcome in OUTCOMES:
        print(f"{totals[outcome]:6}  {outcome}")
    print(f"{len(results):6}  files, {sum(result.errors for result in results)} errors in their tables")
    slowest = max(results, key=lambda result: result.took_s)
    print(f"slowest: {slowest.path.relative_to(folder)}, {slowest.took_s:.3f} s")
    return int(bool(totals["crashed"]) or any(result.errors for result in results))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
