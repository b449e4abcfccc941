"""hodor_trust_loaded_at: what a source says about itself stands in where nothing better is known."""

from __future__ import annotations

from e2e.scenario import scenario
from e2e.twin import Twin

TRUSTING = {"HODOR_TRUST_LOADED_AT": "true"}
SOURCE = (
    "version: 2\nsources: [{name: raw, tables: [{name: t, config: {loaded_at_field: seen%s}}]}]\n"
)
UNSCANNABLE = """create schema raw;
create table raw.t as select 1 as id, timestamp '2020-01-01' as seen, sum(i) export_state as state
from range(3) r(i)
"""
"""A column of a type that nobody vouches for: who reads only the others never notices."""


def reader(t: Twin) -> None:
    t.write("models/sources.yml", SOURCE % "")
    t.write("models/a.sql", "select id from {{ source('raw', 't') }}")


@scenario
def trusted_where_nothing_can_be_scanned(t: Twin) -> None:
    """The field proves same and changed. An update that does not move it is not seen, as whoever
    set this chose; without it the table is unknown and its reader builds."""
    t.sql(UNSCANNABLE)
    reader(t)
    t.run("build", no_history="a")
    t.run("build", unknown_upstream="a")
    t.run("build", env=TRUSTING, new_upstream_data="a")
    t.run("build", env=TRUSTING, no_new_data="a")
    t.sql("insert into raw.t select 2, timestamp '2021-01-01', state from raw.t")
    t.run("build", env=TRUSTING, new_upstream_data="a")
    t.run("build", env=TRUSTING, no_new_data="a")
    t.sql("update raw.t set id = 3 where id = 2")
    t.stale("main.a")
    t.run("build", env=TRUSTING, no_new_data="a")
    t.stale()
    t.run("build", unknown_upstream="a")


@scenario
def a_scan_is_better(t: Twin) -> None:
    """A table that can be read is read: an update that does not move the field is seen."""
    t.sql("create schema raw; create table raw.t as select 1 as id, timestamp '2020-01-01' as seen")
    reader(t)
    t.run("build", env=TRUSTING, no_history="a")
    t.run("build", env=TRUSTING, no_new_data="a")
    t.sql("update raw.t set id = 2")
    t.run("build", env=TRUSTING, new_upstream_data="a")


@scenario
def opted_out_stays_unknown(t: Twin) -> None:
    """The owner's `version: none` is about every way to know a version."""
    t.sql("create schema raw; create table raw.t as select 1 as id, timestamp '2020-01-01' as seen")
    reader(t)
    t.write("models/sources.yml", SOURCE % ", meta: {hodor: {version: none}}")
    t.run("build", env=TRUSTING, no_history="a")
    t.run("build", env=TRUSTING, unknown_upstream="a")


@scenario
def a_value_that_is_not_older_than_now(t: Twin) -> None:
    """It shows the time of asking, or is of the future: no proof, and the owner is told, once."""
    t.sql("create schema raw; create table raw.t as select 1 as id, timestamp '2999-01-01' as seen")
    reader(t)
    t.write("models/b.sql", "select max(id) as id from {{ source('raw', 't') }}")
    t.write("models/sources.yml", SOURCE % ", meta: {hodor: {version: loaded_at}}")
    t.run("build", no_history="a b")
    t.run("build", unknown_upstream="a b")
    t.said("hodor: loaded_at of wh.raw.t is not older than now; its version is unknown")
    assert t.output().count("is not older than now") <= 1
    t.sql("update raw.t set seen = timestamp '2020-01-01'")
    t.run("build", new_upstream_data="a b")
    t.not_said("not older than now")
    t.run("build", no_new_data="a b")
    t.sql("update raw.t set seen = null")
    t.run("build", unknown_upstream="a b")
