"""What can happen to the state store between two runs: the named actions of ``Twin.store``.

In:  the project folder of the side with the plugin, one text argument.
Out: whatever the action returns. Never: touches the warehouse or the twin.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

DEFAULT = Path(".hodor", "state.duckdb")


def file_of(project: Path) -> Path:
    return project / DEFAULT


def garbage(project: Path, argument: str) -> None:
    file_of(project).write_bytes(b"this is not a database " * 400)


def truncate(project: Path, argument: str) -> None:
    """To the given number of bytes (default 0)."""
    file = file_of(project)
    file.write_bytes(file.read_bytes()[: int(argument or 0)])
    file.with_name(file.name + ".wal").unlink(missing_ok=True)


def delete(project: Path, argument: str) -> None:
    file_of(project).unlink()


def run_sql(project: Path, argument: str) -> list[Any]:
    import duckdb

    connection = duckdb.connect(str(file_of(project)))
    try:
        return connection.execute(argument).fetchall()
    finally:
        connection.close()


def directory_instead(project: Path, argument: str) -> None:
    """A path that can be no database: a folder stands where the file should be."""
    file = file_of(project)
    file.unlink(missing_ok=True)
    file.mkdir(parents=True)


def directory_away(project: Path, argument: str) -> None:
    file_of(project).rmdir()


HOLDER = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1])
print("locked", flush=True)
sys.stdin.read()
"""

_holders: dict[Path, subprocess.Popen[str]] = {}


def lock(project: Path, argument: str) -> None:
    """Another process holds the file open until ``unlock``."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(file_of(project))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "locked\n"
    _holders[project] = process


def unlock(project: Path, argument: str) -> None:
    process = _holders.pop(project)
    assert process.stdin is not None
    process.stdin.close()
    process.wait(timeout=10)


def listing(project: Path, argument: str) -> list[str]:
    """Names of the files beside the store."""
    return sorted(p.name for p in file_of(project).parent.iterdir())


def exists(project: Path, argument: str) -> bool:
    return (project / (argument or str(DEFAULT))).exists()


ACTIONS: dict[str, Callable[[Path, str], Any]] = {
    "garbage": garbage,
    "truncate": truncate,
    "delete": delete,
    "sql": run_sql,
    "directory_instead": directory_instead,
    "directory_away": directory_away,
    "lock": lock,
    "unlock": unlock,
    "listing": listing,
    "exists": exists,
}
