"""Flags, variables, reverts and failures."""

from __future__ import annotations

from e2e.scenario import CHAIN, QUIET_PROJECT, chain, scenario
from e2e.twin import Twin


@scenario
def empty_flag_first(t: Twin) -> None:
    """--empty is not ours: nothing is recorded, the next run builds."""
    t.files(CHAIN)
    t.run("build --empty")
    t.said("empty")
    t.run("build", no_history="s m c")


@scenario
def empty_flag_later(t: Twin) -> None:
    """Tables emptied by --empty are not taken for our builds."""
    chain(t)
    t.run("build --empty")
    t.run("build", target_modified="s m c")
    t.run("build", no_new_data="s m c")


@scenario
def sample_flag(t: Twin) -> None:
    """A sampled build is not recorded as a full one."""
    t.files(
        {
            "seeds/s.csv": "id,moment\n1,2020-01-01 00:00:00\n2,2099-01-01 00:00:00\n",
            "seeds/p.yml": "version: 2\nseeds: [{name: s, config: {event_time: moment}}]\n",
            "models/m.sql": "select * from {{ ref('s') }}",
        }
    )
    t.run("build", no_history="s m")
    t.run("build --sample '1 day'")
    t.said("sample")
    t.run("build", no_new_data="s", target_modified="m")


@scenario
def variable_reaches_sql(t: Twin) -> None:
    """A -> B -> A by a variable: each time the table holds the other's data."""
    t.files(CHAIN)
    t.write("models/m.sql", "select id, '{{ var(\"x\", \"a\") }}' as v from {{ ref('s') }}")
    t.run("build", no_history="s m c")
    t.run("build --vars 'x: b'", code_changed="m", new_upstream_data="c", no_new_data="s")
    t.run("build", code_changed="m", new_upstream_data="c", no_new_data="s")


@scenario
def variable_unused(t: Twin) -> None:
    chain(t)
    t.run("build --vars 'unused: 1'", no_new_data="s m c")


@scenario
def full_refresh(t: Twin) -> None:
    """All build, tests too."""
    t.write(
        "models/p.yml",
        "version: 2\nmodels: [{name: m, columns: [{name: id, data_tests: [not_null]}]}]\n",
    )
    t.files(CHAIN)
    t.run("build", no_history="s m c not_null_m_id")
    t.run("build --full-refresh", full_refresh="s m c not_null_m_id")
    t.run("build", no_new_data="s m c not_null_m_id")


@scenario
def full_refresh_by_config(t: Twin) -> None:
    """The node's own config wins over the flag, both ways, as in dbt."""
    t.files(CHAIN)
    t.write("models/m.sql", "{{ config(full_refresh=true) }} select id, v from {{ ref('s') }}")
    t.write(
        "models/i.sql",
        "{{ config(full_refresh=false, materialized='incremental', unique_key='id') }}"
        " select id, v from {{ ref('s') }}",
    )
    t.write(
        "seeds/p.yml",
        "version: 2\nseeds: [{name: s, columns: [{name: id, data_tests: [unique, not_null]}]}]\n",
    )
    tests = "unique_s_id not_null_s_id"
    t.run("build", full_refresh="m", no_history=f"s c i {tests}")
    t.run(
        "build",
        full_refresh="m",
        no_new_data=f"s c {tests}",
        unsettled="i",
    )
    t.run("build", full_refresh="m", no_new_data=f"s c i {tests}")
    t.run("build --full-refresh", full_refresh=f"s m c {tests}", no_new_data="i")


@scenario
def file_reverted(t: Twin) -> None:
    chain(t)
    t.edit("models/m.sql", "id, v", "id, upper(v) as v")
    t.run("build", code_changed="m", new_upstream_data="c", no_new_data="s")
    t.write("models/m.sql", CHAIN["models/m.sql"])
    t.run("build", code_changed="m", new_upstream_data="c", no_new_data="s")


@scenario
def failed_then_reverted(t: Twin) -> None:
    """A -> B fails -> A: dbt rolled B back, so A's table stands and is reused."""
    chain(t)
    t.write("models/m.sql", "select id, error('no') as v from {{ ref('s') }}")
    t.run("build", code_changed="m", no_new_data="s", success=False)
    t.write("models/m.sql", CHAIN["models/m.sql"])
    t.run("build", no_new_data="s m c")


@scenario
def built_with_hodor_off_same_rows(t: Twin) -> None:
    """Built meanwhile by plain dbt from other text with the same result: the data is what we know."""
    chain(t)
    t.write("models/m.sql", "select id, v from {{ ref('s') }} where 1 = 1")
    t.run("build", env={"HODOR_MODE": "off"})
    t.write("models/m.sql", CHAIN["models/m.sql"])
    t.run("build", no_new_data="s m c")


@scenario
def built_with_hodor_off_other_columns(t: Twin) -> None:
    chain(t)
    t.write("models/m.sql", "select id, v as w from {{ ref('s') }}")
    t.run("run -s m", env={"HODOR_MODE": "off"})
    t.write("models/m.sql", CHAIN["models/m.sql"])
    t.run("build", target_modified="m", no_new_data="s c")


@scenario
def parse_and_threads(t: Twin) -> None:
    """--no-partial-parse and more threads decide the same."""
    chain(t)
    t.run("--no-partial-parse build --threads 8", no_new_data="s m c")


@scenario
def flags_that_change_nothing(t: Twin) -> None:
    """--fail-fast, --no-introspect, --warn-error."""
    t.write("dbt_project.yml", QUIET_PROJECT)
    chain(t)
    t.run("build --fail-fast", no_new_data="s m c")
    t.run("compile --no-introspect")
    t.mode_was(None)
    t.run("run", no_new_data="m c")
    t.run("--warn-error build", no_new_data="s m c")


@scenario
def retry_after_a_failure(t: Twin) -> None:
    """Retry decides and records like the command it retries; the rest is not selected."""
    t.files(CHAIN)
    t.manifests()
    t.write("models/bad.sql", "select error('no') as x from {{ ref('m') }}")
    t.write("models/after.sql", "select * from {{ ref('bad') }}")
    t.run("build", no_history="s m c bad", success=False)
    t.run("retry", no_history="bad", success=False)
    t.write("models/bad.sql", "select 1 as x from {{ ref('m') }}")
    t.run("retry", no_history="bad after", success=True)
    t.run("build", no_new_data="s m c bad after")


@scenario
def two_runs_in_one_process(t: Twin) -> None:
    """Each run of this suite shares a process with all others; two projects do not mix."""
    chain(t)
    t.run("build", no_new_data="s m c")
    t.edit("dbt_project.yml", "name: p", "name: other")
    t.run("build", no_history="s m c")
    t.edit("dbt_project.yml", "name: other", "name: p")
    t.run("build", no_new_data="s m c")


@scenario
def run_query_value(t: Twin) -> None:
    """A value read while compiling and inlined changes the SQL."""
    t.files(CHAIN)
    t.write(
        "models/q.sql",
        "{% set n = 0 %}{% if execute %}{% set n = run_query('select count(*) from main.k')"
        ".columns[0].values()[0] %}{% endif %} select {{ n }} as n",
    )
    t.sql("create table k as select 1 as x")
    t.run("build", no_history="s m c q")
    t.run("build", no_new_data="s m c q")
    t.sql("insert into k values (2)")
    t.run("build", no_new_data="s m c", code_changed="q")
