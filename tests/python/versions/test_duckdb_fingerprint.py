"""Content fingerprints: what must differ differs, what is equal is equal, on the engine installed.

Goal: no two tables that a query can tell apart have one version. Method: a data file of pairs, most
of which DuckDB's own hash() takes for equal; random nested values against Python's view of them.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dbt_hodor.versions.duckdb import DuckDBProvider
from dbt_hodor.versions.duckdb_types import UnprovableType, extra_expressions, read_type

_ENGINE = tuple(int(part) for part in duckdb.__version__.split(".")[:2])


def _pairs() -> list[tuple[str, str, str]]:
    found = []
    text = Path(__file__).with_name("distinct.tsv").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        data_type, left, right, since = line.split("\t")
        if not since or tuple(int(part) for part in since.split(".")) <= _ENGINE:
            found.append((data_type, left, right))
    return found


@pytest.fixture(scope="module")
def shared() -> Any:
    connection = duckdb.connect(config={"threads": "2"})
    yield connection
    connection.close()


@pytest.fixture
def engine(shared: Any) -> Any:
    """One engine for all tests: an engine of its own costs more than most tests."""
    yield shared
    shared.execute("RESET default_collation")
    for (name,) in shared.execute("SELECT table_name FROM duckdb_tables()").fetchall():
        shared.execute(f"DROP TABLE {name}")


def version(connection: Any, name: str = "t") -> tuple[str, str, str]:
    """(data, order, schema) as a new provider reads them."""
    parts = ("memory", "main", name)
    provider = DuckDBProvider(connection.cursor, ":memory:")
    token = provider.versions([parts])[parts]
    provider.close()
    assert isinstance(token, str), token
    grammar, data, order, schema = token.split(";")
    assert grammar == "1"
    return data, order, schema


@pytest.mark.parametrize(("data_type", "left", "right"), _pairs())
def test_differ(engine: Any, data_type: str, left: str, right: str) -> None:
    seen = []
    for value in (left, right):
        engine.execute(f"CREATE OR REPLACE TABLE t (x {data_type})")
        engine.execute(f"INSERT INTO t VALUES ({value})")
        assert version(engine) == version(engine)
        seen.append(version(engine))
    assert seen[0][0] != seen[1][0]
    assert seen[0][2] == seen[1][2]


@pytest.mark.parametrize(("data_type", "left", "right"), _pairs())
def test_differ_under_a_default_collation(
    engine: Any, data_type: str, left: str, right: str
) -> None:
    engine.execute("SET default_collation = 'nocase'")
    test_differ(engine, data_type, left, right)


@pytest.mark.parametrize(("data_type", "left", "right"), _pairs())
def test_moving_a_value_to_the_other_row_is_seen(
    engine: Any, data_type: str, left: str, right: str
) -> None:
    """The same values, the same rows' keys, but trading places."""
    seen = []
    for first, second in ((left, right), (right, left)):
        engine.execute(f"CREATE OR REPLACE TABLE t (k INTEGER, x {data_type})")
        engine.execute(f"INSERT INTO t VALUES (1, {first}), (2, {second})")
        seen.append(version(engine)[0])
    assert seen[0] != seen[1]


def test_whole_row_and_column_named_like_the_alias(engine: Any) -> None:
    seen = set()
    for other in (1, 2):
        engine.execute(f"CREATE OR REPLACE TABLE t AS SELECT 7 AS t, {other} AS other")
        seen.add(version(engine)[0])
    assert len(seen) == 2


def test_duplicates_do_not_cancel(engine: Any) -> None:
    seen = set()
    for rows in ("", "(1)", "(1),(1)", "(1),(1),(1),(1)", "(1),(2)", "(2),(2)", "(0)", "(0),(0)"):
        engine.execute("CREATE OR REPLACE TABLE t (a INTEGER)")
        if rows:
            engine.execute(f"INSERT INTO t VALUES {rows}")
        seen.add(version(engine)[0])
    assert len(seen) == 8


