"""A small dbt project per test, run with the real dbt in this process or in a child.

Goal: the dbt side of hodor, checked against dbt-core and dbt-duckdb as installed.
Method: real runs; assertions on hodor_run.json, run_results.json, the log and the warehouse.

All tests of a worker share one folder, emptied in between except for dbt's parse cache: parsing dbt's
own macros takes longer than everything else here.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.cli.main import dbtRunner

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.append(str(REPOSITORY / "tests"))

from open_databases import let_go  # noqa: E402


class Toy:
    """A project folder and its runs."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.output = ""
        self.write(
            "dbt_project.yml",
            """
            name: toy
            version: '1.0'
            profile: toy
            models: {toy: {+state: {lag_tolerance: 0s}}}
            """,
        )
        self.profile({"hodor_mode": "on"})
        self.write("seeds/s.csv", "id,v\n1,a\n2,b\n")
        self.write("models/stg.sql", "select id, v from {{ ref('s') }}")
        self.write(
            "models/t.sql", "{{ config(materialized='table') }} select id, v from {{ ref('stg') }}"
        )
        self.write(
            "models/schema.yml",
            """
            models:
              - name: t
                columns: [{name: id, data_tests: [not_null]}]
            """,
        )

    def profile(self, extra: dict, **output) -> None:
        # Absolute: dbt-duckdb takes equal credentials for the same database, which an earlier run of
        # another project in this process may have left open.
        path = str(self.root / "toy.duckdb")
        target = {"type": "duckdb", "path": path, "threads": 2, **output, **extra}
        self.write(
            "profiles.yml", json.dumps({"toy": {"target": "dev", "outputs": {"dev": target}}})
        )

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))

    def environment(self, **extra: str) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("HODOR_", "DBT_"))}
        return {
            **kept,
            "PYTHONPATH": str(REPOSITORY / "python"),
            "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
            **extra,
        }

    def dbt(self, *args: str, success: bool = True, **environment: str) -> Toy:
        """One command in this process; asserts how it ended. `output`: its log lines."""
        lines: list[str] = []

        def note(event: object) -> None:
            if event.info.level != "debug":
                lines.append(event.info.msg)

        kept, folder = dict(os.environ), os.getcwd()
        os.environ.clear()
        os.environ.update(self.environment(**environment))
        os.chdir(self.root)
        try:
            result = dbtRunner(callbacks=[note]).invoke(["--no-use-colors", *args])
        finally:
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(kept)
            DuckDBConnectionManager.close_all_connections()
        self.output = "\n".join(lines)
        assert result.success == success, (result.exception, self.output)
        return self

    def child(self, *args: str, code: int = 0, **environment: str) -> Toy:
        """One command in a process of its own; asserts its exit code."""
        done = subprocess.run(
            [sys.executable, "-m", "dbt.cli.main", "--no-use-colors", *args],
            cwd=self.root, env=self.environment(**environment), text=True, capture_output=True,
            check=False, timeout=300,
        )  # fmt: skip
        self.output = done.stdout + done.stderr
        assert done.returncode == code, self.output
        return self

    def python(self, script: str, **environment: str) -> str:
        """A script in a child process; its output."""
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(script)],
            cwd=self.root, env=self.environment(**environment), text=True, capture_output=True,
            check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @property
    def run(self) -> dict:
        return json.loads((self.root / "target/hodor_run.json").read_text())

    def forget_run(self) -> None:
        (self.root / "target/hodor_run.json").unlink(missing_ok=True)

    def has_run(self) -> bool:
        return (self.root / "target/hodor_run.json").exists()

    @property
    def reasons(self) -> dict[str, str]:
        """Node name → reason."""
        return {node["unique_id"].split(".")[2]: node["reason"] for node in self.run["nodes"]}

    @property
    def actions(self) -> dict[str, str]:
        """Node name → build, reuse, replay or skip."""
        return {node["unique_id"].split(".")[2]: node["action"] for node in self.run["nodes"]}

    @property
    def results(self) -> dict[str, dict]:
        document = json.loads((self.root / "target/run_results.json").read_text())
        return {result["unique_id"].split(".")[2]: result for result in document["results"]}

    def sql(self, statement: str, path: str = "toy.duckdb") -> list[tuple]:
        import duckdb

        with duckdb.connect(str(self.root / path)) as connection:
            return connection.execute(statement).fetchall()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("toy")


@pytest.fixture
def toy(folder: Path) -> Toy:
    assert let_go(folder) == []
    for path in folder.iterdir():
        if path.name == "target":
            for inner in path.iterdir():
                if inner.name != "partial_parse.msgpack":
                    shutil.rmtree(inner) if inner.is_dir() else inner.unlink()
        else:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return Toy(folder)


@pytest.fixture
def settled(toy: Toy) -> Toy:
    """A toy that was built once; a second run reuses everything."""
    return toy.dbt("build")
