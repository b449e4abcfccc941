"""Memory that reads take: given back where nobody set a limit, and only there.

In:  a file of many small tables, opened by a process that then reads all of them.
Out: nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dbt_hodor.versions.cache import VersionCache
from dbt_hodor.versions.duckdb import DuckDBProvider
from dbt_hodor.versions.duckdb_memory import BufferPool

TABLES = 120
NAMES = [("many", "main", f"t{number}") for number in range(TABLES)]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Any]:
    path = str(tmp_path / "many.duckdb")
    with duckdb.connect(path) as connection:
        for number in range(TABLES):
            connection.execute(f"CREATE TABLE t{number} AS SELECT range AS a FROM range(5)")
            connection.execute("CHECKPOINT")
    with duckdb.connect(path) as connection:
        yield connection


def cached_bytes(engine: Any) -> int:
    return int(
        engine.execute(
            "SELECT sum(memory_usage_bytes) FROM duckdb_memory() WHERE tag = 'BASE_TABLE'"
        ).fetchone()[0]
    )


def limit(engine: Any) -> str:
    return str(engine.execute("SELECT current_setting('memory_limit')").fetchone()[0])


def read_all(engine: Any) -> None:
    for _, _, name in NAMES:
        engine.execute(f"SELECT sum(a) FROM {name}").fetchall()


def test_blocks_are_thrown_out(engine: Any) -> None:
    before = limit(engine)
    read_all(engine)
    assert cached_bytes(engine) > 20_000_000
    BufferPool().shrink(engine)
    assert cached_bytes(engine) < 10_000_000
    assert limit(engine) == before
    assert engine.execute("SELECT sum(a) FROM t7").fetchone() == (10,)


def test_a_limit_that_was_set_stays(engine: Any) -> None:
    engine.execute("SET memory_limit = '2GB'")
    before = limit(engine)
    read_all(engine)
    cached = cached_bytes(engine)
    BufferPool().shrink(engine)
    assert (cached_bytes(engine), limit(engine)) == (cached, before)


def test_what_is_in_use_stays(engine: Any) -> None:
    before = limit(engine)
    engine.execute(
        "CREATE TEMP TABLE big AS SELECT range AS a, hash(range) AS b FROM range(4000000)"
    )
    read_all(engine)
    BufferPool().shrink(engine)
    assert limit(engine) == before
    assert engine.execute("SELECT count(*), count(DISTINCT a) FROM big").fetchone() == (
        4_000_000,
        4_000_000,
    )


@pytest.mark.parametrize("may_release", [True, False])
def test_small_tables_are_read_first(engine: Any, may_release: bool) -> None:
    engine.execute("CREATE TABLE big AS SELECT range AS a FROM range(200000)")
    engine.execute("CREATE VIEW v AS SELECT a FROM t1; ATTACH ':memory:' AS other")
    provider = DuckDBProvider(engine.cursor, "many.duckdb", may_release=may_release)
    cache = VersionCache(provider)
    more = [("many", "main", "big"), ("many", "main", "v"), ("many", "main", "none")]
    assert cache.read_small([*NAMES, *more], 60) == more
    assert all(cache.peek(parts) for parts in NAMES)
    assert (cached_bytes(engine) < 10_000_000) == may_release
    assert cache.counters.cpu_s == 0  # whoever called counts it
    cache.close()


def test_the_wait_is_bounded(engine: Any) -> None:
    cache = VersionCache(DuckDBProvider(engine.cursor, "many.duckdb"))
    assert cache.read_small(NAMES, -1) == NAMES
    cache.close()