def test_values_trading_rows_never_cancel(engine: Any) -> None:
    """Xor-combined hashes cancel once in ten million pairs of traded values; ours are mixed first.
    The sums of two rows, over random pairs, must all differ from those with one value traded."""
    engine.execute(
        "CREATE TABLE v AS SELECT hash(r) a, hash(r + 1000000) b, hash(r + 2000000) c, "
        "hash(r + 3000000) d FROM range(300000) t(r)"
    )
    equal = engine.execute(
        "SELECT count(*) FROM v WHERE hash(hash(a, b))::HUGEINT + hash(hash(c, d)) = "
        "hash(hash(a, d))::HUGEINT + hash(hash(c, b))"
    ).fetchone()[0]
    assert equal == 0


def test_order_is_in_the_order_part_only(engine: Any) -> None:
    engine.execute("CREATE TABLE t AS SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (3, 'c'))")
    up = version(engine)
    engine.execute("CREATE OR REPLACE TABLE t AS SELECT * FROM t ORDER BY ALL DESC")
    down = version(engine)
    assert up[0] == down[0]
    assert up[1] != down[1]


@pytest.mark.parametrize("column", ["a", "rowid", "ROWID"])
def test_row_numbers_with_gaps_count_like_those_without(engine: Any, column: str) -> None:
    engine.execute(f"CREATE TABLE t ({column} INTEGER)")
    engine.execute("INSERT INTO t SELECT * FROM range(5000)")
    engine.execute(f"DELETE FROM t WHERE t.{column} % 3 = 1")
    gaps = version(engine)
    rows = engine.execute("SELECT * FROM t").fetchall()
    assert len(rows) == 3333
    engine.execute("CREATE TABLE u AS SELECT * FROM t")
    assert version(engine, "u") == gaps
    engine.execute("CREATE TABLE w AS SELECT * FROM t ORDER BY 1 DESC")
    assert version(engine, "w")[0] == gaps[0]
    assert version(engine, "w")[1] != gaps[1]


def test_parallel_scan_gives_the_same(engine: Any) -> None:
    engine.execute("CREATE TABLE t AS SELECT r, r % 7 AS m, 'x' || r AS s FROM range(500000) t(r)")
    seen = set()
    for threads in (1, 2, 4):
        engine.execute(f"SET threads = {threads}")
        seen.add(version(engine))
    assert len(seen) == 1


def test_same_rows_through_another_file_and_a_checkpoint(tmp_path: Path) -> None:
    seen = set()
    for name in ("one", "two"):
        connection = duckdb.connect(str(tmp_path / f"{name}.duckdb"))
        connection.execute(
            "CREATE TABLE t AS SELECT r::INTEGER AS i, 'text ' || (r % 13) AS s, [r, NULL] AS l, "
            "{'a': r / 3, 'b': NULL} AS st, r::HUGEINT AS h FROM range(3000) t(r)"
        )
        for _ in range(2):
            parts = (name, "main", "t")
            provider = DuckDBProvider(connection.cursor, str(tmp_path / f"{name}.duckdb"))
            seen.add(provider.versions([parts])[parts])
            provider.close()
            connection.close()
            connection = duckdb.connect(str(tmp_path / f"{name}.duckdb"))
        connection.close()
    assert len(seen) == 1


def _random_value(chance: random.Random, depth: int) -> tuple[str, str]:
    """A random (type, value) of text, numbers and nested types, from a small alphabet."""
    if depth == 0:
        return "VARCHAR", ""
    kind = chance.choice(["list", "struct", "map"])
    inner = _random_value(chance, depth - 1)[0]
    if kind == "list":
        return f"{inner}[]", ""
    if kind == "struct":
        return f"STRUCT(a {inner}, b DOUBLE, c INTERVAL)", ""
    return f"MAP(VARCHAR, {inner})", ""


_TEXTS = [
    "",
    "a",
    "A",
    "NULL",
    "null",
    ",",
    "a, b",
    "'",
    '"',
    "\\",
    "[",
    "]",
    "{}",
    " ",
    "=",
    "'a'",
]


