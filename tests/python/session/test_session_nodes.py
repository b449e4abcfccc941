"""Rules that live on the dbt side: kinds of nodes, configuration, tests, deferral, secrets."""

from __future__ import annotations

import shutil

import pytest


def table(sql: str, **config) -> str:
    extra = "".join(f", {key}={value!r}" for key, value in config.items())
    return "{{ config(materialized='table'" + extra + ") }}\n" + sql


def test_an_edit_of_the_seed_reaches_the_child_within_the_lag(toy):
    project = (toy.root / "dbt_project.yml").read_text().replace("0s", "1h")
    toy.write("dbt_project.yml", project)
    toy.dbt("build")
    toy.write("seeds/s.csv", "id,v\n1,a\n2,b\n3,c\n")
    toy.dbt("build")
    assert toy.reasons["s"] == "code_changed"
    assert toy.reasons["t"] == "upstream_code_changed"
    assert toy.sql("select count(*) from t") == [(3,)]


def test_python_and_custom_models_build_and_their_children_follow(toy):
    toy.write(
        "models/py.py",
        "def model(dbt, session):\n    return dbt.ref('s').aggregate('count(*) as n')\n",
    )
    toy.write("models/child.sql", table("select n from {{ ref('py') }}"))
    toy.write(
        "macros/custom.sql",
        "{% macro get_incremental_mine_sql(arg) %}delete from {{ arg.target_relation }}; "
        "insert into {{ arg.target_relation }} select * from {{ arg.temp_relation }}{% endmacro %}",
    )
    toy.write(
        "models/cus.sql",
        "{{ config(materialized='incremental', incremental_strategy='mine') }} "
        "select count(*) as n from {{ ref('s') }}",
    )
    toy.write("models/child2.sql", table("select n from {{ ref('cus') }}"))
    toy.dbt("build")
    toy.dbt("build")
    assert toy.reasons["py"] == toy.reasons["cus"] == "unsupported"
    assert toy.reasons["child"] == toy.reasons["child2"] == "no_new_data"
    assert "1 nodes always build: Python models are not reused" in toy.output
    toy.write("seeds/s.csv", "id,v\n1,a\n2,b\n3,c\n")
    toy.dbt("build")
    assert toy.sql("select n from child") == toy.sql("select n from child2") == [(3,)]


def test_an_incremental_model_settles_by_fixpoint(toy):
    toy.write(
        "models/inc.sql",
        "{{ config(materialized='incremental', unique_key='id') }} select id, v from {{ ref('s') }}",
    )
    toy.dbt("build")
    toy.dbt("build")
    assert toy.reasons["inc"] == "unsettled"
    toy.dbt("build")
    assert toy.reasons["inc"] == "no_new_data"


def test_a_tested_key_proves_that_it_settles(toy):
    toy.write(
        "models/inc.sql",
        "{{ config(materialized='incremental', unique_key='id') }} select id, v from {{ ref('s') }}",
    )
    toy.write(
        "models/inc.yml",
        "models: [{name: inc, columns: [{name: id, data_tests: [not_null]}]}]",
    )
    toy.dbt("build")
    toy.dbt("build")
    assert toy.reasons["inc"] == "no_new_data"


def test_an_append_never_settles(toy):
    toy.write(
        "models/inc.sql",
        "{{ config(materialized='incremental', incremental_strategy='append') }} "
        "select id, v from {{ ref('s') }}",
    )
    for count in (2, 4, 6):
        toy.dbt("build")
        assert toy.sql("select count(*) from inc") == [(count,)]


def test_a_high_water_mark_settles_by_proof(toy):
    toy.write(
        "models/inc.sql",
        "{{ config(materialized='incremental', incremental_strategy='append') }}\n"
        "select id, v from {{ ref('s') }}\n"
        "{% if is_incremental() %} where id > (select max(id) from {{ this }}) {% endif %}",
    )
    toy.dbt("build")
    toy.dbt("build")  # other text: the is_incremental branch
    toy.dbt("build")
    assert toy.actions["inc"] == "reuse"
    toy.write("seeds/s.csv", "id,v\n1,a\n2,b\n3,c\n")
    toy.dbt("build")
    assert toy.actions["inc"] == "build"
    toy.dbt("build")
    assert toy.reasons["inc"] == "no_new_data"
    assert toy.sql("select count(*) from inc") == [(3,)]


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("description: a", "description: b", "no_new_data"),
        ("config: {tags: [a]}", "config: {tags: [b], meta: {x: 1}}", "no_new_data"),
        ("config: {persist_docs: {relation: false}}", "config: {persist_docs: {relation: true}}",
         "config_changed"),
        ("config: {grants: {}}", "config: {state: {lag_tolerance: 5m}}", "no_new_data"),
        ("constraints: []", "constraints: [{type: check, expression: id > 0}]", "config_changed"),
    ],
)  # fmt: skip
def test_what_configuration_counts(toy, before, after, reason):
    toy.write("models/schema.yml", f"models: [{{name: t, {before}}}]")
    toy.dbt("build")
    toy.write("models/schema.yml", f"models: [{{name: t, {after}}}]")
    toy.dbt("build")
    assert toy.reasons["t"] == reason


