"""Types, names and values of what is read: dbt parents."""

from __future__ import annotations

from e2e.scenario import scenario, smoke
from e2e.twin import Twin

STAR = {
    "models/t.sql": "select 1::int as id, 'a' as v",
    "models/c.sql": "select * from {{ ref('t') }}",
}


def changed(t: Twin, parent: str) -> None:
    """Another text of t that its reader must follow."""
    t.files(STAR)
    t.run("build", no_history="t c")
    t.write("models/t.sql", parent)
    t.run("build", code_changed="t", new_upstream_data="c")
    t.run("build", no_new_data="t c")


@smoke
def int_to_bigint(t: Twin) -> None:
    """The data part cannot see it, the schema part does."""
    changed(t, "select 1::bigint as id, 'a' as v")


@scenario
def int_to_double(t: Twin) -> None:
    changed(t, "select 1::double as id, 'a' as v")


@scenario
def varchar_to_blob(t: Twin) -> None:
    changed(t, "select 1::int as id, 'a'::blob as v")


@scenario
def boolean_to_tinyint(t: Twin) -> None:
    t.files({"models/t.sql": "select true as v", "models/c.sql": "select * from {{ ref('t') }}"})
    t.run("build", no_history="t c")
    t.write("models/t.sql", "select 1::tinyint as v")
    t.run("build", code_changed="t", new_upstream_data="c")


@scenario
def null_types(t: Twin) -> None:
    changed(t, "select 1::int as id, null::bigint as v")
    t.write("models/t.sql", "select 1::int as id, null::varchar as v")
    t.run("build", code_changed="t", new_upstream_data="c")


@scenario
def columns_reordered_and_renamed(t: Twin) -> None:
    changed(t, "select 1::int as v, 'a' as id")


@scenario
def empty_parent_changes_columns(t: Twin) -> None:
    """No rows before, no rows after, other columns."""
    t.files(
        {
            "models/t.sql": "select 1 as id, 'a' as v where false",
            "models/c.sql": "select * from {{ ref('t') }}",
        }
    )
    t.run("build", no_history="t c")
    t.write("models/t.sql", "select 1.5 as x, 'a' as y, 2 as z where false")
    t.run("build", code_changed="t", new_upstream_data="c")


EQUAL_HASHES = [
    ("select 1 as id, 2 as r", "select 2 as id, 1 as r"),
    ("select []::int[] as x", "select [null]::int[] as x"),
    ("select [null]::int[] as x", "select null::int[] as x"),
    ("select {'a': null::int} as x", "select null::struct(a int) as x"),
    ("select {'a': [1], 'b': [2]} as x", "select {'a': [1, 2], 'b': []::int[]} as x"),
    ("select [[1], [2]] as x", "select [[1, 2]] as x"),
    ("select interval '1 month' as x", "select interval '30 days' as x"),
    ("select interval '24 hours' as x", "select interval '1 day' as x"),
    ("select 0.0::double as x", "select '-0.0'::double as x"),
    ("select 'A' collate nocase as x", "select 'a' collate nocase as x"),
    ("select 1.0::decimal(4,1) as x", "select 1.00::decimal(5,2) as x"),
    ("select ['a', 'b'] as x", "select ['a, b'] as x"),
    ("select map {'a': 1} as x", "select map {'a': null::int} as x"),
    ("select '{\"a\":1}'::json as x", "select '{\"a\": 1}'::json as x"),
    ("select 'a'::varchar as x, null::varchar as y", "select null::varchar as x, 'a' as y"),
    ("select (1, 2) as x", "select struct_pack(a := 1, b := 2) as x"),
    ("select 1::variant as x", "select 1.0::variant as x"),
]
"""Pairs of one-row tables that DuckDB's hash() of a row or a careless text can take for one."""


@scenario
def values_that_hash_alike(t: Twin) -> None:
    """Every pair is a change of the data. One project with all of them, edited together."""
    names = []
    for number, (before, _) in enumerate(EQUAL_HASHES):
        t.write(f"models/p{number:02}.sql", before)
        t.write(f"models/c{number:02}.sql", f"select * from {{{{ ref('p{number:02}') }}}}")
        names += [f"p{number:02}", f"c{number:02}"]
    t.run("build", no_history=" ".join(names))
    for number, (_, after) in enumerate(EQUAL_HASHES):
        t.write(f"models/p{number:02}.sql", after)
    t.run(
        "build",
        code_changed=" ".join(n for n in names if n[0] == "p"),
        new_upstream_data=" ".join(n for n in names if n[0] == "c"),
    )
    t.run("build", no_new_data=" ".join(names))


@scenario
def sign_of_nan(t: Twin) -> None:
    """The sign of a NaN is seen, but DuckDB 2.0.1 forgets it when the file is opened again: such a
    table looks modified by others, which costs a build and no more."""
    t.files(
        {
            "models/p.sql": "select 'nan'::double as x",
            "models/c.sql": "select * from {{ ref('p') }}",
        }
    )
    t.run("build", no_history="p c")
    t.run("build", no_new_data="p c")
    t.write("models/p.sql", "select '-nan'::double as x")
    t.run("build", code_changed="p", new_upstream_data="c")
    t.run("build", allow=dict.fromkeys("pc", "no_new_data target_modified"))


@scenario
def column_named_like_the_alias(t: Twin) -> None:
    """A fingerprint query must not take a column for the row."""
    t.files(
        {
            "models/p.sql": "select 1 as t, 2 as x, 3 as r, 4 as p",
            "models/c.sql": "select * from {{ ref('p') }}",
        }
    )
    t.run("build", no_history="p c")
    t.write("models/p.sql", "select 1 as t, 5 as x, 3 as r, 4 as p")
    t.run("build", code_changed="p", new_upstream_data="c")


