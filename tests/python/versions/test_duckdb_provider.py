"""The DuckDB provider: schema parts, views, macros, batches, databases, the environment.

Goal: whatever a later query can see in a relation is in its token, and nothing unreadable has one.
Method: a real engine; each change is made by hand and the tokens before and after are compared.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dbt_hodor.versions.duckdb import DuckDBProvider, token
from dbt_hodor.versions.duckdb_settings import DEFAULTS, HARMLESS_SETTINGS, counts


def relation(provider: Any, parts: tuple[str, ...]) -> Any:
    """What stands under one name."""
    return provider.relations([parts])[parts]


@pytest.fixture
def engine() -> Any:
    connection = duckdb.connect(config={"threads": "2"})
    yield connection
    connection.close()


@pytest.fixture
def provider(engine: Any) -> Any:
    provider = DuckDBProvider(engine.cursor, ":memory:")
    yield provider
    provider.close()


def part(token_text: Any, place: int) -> str:
    assert isinstance(token_text, str), token_text
    return token_text.split(";")[place + 1]


def read(provider: DuckDBProvider, name: str, forget: bool = True) -> Any:
    parts = ("memory", "main", name)
    if forget:
        provider.forget(parts)
    return provider.versions([parts])[parts]


SCHEMA_CHANGES = [
    "ALTER TABLE t RENAME COLUMN a TO b",
    "ALTER TABLE t ALTER a TYPE BIGINT",
    "ALTER TABLE t ADD COLUMN z INTEGER",
    "ALTER TABLE t DROP COLUMN s",
    "ALTER TABLE t ALTER a SET NOT NULL",
    "CREATE OR REPLACE TABLE t AS SELECT s, a FROM t",
    "CREATE OR REPLACE TABLE t AS SELECT a, s COLLATE nocase AS s FROM t",
    "CREATE OR REPLACE TABLE t AS SELECT a, s::BLOB AS s FROM t",
    "CREATE OR REPLACE TABLE t AS SELECT a, s::JSON AS s FROM t WHERE false",
    "CREATE OR REPLACE TABLE t AS SELECT a AS \"A\", s FROM t",
]  # fmt: skip


@pytest.mark.parametrize("change", SCHEMA_CHANGES)
@pytest.mark.parametrize("rows", ["(1, 'x'), (2, 'y')", ""])
def test_schema_part_sees(engine: Any, provider: Any, change: str, rows: str) -> None:
    engine.execute("CREATE TABLE t (a INTEGER, s VARCHAR)")
    if rows:
        engine.execute(f"INSERT INTO t VALUES {rows}")
    before = read(provider, "t")
    assert read(provider, "t") == before
    engine.execute(change)
    assert part(read(provider, "t"), 2) != part(before, 2)


def test_bulk_and_single_reads_agree(engine: Any) -> None:
    """One relation read again has the token that the bulk query would have given it."""
    engine.execute("CREATE SCHEMA s; CREATE TYPE mood AS ENUM ('a', 'b')")
    engine.execute("CREATE TABLE base (a VARCHAR COLLATE nocase, b INTEGER NOT NULL)")
    selects = [
        "SELECT 1 AS a, 'x' AS b", "SELECT [a] AS l, {'x': a} AS s FROM base", "SELECT * FROM base",
        "SELECT 'a'::mood AS m, NULL AS n, 1.5 AS d", "SELECT {'a b': 1, 'c': ['x']} AS st",
        "SELECT map {'k': 1} AS mp, '[1]'::JSON AS j, now() AS ts", "SELECT 1 AS \"we\"\"ird, n\"",
    ]  # fmt: skip
    for index, select in enumerate(selects):
        engine.execute(f"CREATE TABLE s.t{index} AS {select}")
    names = [("memory", "s", f"t{index}") for index in range(len(selects))]
    names.append(("memory", "main", "base"))
    bulk = DuckDBProvider(engine.cursor, ":memory:")
    together = bulk.versions(names)
    bulk.close()
    single = DuckDBProvider(engine.cursor, ":memory:")
    for parts in names:
        single.forget(parts)
        assert single.versions([parts])[parts] == together[parts]
    single.close()


def test_collation_inside_a_nested_type_is_seen(engine: Any, provider: Any) -> None:
    engine.execute("CREATE TABLE base AS SELECT 'a' AS s")
    seen = set()
    for collate in ("", "COLLATE nocase", "COLLATE noaccent"):
        engine.execute(f"CREATE OR REPLACE TABLE t AS SELECT [s {collate}] AS l FROM base")
        seen.add(read(provider, "t"))
    assert len(seen) == 3


def test_collation_of_a_view_is_seen(engine: Any) -> None:
    seen = set()
    for collate in ("", "COLLATE nocase"):
        engine.execute(f"CREATE OR REPLACE TABLE t AS SELECT 'a' {collate} AS s")
        engine.execute("CREATE OR REPLACE VIEW v AS SELECT * FROM t")
        provider = DuckDBProvider(engine.cursor, ":memory:")
        seen.add(read(provider, "v", forget=False))
        provider.versions([("memory", "main", "t"), ("memory", "main", "v")])
        provider.close()
    assert len(seen) == 2


def test_a_view_has_a_schema_part_only_and_follows_its_table(engine: Any, provider: Any) -> None:
    engine.execute("CREATE TABLE t AS SELECT 1 AS a")
    engine.execute("CREATE VIEW v AS SELECT * FROM t")
    before = read(provider, "v")
    assert before.startswith("1;;;")
    engine.execute("INSERT INTO t VALUES (2)")
    provider.forget(("memory", "main", "t"))
    assert read(provider, "v", forget=False) == before
    engine.execute("CREATE OR REPLACE TABLE t AS SELECT 1::BIGINT AS a")
    provider.forget(("memory", "main", "t"))
    after = read(provider, "v", forget=False)
    assert isinstance(after, Exception) or after != before


def test_one_bad_table_costs_only_itself(engine: Any, provider: Any) -> None:
    names = []
    for index in range(60):
        engine.execute(f"CREATE TABLE t{index} AS SELECT {index} AS a")
        names.append(("memory", "main", f"t{index}"))
    provider.versions(names)
    engine.execute("DROP TABLE t7")  # behind the provider's back: the whole statement fails
    names.append(("memory", "main", "never"))
    answers = provider.versions(names)
    bad = {parts for parts, answer in answers.items() if isinstance(answer, Exception)}
    assert bad == {("memory", "main", "t7"), ("memory", "main", "never")}
    assert len(set(map(str, answers.values()))) == len(names)


def test_names_and_columns_of_any_kind(engine: Any, provider: Any) -> None:
    schema, table = 'we"ird. schema', "ta'ble; DROP"
    quoted = f'"{schema.replace(chr(34), chr(34) * 2)}"."{table}"'
    engine.execute(f'CREATE SCHEMA "{schema.replace(chr(34), chr(34) * 2)}"')
    columns = ", ".join(f'{n} AS "c;{n} ""q"" \n"' for n in range(1200))
    engine.execute(f"CREATE TABLE {quoted} AS SELECT {columns}")
    parts = ("memory", schema, table)
    first = provider.versions([parts])[parts]
    assert isinstance(first, str)
    engine.execute(f'UPDATE {quoted} SET "c;1199 ""q"" \n" = 5')
    assert part(provider.versions([parts])[parts], 0) != part(first, 0)


def test_names_ignore_case(engine: Any, provider: Any) -> None:
    engine.execute("CREATE TABLE MiXed AS SELECT 1 AS a")
    upper = ("MEMORY", "Main", "MIXED")
    assert provider.versions([upper])[upper] == read(provider, "mixed")


@pytest.mark.parametrize(
    "parts",
    [("temp", "main", "tt"), ("system", "main", "duckdb_tables"), ("memory", "main", "gone"),
     ("memory", "information_schema", "tables"), ("nowhere", "main", "t"), ("memory", "main"),
     ("memory", "pg_catalog", "pg_class")],
)  # fmt: skip
def test_unknown(engine: Any, provider: Any, parts: Any) -> None:
    engine.execute("CREATE TEMP TABLE tt AS SELECT 1 AS a")
    assert isinstance(provider.versions([parts])[parts], Exception)


def test_uncommitted_rows_are_not_seen(engine: Any, provider: Any) -> None:
    engine.execute("CREATE TABLE t AS SELECT 1 AS a")
    before = read(provider, "t")
    engine.execute("BEGIN; INSERT INTO t VALUES (2)")
    assert read(provider, "t") == before
    engine.execute("COMMIT")
    assert read(provider, "t") != before


def test_listing(engine: Any, provider: Any) -> None:
    engine.execute("ATTACH ':memory:' AS other; CREATE TABLE other.x (a INTEGER)")
    engine.execute("CREATE TABLE t (a INTEGER); CREATE VIEW v AS SELECT a FROM t")
    engine.execute("CREATE TEMP TABLE hidden (a INTEGER)")
    listing = provider.listing(["MEMORY"])
    assert {(r.parts, r.type) for r in listing.relations} == {
        (("memory", "main", "t"), "table"),
        (("memory", "main", "v"), "view"),
        (("other", "main", "x"), "table"),
    }
    views = [r.ddl for r in listing.relations if r.type == "view"]
    assert views == ["CREATE VIEW v AS SELECT a FROM t;"]
    assert listing.errors == {}
    assert relation(provider, ("memory", "main", "v")).ddl == views[0]
    assert relation(provider, ("memory", "main", "t")).type == "table"
    assert relation(provider, ("memory", "main", "none")) is None
    assert relation(provider, ("other", "main", "x")).type == "table"
    engine.execute("CREATE OR REPLACE VIEW v AS SELECT a + 1 AS a FROM t")
    assert relation(provider, ("memory", "main", "v")).ddl != views[0]
    with pytest.raises(Exception, match="nowhere"):
        relation(provider, ("nowhere", "main", "t"))


def test_a_view_that_does_not_bind_is_listed_but_has_no_version(engine: Any, provider: Any) -> None:
    engine.execute("CREATE TABLE t AS SELECT 1 AS a; CREATE VIEW v AS SELECT * FROM t")
    engine.execute("DROP TABLE t")
    assert relation(provider, ("memory", "main", "v")).type == "view"
    assert isinstance(read(provider, "v"), Exception)


def test_views_asked_for_together_share_reads(engine: Any, provider: Any) -> None:
    for index in range(40):
        engine.execute(f"CREATE VIEW v{index} AS SELECT {index} AS a")
    found: dict[int, str] = {}

    def ask(index: int) -> None:
        found[index] = relation(provider, ("memory", "main", f"v{index}")).ddl

    threads = [threading.Thread(target=ask, args=(index,)) for index in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(f"SELECT {index} " in found[index] for index in range(40))


def _macro(provider: DuckDBProvider, name: str) -> Any:
    functions = [f for f in provider.listing(["memory"]).functions if f.name == name]
    return functions[0].definition if functions else None


@pytest.mark.parametrize(
    "forms",
    [
        ["f(a) AS a + 1", "f(a) AS a + 2", "f(a, b) AS a + 1", "f(b) AS b + 1"],
        ["f(a, b := 5) AS a + b", "f(a, b := 6) AS a + b", "f(a, b) AS a + b"],
        ["f(a := 1, b := 2) AS a + b", "f(a := 3, b := 2) AS a + b", "f(a, b := 2) AS a + b"],
        ["f(a) AS a, (a, b) AS a + b", "f(a) AS a, (a, b) AS a - b", "f(a) AS a"],
        ["f(n) AS TABLE SELECT n AS x", "f(n) AS TABLE SELECT n + 1 AS x", "f(n) AS n"],
        ["f(s, t := 'x') AS upper(s) || t", "f(s, t := 'y') AS upper(s) || t"],
        ["f(a, c := 5, b := NULL) AS a + b + c", "f(a, c := 6, b := NULL) AS a + b + c"],
        ["f(n := 1) AS TABLE SELECT n AS x", "f(n := 2) AS TABLE SELECT n AS x"],
    ],
)
def test_macros_that_differ_are_listed_with_other_definitions(
    engine: Any, provider: Any, forms: list[str]
) -> None:
    seen = set()
    for form in forms:
        engine.execute("DROP MACRO IF EXISTS f")
        engine.execute("DROP MACRO TABLE IF EXISTS f")
        engine.execute(f"CREATE MACRO {form}")
        definition = _macro(provider, "f")
        assert definition == _macro(provider, "f")  # settled, not a random text
        seen.add(definition)
    assert len(seen) == len(forms)


def test_types_are_listed_with_their_labels(engine: Any, provider: Any) -> None:
    seen = set()
    for labels in ("'a', 'b'", "'b', 'a'", "'a', 'b', 'c'"):
        engine.execute("DROP TYPE IF EXISTS mood")
        engine.execute(f"CREATE TYPE mood AS ENUM ({labels})")
        assert _macro(provider, "mood") == _macro(provider, "mood")
        seen.add(_macro(provider, "mood"))
    assert len(seen) == 3


def test_builtin_functions(engine: Any, provider: Any) -> None:
    engine.execute("CREATE MACRO my_own(a) AS a")
    names = provider.builtin_functions()
    assert {"sum", "read_csv", "hash", "list_transform", "range"} <= set(names)
    assert "my_own" not in names
    assert all(name == name.lower() for name in names)


def test_environment(engine: Any, provider: Any) -> None:
    plain = dict(provider.environment())
    assert set(plain) == {"TimeZone", "version"}
    assert plain["version"] == ".".join(duckdb.__version__.split(".")[:2])
    engine.execute("SET threads = 1; SET memory_limit = '1GB'")
    assert provider.environment() == plain
    changes = {
        "default_null_order": "'nulls_first'", "default_order": "'desc'", "Calendar": "'japanese'",
        "integer_division": "true", "default_collation": "'nocase'", "TimeZone": "'Asia/Tokyo'",
        "ieee_floating_point_ops": "false", "scalar_subquery_error_on_multiple_rows": "false",
        "order_by_non_integer_literal": "true", "preserve_insertion_order": "false",
    }  # fmt: skip
    for name, value in changes.items():
        engine.execute(f"SET GLOBAL {name} = {value}")
        now = provider.environment()
        assert now != plain, name
        plain = dict(now)


def test_settings_are_judged_once() -> None:
    assert not HARMLESS_SETTINGS & set(DEFAULTS)
    assert counts("a_setting_of_tomorrow", "x")
    assert not counts("threads", "4")
    assert not counts("s3_region", "eu-west-1")


def test_every_setting_of_this_engine_is_known(engine: Any) -> None:
    """Nothing at its default counts, but for the time zone: a first run equals the second."""
    rows = engine.execute("SELECT name, value FROM duckdb_settings()").fetchall()
    assert {name for name, value in rows if counts(name, value)} == {"TimeZone"}


def test_volatile_values_and_clock(engine: Any, provider: Any) -> None:
    values = provider.volatile_values()
    assert set(values) == {"date", "session"}
    assert values["date"] == str(engine.execute("SELECT current_date").fetchone()[0])
    assert abs(provider.clock_offset_ms()) < 1000
    engine.execute("SET GLOBAL TimeZone = 'Asia/Tokyo'")
    assert provider.volatile_values()["session"] != values["session"]


def test_databases(tmp_path: Path) -> None:
    main, other = tmp_path / "house.duckdb", tmp_path / "other.duckdb"
    duckdb.connect(str(other)).close()
    connection = duckdb.connect(str(main))
    connection.execute(f"ATTACH '{other}' AS other; ATTACH ':memory:' AS mem")
    link = tmp_path / "link.duckdb"
    link.symlink_to(main)
    provider = DuckDBProvider(connection.cursor, str(link))
    assert provider.is_exclusive("house")
    assert provider.is_exclusive("HOUSE")
    assert not provider.is_exclusive("other")  # others may attach it between our statements
    assert not provider.is_exclusive("mem")
    assert not provider.is_exclusive("nowhere")
    assert provider.is_in_memory("mem")
    assert not provider.is_in_memory("house")
    assert not provider.is_in_memory("nowhere")
    provider.close()
    closing = DuckDBProvider(connection.cursor, str(main), keep_open=False)
    assert not closing.is_exclusive("house")
    closing.close()
    connection.close()
    reading = duckdb.connect(str(main), read_only=True)
    reader = DuckDBProvider(reading.cursor, str(main))
    assert not reader.is_exclusive("house")
    reader.close()
    reading.close()


def test_closing_lets_the_file_go(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    connection = duckdb.connect(str(path))
    connection.execute("CREATE TABLE t AS SELECT 1 AS a")
    provider = DuckDBProvider(connection.cursor, str(path))
    provider.versions([("w", "main", "t")])
    provider.close()
    connection.close()
    duckdb.connect(str(path), config={"threads": "1"}).close()  # refused while it is still open


def test_big_tables_are_read_on_their_own(engine: Any, provider: Any) -> None:
    engine.execute("CREATE TABLE big AS SELECT r, r AS s, r AS t FROM range(1000000) t(r)")
    names = [("memory", "main", "big")]
    for index in range(120):
        engine.execute(f"CREATE TABLE t{index} AS SELECT {index} AS a")
        names.append(("memory", "main", f"t{index}"))
    provider.versions(names[:20])
    split = provider.batches(names)
    assert [len(batch) for batch in split] == [1, 50, 50, 20]
    assert split[0] == [names[0]]


def test_a_forgotten_column_list_is_not_put_back(engine: Any, provider: Any) -> None:
    """A bulk read that began before a relation changed must not restore its old columns."""
    names = []
    for index in range(20):
        engine.execute(f"CREATE TABLE t{index} AS SELECT {index} AS a")
        names.append(("memory", "main", f"t{index}"))
    before = provider.versions(names)
    engine.execute("CREATE OR REPLACE TABLE t3 AS SELECT 3::BIGINT AS a")
    provider.forget(names[3])
    after = provider.versions(names)
    assert {parts for parts in names if after[parts] != before[parts]} == {names[3]}
    engine.execute("CREATE OR REPLACE TABLE t4 AS SELECT 'x' AS a")
    provider.forget(None)
    again = provider.versions(names)
    assert {parts for parts in names if again[parts] != after[parts]} == {names[4]}


def test_a_table_that_appears_after_the_bulk_read_is_read_as_one(
    engine: Any, provider: Any
) -> None:
    for index in range(20):
        engine.execute(f"CREATE TABLE t{index} AS SELECT {index} AS a")
    provider.versions([("memory", "main", f"t{index}") for index in range(20)])
    engine.execute("CREATE TABLE late AS SELECT 1 AS a")
    assert part(read(provider, "late", forget=False), 0).startswith("1:")
    engine.execute("CREATE VIEW w AS SELECT 1 AS a")
    assert read(provider, "w", forget=False).startswith("1;;;")


def test_token_grammar() -> None:
    assert token("a", "b", "c") == "1;a;b;c"
    for parts in (("a;", "", ""), ("", "x", ""), ("", "", "")):
        with pytest.raises(ValueError, match="not a version"):
            token(*parts)


def test_core_agrees_on_the_grammar(engine: Any, provider: Any) -> None:
    core = pytest.importorskip("dbt_hodor._core")
    engine.execute("CREATE TABLE t AS SELECT 1 AS a; CREATE VIEW v AS SELECT 1 AS a")
    table, view = read(provider, "t"), read(provider, "v")
    assert core.version_token(*table.split(";")[1:]) == table
    assert core.compare_versions(table, table, "rows_and_order") == "same"
    assert core.compare_versions(view, view, "schema_only") == "same"
    assert core.compare_versions(view, view, "rows") == "unknown"
