"""Goal: a version on Databricks is proven or unknown, one bad table costs only itself, and no more is
asked than is needed. Method: a warehouse made of Python values that notes every statement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fake_databricks import HOUR_MS, FakeDatabricks, commit, write

from dbt_hodor import _core
from dbt_hodor.versions.databricks_columns import Unversioned


@pytest.fixture
def fake() -> Iterator[FakeDatabricks]:
    made = FakeDatabricks()
    made.table("raw.a", write(1), commit(0, "CREATE TABLE"))
    made.table("raw.b", write(4), write(3))
    yield made
    for provider in made.providers:
        provider.close()


def parts(name: str) -> tuple[str, str, str]:
    schema, relation = name.split(".")
    return ("main", schema, relation)


def versions(provider: Any, *names: str) -> list[Any]:
    found = provider.versions([parts(name) for name in names])
    return [found[parts(name)] for name in names]


def compare(now: Any, then: Any, sensitivity: str = "rows") -> str:
    assert isinstance(now, str), now
    return str(_core.compare_versions(now, _core.recorded_token(then), sensitivity))


def histories(fake: FakeDatabricks) -> list[str]:
    return [sql for sql in fake.seen if "DESCRIBE HISTORY" in sql]


def test_several_tables_in_one_statement(fake: FakeDatabricks) -> None:
    a, b = versions(fake.provider(), "raw.a", "raw.b")
    assert a.startswith("1;history:1@1000,1@1000,20;;")
    assert b.startswith("1;history:4@4000,4@4000,20;;")
    assert len(histories(fake)) == 1
    assert compare(a, a) == "same"


def test_maintenance_is_the_same_and_a_write_is_not(fake: FakeDatabricks) -> None:
    provider = fake.provider()
    (then,) = versions(provider, "raw.a")
    fake.histories["raw.a"].insert(0, commit(2, "OPTIMIZE"))
    (now,) = versions(provider, "raw.a")
    assert compare(now, then) == "same"
    fake.histories["raw.a"].insert(0, write(3, rows=0))
    assert compare(versions(provider, "raw.a")[0], then) == "same"
    fake.histories["raw.a"].insert(0, commit(4, "RESTORE"))
    assert compare(versions(provider, "raw.a")[0], then) == "changed"


def test_one_bad_table_costs_only_itself(fake: FakeDatabricks) -> None:
    fake.errors["raw.b"] = PermissionError("you may not")
    a, b = versions(fake.provider(), "raw.a", "raw.b")
    assert isinstance(a, str)
    assert str(b) == "you may not"


def test_where_a_history_may_not_stand_in_from_each_is_read_alone(fake: FakeDatabricks) -> None:
    nested = versions(fake.provider(), "raw.a", "raw.b")
    fake.nests = False
    provider = fake.provider()
    assert versions(provider, "raw.a", "raw.b") == nested
    fake.seen.clear()
    versions(provider, "raw.a", "raw.b")
    assert [sql[:16] for sql in histories(fake)] == ["DESCRIBE HISTORY"] * 2


def test_a_larger_page_is_read_only_where_a_record_needs_it(fake: FakeDatabricks) -> None:
    (recorded,) = versions(fake.provider(), "raw.a")
    fake.histories["raw.a"] = [commit(n, "OPTIMIZE") for n in range(31, 1, -1)] + fake.histories[
        "raw.a"
    ]
    fake.seen.clear()
    (alone,) = versions(fake.provider(), "raw.a")
    assert len(histories(fake)) == 1
    assert ";history:-,31@31000,20," in alone
    fake.seen.clear()
    provider = fake.provider()
    provider.expect({"main.raw.a": [_core.recorded_token(recorded)]})
    (now,) = versions(provider, "raw.a")
    assert len(histories(fake)) == 2
    assert compare(now, recorded) == "same"
    # What was recorded at a larger page is compared at that page, at once.
    fake.seen.clear()
    again = fake.provider()
    again.expect({"main.raw.a": [_core.recorded_token(now)]})
    assert compare(versions(again, "raw.a")[0], now) == "same"
    assert len(histories(fake)) == 1
    assert "LIMIT 200" in histories(fake)[0]


def test_columns_are_a_part_of_the_version(fake: FakeDatabricks) -> None:
    provider = fake.provider()
    (then,) = versions(provider, "raw.a")
    fake.columns["raw.a"] = [("id", "bigint", "YES")]
    (now,) = versions(provider, "raw.a")
    assert compare(now, then) == "changed"


def test_what_dbt_builds_has_its_columns_from_the_catalog(fake: FakeDatabricks) -> None:
    fake.table("dev.m", write(0))
    provider = fake.provider("dev.m")
    provider.listing(["main"])
    fake.seen.clear()
    versions(provider, "dev.m", "raw.a")
    described = [sql for sql in fake.seen if sql.startswith("DESCRIBE TABLE")]
    assert described == ["DESCRIBE TABLE EXTENDED `main`.`raw`.`a` AS JSON"]
    assert not any("information_schema" in sql for sql in fake.seen)
    provider.forget(parts("dev.m"))
    fake.columns["dev.m"] = [("id", "string", "YES")]
    (now,) = versions(provider, "dev.m")
    assert sum("information_schema" in sql and "column_name" in sql for sql in fake.seen) == 1
    assert isinstance(now, str)


@pytest.mark.parametrize("what", ["row filter", "column mask"])
def test_a_policy_on_a_table_makes_it_unknown(fake: FakeDatabricks, what: str) -> None:
    fake.filters = [("raw", "a", what)]
    provider = fake.provider()
    provider.listing(["main"])
    a, b = versions(provider, "raw.a", "raw.b")
    assert isinstance(a, Unversioned)
    assert what in str(a)
    assert isinstance(b, str)


@pytest.mark.parametrize("key", ["row_filter", "column_masks"])
def test_a_policy_that_only_the_table_shows_makes_it_unknown(
    fake: FakeDatabricks, key: str
) -> None:
    column = {"name": "id", "type": {"name": "int"}}
    fake.described["raw.a"] = {"columns": [column], key: {"name": "f"}}
    assert isinstance(versions(fake.provider(), "raw.a")[0], Unversioned)


def test_when_policies_cannot_be_listed_no_table_has_a_version(fake: FakeDatabricks) -> None:
    fake.errors["row_filters"] = PermissionError("not yours")
    provider = fake.provider()
    listing = provider.listing(["main"])
    assert listing.errors["main"] == "not yours"
    assert isinstance(versions(provider, "raw.a")[0], Unversioned)


@pytest.mark.parametrize(
    "kind", [("FOREIGN", "POSTGRESQL"), ("MANAGED", "ICEBERG"), ("EXTERNAL", "CSV")]
)
def test_what_has_no_delta_history_is_unknown(fake: FakeDatabricks, kind: tuple[str, str]) -> None:
    fake.kinds["raw.a"] = kind
    provider = fake.provider()
    provider.listing(["main"])
    assert isinstance(versions(provider, "raw.a")[0], Unversioned)


@pytest.mark.parametrize("broken", [None, "x", {}, {"columns": []}, {"columns": [{"name": "a"}]}])
def test_nonsense_from_describe_is_unknown(fake: FakeDatabricks, broken: Any) -> None:
    fake.described["raw.a"] = broken
    assert isinstance(versions(fake.provider(), "raw.a")[0], Exception)


@pytest.mark.parametrize(
    "history",
    [[], [(None, 1, "WRITE", "{}", "{}")], [(1, None, "WRITE", "{}", "{}")], [write(3), write(1)],
     [write(n) for n in range(30, 0, -1)]],
)  # fmt: skip
def test_nonsense_from_a_history_is_unknown(fake: FakeDatabricks, history: list[Any]) -> None:
    fake.histories["raw.a"] = history
    if len(history) > 20:
        fake._history = lambda schema, name, page: history  # type: ignore[method-assign]
    a, b = versions(fake.provider(), "raw.a", "raw.b")
    assert isinstance(a, Exception)
    assert isinstance(b, str) or len(history) > 20


def test_views_have_columns_only_and_definitions_with_their_names(fake: FakeDatabricks) -> None:
    fake.views["raw.v"] = "select id from main.raw.a"
    fake.columns["raw.v"] = [("id", "int", "YES")]
    fake.views["raw.hidden"] = None
    provider = fake.provider()
    listing = provider.listing(["main"])
    found = {relation.parts[2]: relation for relation in listing.relations}
    assert found["v"].type == "view"
    assert "select id from main.raw.a" in found["v"].ddl
    assert found["hidden"].ddl == ""
    (token,) = versions(provider, "raw.v")
    assert token.startswith("1;;;")
    before = found["v"].ddl
    fake.columns["raw.v"] = [("key", "int", "YES")]
    after = fake.provider().listing(["main"])
    assert next(r.ddl for r in after.relations if r.parts[2] == "v") != before


def test_our_own_writes_are_told_from_others(fake: FakeDatabricks) -> None:
    fake.table("dev.m", write(0))
    provider = fake.provider("dev.m")
    (before,) = versions(provider, "dev.m")
    before = _core.recorded_token(before)
    statements = [
        '/* {"app": "dbt"} */\n create or replace table `main`.`dev`.`m` using delta as select 1',
        "comment on table `main`.`dev`.`m` is 'x'",
    ]

    def is_ours(*newest_first: tuple[Any, ...], run: list[str] = statements) -> bool:
        fake.histories["dev.m"] = [*newest_first, write(0)]
        versions(provider, "dev.m")
        return provider.is_ours(parts("dev.m"), before, run, True)

    replaced = commit(1, "CREATE OR REPLACE TABLE AS SELECT")
    assert is_ours(replaced)
    assert is_ours(commit(2, "SET TBLPROPERTIES"), replaced)
    assert not is_ours(commit(2, "CREATE OR REPLACE TABLE AS SELECT"), write(1))
    assert not is_ours(write(2), replaced)
    assert not is_ours(replaced, run=[*statements, "call something()"])
    assert not is_ours(replaced, run=["insert into `main`.`dev`.`m` select 1"])


def test_the_date_is_asked_for_again_only_at_midnight(fake: FakeDatabricks) -> None:
    provider = fake.provider()
    provider.begin()
    assert provider.clock_offset_ms() == 0
    first = provider.volatile_values()
    fake.now_ms += 5 * HOUR_MS
    assert provider.volatile_values() == first
    assert sum(sql.startswith("SELECT unix_millis") for sql in fake.seen) == 1
    fake.now_ms += 9 * HOUR_MS
    assert provider.volatile_values()["date"] != first["date"]


def test_settings_that_change_results_are_the_environment(fake: FakeDatabricks) -> None:
    fake.settings = [
        ("spark.sql.ansi.enabled", "false"), ("spark.sql.shuffle.partitions", "7"),
        ("spark.app.id", "x"), ("ANSI_MODE", "true"), ("STATEMENT_TIMEOUT", "5"),
        ("spark.sql.something.new", "1"),
    ]  # fmt: skip
    provider = fake.provider()
    assert provider.environment() == {
        "TimeZone": "UTC", "spark.sql.ansi.enabled": "false", "spark.sql.something.new": "1",
    }  # fmt: skip


def test_the_beginning_asks_once_and_the_listing_is_not_read_again(fake: FakeDatabricks) -> None:
    provider = fake.provider()
    provider.begin()
    provider.clock_offset_ms()
    provider.environment()
    listing = provider.listing(["main"])
    assert {relation.parts[2] for relation in listing.relations} == {"a", "b"}
    assert len(fake.seen) == 6
