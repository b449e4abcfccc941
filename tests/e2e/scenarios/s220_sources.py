"""Inputs that dbt does not build: sources, files, other databases, plain names."""

from __future__ import annotations

from e2e.scenario import raw_tables, scenario, smoke
from e2e.twin import Twin

OTHER_DATABASE = """p:
  target: dev
  outputs:
    dev:
      type: duckdb
      path: wh.duckdb
      threads: 1
      attach: [{path: other.duckdb, alias: other}]
"""


@smoke
def source_table_and_view(t: Twin) -> None:
    """The source is a table for one and a view in the warehouse for the other."""
    raw_tables(t)
    t.sql("drop table raw.u; create view raw.u as select id, v as w from raw.t")
    t.files(
        {
            "models/a.sql": "select id, v from {{ source('raw', 't') }}",
            "models/b.sql": "select id, w from {{ source('raw', 'u') }}",
        }
    )
    t.run("build", no_history="a b")
    t.run("build", no_new_data="a b")
    t.sql("insert into raw.t values (3, 'c')")
    t.run("build", new_upstream_data="a b")


@scenario
def source_view_redefined(t: Twin) -> None:
    """The view behind a source has another definition that gives the same rows today."""
    raw_tables(t)
    t.sql("drop table raw.u; create view raw.u as select id, v from raw.t")
    t.write("models/b.sql", "select * from {{ source('raw', 'u') }}")
    t.run("build", no_history="b")
    t.sql("create or replace view raw.u as select id, v from raw.t where id < 3")
    t.run("build", upstream_code_changed="b")


@scenario
def source_column_renamed(t: Twin) -> None:
    raw_tables(t)
    t.write("models/a.sql", "select * from {{ source('raw', 't') }}")
    t.run("build", no_history="a")
    t.sql("alter table raw.t rename column v to w")
    t.run("build", new_upstream_data="a")
    t.sql("alter table raw.t alter column id type bigint")
    t.run("build", new_upstream_data="a")


@scenario
def source_missing(t: Twin) -> None:
    """dbt tries and says what is wrong."""
    raw_tables(t)
    t.write("models/a.sql", "select * from {{ source('raw', 't') }}")
    t.run("build", no_history="a")
    t.sql("drop table raw.t")
    t.run("build", unknown_upstream="a", success=False)
    t.sql("create table raw.t as select 1 as id, 'a' as v")
    t.run("build", new_upstream_data="a")


@scenario
def source_dropped_and_made_again(t: Twin) -> None:
    """The same rows and columns in a new table are the same data."""
    raw_tables(t)
    t.write("models/a.sql", "select * from {{ source('raw', 't') }}")
    t.run("build", no_history="a")
    t.sql("create table raw.t2 as from raw.t; drop table raw.t; alter table raw.t2 rename to t")
    t.run("build", no_new_data="a")


@smoke
def files(t: Twin) -> None:
    """Local files are versioned by what they hold; unchanged ones do not build."""
    t.files(
        {
            "data/x.csv": "id\n1\n",
            "data/y.json": '{"id": 1}\n',
            "models/a.sql": "select * from read_csv('data/x.csv')",
            "models/b.sql": "select * from 'data/x.csv'",
            "models/g.sql": "select * from read_csv('data/*.csv')",
            "models/j.sql": "select * from read_json('data/y.json')",
        }
    )
    t.run("build", no_history="a b g j")
    t.run("build", no_new_data="a b g j")
    t.write("data/x.csv", "id\n2\n")
    t.run("build", new_upstream_data="a b g", no_new_data="j")
    t.write("data/z.csv", "id\n3\n")
    t.run("build", new_upstream_data="g", no_new_data="a b j")
    t.write("data/y.json", '{"id": 5}\n')
    t.run("build", new_upstream_data="j", no_new_data="a b g")
    t.delete("data/z.csv")
    t.run("build", new_upstream_data="g", no_new_data="a b j")


@scenario
def parquet_file(t: Twin) -> None:
    """A file written by an external model of the same project, read by its name. The model always
    builds, so the file is a new one each time (another inode), whatever it holds."""
    t.files(
        {
            "data/keep.txt": "",
            "models/w.sql": "{{ config(materialized='external', location='data/w.parquet') }}"
            " select {{ var('n', 1) }} as id",
            "models/r.sql": "select * from read_parquet('data/w.parquet') -- {{ ref('w') }}",
        }
    )
    t.run("build", no_history="r", unsupported="w")
    t.run("run -s r", no_new_data="r")
    t.run("build", unsupported="w", new_upstream_data="r")
    t.run("build --vars 'n: 2'", unsupported="w", new_upstream_data="r")


