"""Versions of what stands in a DuckDB warehouse.

In:  a function that opens a cursor on dbt's own DuckDB instance, and where its file is.
Out: tokens (``1;data;order;schema``), listings, the environment: ``versions/base.py``.
Never: writes, changes a setting, or uses dbt's connections; every read has a cursor of its own, so
that it sees committed data only.

A table has its content fingerprint and a schema part, a view its bound columns only. Temporary
objects and system catalogs are unknown. Column lists are read in bulk once and again for what has
changed since: whoever runs something says ``forget``.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from dbt_hodor.versions.base import ListedRelation, Listing, Parts
from dbt_hodor.versions.duckdb_catalog import ShapeCatalog
from dbt_hodor.versions.duckdb_files import FileVersions
from dbt_hodor.versions.duckdb_fingerprint import Fingerprint, fingerprints
from dbt_hodor.versions.duckdb_listing import (
    Database,
    is_local_file,
    read_functions,
    read_relations,
    read_views,
    same_file,
)
from dbt_hodor.versions.duckdb_memory import BufferPool
from dbt_hodor.versions.duckdb_settings import counts
from dbt_hodor.versions.duckdb_shapes import Shape, UnreadableRelation, foreign_kind, key_of

BATCH_TABLES = 50
_HEAVY_ROWS = 2_000_000
_SMALL_CELLS = 50_000


def token(data: str, order: str, schema: str) -> str:
    """The grammar of core/decision/data_version.hpp. ValueError on a part with ';'."""
    if ";" in data + order + schema or not data + schema:
        raise ValueError("not a version")
    return f"1;{data};{order};{schema}"


class DuckDBProvider:
    """A ``VersionProvider``. Any thread may call any method."""

    dialect = "duckdb"
    most_parallel_reads = 2
    """The engine itself reads in parallel; more statements at once only take time from models."""

    def __init__(
        self,
        open_cursor: Callable[[], Any],
        path: str,
        keep_open: bool = True,
        clock_ms: Callable[[], float] = lambda: time.time() * 1000,
        default_memory_limit: Callable[[], str] | None = None,
    ) -> None:
        """``open_cursor``: a new cursor on dbt's instance, with the profile's ``settings`` applied
        as for dbt's own. ``path``: the profile's. ``keep_open``: dbt holds the file for the whole
        run; without it others can write between two nodes, so nothing is exclusive.
        ``default_memory_limit``: of this machine, where the profile sets none: ``BufferPool``."""
        self._open_cursor = open_cursor
        self._path = path
        self._keep_open = keep_open
        self._pools = keep_open  # an idle cursor would keep the file open behind dbt's back
        self._clock_ms = clock_ms
        self._lock = threading.Lock()
        self._idle: list[Any] = []
        self._busy: set[Any] = set()
        self._pool = BufferPool(default_memory_limit)
        self._catalog = ShapeCatalog()
        self._builtins: list[str] | None = None
        self._files = FileVersions()
        self._same_file: dict[Database, bool] = {}
        self._views_lock = threading.Lock()
        self._views_read = 0
        self._views_asked = 0
        self._views: dict[Parts, ListedRelation] = {}

    # -- cursors --------------------------------------------------------------------------------

    @contextmanager
    def _cursor(self) -> Iterator[Any]:
        """A cursor for one call. One that saw an error is not used again."""
        with self._lock:
            cursor = self._idle.pop() if self._idle else None
        if cursor is None:
            cursor = self._open_cursor()
        with self._lock:
            self._busy.add(cursor)
        reusable = False
        try:
            yield cursor
            reusable = self._pools
        finally:
            with self._lock:
                self._busy.discard(cursor)
                if reusable:
                    self._idle.append(cursor)
            if not reusable:
                with suppress(Exception):
                    cursor.close()

    def interrupt(self) -> None:
        """Stops every read that is under way; they end with an error."""
        with self._lock:
            busy = list(self._busy)
        for cursor in busy:
            with suppress(Exception):
                cursor.interrupt()

    def close(self) -> None:
        """Closes idle cursors. Reads that are under way close theirs."""
        self.interrupt()
        with self._lock:
            idle, self._idle = self._idle, []
            self._pools = False
        for cursor in idle:
            with suppress(Exception):
                cursor.close()

    # -- clock, values, environment -------------------------------------------------------------

    def clock_offset_ms(self) -> int:
        with self._cursor() as cursor:
            before_ms = self._clock_ms()
            answer = cursor.execute("SELECT epoch_ms(current_timestamp::TIMESTAMPTZ)").fetchone()[0]
            after_ms = self._clock_ms()
        return round(answer - (before_ms + after_ms) / 2)

    def volatile_values(self) -> Mapping[str, str]:
        with self._cursor() as cursor:
            row = cursor.execute(
                "SELECT current_date::VARCHAR, current_user, current_catalog(), current_schema(), "
                "current_setting('TimeZone'), version()"
            ).fetchone()
        return {"date": str(row[0]), "session": "|".join(str(value) for value in row[1:])}

    def environment(self) -> Mapping[str, str]:
        with self._cursor() as cursor:
            rows = cursor.execute("SELECT name, value FROM duckdb_settings()").fetchall()
            version = cursor.execute("SELECT version()").fetchone()[0]
        found = {
            name: "NULL" if value is None else value for name, value in rows if counts(name, value)
        }
        found["version"] = ".".join(str(version).lstrip("v").split(".")[:2])
        return dict(sorted(found.items()))

    # -- listings -------------------------------------------------------------------------------

    def listing(self, databases: Iterable[str]) -> Listing:
        listing = Listing()
        with self._cursor() as cursor:
            read_relations(cursor, databases, listing)
            try:
                listing.functions, builtins = read_functions(cursor)
                self._builtins = builtins
            except Exception as error:  # noqa: BLE001 - the engine's words go into the listing
                listing.errors["functions"] = str(error)
        self._catalog.note_texts(relation.ddl for relation in listing.relations)
        self._catalog.note_texts(function.definition for function in listing.functions)
        return listing

    def builtin_functions(self) -> Sequence[str]:
        if self._builtins is None:
            with self._cursor() as cursor:
                self._builtins = read_functions(cursor)[1]
        return self._builtins

    def relations(self, wanted: Sequence[Parts]) -> dict[Parts, ListedRelation | None]:
        """Cheap for tables; views share one bulk read among all that wait for it."""
        with self._cursor() as cursor:
            native = [parts for parts in wanted if self._catalog.native(cursor, parts)]
            kinds = self._catalog.kinds_by_plans(cursor, native)
            for parts in wanted:
                if kinds.get(parts) is None:
                    # Missing, or a view that does not bind: the catalog tells.
                    kinds[parts] = foreign_kind(cursor, parts)
        found: dict[Parts, ListedRelation | None] = {
            parts: ListedRelation(parts, "table", "") if kinds[parts] else None for parts in wanted
        }
        views = [parts for parts in wanted if kinds[parts] == "view"]
        if views:
            found.update(self._definitions(views))
        return found

    def _definitions(self, wanted: Sequence[Parts]) -> dict[Parts, ListedRelation]:
        """Views as the catalog has them. Raises ``UnreadableRelation`` for one that it has not."""
        with self._lock:
            self._views_asked += 1
            ticket = self._views_asked
        with self._views_lock:
            if self._views_read < ticket:  # nobody has begun a read since we asked
                with self._lock:
                    begun_at = self._views_asked
                with self._cursor() as cursor:
                    self._views = read_views(cursor)
                self._views_read = begun_at
            views = {parts: self._views.get(key_of(parts)) for parts in wanted}
        found = {parts: view for parts, view in views.items() if view is not None}
        if len(found) < len(views):
            raise UnreadableRelation("the definition of a view cannot be read")
        self._catalog.note_texts(view.ddl for view in found.values())
        return found

    # -- versions -------------------------------------------------------------------------------

    def batches(self, relations: Sequence[Parts]) -> list[list[Parts]]:
        """How a caller should split ``relations``: up to 50 a statement, big tables on their own so
        that small ones do not wait for them. Keeps the order."""
        split: list[list[Parts]] = []
        current: list[Parts] = []
        for parts in relations:
            shape = self._catalog.known(parts)
            if shape is not None and shape.rows * len(shape.columns) > _HEAVY_ROWS:
                split.append([parts])
                continue
            current.append(parts)
            if len(current) == BATCH_TABLES:
                split.append(current)
                current = []
        return [*split, current] if current else split

    def small(self, relations: Sequence[Parts]) -> list[Parts]:
        """Those that take no time to read: few rows, in DuckDB's own files."""
        with self._cursor() as cursor:
            self._catalog.read_bulk(cursor, relations)
            return [
                parts
                for parts in relations
                if (shape := self._catalog.known(parts)) is not None
                and shape.kind == "table"
                and shape.rows * len(shape.columns) <= _SMALL_CELLS
                and self._catalog.native(cursor, parts)
            ]

    @contextmanager
    def using_little_memory(self) -> Iterator[None]:
        """For reads of small tables. Only while no node runs."""
        with self._cursor() as cursor, self._pool.kept_small(cursor):
            yield

    def forget(self, parts: Parts | None) -> None:
        """Columns of one relation, or with ``None`` everything, may have changed."""
        self._catalog.forget(parts)

    def versions(self, relations: Sequence[Parts]) -> Mapping[Parts, str | Exception]:
        answers: dict[Parts, str | Exception] = {}
        with self._cursor() as cursor:
            self._catalog.read_bulk(cursor, relations)
            tables: list[tuple[Parts, Shape]] = []
            for parts in relations:
                try:
                    shape = self._catalog.shape(cursor, parts)
                except Exception as error:  # noqa: BLE001 - one answer per relation
                    answers[parts] = error
                    continue
                if shape.kind == "view":
                    answers[parts] = token("", "", shape.schema_digest())
                else:
                    tables.append((parts, shape))
            answers.update(self._table_versions(cursor, tables))
        return answers

    def _table_versions(
        self, cursor: Any, tables: list[tuple[Parts, Shape]]
    ) -> dict[Parts, str | Exception]:
        answers: dict[Parts, str | Exception] = {}
        scanned: list[tuple[Parts, Shape]] = []
        lakes: dict[str, dict[Parts, str]] = {}
        for parts, shape in tables:
            database = self._catalog.database(cursor, parts[0])
            if database.type in ("ducklake", "delta") and database.name not in lakes:
                try:
                    lakes[database.name] = self._lake(cursor, database)
                except Exception:  # noqa: BLE001 - another layout: its tables are scanned
                    lakes[database.name] = {}
            data = lakes.get(database.name, {}).get(key_of(parts))
            if data is None:
                scanned.append((parts, shape))
            else:
                answers[parts] = token(data, "", shape.schema_digest())
        native = [self._catalog.native(cursor, parts) for parts, _ in scanned]
        found = fingerprints(cursor, [shape for _, shape in scanned], native)
        for (parts, shape), result in zip(scanned, found, strict=True):
            if isinstance(result, Fingerprint):
                answers[parts] = token(result.data, result.order, shape.schema_digest())
            else:
                answers[parts] = result
        return answers

    def _lake(self, cursor: Any, database: Database) -> dict[Parts, str]:
        """Data parts of an attached lake's tables, where its own records prove them."""
        # Here and below late: most projects have no lake.
        if database.type == "ducklake":
            from dbt_hodor.versions.duckdb_ducklake import data_parts

            return data_parts(cursor, database.name)
        from dbt_hodor.versions import duckdb_delta

        data = duckdb_delta.attached_version(database, self._files.one_file, cursor)
        return {} if data is None else {key_of((database.name, "main", database.name)): data}

    def column_names(self, relation: Parts) -> frozenset[str] | None:
        try:
            with self._cursor() as cursor:
                shape = self._catalog.shape(cursor, relation)
        except Exception:  # noqa: BLE001 - unknown, whatever the reason
            return None
        return frozenset(column.name.lower() for column in shape.columns)

    def file_version(self, pattern: str, function: str) -> str | None:
        try:
            with self._cursor() as cursor:
                if function == "delta_scan":
                    from dbt_hodor.versions import duckdb_delta

                    one_file = self._files.one_file
                    found = duckdb_delta.table_version(pattern, one_file, cursor)
                elif function == "iceberg_scan":
                    from dbt_hodor.versions import duckdb_iceberg

                    found = duckdb_iceberg.table_version(pattern, self._files.one_file)
                else:
                    found = self._files.version(cursor, pattern, function)
        except Exception:  # noqa: BLE001 - unknown, whatever the reason
            return None
        return token(found, "", "") if found else None

    # -- databases ------------------------------------------------------------------------------

    def _database_by_name(self, name: str) -> Database | None:
        try:
            with self._cursor() as cursor:
                return self._catalog.database(cursor, name)
        except Exception:  # noqa: BLE001 - then nothing about it is certain
            return None

    def is_exclusive(self, database: str) -> bool:
        found = self._database_by_name(database)
        if found is None or not self._keep_open or found.read_only or found.internal:
            return False
        known = self._same_file.get(found)
        if known is None:
            known = is_local_file(found) and same_file(found.path, self._path)
            self._same_file[found] = known
        return known

    def is_in_memory(self, database: str) -> bool:
        found = self._database_by_name(database)
        return found is not None and found.type == "duckdb" and not found.path
