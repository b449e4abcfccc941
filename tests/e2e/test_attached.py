"""Whole dbt runs over DuckLake and attached SQLite and Postgres, with DuckDB 1.5.5's extension packages.

Goal: a table there is reused from while it stands, and never after a change; what is built there, and
what reads that.
Method: each side has its own database; others write to it by hand between the runs.
"""

# ruff: noqa: F811 - fixtures of another module are arguments here

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from e2e.test_lakes import extension_directory, extension_file
from e2e.twin import Twin
from e2e.workers import Pair

sys.path.append(str(Path(__file__).parents[1] / "python" / "versions"))
from test_duckdb_extensions import postgres  # noqa: F401 - a fixture

PROFILES = """p:
  target: dev
  outputs:
    dev:
      type: duckdb
      path: wh.duckdb
      threads: 1
      config_options: {extension_directory: "DIRECTORY"}
      extensions: [EXTENSION]
      attach: [{ATTACH}]
"""

MODELS = {
    "models/sources.yml": "version: 2\nsources: [{name: raw, database: far, schema: SCHEMA, "
    "tables: [{name: t}, {name: u}]}]\n",
    "models/a.sql": "select id, v from {{ source('raw', 't') }}",
    "models/w.sql": "{{ config(materialized='view') }} select id from {{ source('raw', 't') }}",
    "models/n.sql": "select count(*) as n from {{ ref('w') }}",
    "models/u.sql": "select w from {{ source('raw', 'u') }}",
}
INTO = {
    "models/far.sql": "{{ config(database='far', schema=none) }} select id from {{ ref('a') }}",
    "models/r.sql": "select id from {{ ref('far') }}",
}


BY_HAND = "load '{file}'; attach '{path}' as far{options}; use far.{schema}; {statements}"


class Far:
    """A database that is attached as `far` and written to by hand."""

    def __init__(self, t: Twin, folder: Path, extension: str, path: str, kind: str = "") -> None:
        self.t, self.path = t, path
        self.schema = "public" if kind == "postgres" else "main"
        self.file = extension_file(extension)
        self.options = f" (type {kind})" if kind else ""
        directory = str(extension_directory(folder / "extensions", extension))
        profile = PROFILES.replace("DIRECTORY", directory).replace("EXTENSION", extension)
        typed = f", type: {kind}" if kind else ""
        t.write("profiles.yml", profile.replace("ATTACH", f'path: "{path}", alias: far{typed}'))
        self.sql("create table t (id integer, v varchar); create table u (w integer)")
        self.sql("insert into t values (1, 'a'), (2, 'b'); insert into u values (10)")
        t.files({name: text.replace("SCHEMA", self.schema) for name, text in MODELS.items()})

    def text(self, statements: str, path: str) -> str:
        return BY_HAND.format(
            file=self.file, path=path, options=self.options, schema=self.schema,
            statements=statements,
        )  # fmt: skip

    def sql(self, statements: str) -> None:
        """In both sides' databases."""
        self.t.sql(self.text(statements, self.path), file="hand.duckdb")


class FarPostgres(Far):
    """The same as two databases of one server, which every side finds by a variable."""

    def __init__(self, t: Twin, folder: Path, server: str) -> None:
        self.server = server
        where = dict(part.split("=") for part in server.split())
        create = ["createdb", "-h", where["host"], "-p", where["port"], "-U", where["user"]]
        for side in "ab":
            name = f"{t.name.replace('-', '_')}_{side}"
            subprocess.run([*create, name], check=True, timeout=60)
            t.base_env[side]["FAR_DATABASE"] = name
        path = server.replace("dbname=postgres", "dbname={{ env_var('FAR_DATABASE') }}")
        super().__init__(t, folder, "postgres_scanner", path, "postgres")

    def sql(self, statements: str) -> None:
        for side in "ab":
            database = f"dbname={self.t.base_env[side]['FAR_DATABASE']}"
            with duckdb.connect() as connection:
                path = self.server.replace("dbname=postgres", database)
                connection.execute(self.text(statements, path))


def far_database(t: Twin, kind: str, folder: Path, server: str) -> Far:
    if kind == "postgres":
        return FarPostgres(t, folder, server)
    if kind == "sqlite":
        return Far(t, folder, "sqlite_scanner", "far.sqlite", "sqlite")
    return Far(t, folder, "ducklake", "ducklake:far.ducklake")


KINDS = pytest.mark.parametrize("kind", ["ducklake", "sqlite", "postgres"])


@pytest.mark.extensions
@KINDS
def test_read(kind: str, pair: Pair, failures_dir: Path, tmp_path: Path, postgres: str) -> None:
    """Unchanged: reused. Each kind of change: whoever reads that table builds, and nobody else."""
    t = Twin(pair, f"read-{kind}", failures_dir)
    far = far_database(t, kind, tmp_path, postgres)
    t.run("build", no_history="a w n u")
    t.run("build", no_new_data="a n u", view_unchanged="w")
    for change in (
        "insert into t values (3, 'c')",
        "update t set v = 'z' where id = 1",
        "delete from t where id = 2",
    ):
        far.sql(change)
        t.run("build", new_upstream_data="a n", no_new_data="u", view_unchanged="w")
        t.run("build", no_new_data="a n u", view_unchanged="w")
    far.sql("alter table t add column z integer")
    t.run("build", new_upstream_data="a n", no_new_data="u", upstream_schema_changed="w")
    t.run("build", no_new_data="a n u", view_unchanged="w")
    far.sql("drop table u")
    t.run("build", no_new_data="a n", unknown_upstream="u", view_unchanged="w", success=False)


@pytest.mark.extensions
@KINDS
def test_built(kind: str, pair: Pair, failures_dir: Path, tmp_path: Path, postgres: str) -> None:
    """Others may write between our build and its reading, so what stands there is not proven ours and
    builds. Its readers see equal rows, or in a lake another snapshot."""
    t = Twin(pair, f"built-{kind}", failures_dir)
    far = far_database(t, kind, tmp_path, postgres)
    t.files(INTO)
    t.run("build", no_history="a w n u far r")
    again = {"r": "new_upstream_data" if kind == "ducklake" else "no_new_data"}
    for _ in range(2):
        t.run("build", no_new_data="a n u", view_unchanged="w", target_modified="far", expect=again)
    t.run("build -s r", no_new_data="r")
    far.sql("insert into t values (3, 'c')")
    t.run("build", new_upstream_data="a n r", view_unchanged="w", no_new_data="u",
          target_modified="far")  # fmt: skip
    far.sql("insert into far.main.far values (77)")
    t.run("build -s r", new_upstream_data="r")
    t.run("build", no_new_data="a n u", view_unchanged="w", target_modified="far",
          new_upstream_data="r")  # fmt: skip