@scenario
def external_model_read_by_ref(t: Twin) -> None:
    """An external model always builds; the file it wrote versions it for its readers."""
    t.files(
        {
            "models/w.sql": "{{ config(materialized='external', location='w.parquet') }}"
            " select {{ var('n', 1) }} as id",
            "models/r.sql": "select * from {{ ref('w') }}",
        }
    )
    t.run("build", no_history="r", unsupported="w")
    t.run("build", unsupported="w", new_upstream_data="r")
    t.run("build --vars 'n: 2'", unsupported="w", new_upstream_data="r")


@scenario
def external_location_source(t: Twin) -> None:
    """The file in the compiled SQL is the input."""
    t.files(
        {
            "data/t.csv": "id\n1\n",
            "models/sources.yml": """version: 2
sources:
  - name: ext
    config: {external_location: "read_csv('data/{name}.csv')"}
    tables: [{name: t}]
""",
            "models/a.sql": "select * from {{ source('ext', 't') }}",
        }
    )
    t.run("build", no_history="a")
    t.run("build", no_new_data="a")
    t.write("data/t.csv", "id\n1\n2\n")
    t.run("build", new_upstream_data="a")


@scenario
def attached_database(t: Twin) -> None:
    """A three-part name in another DuckDB file: reuse, then build."""
    t.write("profiles.yml", OTHER_DATABASE)
    t.sql("create table x as select 1 as id", file="other.duckdb")
    t.write("models/a.sql", "select * from other.main.x")
    t.run("build", no_history="a")
    t.run("build", no_new_data="a")
    t.sql("insert into x values (2)", file="other.duckdb")
    t.run("build", new_upstream_data="a")


@scenario
def built_into_attached_database(t: Twin) -> None:
    """Others may write to an attached file between our build and its reading: not proven ours."""
    t.write("profiles.yml", OTHER_DATABASE)
    t.files(
        {
            "models/a.sql": "{{ config(database='other') }} select 1 as id",
            "models/c.sql": "select * from {{ ref('a') }}",
        }
    )
    t.run("build", no_history="a c")
    t.run("build", target_modified="a", no_new_data="c")


@scenario
def two_part_name(t: Twin) -> None:
    """A plain raw.t instead of source() is the same table."""
    raw_tables(t)
    t.write("models/a.sql", "select * from raw.t")
    t.run("build", no_history="a")
    t.run("build", no_new_data="a")
    t.sql("insert into raw.t values (3, 'c')")
    t.run("build", new_upstream_data="a")


@scenario
def plain_name_of_a_model(t: Twin) -> None:
    """A model read by its plain name: dbt knows no order. Read before that model ran again, the
    data is what the twin had; read after, it is new. One thread, so b comes after a here."""
    t.files(
        {
            "seeds/s.csv": "id\n1\n",
            "models/a.sql": "select id from {{ ref('s') }}",
            "models/b.sql": "select id from wh.main.a",
        }
    )
    t.run("seed", no_history="s")
    t.run("run -s a", no_history="a")
    t.run("run -s b", no_history="b")
    t.run("run -s b", no_new_data="b")
    t.write("seeds/s.csv", "id\n1\n2\n")
    t.run("build -s s a", code_changed="s", new_upstream_data="a")
    t.run("run -s b", new_upstream_data="b")


@scenario
def plain_name_within_one_build(t: Twin) -> None:
    """The same in one build: early is decided before what it reads is built, so it is as old as the
    twin's, and builds in the next run; late is decided after it and builds at once."""
    t.files(
        {
            "seeds/s.csv": "id\n1\n",
            "models/a.sql": "select id from {{ ref('s') }}",
            "models/c.sql": "select id from {{ ref('a') }}",
            "models/early.sql": "select count(*) as n, max(id) as last from wh.main.c",
            "models/late.sql": "select count(*) as n, max(id) as last from wh.main.a -- {{ ref('c') }}",
        }
    )
    t.run("build -s s a c", no_history="s a c")
    t.run("build", no_new_data="s a c", no_history="early late")
    for number in range(2, 5):
        t.write("seeds/s.csv", f"id\n1\n{number}\n")
        t.run("build", code_changed="s", no_new_data="early", new_upstream_data="a c late")
        t.run("build", no_new_data="s a c late", new_upstream_data="early")
        t.run("build", no_new_data="s a c late early")


@scenario
def warehouse_catalogs(t: Twin) -> None:
    """information_schema and duckdb_* as inputs: always unknown."""
    t.files(
        {
            "models/a.sql": "select table_name from information_schema.tables where table_schema='k'",
            "models/b.sql": "select table_name from duckdb_tables() where schema_name = 'k'",
        }
    )
    t.run("build", no_history="a b")
    t.run("build", unknown_upstream="a b")
    t.sql("create schema k; create table k.x as select 1 as i")
    t.run("build", unknown_upstream="a b")


