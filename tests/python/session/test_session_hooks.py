"""Hooks as SQL: what they write, whether they may be rendered, and when they run on reuse."""

from __future__ import annotations

import pytest


def with_hook(toy, hook: str, **config) -> None:
    extra = "".join(f", {key}={value!r}" for key, value in config.items())
    toy.write(
        "models/t.sql",
        "{{ config(materialized='table', post_hook=\"" + hook + '"' + extra + ") }}\n"
        "select id, v from {{ ref('stg') }}",
    )


def built_twice(toy) -> None:
    toy.dbt("build")
    toy.dbt("build")


def test_a_harmless_hook_does_not_prevent_reuse(toy):
    with_hook(toy, "analyze {{ this }}")
    built_twice(toy)
    assert toy.reasons["t"] == "no_new_data"
    with_hook(toy, "ANALYZE   {{ this }} /* now with a remark */")
    toy.dbt("build")
    assert toy.reasons["t"] == "no_new_data"


def test_an_audit_insert_does_not_prevent_reuse(toy):
    toy.sql("create table audit (name text, stamp timestamptz)")
    with_hook(toy, "insert into audit values ('{{ this.name }}', now())")
    built_twice(toy)
    assert toy.reasons["t"] == "no_new_data"
    assert toy.sql("select count(*) from audit") == [(1,)]


def test_a_hook_that_writes_what_the_graph_reads_builds(toy):
    toy.sql("create table raw_t (id int)")
    toy.write(
        "models/sources.yml", "sources: [{name: main, schema: main, tables: [{name: raw_t}]}]\n"
    )
    toy.write(
        "models/reader.sql",
        "{{ config(materialized='table') }} select * from {{ source('main', 'raw_t') }}",
    )
    with_hook(toy, "insert into main.raw_t values (1)")
    toy.write(
        "models/after.sql",
        "{{ config(materialized='table') }}\n-- depends_on: {{ ref('t') }}\n"
        "select * from {{ source('main', 'raw_t') }}",
    )
    built_twice(toy)
    assert toy.reasons["t"] == "hook_writes"
    assert "a hook writes main.raw_t" in toy.output
    assert toy.reasons["after"] == "new_upstream_data"
    assert toy.sql("select count(*) from after") == [(2,)]


@pytest.mark.parametrize(
    ("hook", "said"),
    [
        ("set variable x = 1", "a hook changes the session"),
        ("create or replace temp table copied as select * from read_csv('x.csv')", ""),
        ("{% do run_query('select 1') %}", "a hook may act when it is rendered"),
        ("{{ acting() }}", "a hook may act when it is rendered"),
    ],
)
def test_a_hook_that_is_not_understood_builds(toy, hook, said):
    (toy.root / "x.csv").write_text("a\n1\n")
    toy.write(
        "macros/acting.sql",
        "{% macro acting() %}{% do run_query('select 1') %}select 1{% endmacro %}",
    )
    with_hook(toy, hook)
    built_twice(toy)
    assert toy.reasons["t"] == "hook_writes"
    assert said in toy.output


def test_an_acting_hook_runs_once_per_build(toy):
    toy.sql("create table log (x int)")
    toy.write(
        "macros/acting.sql",
        "{% macro acting() %}{% if execute %}{% do run_query('insert into log values (1)') %}"
        "{% endif %}{% endmacro %}",
    )
    with_hook(toy, "{{ acting() }}")
    built_twice(toy)
    assert toy.sql("select count(*) from log") == [(2,)]


def test_an_edited_hook_builds(toy):
    with_hook(toy, "create index if not exists i on {{ this }} (id)")
    built_twice(toy)
    assert toy.reasons["t"] in ("no_new_data", "hook_writes")
    with_hook(toy, "create index if not exists j on {{ this }} (id)")
    toy.dbt("build")
    assert toy.actions["t"] == "build"


def test_a_hook_that_updates_this_settles_and_its_inputs_count(toy):
    toy.sql("create table rate (r int); insert into rate values (1)")
    with_hook(toy, "update {{ this }} set v = (select max(r)::text from rate)")
    toy.dbt("build")
    toy.dbt("build")
    toy.dbt("build")
    assert toy.reasons["t"] == "no_new_data"
    toy.sql("update rate set r = 2")
    toy.dbt("build")
    assert toy.actions["t"] == "build"
    assert toy.sql("select distinct v from t") == [("2",)]


def test_hooks_run_on_reuse_when_asked(toy):
    toy.sql("create table audit (name text)")
    with_hook(
        toy,
        "insert into audit values ('{{ this.name }}')",
        state={"execute_hooks_on_any_reuse": True},
    )
    built_twice(toy)
    assert toy.actions["t"] == "reuse"
    assert toy.sql("select count(*) from audit") == [(2,)]


def test_hooks_on_reuse_that_write_this_build(toy):
    with_hook(toy, "update {{ this }} set v = v", state={"execute_hooks_on_any_reuse": True})
    built_twice(toy)
    assert toy.reasons["t"] == "hook_writes"


def test_a_failing_hook_outside_the_transaction_makes_the_record_void(toy):
    toy.write(
        "models/t.sql",
        "{{ config(materialized='table', post_hook={'sql': 'insert into audit values (1)', "
        "'transaction': false}) }} select id, v from {{ ref('stg') }}",
    )
    toy.sql("create table audit (x int)")
    toy.dbt("build")
    toy.dbt("build")
    assert toy.actions["t"] == "reuse"
    toy.sql("drop table audit")
    toy.dbt("run", "--select", "t", "--full-refresh", success=False)
    toy.sql("create table audit (x int)")
    toy.dbt("build")
    assert toy.reasons["t"] == "no_history"
    assert toy.sql("select count(*) from audit") == [(1,)]


def test_vars_and_macros_of_hooks_count(toy):
    toy.write(
        "macros/remark.sql",
        "{% macro remark() %}comment on table {{ this }} is '{{ var('who', 'a') }}'{% endmacro %}",
    )
    with_hook(toy, "{{ remark() }}")
    built_twice(toy)
    assert toy.reasons["t"] == "no_new_data"
    toy.dbt("build", "--vars", "{who: b}")
    assert toy.reasons["t"] == "config_changed"


def test_on_run_start_hooks_are_seen(toy):
    toy.sql("create table raw_t (id int); insert into raw_t values (1)")
    toy.write(
        "models/sources.yml", "sources: [{name: main, schema: main, tables: [{name: raw_t}]}]\n"
    )
    toy.write(
        "models/reader.sql",
        "{{ config(materialized='table') }} select * from {{ source('main', 'raw_t') }}",
    )
    toy.dbt("build")
    toy.dbt("build")
    assert toy.actions["reader"] == "reuse"
    project = (toy.root / "dbt_project.yml").read_text()
    toy.write("dbt_project.yml", project + "on-run-start: ['insert into main.raw_t values (2)']\n")
    toy.dbt("build")
    assert toy.reasons["reader"] == "new_upstream_data"
    assert toy.sql("select count(*) from reader") == [(2,)]
