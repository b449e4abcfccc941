"""sql_header: its statements belong to the node, and what they read is an input of it."""

from __future__ import annotations

from e2e.scenario import raw_tables, scenario
from e2e.twin import Twin

BODY = "select id, v from {{ source('raw', 't') }}"


def headed(header: str, body: str = BODY, config: str = "") -> str:
    return f"{config}{{% call set_sql_header(config) %}}{header}{{% endcall %}}\n{body}"


@scenario
def harmless_header_edited(t: Twin) -> None:
    """A comment on another table: unchanged it does not prevent reuse, edited it builds."""
    raw_tables(t)
    t.sql("create schema ops; create table ops.log (i int)")
    t.write("models/m.sql", headed("comment on table ops.log is 'one';"))
    t.write("models/c.sql", "select max(v) as v from {{ ref('m') }}")
    t.run("build", no_history="m c")
    t.run("build", no_new_data="m c")
    t.write("models/m.sql", headed("COMMENT on   table ops.log is 'one'; -- the same"))
    t.run("build", config_changed="m", no_new_data="c")
    t.write("models/m.sql", headed("comment on table ops.log is 'two';"))
    t.run("build", config_changed="m", no_new_data="c")
    t.write("models/m.sql", BODY)
    t.run("build", config_changed="m", no_new_data="c")
    t.run("build", no_new_data="m c")


@scenario
def header_that_reads_a_table(t: Twin) -> None:
    """What is asked there is an input like any other: for all that is known, it decides something."""
    raw_tables(t)
    t.write("models/m.sql", headed("select max(w) from wh.raw.u;"))
    t.write("models/k.sql", headed("select max(w) from raw.u;"))
    t.run("build", no_history="m k")
    t.run("build", no_new_data="m k")
    t.sql("update raw.u set w = 11")
    t.run("build", new_upstream_data="m k")
    t.run("build", no_new_data="m k")


@scenario
def header_that_writes_what_a_text_names(t: Twin) -> None:
    """Its own text names the table, so for all that is known somebody reads it."""
    raw_tables(t)
    t.sql("create schema ops; create table ops.copies (w int)")
    t.write("models/m.sql", headed("insert into ops.copies select w from wh.raw.u;"))
    t.run("build", hook_writes="m")
    t.run("build", hook_writes="m")


@scenario
def header_in_the_properties(t: Twin) -> None:
    raw_tables(t)
    t.write("models/m.sql", BODY)
    header = 'models: [{{name: m, config: {{sql_header: "{}"}}}}]\n'
    t.write("models/p.yml", header.format("comment on table raw.u is 'a';"))
    t.run("build", no_history="m")
    t.run("build", no_new_data="m")
    t.write("models/p.yml", header.format("comment on table raw.u is 'b';"))
    t.run("build", config_changed="m")
    t.write("models/p.yml", header.format("set default_null_order = 'nulls_first';"))
    t.run("build", hook_writes="m")


@scenario
def header_of_an_incremental(t: Twin) -> None:
    """A text with a header is not traced to what made it, so only a build that changed nothing
    proves that it settles."""
    raw_tables(t)
    t.sql("create schema ops; create table ops.log (i int)")
    config = "{{ config(materialized='incremental', unique_key='id') }}"
    t.write("models/m.sql", headed("comment on table ops.log is 'one';", config=config))
    t.write("models/p.yml", "models: [{name: m, columns: [{name: id, data_tests: [not_null]}]}]\n")
    t.run("build", no_history="m not_null_m_id")
    t.run("build", unsettled="m", no_new_data="not_null_m_id")
    t.run("build", no_new_data="m not_null_m_id")
    t.edit("models/m.sql", "'one'", "'two'")
    t.run("build", config_changed="m", no_new_data="not_null_m_id")