@scenario
def table_functions(t: Twin) -> None:
    """Pure ones are no input, those of files are versioned by the files, others by nobody."""
    t.files(
        {
            "data/x.csv": "id\n1\n",
            "models/a.sql": "select * from range(3) r(x), generate_series(1, 2) g(y), "
            "unnest([1, 2]) u(z)",
            "models/b.sql": "select file from glob('data/*.csv')",
            "models/m.sql": "select count(*) >= 0 as n from duckdb_memory()",
        }
    )
    t.run("build", no_history="a b m")
    t.run("build", no_new_data="a b", unknown_upstream="m")
    t.write("data/y.csv", "id\n2\n")
    t.run("build", no_new_data="a", new_upstream_data="b", unknown_upstream="m")


@scenario
def opted_out_of_versions(t: Twin) -> None:
    """meta: {hodor: {version: none}} on a source or a node: never scanned, always unknown."""
    raw_tables(t)
    t.write(
        "models/sources.yml",
        """version: 2
sources:
  - name: raw
    tables:
      - {name: t, config: {meta: {hodor: {version: none}}}}
""",
    )
    t.write("models/a.sql", "select * from {{ source('raw', 't') }}")
    t.write("models/k.sql", "{{ config(meta={'hodor': {'version': 'none'}}) }} select 1 as x")
    t.write("models/r.sql", "select * from {{ ref('k') }}")
    t.run("build", no_history="a k r")
    t.run("build", unknown_upstream="a r", target_modified="k")


@scenario
def loaded_at_by_opt_in(t: Twin) -> None:
    """Without the opt-in a table is scanned. With it the field proves changed and same; an update
    that does not move it is not seen, as the owner chose; a field that shows the time of asking
    proves nothing."""
    t.sql(
        "create schema raw; create table raw.t as select 1 as id, timestamp '2020-01-01' as seen;"
        "create table raw.u as from raw.t"
    )
    source = (
        "version: 2\nsources:\n  - name: raw\n    tables:\n"
        "      - {name: t, config: {loaded_at_field: seen%s}}\n"
        "      - {name: u, config: {loaded_at_query: select now()%s}}\n"
    )
    choice = ", meta: {hodor: {version: loaded_at}}"
    t.write("models/sources.yml", source % ("", ""))
    t.write("models/a.sql", "select id from {{ source('raw', 't') }}")
    t.write("models/b.sql", "select id from {{ source('raw', 'u') }}")
    t.write(
        "models/w.sql", "{{ config(materialized='view') }} select id from {{ source('raw', 't') }}"
    )
    t.write("models/c.sql", "select id from {{ ref('w') }}")
    t.run("build", no_history="a b w c")
    t.sql("update raw.t set id = 2")
    t.run("build", new_upstream_data="a c", no_new_data="b", view_unchanged="w")
    t.write("models/sources.yml", source % (choice, choice))
    t.run("build", new_upstream_data="a c", unknown_upstream="b", upstream_schema_changed="w")
    t.run("build", no_new_data="a c", unknown_upstream="b", view_unchanged="w")
    t.sql("update raw.t set id = 3")
    t.stale("main.a", "main.c")
    t.run("build", no_new_data="a c", unknown_upstream="b", view_unchanged="w")
    t.stale()
    t.sql("insert into raw.t values (4, timestamp '2021-01-01')")
    t.run("build", new_upstream_data="a c", unknown_upstream="b", view_unchanged="w")
    t.edit("models/sources.yml", "select now()", "select max(none_such) from wh.raw.u")
    t.run("build", no_new_data="a c", unknown_upstream="b", view_unchanged="w")
    t.said("the version of wh.raw.u could not be read")
    t.said("none_such")


@scenario
def dotted_names(t: Twin) -> None:
    """GAP: a dot, a blank and upper case inside a quoted name."""
    t.sql('create schema "ra.w"; create table "ra.w"."T. x" as select 1 as id')
    t.files(
        {
            "models/sources.yml": "version: 2\nsources:\n  - name: odd\n    schema: ra.w\n"
            "    tables: [{name: x, identifier: 'T. x'}]\n",
            "models/a.sql": "select id from {{ source('odd', 'x') }}",
            "models/b.sql": "{{ config(alias='dot.ted') }} select id from {{ ref('a') }}",
            "models/c.sql": "select id from {{ ref('b') }}",
        }
    )
    t.run("build", no_history="a b c")
    t.run("build", no_new_data="a b c")
    t.sql('insert into "ra.w"."T. x" values (2)')
    t.run("build", new_upstream_data="a b c")
