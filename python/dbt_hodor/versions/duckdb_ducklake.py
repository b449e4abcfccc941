"""Data parts of DuckLake tables from their catalog, without a scan.

In:  a cursor and the name of an attached DuckLake database.
Out: per table ``ducklake:uuid@snapshot@time`` of the last snapshot that touched it.
Never: vouches for a table when a snapshot since its last touch is missing (expired), or names a
kind of change that is not on the list: such a table is scanned like any other.

Measured on DuckLake as of DuckDB 1.5.5: every commit is one numbered snapshot with a map from the
kind of change to the ids of the tables; expiry removes snapshots, from the middle too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from dbt_hodor.versions.base import Parts
from dbt_hodor.versions.duckdb_shapes import key_of, quoted_name, text_literal

_CHANGES_OF_TABLES = frozenset(
    {
        "inlined_insert", "inlined_delete", "tables_inserted_into", "tables_deleted_from",
        "tables_altered", "tables_dropped", "flushed_inlined", "merge_adjacent", "rewrite_delete",
    }
)  # fmt: skip
"""Kinds whose values are table ids."""
_CHANGES_OF_OTHERS = frozenset(
    {"schemas_created", "schemas_dropped", "views_created", "views_dropped", "views_altered",
     "tables_created"}
)  # fmt: skip
"""Kinds that touch no table's data; a created table has its begin in the table list."""


class Snapshot(NamedTuple):
    id: int
    time_us: int
    changes: Mapping[str, Iterable[str]]


class LakeTable(NamedTuple):
    id: int
    uuid: str
    begin: int


def last_touch(snapshots: list[Snapshot], table: LakeTable) -> Snapshot | None:
    """The last snapshot that touched the table, or ``None`` when the list cannot prove it.
    ``snapshots``: newest first."""
    expected: int | None = None
    for snapshot in snapshots:
        if expected is not None and snapshot.id != expected:
            return None  # a snapshot in between has expired: it may have touched the table
        expected = snapshot.id - 1
        if snapshot.id == table.begin or _touches(snapshot, table.id):
            return snapshot
    return None


def _touches(snapshot: Snapshot, table_id: int) -> bool:
    for kind, values in snapshot.changes.items():
        if kind in _CHANGES_OF_OTHERS:
            continue
        if kind not in _CHANGES_OF_TABLES or str(table_id) in {str(value) for value in values}:
            return True
    return False


def data_parts(cursor: Any, database: str) -> dict[Parts, str]:
    """Data parts by relation, for the tables whose last change is proven. Raises the engine's error
    when the catalog is not laid out as expected."""
    metadata = "__ducklake_metadata_" + database
    rows = cursor.execute(
        "SELECT snapshot_id, epoch_us(snapshot_time), changes "
        f"FROM ducklake_snapshots({text_literal(database)}) ORDER BY snapshot_id DESC"
    ).fetchall()
    snapshots = [Snapshot(number, time_us, changes or {}) for number, time_us, changes in rows]
    table, schema = (
        quoted_name([metadata, name]) for name in ("ducklake_table", "ducklake_schema")
    )
    rows = cursor.execute(
        "SELECT s.schema_name, t.table_name, t.table_id, t.table_uuid::VARCHAR, t.begin_snapshot "
        f"FROM {table} t JOIN {schema} s USING (schema_id) "
        "WHERE t.end_snapshot IS NULL AND s.end_snapshot IS NULL"
    ).fetchall()
    found: dict[Parts, str] = {}
    for schema_name, table_name, table_id, uuid, begin in rows:
        touch = last_touch(snapshots, LakeTable(table_id, uuid, begin))
        if touch is not None and touch.time_us is not None and uuid:
            key = key_of((database, schema_name, table_name))
            found[key] = f"ducklake:{uuid}@{touch.id}@{touch.time_us}"
    return found
