"""Configuration: what changes the produced relation and what does not."""

from __future__ import annotations

from e2e.scenario import CHAIN, chain, raw_tables, scenario
from e2e.twin import Twin


def model(yaml: str) -> str:
    return f"version: 2\nmodels:\n  - name: m\n{yaml}"


@scenario
def descriptions(t: Twin) -> None:
    """Texts, tags and meta change nothing."""
    t.files(CHAIN)
    t.write("models/p.yml", model("    columns: [{name: id, description: one}]\n"))
    t.run("build", no_history="s m c")
    t.write(
        "models/p.yml",
        model("    description: other\n    columns: [{name: id, description: two}]\n"),
    )
    t.run("build", no_new_data="s m c")
    t.write(
        "models/p.yml",
        model(
            "    config: {tags: [a], meta: {owner: x}}\n"
            "    columns: [{name: id, description: two}]\n"
        ),
    )
    t.run("build", no_new_data="s m c")


@scenario
def meta_read_by_a_hook(t: Twin) -> None:
    """meta counts when a hook or macro that the node runs mentions it."""
    t.files(CHAIN)
    t.write(
        "macros/h.sql",
        "{% macro note() %}comment on table {{ this }} is "
        "'{{ config.get('meta').owner }}'{% endmacro %}",
    )
    t.write("models/p.yml", model("    config: {meta: {owner: x}, post_hook: '{{ note() }}'}\n"))
    t.run("build", no_history="s m c")
    t.write("models/p.yml", model("    config: {meta: {owner: y}, post_hook: '{{ note() }}'}\n"))
    t.run("build", config_changed="m", no_new_data="s c")


def contract(data_type: str, constraints: str = "") -> str:
    return model(
        "    config: {contract: {enforced: true}}\n    columns:\n"
        f"      - {{name: id, data_type: {data_type}{constraints}}}\n"
        "      - {name: v, data_type: varchar}\n"
    )


@scenario
def contract_type_changes(t: Twin) -> None:
    t.files(CHAIN)
    t.write("models/m.sql", "select id::integer as id, v from {{ ref('s') }}")
    t.write("models/p.yml", contract("integer"))
    t.run("build", no_history="s m c")
    t.write("models/p.yml", contract(" INTEGER "))
    t.run("build", no_new_data="s m c")
    t.write("models/p.yml", contract("bigint"))
    t.write("models/m.sql", "select id::bigint as id, v from {{ ref('s') }}")
    t.run("build", no_new_data="s", new_upstream_data="c", expect={"m": "code_changed"})


@scenario
def constraint_added(t: Twin) -> None:
    t.files(CHAIN)
    t.write("models/m.sql", "select id::integer as id, v from {{ ref('s') }}")
    t.write("models/p.yml", contract("integer"))
    t.run("build", no_history="s m c")
    t.write("models/p.yml", contract("integer", ", constraints: [{type: not_null}]"))
    t.run("build", no_new_data="s", config_changed="m", expect={"c": "new_upstream_data"})


VERSIONS = """version: 2
models:
  - name: m
    latest_version: {latest}
    versions: [{{v: 1}}, {{v: 2}}]
"""


@scenario
def latest_version(t: Twin) -> None:
    """Moving latest_version: readers with an explicit version are reused, bare refs follow; the
    pointer view of dbt 1.12 belongs to what is built."""
    t.files(
        {
            "models/m_v1.sql": "select 1 as x",
            "models/m_v2.sql": "select 2 as x",
            "models/exact.sql": "select * from {{ ref('m', v=1) }}",
            "models/bare.sql": "select * from {{ ref('m') }}",
            "models/p.yml": VERSIONS.format(latest=1),
        }
    )
    t.run("build", no_history="m.v1 m.v2 exact bare")
    t.run("build", no_new_data="m.v1 m.v2 exact bare")
    t.write("models/p.yml", VERSIONS.format(latest=2))
    t.run("build", no_new_data="m.v1 m.v2 exact", code_changed="bare")


@scenario
def version_pointers(t: Twin) -> None:
    """GAP: latest_version_pointer views must follow latest_version: the version that owns one
    always builds."""
    t.files(
        {
            "models/m_v1.sql": "select 1 as x",
            "models/m_v2.sql": "select 2 as x",
            "models/p.yml": VERSIONS.format(latest=1),
        }
    )
    project = t.dirs["b"].joinpath("dbt_project.yml").read_text()
    t.write(
        "dbt_project.yml", project + "flags: {latest_version_pointer_enabled_by_default: true}\n"
    )
    t.run("build", unsupported="m.v1", no_history="m.v2")
    t.write("models/p.yml", VERSIONS.format(latest=2))
    t.run("build", unsupported="m.v2", expect={"m.v1": "config_changed"})
    t.run("build", unsupported="m.v2", no_new_data="m.v1")


