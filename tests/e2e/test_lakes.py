"""Whole dbt runs over Delta and Iceberg tables, with the extension packages of DuckDB 1.5.5.

Goal: a lake's table is reused while it stands, by its folder and attached, and never after a change.
Method: tables written by hand, next to the projects; each run against its twin.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import duckdb
import pytest

from e2e.twin import Twin
from e2e.workers import Pair

sys.path.append(str(Path(__file__).parents[1] / "python" / "versions"))
from lake_tables import DeltaTable, IcebergTable

PROFILES = """p:
  target: dev
  outputs:
    dev:
      type: duckdb
      path: wh.duckdb
      threads: 1
      config_options: {extension_directory: "EXTENSIONS"}
      extensions: [avro, delta, iceberg]
      attach:
        - {path: "LAKE/delta", alias: lake, type: delta}
        - {path: "LAKE/delta", alias: old, type: delta, options: {version: 0}}
"""

SOURCES = """version: 2
sources:
  - name: ext
    config: {external_location: "delta_scan('LAKE/{name}')"}
    tables: [{name: delta}]
"""


def extension_file(name: str) -> Path:
    """The file that the extension's package brings."""
    spec = importlib.util.find_spec(f"duckdb_extension_{name}")
    assert spec is not None and spec.origin is not None, f"duckdb-extension-{name} is missing"
    folder = Path(spec.origin).parent / "extensions" / f"v{duckdb.__version__}"
    return folder / f"{name}.duckdb_extension"


def extension_directory(folder: Path, *names: str) -> Path:
    """Where INSTALL finds the packages' files and downloads nothing."""
    platform = duckdb.sql("SELECT * FROM pragma_platform()").fetchone()
    assert platform is not None
    for name in names:
        target = folder / f"v{duckdb.__version__}" / platform[0] / f"{name}.duckdb_extension"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(extension_file(name))
    return folder


@pytest.mark.extensions
def test_lakes(pair: Pair, failures_dir: Path, tmp_path: Path) -> None:
    t = Twin(pair, "lakes", failures_dir)
    delta, iceberg = DeltaTable(tmp_path / "delta"), IcebergTable(tmp_path / "iceberg")
    iceberg.commit([1], 11)
    extensions = str(extension_directory(tmp_path / "extensions", "avro", "delta", "iceberg"))
    texts = {
        "profiles.yml": PROFILES.replace("EXTENSIONS", extensions),
        "models/sources.yml": SOURCES,
        "models/source.sql": "select * from {{ source('ext', 'delta') }}",
        "models/attached.sql": "select * from lake.main.lake",
        "models/pinned.sql": "select * from old.main.old",
        "models/by_hint.sql": "select * from iceberg_scan('LAKE/iceberg')",
        "models/always.sql": "select * from delta_scan('LAKE/delta', version = 0)",
    }
    t.files({path: text.replace("LAKE", str(tmp_path)) for path, text in texts.items()})
    every = "source attached pinned by_hint"
    t.run("build", no_history=f"{every} always")
    t.run("build", no_new_data=every, unknown_upstream="always")
    delta.commit(rows=[2])
    iceberg.commit([2, 3], 12)
    t.run(
        "build", new_upstream_data="source attached by_hint", no_new_data="pinned",
        unknown_upstream="always",
    )  # fmt: skip
    t.run("build", no_new_data=every, unknown_upstream="always")
