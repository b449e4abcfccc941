"""Snapshots: what was seen is never lost, what is equal is not looked at again."""

from __future__ import annotations

from e2e.scenario import raw_tables, scenario, smoke
from e2e.twin import Twin

STAMPED = """snapshots:
  - name: h
    relation: source('raw', 'h')
    config: {unique_key: id, strategy: timestamp, updated_at: moment%s}
"""

CHECKED = """snapshots:
  - name: h
    relation: source('raw', 'h')
    config: {unique_key: id, strategy: check, check_cols: %s}
"""

STAMPS = ("dbt_valid_from", "dbt_valid_to", "dbt_updated_at", "dbt_scd_id")
SOURCE_TESTED = """version: 2
sources:
  - name: raw
    tables:
      - {name: h, columns: [{name: id, data_tests: [unique, not_null]}]}
"""
SOURCE = "version: 2\nsources: [{name: raw, tables: [{name: h}]}]\n"
TESTS = "source_unique_raw_h_id source_not_null_raw_h_id"


def history(t: Twin, snapshot: str, tested: bool) -> None:
    t.sql(
        "create schema raw; create table raw.h as select 1 as id, 'a' as v, "
        "timestamp '2024-01-01' as moment"
    )
    t.write("models/sources.yml", SOURCE_TESTED if tested else SOURCE)
    t.write("snapshots/h.yml", snapshot)


@smoke
def timestamp_strategy(t: Twin) -> None:
    """reuse / build / reuse with a tested key."""
    history(t, STAMPED % "", tested=True)
    t.run("build", no_history=f"h {TESTS}")
    t.run("build", no_new_data=f"h {TESTS}")
    t.run("build", no_new_data=f"h {TESTS}")
    t.sql(
        "update raw.h set v = 'b', moment = timestamp '2024-02-01'; "
        "insert into raw.h values (2, 'x', timestamp '2024-02-01')"
    )
    t.run("build", new_upstream_data=f"h {TESTS}")
    t.run("build", no_new_data=f"h {TESTS}")
    t.run("build", no_new_data=f"h {TESTS}")


@scenario
def untested_key_settles_by_fixpoint(t: Twin) -> None:
    history(t, STAMPED % "", tested=False)
    t.run("snapshot", no_history="h")
    t.run("snapshot", unsettled="h")
    t.run("snapshot", no_new_data="h")
    t.sql("update raw.h set v = 'b', moment = timestamp '2024-02-01'")
    t.run("snapshot", new_upstream_data="h")
    t.run("snapshot", unsettled="h")
    t.run("snapshot", no_new_data="h")


@scenario
def duplicate_keys(t: Twin) -> None:
    """Two rows of one key: plain dbt changes the history on every run."""
    history(t, CHECKED % "[v]", tested=False)
    t.except_columns("main.h", *STAMPS)
    t.sql("insert into raw.h values (1, 'b', timestamp '2024-01-01')")
    t.run("snapshot", no_history="h")
    for _ in range(3):
        t.run("snapshot", unsettled="h")


@scenario
def key_doubled_after_its_test(t: Twin) -> None:
    """What a test proved of the source holds for the version that it saw, and for no later one."""
    history(t, CHECKED % "[v]", tested=True)
    t.except_columns("main.h", *STAMPS)
    t.run("build", no_history=f"h {TESTS}")
    t.run("snapshot", no_new_data="h")
    t.sql("insert into raw.h values (1, 'b', timestamp '2024-01-01')")
    t.run("snapshot", new_upstream_data="h")
    for _ in range(2):
        t.run("snapshot", unsettled="h")
    t.sql("delete from raw.h where v = 'b'")
    # Its last build saw two of a key. This one sees one, after which nothing can change any more.
    t.run("snapshot", unsettled="h")
    for _ in range(2):
        t.run("snapshot", no_new_data="h")


@scenario
def check_strategy(t: Twin) -> None:
    history(t, CHECKED % "[v]", tested=True)
    t.except_columns("main.h", *STAMPS)
    t.run("build", no_history=f"h {TESTS}")
    t.run("build", no_new_data=f"h {TESTS}")
    t.run("build", no_new_data=f"h {TESTS}")
    t.write("snapshots/h.yml", CHECKED % "[v, moment]")
    t.run("build", config_changed="h", no_new_data=TESTS)


@scenario
def hard_deletes(t: Twin) -> None:
    history(t, STAMPED % ", hard_deletes: invalidate", tested=True)
    t.except_columns("main.h", "dbt_valid_to")
    t.run("build", no_history=f"h {TESTS}")
    t.run("build", no_new_data=f"h {TESTS}")
    t.run("build", no_new_data=f"h {TESTS}")
    t.sql("delete from raw.h")
    t.run("build", new_upstream_data=f"h {TESTS}")
    t.run("build", no_new_data=f"h {TESTS}")
    t.run("build", no_new_data=f"h {TESTS}")


@scenario
def default_lag_is_none(t: Twin) -> None:
    """A skipped snapshot loses history: the 45 minutes of other nodes are not its default."""
    t.write("dbt_project.yml", 'name: p\nversion: "1.0"\nprofile: p\n')
    history(t, STAMPED % "", tested=False)
    t.run("snapshot", no_history="h")
    t.run("snapshot", unsettled="h")
    t.sql("update raw.h set v = 'b', moment = timestamp '2024-02-01'")
    t.run("snapshot", new_upstream_data="h")


@scenario
def read_by_a_table(t: Twin) -> None:
    """A snapshot is a table to its readers."""
    history(t, STAMPED % "", tested=True)
    t.write("models/c.sql", "select count(*) as n from {{ ref('h') }}")
    t.run("build", no_history=f"h c {TESTS}")
    t.run("build", no_new_data=f"h c {TESTS}")
    t.run("build", no_new_data=f"h c {TESTS}")
    t.sql("insert into raw.h values (2, 'x', timestamp '2024-02-01')")
    t.run("build", new_upstream_data=f"h c {TESTS}")


@scenario
def changed_by_hand(t: Twin) -> None:
    history(t, STAMPED % "", tested=True)
    t.run("build", no_history=f"h {TESTS}")
    t.run("build", no_new_data=f"h {TESTS}")
    t.sql("update h set v = 'hand'")
    t.run("build", target_modified="h", no_new_data=TESTS)


@scenario
def snapshot_of_a_model(t: Twin) -> None:
    """Over a view over a source."""
    raw_tables(t)
    t.sql(
        "alter table raw.t add column moment timestamp; update raw.t set moment = timestamp '2024-01-01'"
    )
    t.files(
        {
            "models/w.sql": "{{ config(materialized='view') }} select id, v, moment "
            "from {{ source('raw', 't') }}",
            "models/p.yml": "version: 2\nmodels: [{name: w, columns: [{name: id, "
            "data_tests: [unique, not_null]}]}]\n",
            "snapshots/h.yml": "snapshots:\n  - name: h\n    relation: ref('w')\n"
            "    config: {unique_key: id, strategy: timestamp, updated_at: moment}\n",
        }
    )
    tests = "unique_w_id not_null_w_id"
    t.run("build", no_history=f"w h {tests}")
    t.run("build", view_unchanged="w", unsettled="h", no_new_data=tests)
    t.run("build", view_unchanged="w", no_new_data=f"h {tests}")
    t.sql("update raw.t set v = 'q', moment = timestamp '2024-03-01' where id = 1")
    t.run("build", view_unchanged="w", new_upstream_data=f"h {tests}")
