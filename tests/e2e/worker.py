"""A long-lived process that runs dbt in itself, once per request, and shows what came of it.

In:  one JSON request per line on stdin (``run``, ``sql``, ``dump``, ``fault``, ``quit``).
Out: one JSON answer per line on the stdout it was started with; dbt's own output goes to a file.
Never: knows whether it is the side with the plugin or the plain twin. The plain side is started
       without the plugin on its path, and with ``HODOR_E2E_PLAIN=1`` it also refuses to import it.

Running dbt in process is what makes a step cost about half a second instead of six. State that dbt
keeps between invocations (open DuckDB handles, adapters) is dropped after each request.
"""

from __future__ import annotations

import contextlib
import json
import os
import pkgutil
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1]))

from open_databases import let_go

PLAIN = os.environ.get("HODOR_E2E_PLAIN") == "1"
OUTPUT_TAIL = 20_000


def hide_plugin() -> None:
    """Keeps ``dbt_hodor`` out of this process even when it is installed in the environment."""
    original = pkgutil.iter_modules

    def visible(*args: Any, **kwargs: Any) -> Iterator[pkgutil.ModuleInfo]:
        return (m for m in original(*args, **kwargs) if m.name != "dbt_hodor")

    pkgutil.iter_modules = visible  # type: ignore[assignment]
    sys.modules["dbt_hodor"] = None  # type: ignore[assignment]


def speed_up_dbt() -> None:
    """Two savings that change nothing a run does: parsed internal macros are remembered (dbt's own
    switch for tests), and the manifest is written only where a scenario reads it again."""
    from dbt.contracts.graph.manifest import Manifest
    from dbt_common.tests import enable_test_caching

    enable_test_caching()
    original = Manifest.write

    def write(self: Manifest, path: str) -> None:
        if os.environ.get("HODOR_E2E_MANIFEST") == "1":
            original(self, path)

    Manifest.write = write  # type: ignore[method-assign]


@contextlib.contextmanager
def surroundings(directory: str, env: dict[str, str], output: Path) -> Iterator[None]:
    """Working directory, environment and file descriptors 1 and 2 for one request."""
    before = dict(os.environ)
    saved = [os.dup(1), os.dup(2)]
    handle = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.chdir(directory)
    os.environ.update(env)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(saved[0], 1)
        os.dup2(saved[1], 2)
        for descriptor in (*saved, handle):
            os.close(descriptor)
        os.environ.clear()
        os.environ.update(before)
        os.chdir("/")


def close_warehouse() -> None:
    """Closes the DuckDB handles dbt left open, so that the next step sees the file as another process
    would and both sides start cold."""
    from dbt.adapters.duckdb.connections import DuckDBConnectionManager

    if DuckDBConnectionManager._ENV is not None:
        with contextlib.suppress(Exception):
            DuckDBConnectionManager._ENV.close()
        DuckDBConnectionManager._ENV = None


def result_of(item: Any) -> dict[str, Any]:
    node = item.node
    return {
        "unique_id": node.unique_id,
        "name": short_name(node.unique_id),
        "type": str(getattr(node.resource_type, "value", node.resource_type)),
        "status": str(getattr(item.status, "value", item.status)),
        "failures": item.failures,
        "message": str(item.message),
    }


def short_name(unique_id: str) -> str:
    """``model.p.m`` -> ``m``, ``model.p.m.v2`` -> ``m.v2``; a generic test loses its hash."""
    parts = unique_id.split(".")
    if parts[0] == "test":
        return parts[2]
    return ".".join(parts[2:])


def run(request: dict[str, Any]) -> dict[str, Any]:
    from dbt.cli.main import dbtRunner

    artefact = Path(request["dir"], "target", "hodor_run.json")
    artefact.unlink(missing_ok=True)
    args = ["--no-use-colors", "--no-version-check", "--log-level-file", "none", *request["args"]]
    started = time.monotonic()
    outcome = dbtRunner().invoke(args)
    seconds = time.monotonic() - started
    close_warehouse()
    let_go(Path(request["dir"]))
    results = getattr(outcome.result, "results", None)
    rows = [result_of(r) for r in results if hasattr(r, "node")] if results is not None else []
    return {
        "success": bool(outcome.success),
        "exception": repr(outcome.exception) if outcome.exception is not None else None,
        "results": rows,
        "hodor": json.loads(artefact.read_text()) if artefact.exists() else None,
        "seconds": seconds,
        "threads": threading.active_count(),
    }


def sql(request: dict[str, Any]) -> dict[str, Any]:
    """Runs statements by hand on a database file of the project, as a person outside dbt would."""
    import duckdb

    connection = duckdb.connect(str(Path(request["dir"], request["file"])))
    try:
        connection.execute(request["sql"])
        return {"rows": [list(map(repr, row)) for row in connection.fetchall()]}
    finally:
        connection.close()


def dump(request: dict[str, Any]) -> dict[str, Any]:
    from compare import dump_warehouse

    return {"relations": dump_warehouse(Path(request["dir"], request["file"]), request["except"])}


def fault(request: dict[str, Any]) -> dict[str, Any]:
    """Plants deliberate bugs instead of those planted before (tests/model/faults.py)."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "model"))
    try:
        import faults
    finally:
        sys.path.pop(0)
    faults.plant(request["names"])
    return {}


COMMANDS = {"run": run, "sql": sql, "dump": dump, "fault": fault}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    directory = request.get("dir", "/")
    output = Path(request.get("output", os.devnull))
    try:
        with surroundings(directory, request.get("env", {}), output):
            reply = COMMANDS[request["cmd"]](request)
    except BaseException as error:
        reply = {"error": f"{error!r}\n{traceback.format_exc()}"}
    if output.is_file():
        reply["output"] = output.read_text(errors="replace")[-OUTPUT_TAIL:]
    return reply


def main() -> None:
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if PLAIN:
        hide_plugin()
    import dbt.cli.main  # noqa: F401 - the slow import happens before the first request

    speed_up_dbt()
    channel.write('{"ready": true}\n')
    channel.flush()
    for line in sys.stdin:
        request = json.loads(line)
        if request["cmd"] == "quit":
            break
        reply = answer(request)
        if PLAIN and sys.modules.get("dbt_hodor") is not None:
            reply["error"] = "the plain twin loaded the plugin"
        channel.write(json.dumps(reply, default=str) + "\n")
        channel.flush()


if __name__ == "__main__":
    main()
