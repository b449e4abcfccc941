"""Seeds: what of a CSV file counts."""

from __future__ import annotations

from e2e.scenario import chain, scenario, smoke
from e2e.twin import Twin


@scenario
def crlf_only(t: Twin) -> None:
    """The line endings of the file are not data."""
    chain(t)
    t.write("seeds/s.csv", "id,v\r\n1,a\r\n2,b\r\n")
    t.run("build", no_new_data="s m c")


@scenario
def crlf_inside_quotes(t: Twin) -> None:
    """Inside a quoted field a line ending is data, as dbt-duckdb loads it."""
    t.write("seeds/q.csv", 'id,v\n1,"a\nb"\n')
    t.run("build", no_history="q")
    t.write("seeds/q.csv", 'id,v\n1,"a\r\nb"\n')
    t.run("build", code_changed="q")
    t.write("seeds/q.csv", 'id,v\r\n1,"a\r\nb"\r\n')
    t.run("build", no_new_data="q")


@smoke
def row_added(t: Twin) -> None:
    chain(t)
    t.write("seeds/s.csv", "id,v\n1,a\n2,b\n3,c\n")
    t.run("build", code_changed="s", new_upstream_data="m c")
    t.run("build", no_new_data="s m c")


@scenario
def rows_reordered(t: Twin) -> None:
    """The same rows in another order: only a reader whose SQL sees the order builds."""
    t.write("models/o.sql", "select string_agg(v, ',') as vs from {{ ref('s') }}")
    t.write("models/l.sql", "select * from {{ ref('s') }} limit 1")
    t.files(
        {
            "seeds/s.csv": "id,v\n1,a\n2,b\n",
            "models/m.sql": "select id, v from {{ ref('s') }} order by id",
            "models/c.sql": "select count(*) as n from {{ ref('m') }}",
        }
    )
    t.run("build", no_history="s m c o l")
    t.write("seeds/s.csv", "id,v\n2,b\n1,a\n")
    t.run("build", code_changed="s", no_new_data="m c", new_upstream_data="o l")


@scenario
def rows_reordered_for_a_hard_coded_name(t: Twin) -> None:
    """A reader that names the table without `ref` sees the order that the table passes on, too."""
    t.write("models/m.sql", "{{ config(materialized='table') }} select id, v from {{ ref('s') }}")
    t.write("seeds/s.csv", "id,v\n1,a\n2,b\n")
    t.run("build", no_history="s m")
    t.write(
        "models/r.sql",
        "{{ config(materialized='table') }} select string_agg(v, ',') as vs from main.m",
    )
    t.run("build", no_history="r", no_new_data="s m")
    t.write("seeds/s.csv", "id,v\n2,b\n1,a\n")
    t.run("build", code_changed="s", new_upstream_data="m", no_new_data="r")
    t.run("build", no_new_data="s m", new_upstream_data="r")
    t.write(
        "models/w.sql",
        "{{ config(materialized='table') }} select first(v) as v from main.m",
    )
    t.write("seeds/s.csv", "id,v\n1,a\n2,b\n")
    t.write("models/r.sql", "{{ config(materialized='table') }} select 1 as vs")
    t.run("build", code_changed="s r", new_upstream_data="m", no_history="w")


@scenario
def rows_reordered_on_the_way_to_a_reader(t: Twin) -> None:
    """The table between the two names its input without `ref`, and passes its order on."""
    t.write("models/m.sql", "{{ config(materialized='table') }} select id, v from {{ ref('s') }}")
    t.write("seeds/s.csv", "id,v\n1,a\n2,b\n")
    t.run("build", no_history="s m")
    t.write("models/p.sql", "{{ config(materialized='table') }} select v from main.m")
    t.write("models/r.sql", "select string_agg(v, ',') as vs from {{ ref('p') }}")
    t.run("build", no_history="p r", no_new_data="s m")
    t.write("seeds/s.csv", "id,v\n2,b\n1,a\n")
    t.run("build", code_changed="s", new_upstream_data="m", no_new_data="p r")
    t.run("build", no_new_data="s m", new_upstream_data="p r")


@scenario
def cosmetic_quoting(t: Twin) -> None:
    """The file is not parsed, so the seed builds; its data is the same, so its readers do not."""
    chain(t)
    t.write("seeds/s.csv", 'id,v\n1,"a"\n2,b\n')
    t.run("build", code_changed="s", no_new_data="m c")


@scenario
def column_types_config(t: Twin) -> None:
    chain(t)
    t.write(
        "seeds/p.yml",
        "version: 2\nseeds: [{name: s, config: {column_types: {id: smallint}}}]\n",
    )
    # An existing seed table is emptied and filled: its types change with a full refresh only.
    t.run("build", config_changed="s", no_new_data="m c")
    t.run("build --full-refresh -s s", full_refresh="s")
    t.run("build", no_new_data="s", new_upstream_data="m c")


@scenario
def updated_by_hand(t: Twin) -> None:
    """The seed is loaded again and then has the data its readers know."""
    chain(t)
    t.sql("update s set v = 'z' where id = 1")
    t.run("build", target_modified="s", no_new_data="m c")


@scenario
def excluded_reader(t: Twin) -> None:
    """A reader excluded while its seed changed builds later."""
    chain(t)
    t.write("seeds/s.csv", "id,v\n1,a\n2,c\n")
    t.run("build --exclude m", code_changed="s", no_new_data="c")
    t.run("build", no_new_data="s", new_upstream_data="m c")


