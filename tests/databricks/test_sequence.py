"""One long sequence of what happens to a project on Databricks, each step compared with its twin.

Goal: exactly what can be left is left, and nothing that changed. Method: after each step the set of
reused nodes is the expected one, and every relation has the columns and rows of plain dbt.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from delta_warehouse import Warehouse
from delta_world import World

pytestmark = [pytest.mark.databricks, pytest.mark.timeout(1500)]

SOURCES = """version: 2
sources:
  - name: raw
    database: CATALOG
    schema: RAW_SCHEMA
    tables: [{name: orders}, {name: payments}, {name: paid}]
models:
  - name: i_merge
    columns: [{name: id, data_tests: [unique, not_null]}]
  - name: t_orders
    columns: [{name: id, data_tests: [not_null]}]
"""

MODELS = {
    "v_customers": "{{ config(materialized='view') }} select id, name, city from {{ ref('customers') }}",
    "t_city": "select city, count(*) as n from {{ ref('v_customers') }} group by city",
    "t_orders": "select id, amount from {{ source('raw', 'orders') }} where amount > 0",
    "t_child": "select count(*) as n, sum(amount) as total from {{ ref('t_orders') }}",
    "t_paid": "select id, count(*) as n from {{ source('raw', 'paid') }} group by id",
    "i_merge": "{{ config(materialized='incremental', unique_key='id') }} "
    "select id, amount from {{ source('raw', 'orders') }}",
    "i_append": "{{ config(materialized='incremental', incremental_strategy='append') }} "
    "select id, amount from {{ source('raw', 'payments') }} "
    "{% if is_incremental() %} where id > (select max(id) from {{ this }}) {% endif %}",
    "i_all": "{{ config(materialized='incremental', incremental_strategy='append') }} "
    "select id from {{ source('raw', 'payments') }}",
    "i_overwrite": "{{ config(materialized='incremental', incremental_strategy='insert_overwrite') }} "
    "select id, amount from {{ source('raw', 'payments') }}",
}

OF_ORDERS = {"t_orders", "t_child", "i_merge", "not_null_t_orders_id", "unique_i_merge_id",
             "not_null_i_merge_id"}  # fmt: skip


@pytest.fixture(scope="module")
def world(warehouse: Warehouse, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(warehouse, tmp_path_factory.mktemp("sequence"))
    made.run("create table RAW.orders using delta as select 1 id, 10 amount union all select 2, 20")
    made.run("create table RAW.payments using delta as select 1 id, 1.5 amount")
    made.run("create view RAW.paid as select id from RAW.payments")
    made.file("models/schema.yml", SOURCES)
    for name, text in MODELS.items():
        made.file(f"models/{name}.sql", text)
    made.file("seeds/customers.csv", "id,name,city\n1,Ann,Oslo\n2,Bob,Rome\n3,Cy,Rome\n")
    yield made
    made.drop()


def all_nodes(world: World) -> set[str]:
    return set(world.last)


def built(world: World) -> dict[str, str]:
    """Names and reasons of what was executed."""
    return {
        name: str(node["reason"])
        for name, node in world.last.items()
        if node["action"] not in ("reuse", "replay")
    }


def test_the_sequence(world: World) -> None:
    world.dbt("build")
    assert world.reused() == set()

    world.dbt("build")
    # The append has another text once its relation is there; the other one adds everything again.
    assert built(world) == {"i_append": "code_changed", "i_all": "unsettled"}

    world.dbt("build")
    quiet = built(world)
    assert set(quiet) == {"i_all"}, "appends everything each time"

    # Others write one source.
    world.run("insert into RAW.orders values (3, 30)")
    world.dbt("build")
    assert set(built(world)) == {"i_all"} | OF_ORDERS

    world.dbt("build")
    assert set(built(world)) <= {"i_all", "i_merge", "unique_i_merge_id", "not_null_i_merge_id"}

    # A model is edited.
    world.file("models/t_city.sql", MODELS["t_city"].replace("count(*)", "count(*) + 1"))
    world.dbt("build")
    assert built(world)["t_city"] == "code_changed"
    assert set(built(world)) <= {"i_all", "t_city"}


def test_maintenance_builds_nothing(world: World) -> None:
    world.run("insert into RAW.orders values (4, 40)")
    world.dbt("build")
    world.dbt("build")
    world.run("optimize RAW.orders")
    world.run("vacuum RAW.orders")
    world.run("comment on table RAW.orders is 'orders'")
    world.run("alter table RAW.orders set tblproperties ('a' = 'b')")
    world.run("alter table RAW.orders alter column id comment 'the key'")
    world.run("insert into RAW.orders select * from RAW.orders where false")
    world.both("optimize BUILT.t_orders")
    world.both("alter table BUILT.t_orders set tblproperties ('a' = 'b')")
    world.dbt("build")
    assert set(built(world)) == {"i_all"}


def test_a_restore_is_a_change(world: World) -> None:
    """The rows go back to what they were, by a commit that may only add files."""
    world.run("delete from RAW.orders where id = 1")
    world.dbt("build")
    version = world.run("select max(version) from (describe history RAW.orders)")[0][0]
    world.dbt("build")
    world.run(f"restore table RAW.orders to version as of {version - 1}")
    world.dbt("build")
    assert OF_ORDERS - {"i_merge"} <= set(built(world))
    assert world.run("select count(*) from OURS.t_orders where id = 1") == [(1,)]


def test_whatever_else_changes_a_source_is_seen(world: World) -> None:
    for statement in (
        "truncate table RAW.orders",
        "insert overwrite RAW.orders select 5, 50",
        "merge into RAW.orders t using (select 5 id, 55 amount) s on t.id = s.id "
        "when matched then update set *",
        "update RAW.orders set amount = 56 where id = 5",
        "create or replace table RAW.orders using delta as select 6 id, 60 amount",
        "alter table RAW.orders add columns (more int)",
    ):
        world.run(statement)
        world.dbt("build", "--select", "t_orders", "t_child")
        assert built(world).get("t_orders") == "new_upstream_data", statement
    world.run("drop table RAW.orders")
    world.run("create table RAW.orders using delta as select 7 id, 70 amount")
    world.dbt("build", "--select", "t_orders", "t_child")
    assert built(world)["t_orders"] == "new_upstream_data"


def test_a_foreign_write_to_a_model_builds_it(world: World) -> None:
    world.dbt("build")
    world.dbt("build")
    world.run("insert into OURS.t_orders values (99, 99)")
    world.dbt("build")
    assert built(world)["t_orders"] == "target_modified"


def test_a_dropped_model_comes_back(world: World) -> None:
    world.run("drop table OURS.t_paid")
    world.dbt("build")
    assert built(world)["t_paid"] == "relation_missing"


def test_data_behind_a_view_that_is_a_source(world: World) -> None:
    world.dbt("build")
    assert "t_paid" in world.reused()
    world.run("insert into RAW.payments values (2, 2.5)")
    world.dbt("build")
    assert built(world)["t_paid"] == "new_upstream_data"
    world.run("create or replace view RAW.paid as select id from RAW.payments where id > 1")
    world.dbt("build")
    assert built(world)["t_paid"] == "upstream_code_changed"
