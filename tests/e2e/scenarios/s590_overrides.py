"""Macros that replace dbt's: whatever decides what they yield counts, or the node builds."""

from __future__ import annotations

from e2e.scenario import CHAIN, raw_tables, scenario
from e2e.twin import PROJECT, Twin

SIGNATURE = (
    "{% macro {prefix}create_table_as(temporary, relation, compiled_code, language='sql', "
    "partitioned_by=none, sorted_by=none) %}\n"
)
ALL = "s m c"


def override(body: str, prefix: str = "duckdb__") -> str:
    return SIGNATURE.replace("{prefix}", prefix) + body + "\n{% endmacro %}\n"


def with_extra(extra: str, before: str = "") -> str:
    return override(
        before + "create table {{ relation }} as (select *, " + extra + " as extra "
        "from ({{ compiled_code }}) q)"
    )


@scenario
def override_with_a_value_of_the_moment(t: Twin) -> None:
    """Such a macro would give another value with each build."""
    t.files(CHAIN)
    for relation in ("main.m", "main.c"):
        t.except_columns(relation, "extra")
    for extra in ("random()", "'{{ modules.datetime.datetime.now() }}'"):
        t.write("macros/o.sql", with_extra(extra))
        t.run("build", unsupported=ALL)
        t.run("build", unsupported=ALL)


@scenario
def override_that_limits(t: Twin) -> None:
    """Which rows come first matters to it, though not to the node's own SQL."""
    raw_tables(t)
    t.write("models/m.sql", "select id, v from {{ source('raw', 't') }}")
    t.write(
        "macros/o.sql",
        override("create table {{ relation }} as (select * from ({{ compiled_code }}) q limit 1)"),
    )
    t.run("build", no_history="m")
    t.run("build", no_new_data="m")
    t.sql("create or replace table raw.t as select * from raw.t order by id desc")
    t.run("build", new_upstream_data="m")


@scenario
def override_that_adds_to_what_stands_there(t: Twin) -> None:
    """Rows of the last build stay, so another build adds some."""
    t.files({"seeds/s.csv": "id\n1\n", "models/m.sql": "select id from {{ ref('s') }}"})
    t.write(
        "macros/o.sql",
        "{% macro duckdb__get_delete_insert_merge_sql(target, source, unique_key, "
        "dest_columns, incremental_predicates) %}insert into {{ target }} select * from "
        "{{ source }}{% endmacro %}"
        "{% macro get_incremental_delete_insert_sql(arg_dict) %}insert into "
        "{{ arg_dict['target_relation'] }} select * from {{ arg_dict['temp_relation'] }}"
        "{% endmacro %}",
    )
    t.write("models/m.sql", "{{ config(materialized='incremental', unique_key='id') }} "
            "select id from {{ ref('s') }}")  # fmt: skip
    t.write(
        "models/p.yml",
        "models:\n  - name: m\n    columns: [{name: id, data_tests: [not_null]}]\n",
    )
    t.run("build", no_history="s m not_null_m_id")
    for _ in range(2):
        t.run("build", no_new_data="s", unsettled="m", new_upstream_data="not_null_m_id")


@scenario
def override_that_reads_the_node_itself(t: Twin) -> None:
    t.files({"seeds/s.csv": "id\n1\n", "models/m.sql": "select id from {{ ref('s') }}"})
    t.sql("create table m as select 0 as id")
    t.write(
        "macros/o.sql",
        override(
            "create table {{ relation }} as (select id + 1 as id from {{ this }} "
            "union all select * from ({{ compiled_code }}) q)"
        ),
    )
    t.write("dbt_project.yml", PROJECT)
    t.run("build", no_history="s m")
    for _ in range(2):
        t.run("build", unsettled="m", allow={"s": "unsettled no_new_data"})


@scenario
def override_reads_under_other_names(t: Twin) -> None:
    """The target and variables by a name that no pattern would find."""
    t.files(CHAIN)
    t.write("macros/o.sql", with_extra("'{{ x.threads }}'", "{% set x = target %}"))
    t.run("build", no_history=ALL)
    t.run("build", no_new_data=ALL)
    t.edit("profiles.yml", "threads: 1", "threads: 2")
    t.run("build", config_changed=ALL)
    t.write("macros/o.sql", with_extra("'{{ x('who', 'a') }}'", "{% set x = var %}"))
    t.run("build", config_changed=ALL)
    t.run("build --vars 'who: b'", config_changed=ALL)