def _literal(chance: random.Random, data_type: str) -> str:
    if chance.random() < 0.2:
        return "NULL"
    if data_type.endswith("[]"):
        count = chance.randrange(3)
        return "[" + ", ".join(_literal(chance, data_type[:-2]) for _ in range(count)) + "]"
    if data_type.startswith("STRUCT"):
        inner = data_type[len("STRUCT(a ") : -len(", b DOUBLE, c INTERVAL)")]
        number = chance.choice(["'0.0'", "'-0.0'", "'nan'", "'-nan'", "1.5", "NULL"])
        span = chance.choice(["'1 month'", "'30 days'", "'720 hours'", "NULL"])
        return f"{{'a': {_literal(chance, inner)}, 'b': {number}::DOUBLE, 'c': {span}::INTERVAL}}"
    if data_type.startswith("MAP"):
        inner = data_type[len("MAP(VARCHAR, ") : -1]
        keys = chance.sample(_TEXTS, chance.randrange(3))
        pairs = [f"{_quoted(key)}: {_literal(chance, inner)}" for key in keys]
        return "map {" + ", ".join(pairs) + "}"
    return _quoted(chance.choice(_TEXTS))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@pytest.mark.parametrize("seed", range(12))
def test_random_nested_values_have_their_own_hashes(engine: Any, seed: int) -> None:
    """As many row hashes as there are values: distinct by the literal that made them."""
    chance = random.Random(seed)
    data_type = _random_value(chance, chance.randrange(1, 4))[0]
    literals = sorted({_literal(chance, data_type) for _ in range(80)})
    seen: dict[str, str] = {}
    engine.execute(f"CREATE TABLE t (x {data_type})")
    for literal in literals:
        engine.execute("DELETE FROM t")
        engine.execute(f"INSERT INTO t VALUES ({literal}::{data_type})")
        data = version(engine)[0]
        assert seen.setdefault(data, literal) == literal
    assert len(seen) == len(literals)


@pytest.mark.parametrize(
    "printed",
    ["", "POINT_2D", "STRUCT(a FUTURE)", "INTEGER[", "MAP(INTEGER", "INTEGER)", "DECIMAL", "'x'",
     "LIST(INTEGER)[", "STRUCT(a INTEGER b INTEGER)", "UNION(a)", "INTEGER" + "[" * 3],
)  # fmt: skip
def test_unknown_types_are_refused(printed: str) -> None:
    with pytest.raises(UnprovableType):
        read_type(printed)


def test_types_are_read_whole() -> None:
    for depth, expected in ((60, True), (70, False)):
        printed = "STRUCT(a " * depth + "INTEGER" + ")" * depth
        if expected:
            assert read_type(printed).nested
        else:
            with pytest.raises(UnprovableType):
                read_type(printed)
    facts = read_type(
        """STRUCT("a, b" DECIMAL(38,2), c ENUM('x)', 'it''s'), d MAP(INTEGER, DOUBLE[3])[])"""
    )
    assert facts.nested
    assert facts.wide
    assert facts.leaves == {"DECIMAL", "ENUM", "INTEGER", "DOUBLE"}
    assert extra_expressions('"x"', "INTEGER", False) == []
    assert extra_expressions('"x"', "VARCHAR", False) == []


def test_every_type_of_the_engine_is_judged(engine: Any) -> None:
    """A type that this engine has and we do not know is refused, not hashed."""
    judged = 0
    for (name,) in engine.execute(
        "SELECT DISTINCT type_name FROM duckdb_types() WHERE internal"
    ).fetchall():
        try:
            engine.execute(f'CREATE OR REPLACE TABLE t (x "{name}")')
        except duckdb.Error:
            continue  # a type that needs arguments, or none of a column
        printed = engine.execute(
            "SELECT data_type FROM duckdb_columns() WHERE table_name = 't'"
        ).fetchone()[0]
        parts = ("memory", "main", "t")
        provider = DuckDBProvider(engine.cursor, ":memory:")
        answer = provider.versions([parts])[parts]
        provider.close()
        try:
            read_type(printed)
            assert isinstance(answer, str), (printed, answer)
            judged += 1
        except UnprovableType:
            assert isinstance(answer, UnprovableType)
    assert judged > 25
