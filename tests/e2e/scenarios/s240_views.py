"""Views: what their readers see through them, and when they build themselves."""

from __future__ import annotations

from e2e.scenario import raw_tables, scenario, smoke
from e2e.twin import Twin

VIEW = "{{ config(materialized='view') }} "

THROUGH = {
    "seeds/s.csv": "id,v\n1,a\n2,b\n",
    "models/w.sql": VIEW + "select id, v from {{ ref('s') }}",
    "models/w2.sql": VIEW + "select id, v from {{ ref('w') }}",
    "models/t.sql": "select id, v from {{ ref('w2') }}",
}


@smoke
def views_over_views(t: Twin) -> None:
    """The table reads the seed through two views; the views need no build for new data."""
    t.files(THROUGH)
    t.run("build", no_history="s w w2 t")
    t.run("build", view_unchanged="w w2", no_new_data="s t")
    t.write("seeds/s.csv", "id,v\n1,a\n2,c\n")
    t.run("build", code_changed="s", view_unchanged="w w2", new_upstream_data="t")


@scenario
def edited(t: Twin) -> None:
    t.files(THROUGH)
    t.run("build", no_history="s w w2 t")
    t.edit("models/w.sql", "{{ ref('s') }}", "{{ ref('s') }} where id > 0")
    t.run(
        "build", code_changed="w", view_unchanged="w2", upstream_code_changed="t", no_new_data="s"
    )


@scenario
def edited_but_not_built(t: Twin) -> None:
    """Only the table is selected: the view in the warehouse is what it reads."""
    t.files(THROUGH)
    t.run("build", no_history="s w w2 t")
    t.edit("models/w.sql", "{{ ref('s') }}", "{{ ref('s') }} where id > 1")
    t.run("run -s t", no_new_data="t")
    t.run(
        "build", code_changed="w", view_unchanged="w2", upstream_code_changed="t", no_new_data="s"
    )


@scenario
def replaced_by_hand_child_selected(t: Twin) -> None:
    """The definition in the warehouse differs from the one the table was built through."""
    t.files(THROUGH)
    t.run("build", no_history="s w w2 t")
    t.sql("create or replace view w as select id, upper(v) as v from s")
    t.run("run -s t", upstream_code_changed="t")


@scenario
def replaced_by_hand_all_selected(t: Twin) -> None:
    """The view is put back; then the table reads through what it read before and may be reused."""
    t.files(THROUGH)
    t.run("build", no_history="s w w2 t")
    t.sql("create or replace view w as select id, upper(v) as v from s")
    t.run("build", target_modified="w", view_unchanged="w2", no_new_data="s t")


@scenario
def dropped_by_hand(t: Twin) -> None:
    t.files(THROUGH)
    t.run("build", no_history="s w w2 t")
    t.sql("drop view w")
    t.run(
        "build",
        relation_missing="w",
        no_new_data="s t",
        view_unchanged="w2",
    )


@scenario
def explicit_columns_over_a_retyped_table(t: Twin) -> None:
    """Plain dbt recreates the view; DuckDB binds its types when it is created."""
    raw_tables(t)
    t.write("models/w.sql", VIEW + "select id, v from {{ source('raw', 't') }}")
    t.run("build", no_history="w")
    t.run("build", view_unchanged="w")
    t.sql("alter table raw.t alter column id type bigint")
    t.run("build", upstream_schema_changed="w")
    t.run("build", view_unchanged="w")


STARS = {
    "a": "select * from {{ source('raw', 't') }}",
    "b": "select t.* from {{ source('raw', 't') }} t",
    "c": "select * exclude (v) from {{ source('raw', 't') }}",
    "d": "select columns('i.*') from {{ source('raw', 't') }}",
    "e": "from {{ source('raw', 't') }}",
    "f": "with q as (select * from {{ source('raw', 't') }}) select * from q",
    "g": "select * from (select * from {{ source('raw', 't') }}) q",
    "h": "select * replace (1 as id) from {{ source('raw', 't') }}",
    "i": "select * from {{ source('raw', 't') }} union all by name select 1 as id, 'x' as v",
    "l": "table {{ source('raw', 't') }}",
    "m": "select * from {{ source('raw', 't') }} natural join (select 1 as id) q",
    "n": "pivot {{ source('raw', 't') }} on v in ('a', 'b') using count(*)",
    "o": "select struct_pack(*columns(*)) as q from {{ source('raw', 't') }}",
    "p": "select x.* from (values (1)) q(n), lateral (select * from {{ source('raw', 't') }}) x",
    "k": "select q from (select t as q from {{ source('raw', 't') }} t) z",
}


