"""The ordered columns of every relation, and the schema part of its version.

In:  a cursor.
Out: one ``Shape`` per relation: columns, collations, kind, size; its digest.
Never: trusts ``duckdb_columns()`` for a view (it shows the columns as first bound), nor a list that
was read before a relation changed: whoever changes one says ``forget``.

Collations are printed nowhere but in a table's SQL, and those inside nested types not even there.
A bound plan has them all, so it is asked where a collation is possible.
"""

from __future__ import annotations

import hashlib
import json
import string
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dbt_hodor.versions.base import Parts


class UnreadableRelation(Exception):
    """A relation whose version is unknown, with the reason for a person."""


_ASCII_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


class Column(NamedTuple):
    name: str
    type: str
    nullable: bool


@dataclass(frozen=True, slots=True)
class Shape:
    """One relation as its catalog has it. ``collations``: all that occur in its columns, in order,
    empty when there is none. ``rows``: the engine's estimate, for scheduling only."""

    parts: Parts
    kind: str
    columns: tuple[Column, ...]
    collations: tuple[str, ...] = ()
    rows: int = 0

    def schema_digest(self) -> str:
        """Names one ordered list of (name, type, nullability) and the collations."""
        pieces: list[str] = []
        for column in self.columns:
            pieces += [column.name, column.type, "null" if column.nullable else "not null"]
        pieces += ["collations", *self.collations]
        digest = hashlib.sha256()
        for piece in pieces:
            data = piece.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big") + data)
        return digest.hexdigest()[:32]


def key_of(parts: Sequence[str]) -> Parts:
    """How relations are looked up: DuckDB's names ignore case, that of ASCII letters only."""
    key = tuple(part.translate(_ASCII_LOWER) for part in parts)
    return parts if key == parts else key  # most names are keys: one text less of each


def quoted_name(parts: Sequence[str]) -> str:
    """``"a"."b"."c"``."""
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts)


def text_literal(text: str) -> str:
    """``'…'``."""
    return "'" + text.replace("'", "''") + "'"


def read_all_tables(cursor: Any) -> dict[Parts, Shape]:
    """Every table of every database, in two bulk queries. Their collations are not in it yet where
    ``may_collate`` says so."""
    columns: dict[Parts, list[Column]] = {}
    known: dict[Column, Column] = {}
    rows = cursor.execute(
        "SELECT database_name, schema_name, table_name, column_name, data_type, is_nullable "
        "FROM duckdb_columns() WHERE NOT internal "
        "ORDER BY database_oid, schema_oid, table_oid, column_index"
    ).fetchall()
    for database, schema, table, name, data_type, nullable in rows:
        # The same few names and types stand in thousands of columns.
        column = Column(sys.intern(name), sys.intern(data_type), nullable)
        column = known.setdefault(column, column)
        columns.setdefault((database, schema, table), []).append(column)
    shapes: dict[Parts, Shape] = {}
    rows = cursor.execute(
        "SELECT database_name, schema_name, table_name, estimated_size, "
        "contains(lower(sql), 'collate') FROM duckdb_tables() WHERE NOT internal"
    ).fetchall()
    pending: list[Parts] = []
    for database, schema, table, size, collate in rows:
        parts = (sys.intern(database), sys.intern(schema), table)
        shape = Shape(parts, "table", tuple(columns.get(parts, ())), rows=int(size or 0))
        shapes[key_of(parts)] = shape
        if collate is not False or nested_text(shape):
            pending.append(parts)
    return shapes | _with_collations(cursor, [shapes[key_of(parts)] for parts in pending])


def nested_text(shape: Shape) -> bool:
    """Whether text inside a nested type could carry a collation that the table's SQL hides."""
    return any(
        ("VARCHAR" in column.type or "JSON" in column.type)
        and (column.type.endswith("]") or "(" in column.type)
        for column in shape.columns
    )


def _with_collations(cursor: Any, shapes: Iterable[Shape]) -> dict[Parts, Shape]:
    rows = cursor.execute("SELECT database_name FROM duckdb_databases() WHERE type = 'duckdb'")
    natives = {name for (name,) in rows.fetchall()}
    found: dict[Parts, Shape] = {}
    for shape in shapes:
        # Foreign catalogs know nothing of DuckDB's collations.
        native = shape.parts[0] in natives
        collations = read_collations(cursor, shape.parts) if native else ()
        found[key_of(shape.parts)] = Shape(
            shape.parts, shape.kind, shape.columns, collations, shape.rows
        )
    return found


def read_plans(cursor: Any, relations: Sequence[Sequence[str]]) -> list[dict[str, Any]]:
    """The bound plans of ``SELECT * FROM`` each relation, as the engine serializes them. Raises
    ``UnreadableRelation`` when one of them does not bind."""
    selects = "; ".join("SELECT * FROM " + quoted_name(parts) for parts in relations)
    text = cursor.execute(f"SELECT json_serialize_plan({text_literal(selects)})").fetchone()[0]
    answer: dict[str, Any] = json.loads(text)
    if answer.get("error") is not False or len(answer["plans"]) != len(relations):
        raise UnreadableRelation(str(answer.get("error_message", "no plan")))
    plans: list[dict[str, Any]] = answer["plans"]
    return plans


