"""Known vulnerabilities of what a lock file names: `python -m tests.audit requirements.lock`.

Asks the database of vulnerabilities, never a registry, and downloads no package. Where the database cannot be reached
that is said and nothing fails: it is no fault of the change. Exit status 1 for a vulnerability, or an audit that
did not look at every package.
"""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from typing import Any

DATABASE = "https://api.osv.dev/v1/query"
REACH_S = 5.0
AUDIT_S = 180.0
PROBE = {"package": {"name": "django", "ecosystem": "PyPI"}, "version": "1.0"}  # has some, for sure


def unreachable(database: str) -> str:
    """Why the database does not answer; "" when it does."""
    request = urllib.request.Request(database, json.dumps(PROBE).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=REACH_S) as answer:
            return "" if json.load(answer).get("vulns") else "it does not know what everybody knows"
    except (OSError, ValueError) as error:
        return str(getattr(error, "reason", error))


def audit(lock: str, database: str) -> dict[str, Any]:
    """What pip-audit finds, as its JSON; raises ValueError with what it said instead."""
    command = [sys.executable, "-m", "pip_audit", "--requirement", lock, "--disable-pip", "--require-hashes"]
    command += ["--vulnerability-service", "osv", "--osv-url", database, "--timeout", "10"]
    command += ["--format", "json", "--progress-spinner", "off"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=AUDIT_S, check=False)
    try:
        return dict(json.loads(done.stdout))
    except ValueError:
        raise ValueError(done.stderr.strip()) from None


def verdict(found: dict[str, Any]) -> list[str]:
    """What is wrong, a line each: vulnerabilities, and packages nobody looked at."""
    lines = []
    for package in found["dependencies"]:
        at = f"{package['name']} {package.get('version', '')}".strip()
        if "skip_reason" in package:
            lines.append(f"{at} was not audited: {package['skip_reason']}")
        for vulnerability in package.get("vulns", ()):
            fixed = ", ".join(vulnerability["fix_versions"]) or "no version yet"
            lines.append(f"{at} has {vulnerability['id']}, mended in {fixed}")
    return lines


def main(lock: str, database: str = DATABASE, say: Callable[[str], object] = print) -> int:
    """Audit a lock file; the exit status."""
    why = unreachable(database)
    if why:
        say(f"pip-audit: the database of vulnerabilities cannot be reached from here ({why}): nothing was audited")
        return 0
    found = audit(lock, database)
    wrong = verdict(found)
    for line in wrong or [f"pip-audit: no known vulnerability in {len(found['dependencies'])} packages"]:
        say(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