@scenario
def grants_added(t: Twin) -> None:
    """Not judged elsewhere. Decided: grants are in the config hash, so the node builds."""
    chain(t)
    t.write("models/p.yml", model("    config: {grants: {select: [someone]}}\n"))
    t.run("build", no_new_data="s c", config_changed="m")
    t.run("build", no_new_data="s m c")


@scenario
def persist_docs(t: Twin) -> None:
    """Switched on: the comments are written. Their text alone does not count (documented)."""
    t.files(CHAIN)
    docs = "    description: about m\n    columns: [{name: id, description: the key}]\n"
    t.write("models/p.yml", model(docs))
    t.run("build", no_history="s m c")
    t.write(
        "models/p.yml",
        model(docs + "    config: {persist_docs: {relation: true, columns: true}}\n"),
    )
    t.run("build", config_changed="m", no_new_data="s c")
    t.run("build", no_new_data="s m c")


@scenario
def alias_changes(t: Twin) -> None:
    """Another relation: no history; its reader is the same query, of another relation."""
    chain(t)
    t.write("models/m.sql", "{{ config(alias='mm') }} select id, v from {{ ref('s') }}")
    t.run(
        "build",
        no_new_data="s",
        expect={"m": "no_history", "c": "new_upstream_data"},
    )


@scenario
def aliases_swapped(t: Twin) -> None:
    """Two models swap their relations: both build, and the reader of one of them too."""
    t.files(
        {
            "models/x.sql": "{{ config(alias='ax') }} select 1 as n",
            "models/y.sql": "{{ config(alias='ay') }} select 2 as n",
            "models/z.sql": "select n from {{ ref('x') }}",
        }
    )
    t.run("build", no_history="x y z")
    t.edit("models/x.sql", "ax", "ay")
    t.edit("models/y.sql", "ay", "ax")
    t.run("build", code_changed="x y", expect={"z": "new_upstream_data"})
    t.run("build", no_new_data="x y z")


@scenario
def model_renamed_with_its_alias(t: Twin) -> None:
    """The relation keeps its history when only the model's own name changes."""
    t.files(
        {
            "models/old.sql": "{{ config(alias='r') }} select 1 as n",
            "models/z.sql": "select n from {{ ref('old') }}",
        }
    )
    t.run("build", no_history="old z")
    t.delete("models/old.sql")
    t.files(
        {
            "models/new.sql": "{{ config(alias='r') }} select 1 as n",
            "models/z.sql": "select n from {{ ref('new') }}",
        }
    )
    t.run("build", expect={"new": "no_new_data", "z": "no_new_data"})


@scenario
def materialized_view_to_table(t: Twin) -> None:
    t.files(CHAIN)
    t.write("models/m.sql", "{{ config(materialized='view') }} " + CHAIN["models/m.sql"])
    t.run("build", no_history="s m c")
    t.write("models/m.sql", CHAIN["models/m.sql"])
    t.run(
        "build",
        no_new_data="s",
        expect={
            "m": "relation_missing",
            "c": "upstream_code_changed",
        },
    )


@scenario
def profile_settings(t: Twin) -> None:
    """A result-affecting setting of the session is part of what a node was built with; so are dbt's
    behaviour flags."""
    t.files(
        {
            "seeds/s.csv": "id,v\n1,a\n2,\n3,b\n",
            "models/m.sql": "select v, row_number() over (order by v) as n from {{ ref('s') }}",
            "models/k.sql": "select 7 / 2 as q",
        }
    )
    t.run("build", no_history="s m k")
    t.edit(
        "profiles.yml",
        "threads: 1}",
        "threads: 1, settings: {default_null_order: nulls_first, integer_division: true}}",
    )
    t.run("build", config_changed="s m k")
    t.run("build", no_new_data="s m k")
    project = t.dirs["b"].joinpath("dbt_project.yml").read_text()
    t.write("dbt_project.yml", project + "flags: {validate_macro_args: false}\n")
    t.run("build", config_changed="s m k")
    t.run("build", no_new_data="s m k")