@scenario
def select_star_views(t: Twin) -> None:
    """Every way to let the columns follow the input builds, also when nothing changed."""
    raw_tables(t)
    names = " ".join(STARS)
    for name, text in STARS.items():
        t.write(f"models/{name}.sql", VIEW + text)
    t.run("build", no_history=names)
    t.run("build", select_star_view=names)
    t.sql("alter table raw.t add column extra int")
    t.run("build", select_star_view=names)


@scenario
def over_a_file(t: Twin) -> None:
    """GAP: a view's own files are inputs of its readers."""
    t.files(
        {
            "x.csv": "id\n1\n",
            "models/w.sql": VIEW + "select id from read_csv('x.csv')",
            "models/t_vcsv.sql": "select id from {{ ref('w') }}",
        }
    )
    t.run("build", no_history="w t_vcsv")
    t.run("build", view_unchanged="w", no_new_data="t_vcsv")
    t.write("x.csv", "id\n2\n")
    # The columns of a file are not known apart from it, so the view builds as well.
    t.run("build", upstream_schema_changed="w", new_upstream_data="t_vcsv")


@scenario
def over_a_plain_name(t: Twin) -> None:
    """GAP: a view's hard-coded table is an input of its readers."""
    t.sql("create schema raw; create table raw.k as select 1 as id")
    t.files(
        {
            "models/w.sql": VIEW + "select id from raw.k",
            "models/t_vext.sql": "select id from {{ ref('w') }}",
        }
    )
    t.run("build", no_history="w t_vext")
    t.sql("insert into raw.k values (2)")
    t.run("build", view_unchanged="w", new_upstream_data="t_vext")


@scenario
def volatile_logic_in_a_view(t: Twin) -> None:
    """GAP: what a view filters by today's date is a volatile input of its readers."""
    t.files(
        {
            "seeds/s.csv": "id,d\n1,2020-01-01\n",
            "models/w.sql": VIEW + "select id from {{ ref('s') }} where d < current_date",
            "models/t.sql": "select id from {{ ref('w') }}",
            "models/r.sql": VIEW + "select id, random() < 2 as x from {{ ref('s') }}",
            "models/q.sql": "select id, x from {{ ref('r') }}",
        }
    )
    t.run("build", no_history="s w t r q")
    t.run("build", view_unchanged="w r", no_new_data="s t", volatile_sql="q")
    yesterday(t)
    t.run("build", view_unchanged="w r", no_new_data="s", volatile_sql="t q")


@scenario
def stamp_in_a_view(t: Twin) -> None:
    """A stamp of a view is a value to its readers: it counts as logic there."""
    t.files(
        {
            "models/w.sql": VIEW + "select 1 as id, now() as moment",
            "models/t.sql": "select id, moment from {{ ref('w') }}",
        }
    )
    t.except_columns("main.w", "moment")
    t.except_columns("main.t", "moment")
    t.run("build", no_history="w t")
    t.run("build", view_unchanged="w", volatile_sql="t")


def yesterday(t: Twin) -> None:
    """The store's records say that they were made on another day."""
    t.store(
        "sql",
        "update hodor_state set upstreams = regexp_replace(upstreams, "
        "'(\"volatile:date\": ?\")[^\"]*', '\\11;0;;')",
    )


@scenario
def materialization_changes(t: Twin) -> None:
    """view -> table -> view, with a reader."""
    t.files(
        {
            "seeds/s.csv": "id\n1\n",
            "models/w.sql": VIEW + "select id from {{ ref('s') }}",
            "models/t.sql": "select id from {{ ref('w') }}",
        }
    )
    t.run("build", no_history="s w t")
    t.write("models/w.sql", "select id from {{ ref('s') }}")
    t.run(
        "build",
        no_new_data="s",
        relation_missing="w",
        upstream_code_changed="t",
    )
    t.write("models/w.sql", VIEW + "select id from {{ ref('s') }}")
    t.run(
        "build",
        no_new_data="s",
        relation_missing="w",
        upstream_code_changed="t",
    )
    t.run("build", view_unchanged="w", no_new_data="s t")


