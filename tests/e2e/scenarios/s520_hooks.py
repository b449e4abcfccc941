"""Hooks: their SQL counts as the model's does, and what they write is seen."""

from __future__ import annotations

from e2e.scenario import CHAIN, raw_tables, scenario
from e2e.twin import Twin

BODY = "select id, v from {{ ref('s') }}"


def hooked(hook: str, when: str = "post_hook", more: str = "") -> str:
    return f'{{{{ config({when}="{hook}"{more}) }}}}\n{BODY}'


@scenario
def harmless_hook_edited(t: Twin) -> None:
    """A comment on the table: unchanged it does not prevent reuse; edited it builds."""
    t.files(CHAIN)
    t.write("models/m.sql", hooked("comment on table {{ this }} is 'one'"))
    t.run("build", no_history="s m c")
    t.run("build", no_new_data="s m c")
    t.write("models/m.sql", hooked("COMMENT   on table {{ this }} is 'one' -- same"))
    t.run("build", no_new_data="s c", config_changed="m")
    t.write("models/m.sql", hooked("comment on table {{ this }} is 'two'"))
    t.run("build", config_changed="m", no_new_data="s c")


@scenario
def own_object_dropped(t: Twin) -> None:
    """What a hook wrote outside the graph is not watched: documented, so the log stays away."""
    t.files(CHAIN)
    t.sql("create schema ops; create table ops.log (moment timestamptz)")
    t.except_columns("ops.log", "moment")
    t.write("models/m.sql", hooked("insert into ops.log select now()"))
    t.run("build", no_history="s m c")
    t.stale("ops.log")
    t.run("build", no_new_data="s m c")
    t.sql("delete from ops.log")
    t.run("build", no_new_data="s m c")


@scenario
def on_run_start_added(t: Twin) -> None:
    """It runs on every run and changes no decision."""
    t.files(CHAIN)
    t.run("build", no_history="s m c")
    t.sql("create table started (n int)")
    with_hook = t.dirs["b"].joinpath("dbt_project.yml").read_text()
    t.write("dbt_project.yml", with_hook + 'on-run-start: ["insert into started values (1)"]\n')
    t.run("build", no_new_data="s m c")
    t.run("build", no_new_data="s m c")


@scenario
def on_run_start_writes_a_source(t: Twin) -> None:
    """GAP: versions are read after the hooks."""
    raw_tables(t)
    t.write("models/t_hook.sql", "select id from {{ source('raw', 't') }}")
    t.run("build", no_history="t_hook")
    project = t.dirs["b"].joinpath("dbt_project.yml").read_text()
    t.write(
        "dbt_project.yml",
        project + "on-run-start: [\"insert into raw.t select max(id) + 1, 'h' from raw.t\"]\n",
    )
    t.run("build", new_upstream_data="t_hook")
    t.run("build", new_upstream_data="t_hook")


@scenario
def hook_writes_another_relation(t: Twin) -> None:
    """A hook that writes a node or a source: its node builds always, the reader sees the write."""
    raw_tables(t)
    t.files(CHAIN)
    t.write("models/m.sql", hooked("insert into raw.u select max(id) + 1, 7 from raw.u"))
    t.write(
        "models/r.sql",
        "-- depends_on: {{ ref('m') }}\nselect count(*) as n from {{ source('raw', 'u') }}",
    )
    t.run("build", no_history="s c r", hook_writes="m")
    t.run("build", hook_writes="m", new_upstream_data="r", no_new_data="s c")


@scenario
def hook_writes_another_model(t: Twin) -> None:
    """Model x writes into model z, which was decided before or after: z is modified for the next."""
    t.files(
        {
            "models/z.sql": "select 1 as id",
            "models/x.sql": "{{ config(post_hook='insert into main.z values (2)') }}"
            " select 1 as id from {{ ref('z') }}",
            "models/y.sql": "-- depends_on: {{ ref('x') }}\nselect count(*) as n from {{ ref('z') }}",
        }
    )
    t.run("build", no_history="z y", hook_writes="x")
    t.run("build", target_modified="z", hook_writes="x", no_new_data="y")


@scenario
def hook_reads_a_table(t: Twin) -> None:
    """The rendered hook's inputs are inputs of the node."""
    raw_tables(t)
    t.files(CHAIN)
    t.write("models/m.sql", hooked("update {{ this }} set id = (select max(w) from raw.u)"))
    t.run("build", no_history="s m c")
    t.run("build", no_new_data="s m c")
    t.sql("insert into raw.u values (2, 99)")
    t.run("build", new_upstream_data="m c", no_new_data="s")


