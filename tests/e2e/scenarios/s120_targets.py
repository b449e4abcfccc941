"""The relation itself was touched by hand since the last build."""

from __future__ import annotations

from e2e.scenario import CHAIN, chain, scenario, smoke
from e2e.twin import Twin


def touched(t: Twin, statement: str, reason: str) -> None:
    """After ``statement`` by hand, m builds again and its reader sees what it knew."""
    chain(t)
    t.sql(statement)
    t.run("build", expect={"m": reason}, no_new_data="s c")
    t.run("build", no_new_data="s m c")


@smoke
def rows_inserted(t: Twin) -> None:
    touched(t, "insert into m values (9, 'z')", "target_modified")


@scenario
def dropped(t: Twin) -> None:
    touched(t, "drop table m", "relation_missing")


@scenario
def column_added(t: Twin) -> None:
    touched(t, "alter table m add column extra int", "target_modified")


@scenario
def column_renamed(t: Twin) -> None:
    touched(t, "alter table m rename column v to w", "target_modified")


@scenario
def column_retyped(t: Twin) -> None:
    touched(t, "alter table m alter column id type smallint", "target_modified")


@scenario
def values_of_equal_look(t: Twin) -> None:
    """int 1 -> bigint 1, same text and same hash of the row in DuckDB's hash()."""
    touched(t, "alter table m alter column id type bigint; ", "target_modified")


@scenario
def replaced_by_a_view(t: Twin) -> None:
    """dbt would put a table back, so another type of object counts as a missing one."""
    touched(
        t,
        "create table keep as from m; drop table m; create view m as from keep",
        "relation_missing",
    )


@scenario
def view_replaced_by_a_table(t: Twin) -> None:
    t.files(CHAIN)
    t.write("models/m.sql", "{{ config(materialized='view') }} select id, v from {{ ref('s') }}")
    t.run("build", no_history="s m c")
    t.sql("drop view m; create table m as select id, v from s")
    t.run("build", relation_missing="m", no_new_data="s c")


@scenario
def dropped_child_only(t: Twin) -> None:
    """Dropping the seed's table: it is loaded again and nothing else is."""
    chain(t)
    t.sql("drop table s")
    t.run("build", relation_missing="s", no_new_data="m c")


@scenario
def other_checkout(t: Twin) -> None:
    """Another checkout with its own state built other code into our table."""
    chain(t)
    t.write("models/m.sql", "select id, upper(v) as v from {{ ref('s') }}")
    t.run(
        "build",
        env={"HODOR_PATH": "other/state.duckdb"},
        no_history="s m c",
    )
    t.write("models/m.sql", CHAIN["models/m.sql"])
    t.run("build", target_modified="m c", no_new_data="s")
