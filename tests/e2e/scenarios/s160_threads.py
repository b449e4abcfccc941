"""Several threads: what one node finds out or writes while others decide. Each shape several times."""

from __future__ import annotations

from e2e.scenario import raw_tables, scenario
from e2e.twin import Twin

REPETITIONS = 4


def threads(t: Twin) -> None:
    t.edit("profiles.yml", "threads: 1", "threads: 6")


@scenario
def diamonds(t: Twin) -> None:
    """A seed, eight tables on it and one on all of them: all or nothing, each time."""
    threads(t)
    middle = [f"m{number}" for number in range(8)]
    t.write("seeds/s.csv", "id\n0\n")
    for number, name in enumerate(middle):
        t.write(f"models/{name}.sql", f"select id + {number} as id from {{{{ ref('s') }}}}")
    union = " union all ".join(f"select id from {{{{ ref('{name}') }}}}" for name in middle)
    t.write("models/c.sql", f"select sum(id) as total from ({union}) q")
    every = " ".join(middle)
    t.run("build", no_history=f"s c {every}")
    for number in range(1, REPETITIONS + 1):
        t.write("seeds/s.csv", f"id\n{number}\n")
        t.run("build", code_changed="s", new_upstream_data=f"c {every}")
        t.run("build", no_new_data=f"s c {every}")


@scenario
def views_over_views(t: Twin) -> None:
    """Six chains of two views and a table: the tables see the source and both definitions."""
    threads(t)
    raw_tables(t)
    view = "{{ config(materialized='view') }} select id, v from "
    low, high, tables = ([f"{kind}{number}" for number in range(6)] for kind in "lht")
    for number in range(6):
        t.write(f"models/l{number}.sql", view + "{{ source('raw', 't') }}")
        t.write(f"models/h{number}.sql", view + f"{{{{ ref('l{number}') }}}}")
        t.write(f"models/t{number}.sql", f"select max(v) as v from {{{{ ref('h{number}') }}}}")
    views, every = " ".join(low + high), " ".join(tables)
    t.run("build", no_history=f"{views} {every}")
    for number in range(REPETITIONS):
        t.sql(f"update raw.t set v = 'x{number}'")
        t.run("build", view_unchanged=views, new_upstream_data=every)
        for name in low[:3]:
            text = view.replace("id, v", f"id, v || '{number}' as v")
            t.write(f"models/{name}.sql", text + "{{ source('raw', 't') }}")
        t.run(
            "build",
            code_changed=" ".join(low[:3]),
            view_unchanged=" ".join(low[3:] + high),
            upstream_code_changed=" ".join(tables[:3]),
            no_new_data=" ".join(tables[3:]),
        )
        t.run("build", view_unchanged=views, no_new_data=every)


@scenario
def failing_tests_and_replays(t: Twin) -> None:
    """Of six pairs of a tested table and its reader, a third fails: run or replayed, it skips its
    reader and no other."""
    threads(t)
    tables, readers, tests = [], [], []
    raw_tables(t)
    for number in range(6):
        tables.append(f"a{number}")
        readers.append(f"b{number}")
        tests.append(f"unique_a{number}_id")
        duplicate = " union all select 1 as id from {{ source('raw', 'u') }}" if number < 2 else ""
        t.write(f"models/a{number}.sql", f"select w as id from {{{{ source('raw', 'u') }}}}{duplicate}"
                f" union all select 1 as id from {{{{ source('raw', 'u') }}}}")  # fmt: skip
        t.write(f"models/b{number}.sql", f"select count(*) as n from {{{{ ref('a{number}') }}}}")
        t.write(
            f"models/a{number}.yml",
            f"models: [{{name: a{number}, columns: [{{name: id, data_tests: [unique]}}]}}]\n",
        )
    ran = " ".join(tables + tests)
    t.run("build", no_history=f"{ran} {' '.join(readers[2:])}", success=False)
    for number in range(REPETITIONS):
        t.run("build", no_new_data=f"{ran} {' '.join(readers[2:])}", success=False)
        t.sql(f"update raw.u set w = {number + 20}")
        t.run("build", new_upstream_data=f"{ran} {' '.join(readers[2:])}", success=False)


@scenario
def rebuilt_inputs_that_were_read_ahead(t: Twin) -> None:
    """Versions are read ahead of the nodes; a table that is built in between is read again. Chains
    of unequal length, so that reading and building meet in another order each time."""
    threads(t)
    raw_tables(t)
    t.sql("create or replace table raw.t as select i as id, 'v' || i as v from range(5000) r(i)")
    every, last = [], []
    for chain in range(5):
        parent = "{{ source('raw', 't') }}"
        for step in range(chain + 1):
            name = f"k{chain}_{step}"
            t.write(f"models/{name}.sql", f"select id, v from {parent}")
            parent = f"{{{{ ref('{name}') }}}}"
            every.append(name)
        last.append(every[-1])
    sums = ", ".join(f"(select sum(id) from {{{{ ref('{name}') }}}}) as {name}" for name in last)
    t.write("models/c.sql", f"select {sums}")
    names = " ".join([*every, "c"])
    t.run("build", no_history=names)
    for number in range(REPETITIONS):
        t.sql(f"insert into raw.t values ({10_000 + number}, 'new')")
        t.run("build", new_upstream_data=names)
        t.sql(f"delete from k4_1 where id = {number}; delete from k2_0 where id = {number}")
        t.run(
            "build",
            target_modified="k4_1 k2_0",
            no_new_data=" ".join(n for n in [*every, "c"] if n not in ("k4_1", "k2_0")),
        )