@scenario
def hook_not_understood(t: Twin) -> None:
    """Data brought in, or a statement nobody reads: the node builds."""
    t.files(CHAIN)
    t.write("x.csv", "id,v\n7,x\n")
    t.write("models/m.sql", hooked("copy {{ this }} from 'x.csv' (header)"))
    t.write(
        "models/k.sql",
        "{{ config(post_hook='pragma enable_checkpoint_on_shutdown') }} select 1 as id",
    )
    t.run("build", no_history="s c", hook_writes="m k")
    t.run("build", hook_writes="m k", no_new_data="s c")


@scenario
def hook_fails_then_is_fixed(t: Twin) -> None:
    """The table may be committed while the hook failed: it builds until all went well."""
    t.files(CHAIN)
    t.write(
        "models/m.sql",
        "{{ config(post_hook=[{'sql': \"comment on table ops.k is 'x'\", 'transaction': False}]) }}\n"
        + BODY,
    )
    t.run("build", no_history="s m", success=False)
    t.run("build", no_history="m", no_new_data="s", success=False)
    t.sql("create schema ops; create table ops.k (i int)")
    t.run("build", no_history="m c", no_new_data="s", success=True)
    t.run("build", no_new_data="s m c")


@scenario
def pre_hook_sets_a_variable(t: Twin) -> None:
    """A session variable set by a hook and read by the model."""
    t.files(
        {
            "models/m.sql": "{{ config(pre_hook='set variable x = 1') }} select getvariable('x') as x",
        }
    )
    t.run("build", hook_writes="m")
    t.run("build", hook_writes="m")
    t.edit("models/m.sql", "x = 1", "x = 2")
    t.run("build", hook_writes="m")


@scenario
def sql_header_that_makes_a_function(t: Twin) -> None:
    """One that makes a function may change what any text means: such a node builds. More in s525."""
    raw_tables(t)
    header = (
        "{{% call set_sql_header(config) %}}create or replace temp macro f(x) as x + {};"
        "{{% endcall %}}\nselect f(1) as n"
    )
    t.write("models/m.sql", header.format(1))
    t.run("build", hook_writes="m")
    t.run("build", hook_writes="m")
    t.write("models/m.sql", header.format(2))
    t.run("build", hook_writes="m")


@scenario
def hooks_on_reuse(t: Twin) -> None:
    """execute_hooks_on_any_reuse: the hook runs although the table stays."""
    t.files(CHAIN)
    t.sql("create schema ops; create table ops.log (moment timestamptz)")
    t.except_columns("ops.log", "moment")
    state = ", state={'execute_hooks_on_any_reuse': true, 'lag_tolerance': '0s'}"
    t.write("models/m.sql", hooked("insert into ops.log select now()", more=state))
    t.run("build", no_history="s m c")
    t.run("build", no_new_data="s m c")
    t.run("build", no_new_data="s m c")


@scenario
def hooks_on_reuse_that_write_this(t: Twin) -> None:
    """With DML on its own table a hook must not run on a table that already went through it."""
    t.files(CHAIN)
    state = ", state={'execute_hooks_on_any_reuse': true, 'lag_tolerance': '0s'}"
    t.write("models/m.sql", hooked("update {{ this }} set id = id + 10", more=state))
    t.run("build", no_history="s c", hook_writes="m")
    t.run("build", hook_writes="m", no_new_data="s c")


@scenario
def dispatched_macro_edited(t: Twin) -> None:
    """The implementation behind a dispatch, used in the SQL of one and in the hook of another."""
    macro = (
        "{%% macro val() %%}{{ return(adapter.dispatch('val', 'p')()) }}{%% endmacro %%}\n"
        "{%% macro default__val() %%}0{%% endmacro %%}\n"
        "{%% macro duckdb__val() %%}%s{%% endmacro %%}\n"
    )
    t.write("macros/v.sql", macro % 1)
    t.files(
        {
            "models/a.sql": "select {{ val() }} as x",
            "models/b.sql": "{{ config(post_hook='comment on table {{ this }} is \"{{ val() }}\"'"
            ".replace('\"', \"'\")) }} select 1 as y",
        }
    )
    t.run("build", no_history="a b")
    t.run("build", no_new_data="a b")
    t.write("macros/v.sql", macro % 2)
    t.run("build", code_changed="a", config_changed="b")