@scenario
def nocase_collation(t: Twin) -> None:
    """A column that compares without case: its bytes count, and so does the collation."""
    t.sql(
        "create schema raw; create table raw.n (x varchar collate nocase);"
        "insert into raw.n values ('A')"
    )
    t.files(
        {
            "models/sources.yml": "version: 2\nsources: [{name: raw, tables: [{name: n}]}]\n",
            "models/c.sql": "select x, x = 'a' as same from {{ source('raw', 'n') }}",
        }
    )
    t.run("build", no_history="c")
    t.sql("update raw.n set x = 'a'")
    t.run("build", new_upstream_data="c")
    t.sql("drop table raw.n; create table raw.n (x varchar); insert into raw.n values ('a')")
    t.run("build", new_upstream_data="c")
    t.sql(
        "drop table raw.n; create table raw.n (x varchar collate nocase);"
        "insert into raw.n values ('a')"
    )
    t.run("build", new_upstream_data="c")


@scenario
def struct_field_case(t: Twin) -> None:
    """{'Foo': 1} -> {'foo': 1}: a name that is a value."""
    t.write("models/t.sql", "select {'Foo': 1} as s")
    t.run("build", no_history="t")
    t.write("models/t.sql", "select {'foo': 1} as s")
    t.run("build", code_changed="t")


@scenario
def regex_operator(t: Twin) -> None:
    """Equal or not: another text of an operator builds."""
    t.write("models/t.sql", "select v ~ 'b' as x from (values ('abc')) q(v)")
    t.run("build", no_history="t")
    t.write("models/t.sql", "select regexp_matches(v, 'b') as x from (values ('abc')) q(v)")
    t.run("build", code_changed="t")


@scenario
def parent_code_beats_lag(t: Twin) -> None:
    """A parent table's SQL is fixed: its reader does not wait for its lag_tolerance."""
    t.files(
        {
            "models/p1.sql": "select 1 as x",
            "models/c1.sql": "{{ config(state={'lag_tolerance': '45m'}) }}"
            " select * from {{ ref('p1') }}",
        }
    )
    t.run("build", no_history="p1 c1")
    t.write("models/p1.sql", "select 2 as x")
    t.run("build", code_changed="p1", upstream_code_changed="c1")


@scenario
def parent_code_passed_on(t: Twin) -> None:
    """A parent held back by its own lag passes the mark of changed code on to its readers."""
    lag = "{{ config(state={'lag_tolerance': '45m'}) }} "
    t.files(
        {
            "models/a.sql": "select 1 as x",
            "models/b.sql": lag + "select * from {{ ref('a') }}",
            "models/c.sql": lag + "select * from {{ ref('b') }}",
        }
    )
    t.run("build", no_history="a b c")
    t.write("models/a.sql", "select 2 as x")
    t.run("build", code_changed="a", upstream_code_changed="b c")


@scenario
def parent_not_in_the_sql(t: Twin) -> None:
    """A parent named only by depends_on is an input too; the run order needs it."""
    t.files(
        {
            "models/p.sql": "select 1 as x",
            "models/c.sql": "-- depends_on: {{ ref('p') }}\nselect 2 as x",
        }
    )
    t.run("build", no_history="p c")
    t.run("build", no_new_data="p c")
    t.write("models/p.sql", "select 3 as x")
    t.run("build", code_changed="p", new_upstream_data="c")


@scenario
def input_set_changes(t: Twin) -> None:
    """Another ref with the same data: the set of inputs is compared both ways."""
    t.files(
        {
            "models/a.sql": "select 1 as x",
            "models/b.sql": "select 1 as x",
            "models/c.sql": "-- depends_on: {{ ref('a') }}\nselect 1 as y",
        }
    )
    t.run("build", no_history="a b c")
    t.write("models/c.sql", "-- depends_on: {{ ref('b') }}\nselect 1 as y")
    t.run("build", no_new_data="a b", new_upstream_data="c")


@scenario
def ephemeral_parent(t: Twin) -> None:
    """An ephemeral's edit is an edit of its readers; a cosmetic one is none."""
    t.files(
        {
            "seeds/s.csv": "id\n1\n2\n",
            "models/e.sql": "{{ config(materialized='ephemeral') }} select id from {{ ref('s') }}",
            "models/m.sql": "select id from {{ ref('e') }}",
        }
    )
    t.run("build", no_history="s m")
    t.edit("models/e.sql", "select id from", "select  id  /* same */ from")
    t.run("build", no_new_data="s m")
    t.edit("models/e.sql", "{{ ref('s') }}", "{{ ref('s') }} where id > 1")
    t.run("build", no_new_data="s", code_changed="m")
    t.write("seeds/s.csv", "id\n1\n2\n3\n")
    t.run("build", code_changed="s", new_upstream_data="m")


@scenario
def transaction_open_at_the_decision(t: Twin) -> None:
    """A statement while compiling opens a transaction, whose view of the data is not the one that
    versions are read from: inputs are unknown then."""
    t.write("seeds/s.csv", "id\n1\n")
    t.write(
        "models/m.sql",
        "{% if execute %}{% call statement('early') %}select 1{% endcall %}{% endif %}"
        "select id from {{ ref('s') }}",
    )
    t.write("models/c.sql", "select count(*) as n from {{ ref('m') }}")
    t.run("build", no_history="s m c")
    for _ in range(2):
        t.run("build", no_new_data="s c", unknown_upstream="m")
