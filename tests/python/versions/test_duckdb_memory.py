"""Memory that reads take: little where nobody set a limit, and only there.

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


def test_reads_take_over_the_blocks_of_earlier_ones(engine: Any) -> None:
    before = limit(engine)
    with BufferPool(lambda: before).kept_small(engine):
        read_all(engine)
        assert cached_bytes(engine) < 12_000_000
    assert cached_bytes(engine) < 4_000_000
    assert limit(engine) == before
    # What an engine shows as its limit need not be what it keeps to.
    assert engine.execute("SELECT len(list(range)) FROM range(4000000)").fetchone() == (4000000,)
    read_all(engine)
    assert cached_bytes(engine) > 20_000_000
    assert engine.execute("SELECT sum(a) FROM t7").fetchone() == (10,)


@pytest.mark.parametrize("set_to", ["2GB", None])
def test_a_limit_that_was_set_or_may_be_stays(engine: Any, set_to: str | None) -> None:
    default = limit(engine)
    if set_to is not None:
        engine.execute(f"SET memory_limit = '{set_to}'")
    before = limit(engine)
    with BufferPool(None if set_to is None else lambda: default).kept_small(engine):
        read_all(engine)
        assert limit(engine) == before
    assert cached_bytes(engine) > 20_000_000
    assert limit(engine) == before


def test_an_error_in_between_ends_the_limit(engine: Any) -> None:
    before = limit(engine)
    seen: list[str] = []

    def fail() -> None:
        with BufferPool(lambda: before).kept_small(engine):
            seen.append(limit(engine))
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    assert seen != [before]
    assert limit(engine) == before
    assert engine.execute("SELECT len(list(range)) FROM range(4000000)").fetchone() == (4000000,)


def test_what_is_in_use_stays(engine: Any) -> None:
    before = limit(engine)
    engine.execute(
        "CREATE TEMP TABLE big AS SELECT range AS a, hash(range) AS b FROM range(4000000)"
    )
    with BufferPool(lambda: before).kept_small(engine):
        read_all(engine)
    assert limit(engine) == before
    assert engine.execute("SELECT count(*), count(DISTINCT a) FROM big").fetchone() == (
        4_000_000,
        4_000_000,
    )


def test_what_does_not_fit_is_read_again_later(engine: Any) -> None:
    """Not so many rows that it is no small table, but rows of a size that does not fit."""
    engine.execute(
        "CREATE TABLE wide AS SELECT repeat(chr((65 + range % 26)::INTEGER), 2000000) AS a FROM range(40)"
    )
    engine.execute("CHECKPOINT")
    wide = ("many", "main", "wide")
    provider = DuckDBProvider(
        engine.cursor, "many.duckdb", default_memory_limit=lambda: limit(engine)
    )
    cache = VersionCache(provider)
    left = cache.read_small([wide, *NAMES], 60)
    assert left in ([], [wide])
    assert cache.get(wide, 60) is not None
    assert not cache.errors()
    cache.close()


@pytest.mark.parametrize("is_limited", [True, False])
def test_small_tables_are_read_first(engine: Any, is_limited: bool) -> None:
    default = limit(engine)
    engine.execute("CREATE TABLE big AS SELECT range AS a FROM range(200000)")
    engine.execute("CREATE VIEW v AS SELECT a FROM t1; ATTACH ':memory:' AS other")
    provider = DuckDBProvider(
        engine.cursor,
        "many.duckdb",
        default_memory_limit=(lambda: default) if is_limited else None,
    )
    cache = VersionCache(provider)
    more = [("many", "main", "big"), ("many", "main", "v"), ("many", "main", "none")]
    assert cache.read_small([*NAMES, *more], 60) == more
    assert all(cache.peek(parts) for parts in NAMES)
    assert (cached_bytes(engine) < 4_000_000) == is_limited
    assert limit(engine) == default
    assert cache.counters.cpu_s == 0  # whoever called counts it
    cache.close()


def test_the_wait_is_bounded(engine: Any) -> None:
    cache = VersionCache(DuckDBProvider(engine.cursor, "many.duckdb"))
    assert cache.read_small(NAMES, -1) == NAMES
    cache.close()