@scenario
def macro_override_in_the_project(t: Twin) -> None:
    """GAP: overrides of dbt's own macros count by their text and by the values they read, for
    every node: which of them run one by name is not known."""
    t.files(CHAIN)
    t.run("build", no_history="s m c")
    override = (
        "{%% macro duckdb__create_table_as(temporary, relation, compiled_code, language='sql', "
        "partitioned_by=none, sorted_by=none) %%}"
        "create or replace table {{ relation }} as select *, '%s{{ var('who', 'x') }}' as who "
        "from ({{ compiled_code }}) q{%% endmacro %%}"
    )
    t.write("macros/o.sql", override % "a")
    t.run("build", config_changed="s m c")
    t.run("build", no_new_data="s m c")
    t.write("macros/o.sql", override % "b")
    t.run("build", config_changed="s m c")
    t.run("build --vars 'who: y'", config_changed="s m c")


@scenario
def strategy_macro_overridden(t: Twin) -> None:
    """The static closure misses get_incremental_*_sql; an override of it counts all the same."""
    raw_tables(t)
    t.write(
        "models/p.yml",
        "version: 2\nmodels: [{name: i, columns: [{name: id, data_tests: [unique, not_null]}]}]\n",
    )
    t.write(
        "models/i.sql",
        "{{ config(materialized='incremental', incremental_strategy='delete+insert', "
        "unique_key='id') }} select id, v from {{ source('raw', 't') }}",
    )
    tests = "unique_i_id not_null_i_id"
    t.run("build", no_history=f"i {tests}")
    t.run("build", no_new_data=f"i {tests}")
    t.write(
        "macros/o.sql",
        "{% macro get_incremental_delete_insert_sql(arg_dict) %}"
        "{% do return('delete from ' ~ arg_dict.target_relation) %}{% endmacro %}",
    )
    t.run("build", config_changed=f"i {tests}")


@scenario
def env_var_and_target_in_a_hook_macro(t: Twin) -> None:
    """env_var() and target.x read inside a macro that a hook calls count by value."""
    t.files(CHAIN)
    t.write(
        "macros/h.sql",
        "{% macro note() %}comment on table {{ this }} is "
        "'{{ env_var('HODOR_TEST_WHO', 'x') }} {{ target.threads }}'{% endmacro %}",
    )
    t.write("models/m.sql", hooked("{{ note() }}"))
    t.run("build", no_history="s m c")
    t.run("build", no_new_data="s m c")
    t.run("build", env={"HODOR_TEST_WHO": "z"}, config_changed="m", no_new_data="s c")
    t.run("build", env={"HODOR_TEST_WHO": "z"}, no_new_data="s m c")
    t.edit("profiles.yml", "threads: 1", "threads: 2")
    t.run("build", env={"HODOR_TEST_WHO": "z"}, config_changed="m", no_new_data="s c")
    t.run("build", env={"HODOR_TEST_WHO": "z"}, no_new_data="s m c")


@scenario
def computed_names_in_a_macro(t: Twin) -> None:
    """var(name): every variable counts. env_var(name): nobody knows which, so the node builds."""
    override = (
        "{%% macro duckdb__create_table_as(temporary, relation, compiled_code, language='sql', "
        "partitioned_by=none, sorted_by=none) %%}{%% set name = 'wh' ~ 'o' %%}"
        "create or replace table {{ relation }} as select *, '{{ %s(name, 'x') }}' as who "
        "from ({{ compiled_code }}) q{%% endmacro %%}"
    )
    t.files(CHAIN)
    t.write("macros/o.sql", override % "var")
    t.run("build", no_history="s m c")
    t.run("build", no_new_data="s m c")
    t.run("build --vars 'who: y'", config_changed="s m c")
    t.run("build --vars '{who: y, unused: 1}'", config_changed="s m c")
    t.write("macros/o.sql", override % "env_var")
    t.run("build", unsupported="s m c")
    t.run("build", env={"who": "z"}, unsupported="s m c")


@scenario
def on_run_end_writes_a_model(t: Twin) -> None:
    """A hook at the end changes a model's table: that model was modified."""
    t.files(CHAIN)
    project = t.dirs["b"].joinpath("dbt_project.yml").read_text()
    t.write("dbt_project.yml", project + "on-run-end: [\"insert into main.c values (9, 'e')\"]\n")
    t.run("build", no_history="s m c")
    t.run("build", no_new_data="s m", target_modified="c")
