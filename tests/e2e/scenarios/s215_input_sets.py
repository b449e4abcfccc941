"""Rule 13: inputs that come and go, and require_fresh_data_from: all."""

from __future__ import annotations

from e2e.scenario import raw_tables, scenario
from e2e.twin import Twin

ALL = "{{ config(state={'require_fresh_data_from': 'all', 'lag_tolerance': '0s'}) }} "


@scenario
def an_input_vanishes(t: Twin) -> None:
    """The text of c is what it was, and one of its two parents is gone."""
    t.files(
        {
            "models/a.sql": "select 1 as x",
            "models/b.sql": "select 1 as x",
            "models/c.sql": "-- depends_on: {{ ref('a') }}\n-- depends_on: {{ ref('b') }}\nselect 1 as y",
        }
    )
    t.run("build", no_history="a b c")
    t.write("models/c.sql", "-- depends_on: {{ ref('a') }}\nselect 1 as y")
    t.run("build", no_new_data="a b", new_upstream_data="c")
    t.run("build", no_new_data="a b c")


@scenario
def an_input_of_a_view_vanishes(t: Twin) -> None:
    """The view between is built anew from one table instead of two."""
    raw_tables(t)
    view = "{{ config(materialized='view') }} select id from {{ source('raw', 't') }}"
    t.write("models/w.sql", view + " union all select w from {{ source('raw', 'u') }}")
    t.write("models/c.sql", "select sum(id) as n from {{ ref('w') }}")
    t.run("build", no_history="w c")
    t.write("models/w.sql", view)
    t.run("build", code_changed="w", upstream_code_changed="c")
    t.sql("insert into raw.u values (5, 50)")
    t.run("build", view_unchanged="w", no_new_data="c")


@scenario
def all_and_a_vanished_input(t: Twin) -> None:
    """A vanished input belongs to no group that could be waited for: it builds."""
    raw_tables(t)
    names = "-- {{ source('raw', 't') }}\n"
    t.write("models/c.sql", ALL + names + "-- {{ source('raw', 'u') }}\nselect 1 as y")
    t.run("build", no_history="c")
    t.write("models/c.sql", ALL + names + "select 1 as y")
    t.run("build", new_upstream_data="c")
    t.run("build", no_new_data="c")


@scenario
def all_over_two_runs(t: Twin) -> None:
    """What changed while waiting still counts when the last of them comes; a view counts by what
    it reads, and one without any input is not waited for."""
    raw_tables(t)
    t.files(
        {
            "models/w.sql": "{{ config(materialized='view') }} select w from {{ source('raw', 'u') }}",
            "models/one.sql": "{{ config(materialized='view') }} select 1 as k",
            "models/c.sql": ALL + "select (select count(*) from {{ source('raw', 't') }}) as n, "
            "(select sum(w) from {{ ref('w') }}) as s, (select k from {{ ref('one') }}) as k",
        }
    )
    t.run("build", no_history="w one c")
    t.sql("insert into raw.t values (3, 'c')")
    t.stale("main.c")
    t.run("build", view_unchanged="w one", no_new_data="c")
    t.run("build", view_unchanged="w one", no_new_data="c")
    t.sql("update raw.u set w = 11")
    t.stale()
    t.run("build", view_unchanged="w one", new_upstream_data="c")
    t.run("build", view_unchanged="w one", no_new_data="c")


@scenario
def all_without_inputs(t: Twin) -> None:
    """All of none is not fresh data."""
    t.write("models/a.sql", ALL + "select 1 as x")
    t.run("build", no_history="a")
    t.run("build", no_new_data="a")


@scenario
def all_never_hides_code(t: Twin) -> None:
    """Only data is waited for: the code of a view between, and an unknown input, build at once."""
    raw_tables(t)
    t.write(
        "models/w.sql", "{{ config(materialized='view') }} select w from {{ source('raw', 'u') }}"
    )
    t.write(
        "models/c.sql",
        ALL + "select (select count(*) from {{ source('raw', 't') }}) as n, "
        "(select sum(w) from {{ ref('w') }}) as s",
    )
    t.run("build", no_history="w c")
    t.edit("models/w.sql", "select w", "select w + 1 as w")
    t.run("build", code_changed="w", upstream_code_changed="c")
    t.sql("drop table raw.t")
    t.run("build", view_unchanged="w", unknown_upstream="c", success=False)
