"""Column lists: three ways to read them must agree, whatever the types and names.

In:  tables with every kind of column.
Out: nothing; a digest that depended on the way would make a node build for ever.
"""

from __future__ import annotations

from typing import Any

import duckdb
import pytest

from dbt_hodor.versions.duckdb_catalog import ShapeCatalog
from dbt_hodor.versions.duckdb_shapes import (
    key_of,
    read_all_tables,
    read_collations,
    table_shape,
    table_shapes,
)

TYPES = (
    "INTEGER", "HUGEINT", "DECIMAL(18, 3)", "VARCHAR", "VARCHAR COLLATE NOCASE", "BLOB", "DATE",
    "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "INTERVAL", "UUID", "BIT", "INTEGER[]", "INTEGER[3]",
    "ENUM ('a', 'it''s')", 'STRUCT("a b" INTEGER, "it""s" VARCHAR)', "MAP(VARCHAR, INTEGER[])",
    "UNION(num INTEGER, str VARCHAR)", "STRUCT(a VARCHAR)[]",
)  # fmt: skip


@pytest.fixture
def engine() -> Any:
    connection = duckdb.connect(config={"threads": "1"})
    yield connection
    connection.close()


def test_three_ways_agree(engine: Any) -> None:
    engine.execute("CREATE SCHEMA \"sch; ema\"; CREATE TYPE mood AS ENUM ('sad', 'ok')")
    columns = ", ".join(f'"c {place}" {name}' for place, name in enumerate(TYPES))
    engine.execute(f'CREATE TABLE plain ({columns}); CREATE TABLE "sch; ema"."na;me" ({columns})')
    engine.execute("CREATE TABLE strict (a INTEGER NOT NULL, b mood, PRIMARY KEY (a))")
    engine.execute("CREATE TABLE computed (a INTEGER DEFAULT 1, b AS (a + 1), CHECK (a > 0))")
    engine.execute('CREATE TABLE "it""s" (a INTEGER, "b""c" VARCHAR)')
    bulk = read_all_tables(engine)
    names = [shape.parts for shape in bulk.values()]
    assert len(names) == 5
    together = table_shapes(engine, {parts: read_collations(engine, parts) for parts in names})
    for parts in names:
        alone = table_shape(engine, parts, read_collations(engine, parts))
        digests = {shape.schema_digest() for shape in (bulk[key_of(parts)], together[parts], alone)}
        assert len(digests) == 1, parts
        assert len(together[parts].columns) == len(bulk[key_of(parts)].columns)
        assert together[parts].columns == bulk[key_of(parts)].columns


def test_kinds_of_many(engine: Any) -> None:
    engine.execute("CREATE TABLE t (a INTEGER); CREATE VIEW v AS SELECT a FROM t")
    engine.execute("CREATE TABLE gone (a INTEGER); CREATE VIEW broken AS SELECT a FROM gone")
    engine.execute("DROP TABLE gone")
    wanted = [("memory", "main", name) for name in ("t", "v", "broken", "none")]
    kinds = ShapeCatalog().kinds_by_plans(engine, wanted)
    assert [kinds[parts] for parts in wanted] == ["table", "view", None, None]
    assert ShapeCatalog().kinds_by_plans(engine, []) == {}