@scenario
def view_reading_another_relation(t: Twin) -> None:
    """The view pins the names of the relations it reads: another schema is another view."""
    raw_tables(t)
    t.sql("create schema raw2; create table raw2.t as select 9 as id, 'z' as v")
    t.write("models/w.sql", VIEW + "select id from {{ source('raw', 't') }}")
    t.write("models/t.sql", "select id from {{ ref('w') }}")
    t.run("build", no_history="w t")
    t.edit("models/sources.yml", "schema: raw", "schema: raw2")
    t.run("build", upstream_schema_changed="w", upstream_code_changed="t")


@scenario
def over_a_retyped_file(t: Twin) -> None:
    """DuckDB checks a view's types when it is read: a file with other types breaks an old view."""
    t.files(
        {
            "x.csv": "id\n1\n",
            "models/w.sql": VIEW + "select id from read_csv('x.csv')",
            "models/t.sql": "select id from {{ ref('w') }}",
        }
    )
    t.run("build", no_history="w t")
    t.write("x.csv", "id\nword\n")
    t.run(
        "build",
        upstream_schema_changed="w",
        new_upstream_data="t",
    )


@scenario
def over_a_retyped_macro(t: Twin) -> None:
    """The same with a function of the user whose result has another type."""
    t.sql("create macro answer() as 42")
    t.files(
        {
            "models/w.sql": VIEW + "select answer() as n",
            "models/t.sql": "select n from {{ ref('w') }}",
        }
    )
    t.run("build", no_history="w t")
    t.sql("create or replace macro answer() as 'forty-two'")
    t.run(
        "build",
        upstream_code_changed="w t",
    )


OVER_TABLE = THROUGH | {"models/s.sql": "select 1 as id, 'a' as v"}
del OVER_TABLE["seeds/s.csv"]


@scenario
def chain_over_a_retyped_table(t: Twin) -> None:
    """Two views, one over the other, over a table whose column gets another type."""
    t.files(OVER_TABLE)
    t.run("build", no_history="s w w2 t")
    t.write("models/s.sql", "select 1.5 as id, 'a' as v")
    t.run("build", code_changed="s", upstream_schema_changed="w w2", new_upstream_data="t")
    t.run("build", view_unchanged="w w2", no_new_data="s t")


@scenario
def column_added_below(t: Twin) -> None:
    """A column that the view does not name is added below it: building the view is right, and the
    view over the view has the columns it had."""
    t.files(OVER_TABLE)
    t.run("build", no_history="s w w2 t")
    t.write("models/s.sql", "select 1 as id, 'a' as v, 2 as more")
    t.run(
        "build",
        code_changed="s",
        upstream_schema_changed="w",
        view_unchanged="w2",
        new_upstream_data="t",
    )


@scenario
def read_directly_and_through_a_view(t: Twin) -> None:
    """One table twice: what excuses the inner view's columns says nothing about the table's own."""
    t.sql("create schema raw; create table raw.u (id int, v int); insert into raw.u values (1, 2)")
    t.sql("create view raw.inner_view as select id from raw.u")
    t.write(
        "models/sources.yml",
        "sources: [{name: raw, tables: [{name: u}, {name: inner_view}]}]",
    )
    through = "{{ source('raw', 'inner_view') }} i join {{ source('raw', 'u') }} u using (id)"
    t.write("models/w.sql", f"{VIEW} select i.id, u.v from {through}")
    t.write("models/t.sql", f"select i.id, u.v from {through}")
    t.run("build", no_history="w t")
    t.run("build", view_unchanged="w", no_new_data="t")
    t.sql("alter table raw.u alter v type varchar")
    t.run("build", upstream_schema_changed="w", new_upstream_data="t")


@scenario
def not_every_way_has_new_data(t: Twin) -> None:
    """`all`: of a table read directly and of a view over it and another, only the view has some."""
    t.sql(
        "create schema raw; create table raw.u as select 1 as id; create table raw.x as from raw.u"
    )
    t.sql("create view raw.inner_view as select u.id from raw.u join raw.x on true")
    t.write(
        "models/sources.yml",
        "sources: [{name: raw, tables: [{name: u}, {name: inner_view}]}]",
    )
    t.write(
        "models/t.sql",
        "{{ config(state={'require_fresh_data_from': 'all'}) }} select u.id from "
        "{{ source('raw', 'inner_view') }} i, {{ source('raw', 'u') }} u",
    )
    t.run("build", no_history="t")
    t.sql("insert into raw.x values (2)")
    t.stale("main.t")
    t.run("build", no_new_data="t")
    t.stale()
    t.sql("insert into raw.u values (2)")
    t.run("build", new_upstream_data="t")
