"""The deployment files fit together, and the programs that will read them take them."""

import json
import re
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

from tests.tools import tool

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
SHELL = [DEPLOY / "foldboard", *(DEPLOY / "systemd").glob("*.env"), *ROOT.glob("jobs/*.sh")]


def unit(path: Path) -> dict[str, list[str]]:
    """Every key of a unit's [Service] with all its values."""
    lines = path.read_text().split("[Service]")[1].split("[Install]")[0].splitlines()
    found: dict[str, list[str]] = {}
    for line in lines:
        if "=" in line and not line.startswith("#"):
            key, value = line.split("=", 1)
            found.setdefault(key, []).append(value)
    return found


def exposure(path: Path) -> float:
    """What systemd makes of a unit: 0 nothing is allowed, 10 everything is."""
    command = [tool("systemd-analyze"), "security", "--offline=true", str(path)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=30).stdout
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", said)
    assert found, said
    return float(found[1])


def test_the_board_is_exposed_less_than_three() -> None:
    assert exposure(DEPLOY / "systemd" / "foldboard-board.service") < 3


def test_the_figures_in_the_guide_are_those_systemd_gives() -> None:
    guide = " ".join((ROOT / "docs" / "operators.md").read_text().split())
    board, worker = (exposure(DEPLOY / "systemd" / f"foldboard-{name}.service") for name in ("board", "worker"))
    assert f"says {board} for the board and {worker} for the worker" in guide


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_systemd_takes_the_unit(path: Path, tmp_path: Path) -> None:
    # only the paths are those of this checkout; systemd looks whether the programs are there
    there = path.read_text().replace("/opt/foldboard/.venv/bin/python", sys.executable)
    (tmp_path / path.name).write_text(there.replace("/opt/foldboard", str(ROOT)))
    command = [tool("systemd-analyze"), "verify", "--man=no", str(tmp_path / path.name)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    ours = [line for line in (done.stdout + done.stderr).splitlines() if path.name in line]
    assert ours == []


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_what_a_unit_may_write_is_what_is_made_for_its_account(path: Path) -> None:
    made = {
        line.split()[1]: line.split()[2:5]
        for line in (DEPLOY / "systemd" / "foldboard.tmpfiles.conf").read_text().splitlines()
        if line.startswith("d ")
    }
    service = unit(path)
    (user,) = service["User"]
    for folder in " ".join(service["ReadWritePaths"]).split():
        mode, owner, group = made[folder]
        assert owner == user or (mode == "2770" and group == service["Group"][0])
    assert service["UMask"] == ["0007"]
    assert re.search(rf"^u {user} ", (DEPLOY / "systemd" / "foldboard.sysusers.conf").read_text(), re.MULTILINE)


def test_the_worker_is_given_longer_to_stop_than_it_lets_its_scripts_run_on() -> None:
    from worker.config import Config

    service = unit(DEPLOY / "systemd" / "foldboard-worker.service")
    config = Config(store=ROOT, jobs=ROOT)
    assert float(service["TimeoutStopSec"][0]) > config.drain_s + 2 * config.grace_s
    assert service["KillMode"] == ["mixed"]


def test_the_session_key_and_the_database_are_not_among_the_worker_s_settings() -> None:
    shared = (DEPLOY / "systemd" / "foldboard.env").read_text()
    service = unit(DEPLOY / "systemd" / "foldboard-worker.service")
    assert not [name for name in service["EnvironmentFile"] if name.endswith("/board.env")]
    assert "SECRET_KEY" not in shared
    assert "DATABASE_URL" not in shared


@pytest.mark.parametrize("path", SHELL, ids=lambda path: path.name)
def test_shell_takes_every_script_and_every_file_of_settings(path: Path) -> None:
    assert subprocess.run([tool("sh"), "-n", str(path)], capture_output=True, timeout=10).returncode == 0


def test_files_of_settings_read_the_same_in_shell_and_systemd() -> None:
    for path in (DEPLOY / "systemd").glob("*.env"):
        for line in path.read_text().splitlines():
            assert line.startswith("#") or re.fullmatch(r"[A-Z_]+=[\w./,:-]+", line), line


def test_gunicorn_takes_its_configuration() -> None:
    command = [sys.executable, "-m", "gunicorn", "--check-config", "-c", "deploy/gunicorn.conf.py", "board.wsgi"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_nothing_rotates_what_is_in_the_store() -> None:
    files = [line for line in (DEPLOY / "logrotate" / "foldboard").read_text().splitlines() if line.endswith("{")]
    assert files == ["/var/log/foldboard/*.log {"]


def test_the_images_copy_only_what_the_project_has() -> None:
    for line in (DEPLOY / "container" / "Containerfile").read_text().splitlines():
        if line.startswith("COPY ") and "--from=" not in line:
            for name in line.split()[1:-1]:
                assert (ROOT / name).exists(), name


def test_no_key_is_kept_in_an_image(tmp_path: Path) -> None:
    lines = (DEPLOY / "container" / "Containerfile").read_text().splitlines()
    (collect,) = [line for line in lines if line.startswith("RUN ") and "manage.py" in line]
    key = re.search(r"FOLDBOARD_SECRET_KEY=\S+", collect)
    assert key, collect
    # what a build does with it, and what is left in the directory of the volume
    settings = {"FOLDBOARD_VAR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "board.settings"}
    settings |= {"FOLDBOARD_SECRET_KEY": key[0].partition("=")[2]}
    subprocess.run([sys.executable, "-c", "import django; django.setup()"], cwd=ROOT, env=settings, check=True)
    assert list(tmp_path.iterdir()) == []


def test_compose_and_the_image_ask_for_health_alike() -> None:
    asked = [
        json.loads(found[0])
        for name in ("Containerfile", "compose.yaml")
        for found in [re.search(r'\["(?:CMD", ")?python", "-c".*\]', (DEPLOY / "container" / name).read_text())]
        if found
    ]
    assert len(asked) == 2
    assert asked[1] == ["CMD", *asked[0]]


def test_of_the_containers_only_the_proxy_can_be_reached() -> None:
    compose = (DEPLOY / "container" / "compose.yaml").read_text()
    assert [json.loads(found) for found in re.findall(r"ports: (\[.*\])", compose)] == [["80:80", "443:443"]]
    proxy, board = (compose.split(f"\n  {name}:\n")[1].split("\n  worker:\n")[0] for name in ("proxy", "board"))
    assert 'network_mode: "service:board"' in proxy
    mounted = [line.strip('- "').split(":")[0] for line in proxy.splitlines() if "/etc/nginx" in line]
    assert [(DEPLOY / "container" / path).resolve() for path in mounted] == [DEPLOY / "nginx" / "foldboard.conf"]
    # without -b it is the loopback, where the proxy's file asks
    (command,) = re.findall(r"command: (\[.*\])", board)
    assert " -b " not in json.loads(command)[2]
    assert 'bind = "127.0.0.1:8000"' in (DEPLOY / "gunicorn.conf.py").read_text()
    assert "server 127.0.0.1:8000;" in (DEPLOY / "nginx" / "foldboard.conf").read_text()


def test_every_file_under_deploy_is_named_in_the_guide() -> None:
    guide = (ROOT / "docs" / "operators.md").read_text() + (ROOT / "docs" / "developers.md").read_text()
    folders = {path.relative_to(ROOT).parts[1] for path in DEPLOY.rglob("*") if "__pycache__" not in path.parts}
    missing = [name for name in folders if f"deploy/{name}" not in guide and name != "gunicorn.conf.py"]
    assert missing == []


def test_no_unit_file_repeats_a_section() -> None:
    for path in UNITS:
        parser = ConfigParser(strict=False, interpolation=None)
        parser.optionxform = str  # type: ignore[assignment,method-assign]
        parser.read(path)
        assert parser.sections() == ["Unit", "Service", "Install"]
