"""Incrementals that read a bound from their own relation: which of them are reused, and which not."""

from __future__ import annotations

from e2e.scenario import raw_tables, scenario
from e2e.scenarios.s300_incrementals import BODY, incremental
from e2e.twin import Twin

BOUNDS = {
    "at_least": "id >= (select max(id) from {{ this }})",
    "or_none": "id > (select coalesce(max(id), 0) from {{ this }})",
    "lookback": "id >= (select max(id) - 1 from {{ this }})",
    "lowest": "id >= (select min(id) from {{ this }})",
}
"""Each takes rows again that are there already, or may: only a tested key makes that harmless."""

SINCE = "moment >= (select max(moment) - interval '1 day' from {{ this }})"


def bounded(strategy: str, bound: str, body: str = BODY) -> str:
    key = None if strategy == "append" else "'id'"
    condition = "{% if is_incremental() %} where " + bound + " {% endif %}"
    return incremental(strategy, key, body + condition)


def tested(*names: str) -> str:
    column = "{name: id, data_tests: [unique, not_null]}"
    models = [f"  - {{name: {name}, columns: [{column}]}}\n" for name in names]
    return "version: 2\nmodels:\n" + "".join(models)


def tests_of(*names: str) -> str:
    return " ".join(f"{test}_{name}_id" for name in names for test in ("unique", "not_null"))


@scenario
def bounds_with_a_tested_key(t: Twin) -> None:
    """>=, coalesce, a lookback and min: reused after the build of the other branch of the text."""
    raw_tables(t)
    names = [f"{bound}_{how}" for bound in BOUNDS for how in ("m", "d")]
    for bound, condition in BOUNDS.items():
        t.write(f"models/{bound}_m.sql", bounded("merge", condition))
        t.write(f"models/{bound}_d.sql", bounded("delete+insert", condition))
    t.write("models/p.yml", tested(*names))
    every, tests = " ".join(names), tests_of(*names)
    t.run("build", no_history=f"{every} {tests}")
    t.run("build", code_changed=every, no_new_data=tests)
    t.run("build", no_new_data=f"{every} {tests}")
    t.sql("insert into raw.t values (3, 'c')")
    t.run("build", new_upstream_data=f"{every} {tests}")
    t.run("build", no_new_data=f"{every} {tests}")


@scenario
def interval_with_a_tested_key(t: Twin) -> None:
    """The usual window over days, with rows that come late inside it."""
    raw_tables(t)
    t.sql(
        "alter table raw.t add column moment timestamp; "
        "update raw.t set moment = timestamp '2024-01-01' + id * interval 1 day"
    )
    body = "select id, v, moment from {{ source('raw', 't') }}"
    t.write("models/i.sql", bounded("merge", SINCE, body))
    t.write("models/p.yml", tested("i"))
    tests = tests_of("i")
    t.run("build", no_history=f"i {tests}")
    t.run("build", code_changed="i", no_new_data=tests)
    t.run("build", no_new_data=f"i {tests}")
    t.sql("insert into raw.t values (3, 'late', timestamp '2024-01-02 12:00')")
    t.run("build", new_upstream_data=f"i {tests}")
    t.run("build", no_new_data=f"i {tests}")
    t.sql("insert into raw.t values (4, 'too late', timestamp '2023-01-01')")
    t.run("build", new_upstream_data="i", no_new_data=tests)
    t.run("build", no_new_data=f"i {tests}")


@scenario
def bounds_without_a_tested_key(t: Twin) -> None:
    """The same bounds, no test: the build of the other branch changed nothing, which proves it; so it
    has to be proven again after each change."""
    raw_tables(t)
    for bound, condition in BOUNDS.items():
        t.write(f"models/{bound}.sql", bounded("delete+insert", condition))
    every = " ".join(BOUNDS)
    t.run("build", no_history=every)
    t.run("build", code_changed=every)
    t.run("build", no_new_data=every)
    t.sql("insert into raw.t values (3, 'c')")
    t.run("build", new_upstream_data=every)
    t.run("build", unsettled=every)
    t.run("build", no_new_data=every)


@scenario
def bounds_that_append(t: Twin) -> None:
    """Rows taken again are there twice with append: never reused. What takes none settles."""
    raw_tables(t)
    for bound, condition in BOUNDS.items():
        t.write(f"models/{bound}.sql", bounded("append", condition))
    t.run("build", no_history=" ".join(BOUNDS))
    t.run("build", code_changed=" ".join(BOUNDS))
    again = "at_least lookback lowest"
    for _ in range(2):
        t.run("build", unsettled=again, no_new_data="or_none")
