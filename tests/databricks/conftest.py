"""A warehouse for the tests: the stand-in on this machine, or a real workspace.

The stand-in is started once and stopped at the end. A workspace is named by HODOR_DATABRICKS_HOST,
HODOR_DATABRICKS_HTTP_PATH, HODOR_DATABRICKS_TOKEN and HODOR_DATABRICKS_CATALOG; the tests then make schemas
whose names begin with `hodor_test_` there, and drop them.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1] / "python"))

from delta_warehouse import Target, Warehouse

ENDPOINT = Path(__file__).resolve().parent / "endpoint"
_START_S = 120.0


@pytest.fixture(scope="session")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """Where the warehouse is and how to get in."""
    host = os.environ.get("HODOR_DATABRICKS_HOST")
    if host:
        env = os.environ
        yield Target(
            host,
            env["HODOR_DATABRICKS_HTTP_PATH"],
            env["HODOR_DATABRICKS_TOKEN"],
            env.get("HODOR_DATABRICKS_CATALOG", "main"),
            None,
        )
        return
    running = os.environ.get("HODOR_ENDPOINT_ADDRESS")
    if running:  # somebody keeps one running, to save its start
        certificate = Path(os.environ["HODOR_ENDPOINT_CERTIFICATE"])
        os.environ["REQUESTS_CA_BUNDLE"] = str(certificate)
        yield Target(running, "/sql/1.0/warehouses/local", "local", "main", certificate)
        return
    if "HODOR_ENDPOINT_PYTHON" not in os.environ:
        pytest.fail("these tests need ./dev databricks, or a workspace (see docs/databricks.md)")
    folder = tmp_path_factory.mktemp("endpoint")
    certificate = make_certificate(folder)
    os.environ["REQUESTS_CA_BUNDLE"] = str(certificate)
    port = free_port()
    process = start(folder, certificate, port)
    try:
        wait_until_ready(process, certificate, port, folder / "endpoint.log")
        path = "/sql/1.0/warehouses/local"
        yield Target(f"127.0.0.1:{port}", path, "local", "main", certificate)
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()


@pytest.fixture(scope="session")
def warehouse(target: Target) -> Iterator[Warehouse]:
    """A connection beside dbt's, for what others do in a warehouse."""
    opened = Warehouse(target)
    yield opened
    opened.close()


def make_certificate(folder: Path) -> Path:
    certificate, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
        + ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
        + ["-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
    )
    return certificate


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(folder: Path, certificate: Path, port: int) -> subprocess.Popen[bytes]:
    command = [os.environ["HODOR_ENDPOINT_PYTHON"], "-m", "lakeside"]
    command += ["--data", str(folder / "lake"), "--jars", os.environ["HODOR_ENDPOINT_JARS"]]
    command += ["--port", str(port), "--memory", "1g", "--log", str(folder / "statements.jsonl")]
    command += ["--tls", str(certificate), str(certificate.with_name("key.pem"))]
    log = (folder / "endpoint.log").open("wb")
    env = {**os.environ, "PYTHONPATH": str(ENDPOINT)}
    return subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=log)


def wait_until_ready(
    process: subprocess.Popen[bytes], certificate: Path, port: int, log: Path
) -> None:
    import ssl

    context = ssl.create_default_context(cafile=str(certificate))
    give_up_at = time.monotonic() + _START_S
    while time.monotonic() < give_up_at:
        if process.poll() is not None:
            break
        try:
            urllib.request.urlopen(f"https://127.0.0.1:{port}/ready", timeout=2, context=context)
        except OSError:
            time.sleep(0.3)
            continue
        return
    pytest.fail(f"the endpoint did not start:\n{log.read_text()[-4000:]}")