def test_a_macro_override_counts_and_a_description_when_a_macro_mentions_it(toy):
    toy.write(
        "macros/override.sql",
        "{% macro duckdb__create_table_as(temporary, relation, compiled_code, language='sql', "
        "partitioned_by=none, sorted_by=none) -%}\n"
        "create {% if temporary %}temporary{% endif %} table {{ relation }} as (\n"
        "select *, '{{ model.description }}' as said from ({{ compiled_code }}));\n{%- endmacro %}",
    )
    toy.write("models/schema.yml", "models: [{name: t, description: a}]")
    toy.dbt("build")
    toy.dbt("build")
    assert toy.reasons["t"] == "no_new_data"
    toy.write("models/schema.yml", "models: [{name: t, description: b}]")
    toy.dbt("build")
    assert toy.reasons["t"] == "config_changed"
    assert toy.sql("select distinct said from t") == [("b",)]


def test_stamps_are_exempt_until_something_volatile_reads_them(toy):
    toy.write("models/t.sql", table("select id, v, now() as loaded_at from {{ ref('stg') }}"))
    toy.dbt("build")
    toy.dbt("build")
    assert toy.reasons["t"] == "no_new_data"
    toy.write(
        "tests/recent.sql", "select * from {{ ref('t') }} where loaded_at < now() - interval 1 day"
    )
    toy.dbt("build")
    assert toy.reasons["t"] == "volatile_sql"


def test_evaluate_volatile_sql_chooses_what_counts(toy):
    logic = "select id, v from {{ ref('stg') }} where now() > '2020-01-01'"
    toy.write("models/t.sql", table(logic, state={"evaluate_volatile_sql": False}))
    toy.dbt("build")
    toy.dbt("build")
    assert toy.reasons["t"] == "no_new_data"
    toy.write("models/t.sql", table(logic))
    toy.dbt("build")
    assert toy.reasons["t"] == "volatile_sql"
    toy.write("models/t.sql", table("select id, v, now() as at from {{ ref('stg') }}",
                                    state={"evaluate_volatile_sql": True}))  # fmt: skip
    toy.dbt("build")
    toy.dbt("build")
    assert toy.reasons["t"] == "volatile_sql"


def test_replays_follow_this_runs_severity(toy):
    toy.write("seeds/s.csv", "id,v\n1,a\n,b\n")
    toy.dbt("build", success=False)
    toy.dbt("build", success=False)
    assert toy.actions["not_null_t_id"] == "replay"
    assert toy.results["not_null_t_id"]["status"] == "fail"
    assert toy.results["not_null_t_id"]["failures"] == 1
    toy.write(
        "models/schema.yml",
        "models: [{name: t, columns: [{name: id, data_tests: [{not_null: {config: {severity: warn}}}]}]}]",
    )
    toy.dbt("build")
    assert toy.actions["not_null_t_id"] == "build"
    toy.dbt("build")
    assert toy.actions["not_null_t_id"] == "replay"
    assert toy.results["not_null_t_id"]["status"] == "warn"
    toy.dbt("--warn-error", "build", success=False)
    assert toy.results["not_null_t_id"]["status"] == "fail"


def test_a_dropped_failures_table_runs_the_test_again(toy):
    toy.dbt("build", "--store-failures")
    toy.dbt("build", "--store-failures")
    assert toy.actions["not_null_t_id"] == "replay"
    toy.sql("drop table main_dbt_test__audit.not_null_t_id")
    toy.dbt("build", "--store-failures")
    assert toy.reasons["not_null_t_id"] == "relation_missing"


def test_deferral_reads_what_the_sql_names(toy):
    toy.dbt("build")
    shutil.copytree(toy.root / "target", toy.root / "state")
    toy.profile({"hodor_mode": "on"}, schema="ci")
    defer = ("run", "--select", "t", "--defer", "--state", "state")
    toy.dbt(*defer)
    toy.dbt(*defer)
    assert toy.reasons["t"] == "no_new_data"
    toy.sql("insert into main.s values (3, 'c')")
    toy.dbt(*defer)
    assert toy.reasons["t"] == "new_upstream_data"
    assert toy.sql("select count(*) from ci.t") == [(3,)]


def test_secrets_never_leave_the_process(toy):
    secret = "hunter2-hunter2"
    toy.profile(
        {"hodor_mode": "on"},
        settings={"home_directory": "{{ env_var('DBT_ENV_SECRET_AGENT') }}"},
    )
    toy.write("models/t.sql", table("select id, '" + secret + "' as v from {{ ref('stg') }}",
                                    meta={"api_key": secret}, my_password=secret))  # fmt: skip
    for _ in range(2):
        toy.dbt("build", DBT_ENV_SECRET_AGENT=secret)
    stored = str(toy.sql("select * from hodor_state", path=".hodor/state.duckdb"))
    assert secret not in stored
    assert "sha256:" in stored
    assert secret not in (toy.root / "target/hodor_run.json").read_text()
    assert secret not in toy.output
    log = (toy.root / "logs/dbt.log").read_text()
    assert [line for line in log.splitlines() if "hodor" in line and secret in line] == []


