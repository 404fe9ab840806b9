"""What users met with environments, parameters and secrets of scripts."""

import json
from pathlib import Path

import pytest

from board.process.definition.params import parse_params
from tests.worker.site import Site
from worker.script.environment import passed_on

VALUES = {
    "quotes": """O'Brien & "Söhne" $5  two  spaces\\""",
    "equals": "a=b=c",
    "dollar": "$(id) `id` ${HOME} %PATH%",
    "line": "one\ttwo",
    "empty": "",
    "glob": "* ? [a-z] ~",
    "signs": "<>|&!#{}",
}


def test_a_value_with_quotes_spaces_and_dollars_reaches_the_script_unchanged(tmp_path: Path) -> None:
    """Users met: a cure for injection changed honest values."""
    params = "; ".join(f"{key}={value}" for key, value in VALUES.items())
    site = Site(tmp_path)
    site.script("s.sh", 'for k in QUOTES EQUALS DOLLAR LINE EMPTY GLOB SIGNS; do printenv "PROC_PARAM_$k"; done')
    site.start([{"task": "t", "role": "system", "script": "s.sh", "params": params}])
    site.work()
    assert site.log("t").splitlines() == list(VALUES.values())
    assert parse_params(params) == {f"PROC_PARAM_{key.upper()}": value for key, value in VALUES.items()}


@pytest.mark.parametrize(
    "name",
    ["FOLDBOARD_SECRET_KEY", "FOLDBOARD_DATABASE_URL", "DATABASE_URL", "SECRET_KEY", "DJANGO_SETTINGS_MODULE",
     "CREDENTIALS_DIRECTORY", "NOTIFY_SOCKET", "PROC_RUN", "PROC_PARAM_LEFT"],
)  # fmt: skip
def test_what_is_the_products_own_is_in_no_scripts_environment(name: str) -> None:
    """Users met: every secret of the service reached every script."""
    assert passed_on({name: "hush", "PATH": "/bin", "R_LIBS": "/r"}) == {"PATH": "/bin", "R_LIBS": "/r"}


def test_a_script_reaches_no_file_of_the_worker(tmp_path: Path) -> None:
    """Users met: every secret of the service reached every script."""
    site = Site(tmp_path)
    site.script(
        "s.py",
        "import os, json\n"
        "print(json.dumps({n: os.readlink(f'/proc/self/fd/{n}') for n in os.listdir('/proc/self/fd') if int(n) > 2"
        " and os.path.exists(f'/proc/self/fd/{n}')}))\n"
        "print(repr(os.read(0, 10)))",
    )
    site.start([{"task": "t", "role": "system", "script": "s.py"}])
    site.work()
    opened, read = site.log("t").splitlines()
    assert json.loads(opened) == {}
    assert read == "b''"


def test_nothing_in_a_log_is_masked_and_nothing_of_ours_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOLDBOARD_SECRET_KEY", "e")  # one letter, which a mask would take out of every word
    site = Site(tmp_path)
    site.script("s.sh", "echo every letter; printenv | grep -c FOLDBOARD_")
    site.start([{"task": "t", "role": "system", "script": "s.sh"}])
    site.work()
    assert site.log("t") == "every letter\n0\n"
