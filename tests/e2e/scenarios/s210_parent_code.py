"""Rule 12: a parent whose code changed reaches its readers within their lag_tolerance."""

from __future__ import annotations

from e2e.scenario import raw_tables, scenario
from e2e.twin import PROJECT, Twin

PATIENT = PROJECT.replace("lag_tolerance: 0s", "lag_tolerance: 45m")
HISTORY = (
    "{%% snapshot h %%}{{ config(unique_key='id', strategy='check', check_cols=['v'], "
    "state={'lag_tolerance': '0s'}) }} select id, %s as v from {{ source('raw', 't') }}"
    "{%% endsnapshot %%}"
)


@scenario
def incremental_parent(t: Twin) -> None:
    """The reader of an incremental does not wait when the incremental's code changed, and waits when
    only its data did."""
    t.write("dbt_project.yml", PATIENT)
    raw_tables(t)
    text = (
        "{{ config(materialized='incremental', incremental_strategy='append', "
        "state={'lag_tolerance': '0s'}) }} select id, v from {{ source('raw', 't') }}"
    )
    t.write("models/i.sql", text)
    t.write("models/c.sql", "select count(*) as n, max(v) as v from {{ ref('i') }}")
    t.run("build", no_history="i c")
    t.stale("main.c")
    t.run("build", unsettled="i", within_lag_tolerance="c")
    t.stale()
    t.edit("models/i.sql", "id, v", "id, v || 'x' as v")
    t.run("build", code_changed="i", upstream_code_changed="c")


@scenario
def snapshot_parent(t: Twin) -> None:
    t.write("dbt_project.yml", PATIENT)
    t.except_columns("main.h", "dbt_valid_from", "dbt_valid_to", "dbt_updated_at", "dbt_scd_id")
    raw_tables(t)
    t.write("snapshots/h.sql", HISTORY % "v")
    t.write("models/c.sql", "select count(*) as n, max(v) as v from {{ ref('h') }}")
    t.run("build", no_history="h c")
    t.sql("insert into raw.t values (3, 'c')")
    t.stale("main.c")
    t.run("build", unsettled="h", within_lag_tolerance="c")
    t.stale()
    t.write("snapshots/h.sql", HISTORY % "v || 'x'")
    t.run("build", code_changed="h", upstream_code_changed="c")


@scenario
def held_back_parent_passes_the_mark_on(t: Twin) -> None:
    """b waits for its own tolerance when a's data changed, and c, which reads both, with it. When the
    code of a changes, all that is below it builds at once, past what waited before."""
    t.write("dbt_project.yml", PATIENT)
    raw_tables(t)
    t.write("models/a.sql", "select id, v from {{ source('raw', 't') }}")
    t.write("models/p.yml", "models: [{name: a, config: {state: {lag_tolerance: 0s}}}]\n")
    t.write("models/b.sql", "select id, v from {{ ref('a') }}")
    t.write("models/c.sql", "select count(*) as n, max(v) as v from {{ ref('b') }}")
    t.write("models/d.sql", "select count(*) as n from {{ ref('c') }}")
    t.run("build", no_history="a b c d")
    t.sql("insert into raw.t values (3, 'c')")
    t.stale("main.b", "main.c")
    t.run("build", new_upstream_data="a", within_lag_tolerance="b", no_new_data="c d")
    t.stale()
    t.edit("models/a.sql", "id, v", "id, upper(v) as v")
    t.run("build", code_changed="a", upstream_code_changed="b c d")
    t.run("build", no_new_data="a b c d")


@scenario
def mark_of_a_parent_that_was_not_selected(t: Twin) -> None:
    """The parent was corrected in a run of its own: its reader builds when its turn comes."""
    t.write("dbt_project.yml", PATIENT)
    raw_tables(t)
    t.write("models/a.sql", "select id, v from {{ source('raw', 't') }}")
    t.write("models/b.sql", "select max(v) as v from {{ ref('a') }}")
    t.write("models/c.sql", "select v || '!' as v from {{ ref('b') }}")
    t.run("build", no_history="a b c")
    t.edit("models/a.sql", "id, v", "id, upper(v) as v")
    t.run("build -s a", code_changed="a")
    t.run("build -s b", upstream_code_changed="b")
    t.run("build -s c", upstream_code_changed="c")
    t.run("build", no_new_data="a b c")
