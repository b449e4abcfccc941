"""Targets, deferral and clones."""

from __future__ import annotations

from e2e.scenario import CHAIN, chain, scenario
from e2e.twin import Twin

TWO_TARGETS = """p:
  target: dev
  outputs:
    dev: {type: duckdb, path: wh.duckdb, threads: 1}
    alt: {type: duckdb, path: wh.duckdb, schema: alt, threads: 1}
"""


@scenario
def another_target(t: Twin) -> None:
    """Each target has a history of its own."""
    t.write("profiles.yml", TWO_TARGETS)
    chain(t)
    t.run("build --target alt", no_history="s m c")
    t.run("build --target alt", no_new_data="s m c")
    t.run("build", no_new_data="s m c")


@scenario
def deferred(t: Twin) -> None:
    """Slim CI: what is not built here is read from the other environment."""
    t.write("profiles.yml", TWO_TARGETS)
    t.manifests()
    chain(t)
    t.copy("target/manifest.json", "prod/manifest.json")
    defer = "build -s c --target alt --defer --state prod"
    t.run(defer, no_history="c")
    t.run(defer, no_new_data="c")
    t.write("seeds/s.csv", "id,v\n1,a\n2,b\n3,c\n")
    t.run("build -s s m", code_changed="s", new_upstream_data="m")
    t.run(defer, new_upstream_data="c")
    t.run("build -s m --target alt --defer --state prod", no_history="m")
    t.run(defer, new_upstream_data="c")


@scenario
def favor_state(t: Twin) -> None:
    """--favor-state reads the other environment although the relation exists here."""
    t.write("profiles.yml", TWO_TARGETS)
    t.manifests()
    chain(t)
    t.copy("target/manifest.json", "prod/manifest.json")
    t.run("build --target alt", no_history="s m c")
    t.sql("insert into main.m values (77, 'zz')")
    favor = "build -s c --target alt --defer --favor-state --state prod"
    t.run(favor, new_upstream_data="c")
    t.run(favor, no_new_data="c")


@scenario
def clone_then_build(t: Twin) -> None:
    """dbt clone is not ours; what it made has no history of ours."""
    t.write("profiles.yml", TWO_TARGETS)
    t.manifests()
    chain(t)
    t.copy("target/manifest.json", "prod/manifest.json")
    t.run("clone --target alt --state prod")
    t.mode_was(None)
    # dbt-duckdb clones by views; a seed cannot be loaded over one, with or without hodor.
    t.run("run --target alt", no_history="m c")
    t.run("run --target alt", no_new_data="m c")


@scenario
def deferred_view_parent(t: Twin) -> None:
    """A view parent of the other environment is traced by its definition in the warehouse."""
    t.write("profiles.yml", TWO_TARGETS)
    t.manifests()
    t.files(CHAIN)
    t.write("models/m.sql", "{{ config(materialized='view') }} select id, v from {{ ref('s') }}")
    t.run("build", no_history="s m c")
    t.copy("target/manifest.json", "prod/manifest.json")
    defer = "build -s c --target alt --defer --state prod"
    t.run(defer, no_history="c")
    t.run(defer, no_new_data="c")
    t.sql("insert into main.s values (9, 'q')")
    t.run(defer, new_upstream_data="c")


@scenario
def deferred_and_not_named(t: Twin) -> None:
    """A parent that only depends_on names: which of its two relations counts is not known."""
    t.write("profiles.yml", TWO_TARGETS)
    t.manifests()
    chain(t)
    t.copy("target/manifest.json", "prod/manifest.json")
    t.write("models/d.sql", "-- depends_on: {{ ref('m') }}\nselect 1 as x")
    defer = "build -s d --target alt --defer --state prod"
    t.run(defer, no_history="d")
    t.run(defer, unknown_upstream="d")


@scenario
def other_commands(t: Twin) -> None:
    """compile, ls, parse, show, run-operation are plain dbt and record nothing."""
    t.files(CHAIN)
    t.write("macros/op.sql", "{% macro op() %}{% do run_query('select 1') %}{% endmacro %}")
    t.run("build", no_history="s m c")
    for command in ("compile", "ls", "parse", "show -s m", "run-operation op"):
        t.run(command)
        t.mode_was(None)
    t.run("build", no_new_data="s m c")