@scenario
def compare_unrendered_code(t: Twin) -> None:
    """Rendered differently from the same source: reused as documented; real edits build, and so
    does a value of var() and a macro's text."""
    t.files(
        {
            "macros/x.sql": "{% macro twice(n) %}{{ n * 2 }}{% endmacro %}",
            "models/m.sql": "{{ config(state={'compare_unrendered_code': true, 'lag_tolerance': '0s'}) }}"
            " select {{ twice(2) }} as x, '{{ invocation_id }}-{{ modules.datetime.datetime.now() }}' as y",
            "models/k.sql": "{{ config(state={'compare_unrendered_code': true, 'lag_tolerance': '0s'}) }}"
            " select '{{ var('v', 'a') }}' as x",
        }
    )
    t.except_columns("main.m", "y")
    t.run("build", no_history="m k")
    t.run("build", no_new_data="m k")
    t.run("build --vars 'v: b'", no_new_data="m", code_changed="k")
    t.write("macros/x.sql", "{% macro twice(n) %}{{ n * 3 }}{% endmacro %}")
    t.run("build --vars 'v: b'", code_changed="m", no_new_data="k")


@scenario
def state_block_is_merged(t: Twin) -> None:
    """state: is merged key by key over project, folder and model."""
    raw_tables(t)
    t.files(
        {
            "models/m.sql": "select id, v from {{ source('raw', 't') }}",
            "models/c.sql": "select count(*) as n from {{ ref('m') }}",
        }
    )
    t.write(
        "dbt_project.yml",
        """name: p
version: "1.0"
profile: p
models:
  +materialized: table
  +state: {lag_tolerance: 1h, require_fresh_data_from: any}
  p:
    +state: {execute_hooks_on_any_reuse: false}
""",
    )
    t.write("models/p.yml", model("    config: {state: {lag_tolerance: 0s}}\n"))
    t.run("build", no_history="m c")
    t.sql("insert into raw.t values (3, 'c')")
    t.stale("main.c")
    t.run("build", new_upstream_data="m", within_lag_tolerance="c")


@scenario
def default_lag(t: Twin) -> None:
    """45 minutes by default: new *data* waits (as documented), with the age in the store it builds.
    A seed's edit is a change of its code, so its readers do not wait."""
    t.write(
        "dbt_project.yml", 'name: p\nversion: "1.0"\nprofile: p\nmodels: {+materialized: table}\n'
    )
    t.sql("create schema raw; create table raw.t as select 1 as id")
    t.files(
        {
            "models/sources.yml": "version: 2\nsources: [{name: raw, tables: [{name: t}]}]\n",
            "seeds/s.csv": "id\n1\n",
            "models/m.sql": "select id from {{ ref('s') }}",
            "models/k.sql": "select id from {{ source('raw', 't') }}",
        }
    )
    t.run("build", no_history="s m k")
    t.write("seeds/s.csv", "id\n1\n2\n")
    t.run("build", code_changed="s", upstream_code_changed="m", no_new_data="k")
    t.sql("insert into raw.t values (2)")
    t.stale("main.k")
    t.run("build", no_new_data="s m", within_lag_tolerance="k")
    t.stale()
    t.store("sql", "update hodor_state set built_at_ms = built_at_ms - 46 * 60 * 1000")
    t.run("build", no_new_data="s m", new_upstream_data="k")


@scenario
def fresh_data_from_all(t: Twin) -> None:
    """all: waits until every parent has new data; parents without data do not count (GAP)."""
    t.sql(
        "create schema raw; create table raw.t as select 1 as id; "
        "create table raw.u as select 1 as id"
    )
    config = "{{ config(state={'require_fresh_data_from': 'all', 'lag_tolerance': '0s'}) }} "
    t.files(
        {
            "models/sources.yml": "version: 2\nsources: "
            "[{name: raw, tables: [{name: t}, {name: u}]}]\n",
            "models/one.sql": "{{ config(materialized='view') }} select 1 as k",
            "models/two.sql": config + "select t.id from {{ source('raw', 't') }} t, "
            "{{ source('raw', 'u') }} u",
            "models/t_all.sql": config
            + "select t.id from {{ source('raw', 't') }} t, {{ ref('one') }}",
        }
    )
    t.run("build", no_history="one two t_all")
    t.sql("insert into raw.t values (2)")
    t.stale("main.two")
    t.run("build", view_unchanged="one", no_new_data="two", new_upstream_data="t_all")
    t.sql("insert into raw.u values (2)")
    t.stale()
    t.run("build", view_unchanged="one", new_upstream_data="two", no_new_data="t_all")