@scenario
def override_hides_what_it_reads(t: Twin) -> None:
    """A way to a relation that is not followed: the nodes build."""
    raw_tables(t)
    t.files(CHAIN)
    extra = "(select max(w) from {{ x }})"
    t.write("macros/o.sql", with_extra(extra, "{% set x = 'wh.raw.u' %}"))
    t.run("build", unsupported=ALL)
    t.sql("insert into raw.u values (9, 99)")
    t.run("build", unsupported=ALL)


@scenario
def override_calls_a_function_of_the_user(t: Twin) -> None:
    t.files(CHAIN)
    t.sql("create table k as select 1 as i; create macro biggest() as (select max(i) from main.k)")
    t.write("macros/o.sql", with_extra("biggest()"))
    t.run("build", unsupported=ALL)
    t.sql("insert into k values (5)")
    t.run("build", unsupported=ALL)


PACKAGE = {
    "pkg/dbt_project.yml": "name: pkg\nversion: '1.0'\nconfig-version: 2\n",
    "packages.yml": "packages: [{local: pkg}]\n",
    "dbt_packages/pkg/dbt_project.yml": "name: pkg\nversion: '1.0'\nconfig-version: 2\n",
    "package-lock.yml": "packages: [{local: pkg, name: pkg}]\nsha1_hash: x\n",
}


@scenario
def override_of_a_package_by_the_search_order(t: Twin) -> None:
    """It wins when the search order names its package; else it only counts by its text."""
    raw_tables(t)
    t.files(CHAIN)
    t.files(PACKAGE)
    t.write("dbt_packages/pkg/macros/o.sql", with_extra("(select max(w) from wh.raw.u)"))
    t.run("build", no_history=ALL)
    t.run("build", no_new_data=ALL)
    order = "dispatch: [{macro_namespace: dbt, search_order: [p, pkg, dbt]}]\n"
    t.write("dbt_project.yml", PROJECT + order)
    t.run("build", unsupported=ALL)
    t.sql("insert into raw.u values (9, 99)")
    t.run("build", unsupported=ALL)


@scenario
def override_of_a_package_for_its_own_nodes(t: Twin) -> None:
    """A macro of a package is nearer to its own models than dbt's."""
    raw_tables(t)
    t.files(CHAIN)
    t.files(PACKAGE)
    t.write(
        "dbt_packages/pkg/models/own.sql",
        "{{ config(materialized='table', state={'lag_tolerance': '0s'}) }} select 1 as id",
    )
    t.write(
        "dbt_packages/pkg/macros/o.sql",
        with_extra("(select max(w) from wh.raw.u)").replace("duckdb__", ""),
    )
    t.run("build", no_history=ALL, unsupported="own")
    t.sql("insert into raw.u values (9, 99)")
    t.run("build", no_new_data=ALL, unsupported="own")


@scenario
def search_order_changed(t: Twin) -> None:
    """Another macro wins; no text changed."""
    t.files(CHAIN)
    t.files(PACKAGE)
    t.write("dbt_packages/pkg/macros/o.sql", with_extra("'pkg'"))
    t.run("build", no_history=ALL)
    order = "dispatch: [{macro_namespace: dbt, search_order: [p, pkg, dbt]}]\n"
    t.write("dbt_project.yml", PROJECT + order)
    t.run("build", config_changed=ALL)
    t.run("build", no_new_data=ALL)


@scenario
def override_that_loops_over_keys(t: Twin) -> None:
    """The order of the keys of a mapping counts where a macro of the project may loop over them."""
    t.files({"models/m.sql": "select 1 as id"})
    t.write(
        "macros/o.sql",
        override(
            "create table {{ relation }} as (select *"
            "{% for k in config.get('cols') %}, '{{ k }}' as \"c{{ loop.index }}\"{% endfor %}"
            "{% for k in var('vc') %}, '{{ k }}' as \"v{{ loop.index }}\"{% endfor %}"
            " from ({{ compiled_code }}) q)"
        ),
    )
    with_cols = PROJECT.replace("models:\n", "models:\n  +cols: {%s}\n")
    t.write("dbt_project.yml", with_cols % "a: 1, b: 1")
    t.run("build --vars '{vc: {q: 1, w: 1}}'", no_history="m")
    t.run("build --vars '{vc: {q: 1, w: 1}}'", no_new_data="m")
    t.write("dbt_project.yml", with_cols % "b: 1, a: 1")
    t.run("build --vars '{vc: {q: 1, w: 1}}'", config_changed="m")
    t.run("build --vars '{vc: {w: 1, q: 1}}'", config_changed="m")
    t.run("build --vars '{vc: {w: 1, q: 1}}'", no_new_data="m")


