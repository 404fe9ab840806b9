"""The environment a script gets: the worker's own without the product's settings and secrets, and PROC_*."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

# Of the product, of the service manager that started the worker, and what an outer worker told its script.
_WITHHELD = re.compile(
    r"FOLDBOARD_|DJANGO_|PROC_|LISTEN_|WATCHDOG_|(NOTIFY_SOCKET|CREDENTIALS_DIRECTORY|SECRET_KEY|DATABASE_URL)$"
)
_UNSAFE = re.compile(r"[^\w]")
# The system refuses to start a program with a larger environment; what is left out is still in PROC_OUTPUTS.
MAX_OUTPUT_BYTES = 512 * 1024

Outputs = Mapping[str, Mapping[str, Mapping[str, str]]]  # task, element or "", key


def passed_on(environment: Mapping[str, str]) -> dict[str, str]:
    """What of the worker's environment every script sees."""
    return {name: value for name, value in environment.items() if not _WITHHELD.match(name)}


def output_name(task: str, key: str) -> str:
    """The variable that carries an output: `PROC_OUTPUT_<TASK>_<KEY>`."""
    return f"PROC_OUTPUT_{_UNSAFE.sub('_', task.upper())}_{_UNSAFE.sub('_', key.upper())}"


def output_variables(outputs: Outputs, element: str) -> dict[str, str]:
    """One variable an output of the same element or of a single task, as far as an environment holds them."""
    variables: dict[str, str] = {}
    size = 0
    for task, by_element in outputs.items():
        for name, value in _of(task, by_element, element):
            size += len(name) + 4 * len(value)
            if size <= MAX_OUTPUT_BYTES:
                variables[name] = value
    return variables


def _of(task: str, by_element: Mapping[str, Mapping[str, str]], element: str) -> Iterable[tuple[str, str]]:
    for of in ("", element) if element else ("",):
        for key, value in by_element.get(of, {}).items():
            yield output_name(task, key), value


def script_environment(
    base: Mapping[str, str],
    *,
    instance: str,
    task: str,
    element: str,
    attempt: int,
    artifacts: str,
    store: str,
    run: str,
    params: Mapping[str, str],
    outputs: Outputs,
    outputs_file: str,
) -> dict[str, str]:
    """Everything one attempt sees; the PROC_* of the worker win over whatever bears their name."""
    return {
        **base,
        **output_variables(outputs, element),
        **{name: value for name, value in params.items() if name.startswith("PROC_PARAM_")},
        "PROC_INSTANCE": instance,
        "PROC_TASK": task,
        "PROC_ELEMENT": element,
        "PROC_ATTEMPT": str(attempt),
        "PROC_ARTIFACTS": artifacts,
        "PROC_STORE": store,
        "PROC_OUTPUTS": outputs_file,
        "PROC_RUN": run,
    }


def of_this_process() -> dict[str, str]:
    """What of this process's environment every script sees."""
    return passed_on(os.environ)
