"""Texts of one canonical form: another spelling is no other query, another meaning is."""

from __future__ import annotations

from e2e.scenario import raw_tables, scenario, smoke
from e2e.twin import Twin

MODEL = """with recent as (
    select s.id, s.v as value_of_it from {{ source('raw', 't') }} as s where s.id > 0
)
select r.id, r.value_of_it as v from recent as r
"""
REFORMATTED = """WITH latest AS (SELECT id, x.v AS what FROM {{ source('raw', 't') }} x WHERE (x."id" > (0)))
SELECT latest.ID, latest.what AS v -- the same
FROM latest
"""


@smoke
def reformatted_and_renamed(t: Twin) -> None:
    raw_tables(t)
    t.write("models/m.sql", MODEL)
    t.write("models/c.sql", "select max(id) as n from {{ ref('m') }}")
    t.run("build", no_history="m c")
    t.write("models/m.sql", REFORMATTED)
    t.run("build", no_new_data="m c")
    t.run("build", no_new_data="m c")
    t.write("models/m.sql", REFORMATTED.replace("> (0)", "> (1)"))
    t.run("build", code_changed="m", new_upstream_data="c")


@scenario
def a_table_gains_a_column_named_like_an_alias(t: Twin) -> None:
    """`x.v` is column v of x, or a field of a column x: with one the two texts may differ."""
    t.sql(
        "create schema raw; create table raw.t (id integer, v integer); insert into raw.t values (1, 2)"
    )
    t.files(
        {
            "models/sources.yml": "sources: [{name: raw, schema: raw, tables: [{name: t}]}]\n",
            "models/m.sql": "select x.v as n from {{ source('raw', 't') }} x",
            "models/k.sql": "select x.v as n from {{ source('raw', 't') }} x",
        }
    )
    t.run("build", no_history="m k")
    t.write("models/m.sql", "select t.v as n from {{ source('raw', 't') }}")
    t.run("build", no_new_data="m k")
    t.sql("alter table raw.t add column x struct(v integer)")
    t.write("models/m.sql", "select y.v as n from {{ source('raw', 't') }} y")
    t.run("build", code_changed="m", new_upstream_data="k")


@scenario
def an_alias_moves_to_another_table(t: Twin) -> None:
    """Unqualified, a name may be of either table: which one is known by their columns."""
    raw_tables(t)
    read = "from {{ source('raw', 't') }} x join {{ source('raw', 'u') }} y on 1 = 1"
    t.write("models/m.sql", f"select x.v as n {read}")
    t.write("models/k.sql", f"select x.id as n {read}")
    t.run("build", no_history="m k")
    t.write("models/m.sql", f"select v as n {read}")
    t.write("models/k.sql", f"select y.w as n {read}")
    t.run("build", no_new_data="m", code_changed="k")


@scenario
def unusual_settings_read_names_otherwise(t: Twin) -> None:
    """Where a setting may change what SQL means, only the tokens count."""
    raw_tables(t)
    t.write("models/m.sql", "select x.v as n from {{ source('raw', 't') }} x")
    t.edit("profiles.yml", "threads: 1", "threads: 1, settings: {default_null_order: nulls_first}")
    t.run("build", no_history="m")
    t.write("models/m.sql", "select y.v as n from {{ source('raw', 't') }} y")
    t.run("build", code_changed="m")
    t.write("models/m.sql", "select y.v AS n\nfrom {{ source('raw', 't') }} y")
    t.run("build", no_new_data="m")