def test_opting_out_and_loaded_at(toy):
    toy.sql("create table raw_t as select 1 as id, timestamp '2020-01-01' as loaded_at")
    source = (
        "sources: [{name: main, schema: main, tables: [{name: raw_t, "
        "config: {loaded_at_field: loaded_at, meta: {hodor: {version: %s}}}}]}]"
    )
    toy.write("models/sources.yml", source % "none")
    toy.write("models/reader.sql", table("select id from {{ source('main', 'raw_t') }}"))
    toy.dbt("build")
    toy.dbt("build")
    assert toy.reasons["reader"] == "unknown_upstream"
    toy.write("models/sources.yml", source % "loaded_at")
    toy.dbt("build")
    toy.dbt("build")
    assert toy.reasons["reader"] == "no_new_data"
    toy.sql("update raw_t set id = 2")
    toy.dbt("build")
    assert toy.reasons["reader"] == "no_new_data"
    toy.sql("insert into raw_t values (3, timestamp '2021-01-01')")
    toy.dbt("build")
    assert toy.reasons["reader"] == "new_upstream_data"


def test_loaded_at_is_trusted_for_all_sources_when_the_run_says_so(toy):
    """It stands in where there is no better version: a table in the warehouse is still scanned."""
    toy.sql("create table raw_t as select 1 as id, timestamp '2020-01-01' as loaded_at")
    toy.write(
        "models/sources.yml",
        "sources: [{name: main, schema: main, tables: [{name: raw_t, "
        "config: {loaded_at_field: loaded_at}}]}]",
    )
    toy.write("models/reader.sql", table("select id from {{ source('main', 'raw_t') }}"))
    trusting = {"HODOR_TRUST_LOADED_AT": "true"}
    toy.dbt("build", **trusting)
    toy.sql("update raw_t set id = 2")
    toy.dbt("build", **trusting)
    assert toy.reasons["reader"] == "new_upstream_data"


def test_an_in_memory_database_never_reuses(toy):
    toy.profile({"hodor_mode": "on"}, path=":memory:")
    toy.dbt("build")
    toy.dbt("build")
    assert set(toy.reasons.values()) <= {"unsupported"} | {"no_history"}
    assert "reuse" not in toy.actions.values()


def test_partial_names_mean_what_the_engine_takes_them_for(toy):
    """dbt-duckdb creates in the target's schema but stays in `main`."""
    toy.profile({"hodor_mode": "on"}, schema="analytics")
    toy.sql("create schema analytics; create table analytics.raw_t as select 1 as id")
    toy.sql("create table main.raw_t as select 1 as id")
    toy.write("models/reader.sql", table("select id from raw_t"))
    toy.dbt("build")
    toy.dbt("build")
    assert toy.reasons["reader"] == "no_new_data"
    toy.sql("insert into main.raw_t values (2)")
    toy.dbt("build")
    assert toy.reasons["reader"] == "new_upstream_data"
    assert toy.sql("select count(*) from analytics.reader") == [(2,)]


def test_a_schema_change_below_a_view_builds_it(toy):
    toy.sql("create table raw_t (id int)")
    toy.write("models/v.sql", "select id from main.raw_t")
    toy.dbt("build")
    toy.dbt("build")
    assert toy.reasons["v"] == "view_unchanged"
    toy.sql("insert into raw_t values (1)")
    toy.dbt("build")
    assert toy.reasons["v"] == "view_unchanged"
    toy.sql("alter table raw_t alter id type bigint")
    toy.dbt("build")
    assert toy.reasons["v"] == "upstream_schema_changed"


def test_unreadable_tables_are_named_with_the_engines_words(settled):
    output = settled.python(
        """
        from dbt_hodor.versions.duckdb import DuckDBProvider
        original = DuckDBProvider.versions
        def failing(self, relations):
            answers = dict(original(self, relations))
            for parts in relations:
                if parts[-1] == "s":
                    answers[parts] = RuntimeError("planted trouble")
            return answers
        DuckDBProvider.versions = failing
        from dbt.cli.main import dbtRunner
        assert dbtRunner().invoke(["build"]).success
        """
    )
    assert settled.reasons["t"] == "unknown_upstream"
    assert "planted trouble" in output
    assert settled.run["unreadable_tables"][0]["table"] == "toy.main.s"
    assert settled.run["unreadable_tables"][0]["nodes_built"] >= 1


def test_a_database_that_only_sql_names_is_known(toy):
    toy.profile({"hodor_mode": "on"}, attach=[{"path": "other.duckdb", "alias": "other"}])
    toy.sql("create table x as select 1 as id", path="other.duckdb")
    toy.write("models/a.sql", table("select id from other.main.x"))
    toy.dbt("build")
    toy.dbt("build")
    assert toy.reasons["a"] == "no_new_data"
    toy.sql("insert into x values (2)", path="other.duckdb")
    toy.dbt("build")
    assert toy.reasons["a"] == "new_upstream_data"