@scenario
def show_always_builds(t: Twin) -> None:
    """``seed --show`` prints the loaded table, so it loads it."""
    chain(t)
    t.run("seed --show", unsupported="s")
    t.statuses_were("success")
    t.run("build", no_new_data="s m c")


@scenario
def rows_reordered_for_an_array_of_a_query(t: Twin) -> None:
    """ARRAY(SELECT ...) takes the rows in their order."""
    t.sql("create schema raw; create table raw.t as select * from (values (1), (2), (3)) v(id)")
    t.files(
        {
            "models/sources.yml": "sources: [{name: raw, schema: raw, tables: [{name: t}]}]\n",
            "models/m.sql": "select array(select id from {{ source('raw', 't') }}) as ids",
            "models/c.sql": "select ids[1] as first from {{ ref('m') }}",
            "models/e.sql": "select map(array(select id from {{ source('raw', 't') }}), "
            "array(select id from {{ source('raw', 't') }})) as ids",
            "models/k.sql": "select sum(id) as n from {{ source('raw', 't') }}",
        }
    )
    t.run("build", no_history="m c e k")
    t.run("build", no_new_data="m c e k")
    t.sql("create or replace table raw.t as select * from raw.t order by id desc")
    t.run("build", new_upstream_data="m c e", no_new_data="k")


@scenario
def rows_reordered_under_a_collation(t: Twin) -> None:
    """Which of several equal spellings stands for all of them is a matter of order."""
    t.sql(
        "create schema raw; create table raw.t(c varchar collate nocase); "
        "insert into raw.t values ('a'), ('A'), ('b'); "
        "create table raw.u as select * from (values ('a'), ('A'), ('b')) v(c)"
    )
    t.files(
        {
            "models/sources.yml": "sources: [{name: raw, schema: raw, tables: [{name: t}, {name: u}]}]\n",
            "models/g.sql": "select c, count(*) as n from {{ source('raw', 't') }} group by c",
            "models/d.sql": "select distinct c from {{ source('raw', 't') }}",
            "models/e.sql": "select min(c collate nocase) as c from {{ source('raw', 'u') }}",
            "models/k.sql": "select count(distinct c) as n from {{ source('raw', 'u') }}",
        }
    )
    t.run("build", no_history="g d e k")
    t.run("build", no_new_data="g d e k")
    t.sql(
        "create or replace table raw.u as select * from raw.u order by rowid desc; "
        "create table raw.x as select * from raw.t order by rowid desc; delete from raw.t; "
        "insert into raw.t select * from raw.x; drop table raw.x"
    )
    t.run("build", new_upstream_data="g d e", no_new_data="k")


@scenario
def rows_reordered_under_sums_of_floats(t: Twin) -> None:
    """Floats are added in the order of their rows; integers and decimals are not told apart by it."""
    t.sql(
        "create schema raw; create table raw.t as select * from (values (3), (1), (7)) v(n); "
        "create table raw.f as select * from (values (1e16), (1.0), (-1e16)) v(x); "
        "create table raw.z as select * from (values (0.0::double), (-0.0::double)) v(x)"
    )
    tables = ", ".join(f"{{name: {name}}}" for name in "tfz")
    source = "{{{{ source('raw', '{}') }}}}".format
    t.files(
        {
            "models/sources.yml": f"sources: [{{name: raw, schema: raw, tables: [{tables}]}}]\n",
            "models/a.sql": f"select sum(x) as x from {source('f')}",
            "models/b.sql": f"select sum(1e16 / n) as x, stddev(n) as s from {source('t')}",
            "models/v.sql": "{{ config(materialized='view') }} "
            f"select 1e16 / n - n as x from {source('t')}",
            "models/c.sql": "select sum(x) as x from {{ ref('v') }}",
            "models/d.sql": f"select distinct x from {source('z')}",
            "models/k.sql": "select sum(n) as n, avg(n) as m, sum(n::decimal(9, 2)) / count(*) as d, "
            f"min(n) as l from {source('t')}",
        }
    )
    t.run("build", no_history="a b v c d k")
    t.run("build", no_new_data="a b c d k", view_unchanged="v")
    for name in "tfz":
        t.sql(f"create or replace table raw.{name} as select * from raw.{name} order by rowid desc")
    t.run("build", new_upstream_data="a b c d", no_new_data="k", view_unchanged="v")


@scenario
def rows_reordered_on_the_way_to_a_sum_of_floats(t: Twin) -> None:
    """A table that passes the order of its integers on to whoever divides and adds them."""
    t.sql("create schema raw; create table raw.t as select * from (values (3), (1), (7)) v(n)")
    t.files(
        {
            "models/sources.yml": "sources: [{name: raw, schema: raw, tables: [{name: t}]}]\n",
            "models/m.sql": "select n from {{ source('raw', 't') }}",
            "models/v.sql": "{{ config(materialized='view') }} select n / 3 as x from {{ ref('m') }}",
            "models/r.sql": "select sum(x) as x from {{ ref('v') }}",
            "models/p.sql": "select n from {{ source('raw', 't') }}",
            "models/k.sql": "select sum(n) as n from {{ ref('p') }}",
        }
    )
    t.run("build", no_history="m v r p k")
    t.run("build", no_new_data="m r p k", view_unchanged="v")
    t.sql("create or replace table raw.t as select * from raw.t order by rowid desc")
    t.run("build", new_upstream_data="m r", no_new_data="p k", view_unchanged="v")
