"""One project twice in a warehouse: with hodor, and by plain dbt, over the same sources.

In:  project files, statements of others, dbt commands.
Out: per run what each node did and why; a failure that names every difference between the relations.
Never: looks at anything but columns, types and rows of what both sides built.
"""

from __future__ import annotations

import json
import os
import uuid
from pathlib import Path
from typing import Any

from delta_warehouse import Warehouse

PROJECT = """name: p
version: "1.0"
config-version: 2
profile: p
models:
  +materialized: table
  +state: {lag_tolerance: 0s}
seeds:
  +state: {lag_tolerance: 0s}
snapshots:
  +state: {lag_tolerance: 0s}
"""


class World:
    """A scratch of its own: schemas for sources, for both sides and for the records."""

    def __init__(self, warehouse: Warehouse, root: Path) -> None:
        self.warehouse = warehouse
        self.root = root
        mark = uuid.uuid4().hex[:6]
        self.raw, self.state = f"hodor_test_{mark}_raw", f"hodor_test_{mark}_state"
        self.schemas = {side: f"hodor_test_{mark}_{side}" for side in ("ours", "twin")}
        for schema in (self.raw, self.state, *self.schemas.values()):
            self.run(f"create schema if not exists {self.catalog}.{schema}")
        for side in self.schemas:
            (root / side).mkdir(parents=True)
            self._write_profile(side)
        self.file("dbt_project.yml", PROJECT)
        self.last: dict[str, dict[str, Any]] = {}

    @property
    def catalog(self) -> str:
        return self.warehouse.catalog

    def drop(self) -> None:
        """Everything that this world made."""
        for schema in (self.raw, self.state, *self.schemas.values()):
            self.run(f"drop schema if exists {self.catalog}.{schema} cascade")

    # -- what happens ---------------------------------------------------------------------------

    def run(self, sql: str) -> list[tuple[Any, ...]]:
        """A statement of somebody else. RAW, OURS and TWIN are the schemas."""
        sql = sql.replace("RAW.", f"{self.catalog}.{self.raw}.")
        for side, schema in self.schemas.items():
            sql = sql.replace(f"{side.upper()}.", f"{self.catalog}.{schema}.")
        return self.warehouse.run(sql)

    def both(self, sql: str) -> None:
        """The same to the relations of both sides. BUILT. is their schema."""
        for side in self.schemas:
            self.run(sql.replace("BUILT.", f"{side.upper()}."))

    def file(self, name: str, text: str) -> None:
        """A file of the project, on both sides."""
        text = text.replace("RAW_SCHEMA", self.raw).replace("CATALOG", self.catalog)
        for side in self.schemas:
            path = self.root / side / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def dbt(self, *arguments: str, expect: int | None = 0, **env: str) -> dict[str, str]:
        """Runs the command on both sides and compares; per node of ours its reason."""
        for side in ("ours", "twin"):
            mode = {
                "HODOR_MODE": "on" if side == "ours" else "off",
                **(env if side == "ours" else {}),
            }
            success = self._invoke(side, arguments, mode)
            if expect is not None:
                assert success == (expect == 0), f"{side}: dbt {' '.join(arguments)}"
        self.compare()
        return self.reasons()

    def _invoke(self, side: str, arguments: tuple[str, ...], env: dict[str, str]) -> bool:
        from dbt.cli.main import dbtRunner

        folder = self.root / side
        before = {name: os.environ.get(name) for name in env}
        os.environ.update(env)
        try:
            result = dbtRunner().invoke(
                [*arguments, "--project-dir", str(folder), "--profiles-dir", str(folder)]
                + ["--log-level", "warn", "--log-level-file", "debug", "--no-use-colors"]
            )
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
        if result.exception is not None:
            raise result.exception
        return bool(result.success)

    def _write_profile(self, side: str) -> None:
        target = self.warehouse.target
        output = {
            "type": "databricks", "catalog": target.catalog, "schema": self.schemas[side],
            "host": target.host, "http_path": target.http_path, "token": target.token,
            "threads": 2, "connect_retries": 0, "hodor_schema": self.state,
            "connection_parameters": target.connection_parameters(),
        }  # fmt: skip
        profile = {"p": {"target": "dev", "outputs": {"dev": output}}}
        (self.root / side / "profiles.yml").write_text(json.dumps(profile))

    # -- what came of it ------------------------------------------------------------------------

    def document(self) -> dict[str, Any]:
        """What our last run says about itself."""
        path = self.root / "ours" / "target" / "hodor_run.json"
        document: dict[str, Any] = json.loads(path.read_text())
        return document

    def reasons(self) -> dict[str, str]:
        """By the node's name: `action reason`."""
        self.last = {node["unique_id"].split(".")[2]: node for node in self.document()["nodes"]}
        return {name: f"{node['action']} {node['reason']}" for name, node in self.last.items()}

    def reused(self) -> set[str]:
        """Names of the nodes that our last run did not execute."""
        return {name for name, node in self.last.items() if node["action"] in ("reuse", "replay")}

    def compare(self) -> None:
        """Columns, types and rows of every relation on both sides."""
        tables = {
            side: {
                row[1] for row in self.run(f"show tables in {self.catalog}.{schema}") if not row[2]
            }
            for side, schema in self.schemas.items()
        }
        assert tables["ours"] == tables["twin"]
        found = [problem for name in sorted(tables["ours"]) for problem in self._differences(name)]
        assert found == []

    def _differences(self, name: str) -> list[str]:
        columns = [
            [tuple(row[:2]) for row in self.run(f"describe table {side}.{name}")]
            for side in ("OURS", "TWIN")
        ]
        if columns[0] != columns[1]:
            return [f"{name}: columns {columns[0]}, twin {columns[1]}"]
        shown = ", ".join(
            f"`{column}`"
            for column, _ in columns[0]
            if column and not column.startswith(("#", "dbt_"))
        )
        both = [f"select {shown} from {side}.{name}" for side in ("OURS", "TWIN")]
        problems = []
        for a, b, what in ((*both, "too many"), (*reversed(both), "missing")):
            rows = self.run(f"({a}) except all ({b})")
            if rows:
                problems.append(f"{name}: {len(rows)} rows {what}, such as {rows[0]}")
        return problems
