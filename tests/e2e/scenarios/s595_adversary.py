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
    t.run("build", no_new_data="s a b")


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
    t.run("build", config_changed="s")
    t.write("seeds/p.yml", "seeds: [{name: s, config: {delimiter: ';', quote_columns: true}}]\n")
    t.run("build", config_changed="s")
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
    test = "not_null_m_id"
    for mode in ("ignore", "append_new_columns", "sync_all_columns"):
        t.write("models/m.sql", body.format(mode))
        t.run("build --full-refresh", full_refresh=f"m {test}")
        t.run("build", no_new_data=f"m {test}")
        t.sql(f"alter table raw.t add column {mode} integer default 3")
        if mode == "ignore":
            t.run("build", unsettled="m", no_new_data=test)
        else:
            t.run("build", unsettled="m", new_upstream_data=test)
            t.run("build", unsettled="m", no_new_data=test)
        t.run("build", no_new_data=f"m {test}")


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
    t.run("build", no_history="s m c y", hook_writes="x")
    t.run("build", no_new_data="s m c y", hook_writes="x")
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
    t.run("snapshot", no_history="sn")
    t.sql("delete from raw.t where id = 1")
    t.run("snapshot", unsettled="sn")
    t.write("snapshots/sn.sql", body.format("invalidate"))
    t.run("snapshot", config_changed="sn")
    t.run("snapshot", unsettled="sn")
    t.run("snapshot", no_new_data="sn")
    t.sql("insert into raw.t values (1, 'a')")
    t.run("snapshot", new_upstream_data="sn")


@scenario
def store_failures_and_limit_of_a_test(t: Twin) -> None:
    raw_tables(t)
    t.write("models/m.sql", "select id, v from {{ source('raw', 't') }}")
    properties = (
        "models: [{{name: m, columns: [{{name: v, data_tests: [{{accepted_values: "
        "{{arguments: {{values: [a]}}, config: {{severity: warn{}}}}}}}]}}]}}]\n"
    )
    test = "accepted_values_m_v__a"
    model = "no_history"
    for more, reason in (
        ("", "no_history"),
        (", store_failures: true", "relation_missing"),
        (", store_failures: true, limit: 1", "code_changed"),
        (", store_failures: true, where: id > 1", "code_changed"),
        (", error_if: '> 5'", "code_changed"),
        (", error_if: '> 5', warn_if: '> 3'", "code_changed"),
    ):
        t.write("models/p.yml", properties.format(more))
        t.run("build", expect={"m": model, test: reason})
        t.run("build", no_new_data=f"m {test}")
        model = "no_new_data"
