"""The state store under bad luck: every fault leads to builds, none to a failed run."""

from __future__ import annotations

import json

from e2e.scenario import CHAIN, chain, scenario, smoke
from e2e.twin import UNPLUGGED, Twin

ALL = "s m c"


@smoke
def garbage(t: Twin) -> None:
    """Not a database: set aside under another name, said, everything builds, the next run heals."""
    chain(t)
    t.store("garbage")
    t.run("build", no_history=ALL, success=True)
    t.said("set aside")
    if not UNPLUGGED:
        names = t.store("listing")
        assert any(n != "state.duckdb" and "state" in n for n in names), names
    t.run("build", no_new_data=ALL)


@scenario
def truncated(t: Twin) -> None:
    """Cut to nothing, and in the middle."""
    chain(t)
    t.store("truncate", "0")
    t.run("build", no_history=ALL)
    t.run("build", no_new_data=ALL)
    t.store("truncate", "5000")
    t.run("build", no_history=ALL)
    t.run("build", no_new_data=ALL)


@scenario
def deleted(t: Twin) -> None:
    chain(t)
    t.store("delete")
    t.run("build", no_history=ALL)
    t.run("build", no_new_data=ALL)


@scenario
def older_schema(t: Twin) -> None:
    """What an older version did not have, a column and the meta table: migrated, and reused from."""
    chain(t)
    t.store("sql", "alter table hodor_state drop column detail; drop table hodor_state_meta")
    t.run("build", no_new_data=ALL)
    t.run("build", no_new_data=ALL)


@scenario
def newer_schema(t: Twin) -> None:
    """A column nobody here knows is left alone. A file whose version is higher than ours is left
    alone as a whole: everything builds, and that is said."""
    chain(t)
    t.store("sql", "alter table hodor_state add column from_the_future varchar")
    t.run("build", no_new_data=ALL)
    t.store("sql", "update hodor_state_meta set value = '999'")
    t.run("build", success=True)
    t.mode_was(None)
    t.statuses_were("success")
    t.said("written by a newer version and is left alone")
    t.store("sql", "update hodor_state_meta set value = '2'")
    t.run("build", no_new_data=ALL)


@scenario
def bad_json_in_a_record(t: Twin) -> None:
    """A bad record costs its node only."""
    chain(t)
    t.store("sql", "update hodor_state set upstreams = '{broken' where unique_id = 'model.p.m'")
    t.run("build", no_new_data="s c", no_history="m")
    t.run("build", no_new_data=ALL)
    t.store("sql", "update hodor_state set detail = '[]' where unique_id = 'model.p.m'")
    t.run("build", no_new_data="s c", no_history="m")
    t.store("sql", "update hodor_state set sql_facts = 'x' where unique_id = 'model.p.m'")
    t.run("build", no_new_data="s c", no_history="m")


@scenario
def records_from_the_future(t: Twin) -> None:
    """A clock that was a day ahead: what was built since is what counts, or it builds; never a
    reuse of other code."""
    chain(t)
    t.store(
        "sql",
        "update hodor_state set recorded_at_ms = recorded_at_ms + 86400000, "
        "built_at_ms = built_at_ms + 86400000",
    )
    t.run("build", no_new_data=ALL)
    t.write("models/m.sql", "select id, upper(v) as v from {{ ref('s') }}")
    t.run("build", no_new_data="s", code_changed="m", new_upstream_data="c")
    t.run(
        "build",
        no_new_data="s",
        code_changed="m",
        target_modified="c",
    )
    t.write("models/m.sql", CHAIN["models/m.sql"])
    t.run(
        "build",
        no_new_data="s",
        target_modified="m c",
    )


@scenario
def lag_with_a_future_build(t: Twin) -> None:
    """A last build in the future is old, not young."""
    t.sql("create schema raw; create table raw.t as select 1 as id")
    t.files(
        {
            "models/sources.yml": "version: 2\nsources: [{name: raw, tables: [{name: t}]}]\n",
            "models/m.sql": "{{ config(state={'lag_tolerance': '1h'}) }} "
            "select id from {{ source('raw', 't') }}",
        }
    )
    t.run("build", no_history="m")
    t.store("sql", "update hodor_state set built_at_ms = built_at_ms + 86400000")
    t.sql("insert into raw.t values (2)")
    t.run("build", new_upstream_data="m")