def read_plan(cursor: Any, parts: Sequence[str]) -> dict[str, Any]:
    """The same of one relation."""
    return read_plans(cursor, [parts])[0]


def collations_of(plan: dict[str, Any]) -> tuple[str, ...]:
    """Collations of the columns that a plan gives, with their place; empty when there is none."""
    found: list[str] = []
    for index, expression in enumerate(plan["expressions"]):
        _collect(expression["return_type"], str(index), found)
    return tuple(found)


def _collect(part: Any, place: str, found: list[str]) -> None:
    if isinstance(part, dict):
        collation = part.get("collation")
        if isinstance(collation, str) and collation:
            found.append(f"{place}:{collation}")
        for name, value in part.items():
            if name != "collation":
                _collect(value, f"{place}.{name}", found)
    elif isinstance(part, list):
        for index, value in enumerate(part):
            _collect(value, f"{place}.{index}", found)


def read_collations(cursor: Any, parts: Sequence[str]) -> tuple[str, ...]:
    """Raises ``UnreadableRelation`` when the engine gives no plan."""
    return collations_of(read_plan(cursor, parts))


def read_one(cursor: Any, parts: Parts, native: bool) -> Shape:
    """One relation again, after something ran: much less than the bulk queries among many tables.
    ``native``: its database is DuckDB's own. Raises ``UnreadableRelation`` or the engine's error."""
    if not native:
        kind = foreign_kind(cursor, parts)
        if kind is None:
            raise UnreadableRelation("it does not exist")
        columns = (
            _table_columns(cursor, parts) if kind == "table" else _bound_columns(cursor, parts)
        )
        return Shape(parts, kind, columns)
    plan = read_plan(cursor, parts)
    if is_table_plan(plan, parts):
        return table_shape(cursor, parts, collations_of(plan))
    return Shape(parts, "view", _bound_columns(cursor, parts), collations_of(plan))


def table_shape(cursor: Any, parts: Parts, collations: tuple[str, ...]) -> Shape:
    """A table whose collations are known."""
    return Shape(parts, "table", _table_columns(cursor, parts), collations)


def table_shapes(cursor: Any, collations: Mapping[Parts, tuple[str, ...]]) -> dict[Parts, Shape]:
    """The same of many tables, in one statement: ``collations`` by table."""
    # 1.5 cannot read a quote within a name here; such a table is described on its own.
    together = [parts for parts in collations if '"' not in "".join(parts)]
    columns: dict[Parts, list[Column]] = {parts: [] for parts in together}
    if together:
        sources = " UNION ALL ".join(
            f'SELECT {place} i, cid, name, type, "notnull" '
            f"FROM pragma_table_info({text_literal(quoted_name(parts))})"
            for place, parts in enumerate(together)
        )
        rows = cursor.execute(f"FROM ({sources}) ORDER BY i, cid").fetchall()
        for place, _, name, data_type, not_null in rows:
            columns[together[place]].append(Column(name, data_type, not not_null))
    return {
        parts: Shape(parts, "table", tuple(columns[parts]), found)
        if columns.get(parts)
        else table_shape(cursor, parts, found)
        for parts, found in collations.items()
    }


def read_view(cursor: Any, parts: Parts, may_collate: bool) -> Shape:
    """The columns of a view as it binds now. ``may_collate``: some collation is in use somewhere."""
    columns = _bound_columns(cursor, parts)
    return Shape(parts, "view", columns, read_collations(cursor, parts) if may_collate else ())


def is_table_plan(plan: dict[str, Any], parts: Sequence[str]) -> bool:
    """Whether a plan reads the named relation itself; a view's plan reads something else."""
    children = plan.get("children") or []
    if len(children) != 1 or children[0].get("type") != "LOGICAL_GET":
        return False
    data = children[0].get("function_data") or {}
    return key_of([str(data.get(n, "")) for n in ("catalog", "schema", "table")]) == key_of(parts)


def foreign_kind(cursor: Any, parts: Sequence[str]) -> str | None:
    """``table``, ``view`` or ``None`` by the catalog functions, for any kind of database."""
    names = [part.lower() for part in parts]
    condition = "lower(database_name) = ? AND lower(schema_name) = ? AND lower({}) = ?"
    rows = cursor.execute(
        f"SELECT 'table' FROM duckdb_tables() WHERE {condition.format('table_name')} UNION ALL "
        f"SELECT 'view' FROM duckdb_views() WHERE {condition.format('view_name')}",
        [*names, *names],
    ).fetchall()
    return rows[0][0] if rows else None


def _table_columns(cursor: Any, parts: Parts) -> tuple[Column, ...]:
    # pragma_table_info would do as well, but 1.5 cannot read a name with a quote in it.
    rows = cursor.execute(f"DESCRIBE {quoted_name(parts)}").fetchall()
    return tuple(Column(row[0], row[1], row[2] != "NO") for row in rows)


def _bound_columns(cursor: Any, parts: Parts) -> tuple[Column, ...]:
    # A relation object binds without running: half the cost of DESCRIBE, and as fresh.
    relation = cursor.sql(f"SELECT * FROM {quoted_name(parts)}")
    return tuple(
        Column(name, str(data_type), True)
        for name, data_type in zip(relation.columns, relation.types, strict=True)
    )