STRATEGY = """{%% macro snapshot_check_strategy(node, snapshotted_rel, current_rel, model_config,
                                      target_exists) %%}
{%% set found = dbt.snapshot_check_strategy(node, snapshotted_rel, current_rel, model_config,
                                          target_exists) %%}
{%% do found.update({'row_changed': '%s'}) %%}
{{ return(found) }}
{%% endmacro %%}
"""


@scenario
def snapshot_strategy_edited(t: Twin) -> None:
    """dbt finds it by its name at run time; that no row ever changed with it proves nothing of another."""
    raw_tables(t)
    t.except_columns("main.h", "dbt_valid_from", "dbt_valid_to", "dbt_updated_at", "dbt_scd_id")
    t.write(
        "snapshots/h.sql",
        "{% snapshot h %}{{ config(unique_key='id', strategy='check', check_cols=['v']) }} "
        "select id, v from {{ source('raw', 't') }}{% endsnapshot %}",
    )
    t.run("snapshot", no_history="h")
    t.run("snapshot", unsettled="h")
    t.run("snapshot", no_new_data="h")
    t.write("macros/s.sql", STRATEGY % "(false)")
    t.run("snapshot", config_changed="h")
    t.sql("update raw.t set v = 'z' where id = 1")
    t.run("snapshot", new_upstream_data="h")
    t.write("macros/s.sql", STRATEGY % "(true)")
    t.run("snapshot", config_changed="h")
    for _ in range(2):
        t.run("snapshot", unsettled="h")


@scenario
def override_shows_the_columns_whole(t: Twin) -> None:
    """What the properties say of a column counts where a macro takes them from `model` as they are."""
    properties = (
        "models: [{{name: m, columns: [{{name: id, description: {}, meta: {{owner: {}}}}}]}}]\n"
    )
    t.write("models/m.sql", "select 1 as id")
    t.write("models/p.yml", properties.format("one", "a"))
    reason = "no_history"
    for shown in ("model.columns", "model['columns']", "model.get('columns')"):
        t.write("macros/o.sql", with_extra(f"'{{{{ ({shown} | string) | length }}}}'"))
        t.write("models/p.yml", properties.format("one", "a"))
        t.run("build", expect={"m": reason})
        reason = "config_changed"
        t.run("build", no_new_data="m")
        t.write("models/p.yml", properties.format("something else", "a"))
        t.run("build", config_changed="m")
        t.write("models/p.yml", properties.format("something else", "another"))
        t.run("build", config_changed="m")
        t.run("build", no_new_data="m")


@scenario
def override_shows_the_query_as_a_text(t: Twin) -> None:
    """A comment is no change of the code, but another text; where the query is only run, none."""
    t.write("models/m.sql", "select 1 as id")
    reason = "no_history"
    for shown in (
        "compiled_code",
        "local_md5(compiled_code)",
        "compiled_code | length",
        "model.compiled_code | length",
        "model['compiled_code'] | length",
    ):
        t.write("macros/o.sql", with_extra(f"'{{{{ {shown} }}}}'"))
        t.write("models/m.sql", "select 1 as id")
        t.run("build", expect={"m": reason})
        reason = "config_changed"
        t.run("build", no_new_data="m")
        t.write("models/m.sql", "/* why */ select 1 as id")
        t.run("build", config_changed="m")
        t.run("build", no_new_data="m")
    body = (
        "{% if language == 'sql' %}create table {{ relation }} as ({{ compiled_code }}){% endif %}"
    )
    t.write("macros/o.sql", override(body))
    t.run("build", config_changed="m")
    t.write("models/m.sql", "/* why not */ select 1 as id")
    t.run("build", no_new_data="m")
