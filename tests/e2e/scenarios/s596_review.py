"""Ways to a stale result that a review found: what dbt-duckdb does by itself, SQL in configuration."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from e2e.scenario import CHAIN, raw_tables, scenario
from e2e.twin import Twin

PROFILE = """p:
  target: dev
  outputs:
    dev: {{type: duckdb, path: wh.duckdb, threads: 1, module_paths: ["."], plugins: [{{module: {}}}]}}
"""
TESTED = "models: [{name: i, columns: [{name: id, data_tests: [unique, not_null]}]}]\n"


@scenario
def plugin_source_behind_a_view(t: Twin) -> None:
    """A plugin fills its source whenever a node that names it is compiled, and tells nobody."""
    t.write("profiles.yml", PROFILE.format("loads_a_csv"))
    t.write(
        "loads_a_csv.py",
        "import os\nimport duckdb\nfrom dbt.adapters.duckdb.plugins import BasePlugin\n\n\n"
        "class Stream:\n"
        "    def __init__(self, relation): self.relation = relation\n"
        "    def __arrow_c_stream__(self, schema=None): return self.relation.__arrow_c_stream__(schema)\n\n\n"
        "class Plugin(BasePlugin):\n"
        "    def load(self, source_config):\n"
        "        return Stream(duckdb.sql(f\"from '{os.path.abspath('data.csv')}'\"))\n",
    )
    t.files(
        {
            "data.csv": "id\n1\n",
            "models/sources.yml": "sources: [{name: raw, schema: main, tables: "
            "[{name: t, config: {meta: {plugin: loads_a_csv}}}]}]\n"
            "models: [{name: v, columns: [{name: id, data_tests: [unique]}]}]\n",
            "models/v.sql": "{{ config(materialized='view') }} select id from {{ source('raw', 't') }}",
            "models/a.sql": "select id from {{ ref('v') }}",
            "models/h.sql": "-- depends_on: {{ ref('v') }}\nselect id from wh.main.t",
        }
    )
    t.run("build", no_history="v a h unique_v_id")
    t.run("build", upstream_schema_changed="v", unknown_upstream="a h unique_v_id")
    t.write("data.csv", "id\n1\n2\n")
    t.run("build", upstream_schema_changed="v", unknown_upstream="a h unique_v_id")
    t.write("data.csv", "id\n1\n1\n")
    t.run("test", unknown_upstream="unique_v_id")
    t.run("run", upstream_schema_changed="v", unknown_upstream="a h")


@scenario
def set_expression_reads_a_table(t: Twin) -> None:
    raw_tables(t)
    t.write("models/p.yml", TESTED)
    t.write(
        "models/i.sql",
        "{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id', "
        "merge_update_set_expressions={'v': '(select max(w)::varchar from raw.u)'}) }} "
        "select id, v from {{ source('raw', 't') }}",
    )
    for _ in range(3):  # the second build writes what the expression says, the third nothing new
        t.invoke("build")
    t.run("build", no_new_data="i unique_i_id not_null_i_id")
    t.sql("update raw.u set w = w + 80")
    t.run("build", new_upstream_data="i unique_i_id not_null_i_id")


@scenario
def stamp_named_by_a_hook_of_its_own(t: Twin) -> None:
    """What a hook deletes by the time of the build depends on that time."""
    t.files(CHAIN)
    t.except_columns("main.m", "loaded_at")
    later = datetime.now(timezone.utc) + timedelta(days=1)
    t.write(
        "models/m.sql",
        f"{{{{ config(post_hook=\"delete from {{{{ this }}}} where loaded_at > timestamptz '{later}'\") }}}} "
        "select id, v, now() as loaded_at from {{ ref('s') }}",
    )
    t.run("build", no_history="s m c")
    t.run("build", no_new_data="s", volatile_sql="m", new_upstream_data="c")


@scenario
def stamp_named_in_a_condition_of_a_merge(t: Twin) -> None:
    raw_tables(t)
    t.except_columns("main.i", "loaded_at")
    t.write("models/p.yml", TESTED)
    for conditions in (
        "merge_insert_condition=\"DBT_INTERNAL_SOURCE.loaded_at > timestamptz '2000-01-01'\", "
        "merge_update_condition='false'",
        "merge_update_condition=\"DBT_INTERNAL_SOURCE.loaded_at < timestamptz '2000-01-01'\"",
    ):
        t.write(
            "models/i.sql",
            "{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id', "
            + conditions
            + ") }} select id, v, now() as loaded_at from {{ source('raw', 't') }}",
        )
        t.invoke("build")
        t.invoke("build")
        t.run("build", volatile_sql="i", no_new_data="unique_i_id not_null_i_id")


@scenario
def definition_of_a_view_as_a_value(t: Twin) -> None:
    """A function of the engine may read its catalogs."""
    t.sql("create schema raw; create view raw.v as select 1 as a")
    t.write(
        "models/a.sql",
        "select count(*) as n from range(9999) r(i) where pg_get_viewdef(i) like '%42%'",
    )
    t.run("build", no_history="a")
    t.sql("create or replace view raw.v as select 42 as a")
    t.run("build", volatile_sql="a")
