"""The columns of relations and the kinds of databases, as last read and not forgotten since.

In:  cursors, notes of what changed.
Out: a ``Shape`` per relation, a ``Database`` per name.
Never: puts back what was read before a change was noted.

All tables are read in bulk once; what changed is read again one by one, a view whenever it is
asked for after any change, because its columns follow those of what it reads.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Any

from dbt_hodor.versions.base import Parts
from dbt_hodor.versions.duckdb_listing import Database, read_databases
from dbt_hodor.versions.duckdb_shapes import (
    Shape,
    UnreadableRelation,
    collations_of,
    is_table_plan,
    key_of,
    read_all_tables,
    read_one,
    read_plans,
    read_view,
    table_shapes,
)

_BULK_AT = 12
_SYSTEM_SCHEMAS = frozenset({"information_schema", "pg_catalog"})


class ShapeCatalog:
    """Thread-safe; reads happen outside the lock."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tables: dict[Parts, Shape] = {}
        self._views: dict[Parts, Shape] = {}
        self._view_names: set[Parts] = set()
        self._bulk_read = False
        self._forgotten: dict[Parts, int] = {}
        self._epoch = 0
        self._everything_forgotten_at = 0
        self._collation_seen = False
        self._databases: dict[str, Database] = {}

    # -- what changed ---------------------------------------------------------------------------

    def forget(self, parts: Parts | None) -> None:
        """One relation, or with ``None`` everything, may have changed."""
        with self._lock:
            self._epoch += 1
            self._views.clear()
            if parts is None:
                self._everything_forgotten_at = self._epoch
                self._tables.clear()
                self._databases.clear()
                self._bulk_read = False
            else:
                self._forgotten[key_of(parts)] = self._epoch
                self._tables.pop(key_of(parts), None)

    def note_texts(self, texts: Iterable[str]) -> None:
        """SQL of views and macros: where none has a collation, no view's columns can have one."""
        if any("collate" in text.lower() for text in texts):
            self._collation_seen = True

    def _still_true(self, key: Parts, begun_at: int) -> bool:
        """With the lock: whether what was read from ``begun_at`` on may be kept."""
        return max(self._forgotten.get(key, 0), self._everything_forgotten_at) <= begun_at

    def _keep(self, key: Parts, shape: Shape, begun_at: int) -> None:
        with self._lock:
            if shape.collations:
                self._collation_seen = True
            if shape.kind != "view" and self._still_true(key, begun_at):
                self._tables[key] = shape
            elif shape.kind == "view" and self._epoch == begun_at:
                self._views[key] = shape

    # -- shapes ---------------------------------------------------------------------------------

    def known(self, parts: Parts) -> Shape | None:
        """The shape if it is there already."""
        key = key_of(parts)
        return self._tables.get(key) or self._views.get(key)

    def read_bulk(self, cursor: Any, relations: Sequence[Parts]) -> None:
        """Reads all tables when that is less work than reading these one by one."""
        with self._lock:
            begun_at = self._epoch
            missing = [k for k in map(key_of, relations) if k not in self._tables]
            if self._bulk_read:  # what is missing changed since, or is no table
                missing = [key for key in missing if key in self._forgotten]
            if len(missing) < (_BULK_AT if self._bulk_read else 2):
                return
        shapes = read_all_tables(cursor)
        views = cursor.execute(
            "SELECT database_name, schema_name, view_name, contains(lower(sql), 'collate') "
            "FROM duckdb_views() WHERE NOT internal"
        ).fetchall()
        with self._lock:
            if any(row[3] is not False for row in views):
                self._collation_seen = True
            if any(shape.collations for shape in shapes.values()):
                self._collation_seen = True
            self._view_names = {key_of(row[:3]) for row in views}
            for key, shape in shapes.items():
                if self._still_true(key, begun_at):
                    self._tables[key] = shape
            self._bulk_read |= self._everything_forgotten_at <= begun_at

    def shape(self, cursor: Any, parts: Parts) -> Shape:
        """Raises ``UnreadableRelation`` or the engine's error."""
        key = key_of(parts)
        if len(parts) != 3 or key[0] in {"temp", "system"} or key[1] in _SYSTEM_SCHEMAS:
            raise UnreadableRelation("temporary and system relations have no version")
        with self._lock:
            found = self.known(parts)
            begun_at = self._epoch
            plain_view = key in self._view_names and key not in self._forgotten
            plain_view &= self._bulk_read and not self._collation_seen
        if found is None:
            native = self.native(cursor, parts)
            if native and plain_view:
                found = read_view(cursor, parts, may_collate=False)
            else:
                found = read_one(cursor, parts, native)
            self._keep(key, found, begun_at)
        return found

    def kinds_by_plans(self, cursor: Any, wanted: Sequence[Parts]) -> dict[Parts, str | None]:
        """``table`` or ``view`` of relations in DuckDB databases, ``None`` for one that does not bind.
        Shapes of tables are kept: whoever asks for the kind wants the version next."""
        with self._lock:
            begun_at = self._epoch
        collations: dict[Parts, tuple[str, ...]] = {}
        kinds: dict[Parts, str | None] = {}
        for parts, plan in _plans(cursor, wanted).items():
            if plan is None:
                kinds[parts] = None
            elif is_table_plan(plan, parts):
                kinds[parts] = "table"
                collations[parts] = collations_of(plan)
            else:
                kinds[parts] = "view"
        for parts, shape in table_shapes(cursor, collations).items():
            self._keep(key_of(parts), shape, begun_at)
        return kinds

    # -- databases ------------------------------------------------------------------------------

    def database(self, cursor: Any, name: str) -> Database:
        """Raises ``UnreadableRelation`` when nothing of this name is attached."""
        found = self._databases.get(name.lower())
        if found is None:
            self._databases = read_databases(cursor)
            found = self._databases.get(name.lower())
        if found is None:
            raise UnreadableRelation(f"no database {name} is attached")
        return found

    def native(self, cursor: Any, parts: Parts) -> bool:
        """Whether the relation's database is DuckDB's own."""
        return self.database(cursor, parts[0]).type == "duckdb"


def _plans(cursor: Any, wanted: Sequence[Parts]) -> dict[Parts, dict[str, Any] | None]:
    """One plan per relation, ``None`` where it does not bind."""
    try:
        return dict(zip(wanted, read_plans(cursor, wanted), strict=True)) if wanted else {}
    except UnreadableRelation:
        if len(wanted) == 1:
            return {wanted[0]: None}
    found: dict[Parts, dict[str, Any] | None] = {}
    for parts in wanted:
        found.update(_plans(cursor, [parts]))
    return found
