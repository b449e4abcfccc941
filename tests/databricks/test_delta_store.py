"""The store contract on a Delta table: the suite that every store runs, and what only this one does."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from delta_warehouse import Warehouse
from store_contract.conftest import record
from store_contract.test_store_contract import *  # noqa: F403

from dbt_hodor.store.base import BIGINT_COLUMNS, Row, StoreUnavailable, StoreUnreadable
from dbt_hodor.store.delta import DeltaStore

pytestmark = pytest.mark.databricks


@pytest.fixture(scope="module")
def schemas(warehouse: Warehouse) -> Iterator[Callable[[str], str]]:
    """Makes a schema once."""
    made: dict[str, str] = {}

    def make(name: str) -> str:
        if name not in made:
            made[name] = f"hodor_test_{uuid.uuid4().hex[:6]}_{name}"
            warehouse.run(f"create schema {warehouse.catalog}.`{made[name]}`")
        return made[name]

    yield make
    for schema in made.values():
        warehouse.run(f"drop schema if exists {warehouse.catalog}.`{schema}` cascade")


@pytest.fixture
def open_store(
    warehouse: Warehouse, schemas: Callable[[str], str]
) -> Iterator[Callable[..., DeltaStore]]:
    """Opens the store under test; called again it opens the same records."""
    own = f"t_{uuid.uuid4().hex[:8]}"
    opened: list[DeltaStore] = []

    def open_it(schema: str = "store", table: str = own, **options: Any) -> DeltaStore:
        place = schemas(schema) if schema.replace("-", "_").isidentifier() else schema
        opened.append(DeltaStore(warehouse.run, warehouse.catalog, place, table, **options))
        return opened[-1]

    yield open_it
    for name in {store.name for store in opened}:
        warehouse.run(f"drop table if exists {name}")


def test_ddl_names_every_column_and_the_table(open_store: Callable[..., DeltaStore]) -> None:
    text = open_store(table="my-table").ddl()
    assert ".`my-table`" in text
    assert "CLUSTER BY (target_name, node_key)" in text
    for column in Row._fields:
        assert f"`{column}` {'BIGINT' if column in BIGINT_COLUMNS else 'STRING'}" in text


def test_other_names(open_store: Callable[..., DeltaStore]) -> None:
    """Of the names that hodor allows, those that Spark's own catalog takes too."""
    store = open_store(schema="ops_2", table="0_select")
    store.append([record(1)])
    assert store.load_latest("shop", "dev", 0) == [record(1)]
    assert open_store().load_latest("shop", "dev", 0) == []


def test_dollars_are_no_variables(open_store: Callable[..., DeltaStore]) -> None:
    row = record(1, detail="${spark.app.name} $x ${} \\$", project_name="${env:HOME}")
    store = open_store()
    store.append([row])
    assert store.load_latest("${env:HOME}", "dev", 0) == [row]


class Failing:
    """Runs statements, and fails where it is told: before they run or after."""

    def __init__(self, run: Callable[[str], Any], *, after: bool) -> None:
        self._run = run
        self._after = after
        self.left = 1
        self.inserts = 0

    def __call__(self, sql: str) -> Any:
        if sql.startswith("INSERT"):
            self.inserts += 1
            if self.left:
                self.left -= 1
                if self._after:
                    self._run(sql)
                raise ConnectionError("the connection was lost")
        return self._run(sql)


@pytest.mark.parametrize("after", [False, True])
def test_a_failed_insert_is_tried_again_and_doubles_nothing(
    open_store: Callable[..., DeltaStore], warehouse: Warehouse, after: bool
) -> None:
    store = open_store()
    store.load_latest("shop", "dev", 0)
    store._run = run = Failing(warehouse.run, after=after)
    rows = [record(number) for number in range(3)]
    store.append(rows)
    assert run.inserts == (1 if after else 2)
    assert sorted(store.invocation("shop", "dev", None)) == sorted(rows)


def test_without_a_schema_there_is_no_store(warehouse: Warehouse) -> None:
    store = DeltaStore(warehouse.run, warehouse.catalog, "hodor_test_no_such_schema", "t")
    with pytest.raises(StoreUnavailable, match=r"makes no schema|cannot be made"):
        store.load_latest("shop", "dev", 0)


def test_reading_only_makes_no_table(
    open_store: Callable[..., DeltaStore], warehouse: Warehouse
) -> None:
    store = open_store(read_only=True)
    with pytest.raises(StoreUnavailable, match="a dbt run creates it"):
        store.load_latest("shop", "dev", 0)
    assert open_store().load_latest("shop", "dev", 0) == []
    assert store.load_latest("shop", "dev", 0) == []


def test_a_table_with_other_columns_is_unreadable(
    open_store: Callable[..., DeltaStore], warehouse: Warehouse
) -> None:
    store = open_store()
    warehouse.run(f"create table {store.name} (a int) using delta")
    with pytest.raises(StoreUnreadable):
        store.load_latest("shop", "dev", 0)
