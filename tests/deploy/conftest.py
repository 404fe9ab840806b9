"""Accounts, collected files and a certificate for boards behind proxies."""

import subprocess
from pathlib import Path

import pytest

from tests.browser import live
from tests.deploy.sites import HOST
from tests.tools import tool


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for the example's name, and its key."""
    folder = tmp_path_factory.mktemp("certificate")
    cert, key = folder / "cert.pem", folder / "key.pem"
    command = [tool("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-days", "2", "-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}"]
    subprocess.run([*command, "-keyout", str(key), "-out", str(cert)], check=True, capture_output=True)
    return cert, key


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> live.Prepared:
    """Accounts and collected files."""
    return live.prepare(tmp_path_factory.mktemp("prepared"))
