"""Attempts at a wrong reuse: things that engines and macros do besides what a SELECT says."""

from __future__ import annotations

from e2e.scenario import CHAIN, raw_tables, scenario
from e2e.twin import Twin


@scenario
def foreign_key_parent_rebuilt(t: Twin) -> None:
    """Building a parent drops and restores what refers to it."""
    t.files(
        {
            "seeds/s.csv": "id\n1\n2\n",
            "models/a.sql": "{{ config(contract={'enforced': true}) }} "
            "select id::integer as id from {{ ref('s') }}",
            "models/b.sql": "{{ config(contract={'enforced': true}) }} "
            "select id::integer as id from {{ ref('a') }} where id = 1",
            "models/p.yml": "models:\n"
            "  - name: a\n    columns: [{name: id, data_type: integer, constraints: [{type: primary_key}]}]\n"
            "  - name: b\n    columns: [{name: id, data_type: integer, constraints: "
            "[{type: foreign_key, to: ref('a'), to_columns: [id]}]}]\n",
        }
    )
    t.run("build", no_history="s a b")
    t.run("build", no_new_data="s a b")
    t.write("seeds/s.csv", "id\n1\n2\n3\n")
    t.run("build", code_changed="s", new_upstream_data="a b")
    t.run("build", allow={"s": "no_new_data", "a": "no_new_data target_modified",
                          "b": "no_new_data target_modified"})  # fmt: skip


@scenario
def seed_delimiter_and_types(t: Twin) -> None:
    t.write("seeds/s.csv", "id;v\n1;01\n2;02\n")
    t.write("seeds/p.yml", "seeds: [{name: s, config: {delimiter: ';'}}]\n")
    t.run("build", no_history="s")
    t.write(
        "seeds/p.yml", "seeds: [{name: s, config: {delimiter: ';', column_types: {v: varchar}}}]\n"
    )
    t.run("build", config_changed="s")
    t.write("seeds/p.yml", "seeds: [{name: s, config: {delimiter: ',', column_types: {}}}]\n")
    t.invoke("build")
    t.write("seeds/p.yml", "seeds: [{name: s, config: {delimiter: ';', quote_columns: true}}]\n")
    t.invoke("build")
    t.run("build", no_new_data="s")


@scenario
def schema_change_modes(t: Twin) -> None:
    """on_schema_change decides what a new column of the input becomes."""
    raw_tables(t)
    body = (
        "{{{{ config(materialized='incremental', unique_key='id', on_schema_change='{}') }}}}\n"
        "select * from {{{{ source('raw', 't') }}}}"
    )
    t.write("models/p.yml", "models: [{name: m, columns: [{name: id, data_tests: [not_null]}]}]\n")
    for mode in ("ignore", "append_new_columns", "sync_all_columns"):
        t.write("models/m.sql", body.format(mode))
        t.invoke("build --full-refresh")
        t.invoke("build")
        t.sql(f"alter table raw.t add column {mode} integer default 3")
        t.invoke("build")
        found = t.problems()
        t.invoke("build")
        found += t.problems()
        if found:
            t.fail(found)


@scenario
def sequence_default_and_generated(t: Twin) -> None:
    """A table of others with a default that counts up, and a view that shows the next value."""
    t.sql("create schema raw; create sequence raw.q; "
          "create table raw.t (id integer default nextval('raw.q'), v integer, "
          "w integer generated always as (v + 1)); insert into raw.t (v) values (1)")  # fmt: skip
    t.write("models/m.sql", "select id, v, w from wh.raw.t")
    t.write("models/n.sql", "select 1 as x from wh.raw.t where nextval('raw.q') > 0")
    t.run("build", no_history="m n")
    t.run("build", no_new_data="m", volatile_sql="n")
    t.sql("update raw.t set v = 5")
    t.run("build", new_upstream_data="m n")


@scenario
def collation_of_a_source_changes(t: Twin) -> None:
    t.sql(
        "create schema raw; create table raw.t (v varchar); insert into raw.t values ('a'), ('B')"
    )
    t.write("models/m.sql", "select count(*) as n from wh.raw.t where v = 'b'")
    t.run("build", no_history="m")
    t.sql(
        "create or replace table raw.t (v varchar collate nocase); insert into raw.t values ('a'), ('B')"
    )
    t.run("build", new_upstream_data="m")


@scenario
def schema_created_anew_by_a_hook(t: Twin) -> None:
    raw_tables(t)
    t.files(CHAIN)
    t.write("models/x.sql", "select 1 as x")
    t.edit("models/x.sql", "select", "{{ config(pre_hook=\"drop schema if exists tmp cascade; "
           "create schema tmp; create table tmp.t as select {{ var('k', 1) }} as k\") }} select")  # fmt: skip
    t.write("models/y.sql", "-- depends_on: {{ ref('x') }}\nselect k from wh.tmp.t")
    t.invoke("build")
    t.invoke("build")
    t.run("build", no_new_data="s m c y", hook_writes="x")
    t.run("build --vars 'k: 2'", no_new_data="s m c", hook_writes="x", new_upstream_data="y")


@scenario
def snapshot_hard_deletes_mode(t: Twin) -> None:
    raw_tables(t)
    body = (
        "{{% snapshot sn %}}{{{{ config(strategy='check', unique_key='id', check_cols=['v'], "
        "hard_deletes='{}') }}}}\nselect * from {{{{ source('raw', 't') }}}}\n{{% endsnapshot %}}"
    )
    t.except_columns("main.sn", "dbt_valid_from", "dbt_valid_to", "dbt_updated_at", "dbt_scd_id")
    t.write("snapshots/sn.sql", body.format("ignore"))
    t.invoke("snapshot")
    t.sql("delete from raw.t where id = 1")
    found = []
    for mode in ("ignore", "invalidate", "invalidate"):
        t.write("snapshots/sn.sql", body.format(mode))
        t.invoke("snapshot")
        found += t.problems()
    t.sql("insert into raw.t values (1, 'a')")
    t.invoke("snapshot")
    found += t.problems()
    if found:
        t.fail(found)


@scenario
def store_failures_and_limit_of_a_test(t: Twin) -> None:
    raw_tables(t)
    t.write("models/m.sql", "select id, v from {{ source('raw', 't') }}")
    properties = (
        "models: [{{name: m, columns: [{{name: v, data_tests: [{{accepted_values: "
        "{{arguments: {{values: [a]}}, config: {{severity: warn{}}}}}}}]}}]}}]\n"
    )
    found = []
    for more in ("", ", store_failures: true", ", store_failures: true, limit: 1",
                 ", store_failures: true, where: id > 1", ", error_if: '> 5'",
                 ", error_if: '> 5', warn_if: '> 3'"):  # fmt: skip
        t.write("models/p.yml", properties.format(more))
        for _ in range(2):
            t.invoke("build")
            found += t.problems()
    if found:
        t.fail(found)