@scenario
def path_is_no_file(t: Twin) -> None:
    """A folder stands where the file should be: a warning, all builds, dbt succeeds."""
    t.files(CHAIN)
    t.store("directory_instead")
    t.run("build", success=True)
    t.mode_was(None)
    t.said("hodor_path")
    t.statuses_were("success")
    t.store("directory_away")
    t.run("build", no_history=ALL)


@scenario
def locked_by_another_process(t: Twin) -> None:
    """A lock that stays: one warning, builds go on; afterwards the old records count again."""
    chain(t)
    t.store("lock")
    try:
        t.run("build", success=True)
    finally:
        t.store("unlock")
    t.statuses_were("success")
    t.mode_was(None)
    t.said("in use by another process")
    t.run("build", no_new_data=ALL)


@scenario
def other_hash_version(t: Twin) -> None:
    """A record of another hashing algorithm counts as changed code."""
    chain(t)
    t.store(
        "sql",
        "update hodor_state set hash_version = hash_version - 1 where unique_id = 'model.p.m'",
    )
    t.run("build", no_new_data="s c", code_changed="m")


@scenario
def failed_records_do_not_count(t: Twin) -> None:
    """Only a successful build is a history."""
    chain(t)
    t.store("sql", "update hodor_state set status = 'error' where unique_id = 'model.p.m'")
    t.run("build", no_new_data="s c", no_history="m")


@scenario
def lookback(t: Twin) -> None:
    """A node not built within the window builds once."""
    chain(t)
    t.store("sql", "update hodor_state set recorded_at_ms = recorded_at_ms - 91::bigint * 86400000")
    t.run("build", no_history=ALL)
    t.run("build", no_new_data=ALL)


KILLER = """def model(dbt, session):
    import os, signal, time
    dbt.config(materialized='table')
    dbt.ref('c')
    if os.environ.get('HODOR_TEST_SIGNAL'):
        time.sleep(float(os.environ.get('HODOR_TEST_SLEEP', '0')))
        os.kill(os.getpid(), int(os.environ['HODOR_TEST_SIGNAL']))
        time.sleep(3)
    return session.sql('select 1 as x')
"""


@scenario
def killed_in_the_middle(t: Twin) -> None:
    """kill -9 after three nodes: their records had been flushed within two seconds."""
    t.files(CHAIN)
    t.write("models/killer.py", KILLER)
    t.subprocess("build", env={"HODOR_TEST_SIGNAL": "9", "HODOR_TEST_SLEEP": "3"})
    t.run("build", no_new_data=ALL, unsupported="killer")


@scenario
def terminated_in_the_middle(t: Twin) -> None:
    """GAP: SIGTERM unwinds, so nothing finished is lost and the artefact is written."""
    t.files(CHAIN)
    t.write("models/killer.py", KILLER)
    t.subprocess("build", env={"HODOR_TEST_SIGNAL": "15"})
    if not UNPLUGGED:
        artefact = t.dirs["a"] / "target" / "hodor_run.json"
        nodes = {n["unique_id"] for n in json.loads(artefact.read_text())["nodes"]}
        assert {"seed.p.s", "model.p.m", "model.p.c"} <= nodes, nodes
    t.run("build", no_new_data=ALL, unsupported="killer")


@scenario
def interrupted_in_the_middle(t: Twin) -> None:
    t.files(CHAIN)
    t.write("models/killer.py", KILLER)
    t.subprocess("build", env={"HODOR_TEST_SIGNAL": "2"})
    t.run("build", no_new_data=ALL, unsupported="killer")


@scenario
def read_only_store(t: Twin) -> None:
    """A store that cannot be written: warned, decided from what it holds or built; dbt succeeds."""
    t.files(CHAIN)
    t.run("build", env={"HODOR_PATH": "/proc/hodor/state.duckdb"}, success=True)
    t.said("hodor_path")
    t.mode_was(None)
