"""Versions of a model: pointers with names of their own, and what shows which version is the latest."""

from __future__ import annotations

from e2e.scenario import scenario
from e2e.scenarios.s590_overrides import with_extra
from e2e.twin import Twin

POINTING = """version: 2
models:
  - name: m
    latest_version: {latest}
    config: {{latest_version_pointer: {{enabled: true, alias: {alias}}}}}
    versions: [{{v: 1}}, {{v: 2}}]
"""
PLAIN = """version: 2
models:
  - name: m
    latest_version: {latest}
    versions: [{{v: 1}}, {{v: 2}}]
"""
MODELS = {"models/m_v1.sql": "select 1 as x", "models/m_v2.sql": "select 2 as x"}


@scenario
def pointer_with_an_alias(t: Twin) -> None:
    """Switched on for one model, under another name: it follows latest_version and its own name."""
    t.files(MODELS)
    t.write("models/p.yml", POINTING.format(latest=1, alias="current"))
    t.run("build", unsupported="m.v1", no_history="m.v2")
    assert "main.current" in t.dumps["a"]
    t.run("build", unsupported="m.v1", no_new_data="m.v2")
    t.write("models/p.yml", POINTING.format(latest=2, alias="current"))
    t.run("build", unsupported="m.v2", config_changed="m.v1")
    t.write("models/p.yml", POINTING.format(latest=2, alias="newest"))
    t.run("build", unsupported="m.v2", config_changed="m.v1")
    assert "main.newest" in t.dumps["a"]
    t.write("models/p.yml", PLAIN.format(latest=2))
    t.run("build", config_changed="m.v1 m.v2")
    t.run("build", no_new_data="m.v1 m.v2")


@scenario
def pointer_read_by_its_name(t: Twin) -> None:
    """A reader of the pointer's view reads through it, whatever it points to."""
    t.files(MODELS)
    t.write("models/p.yml", POINTING.format(latest=1, alias="current"))
    t.write(
        "models/r.sql",
        "-- depends_on: {{ ref('m', v=1) }} {{ ref('m', v=2) }}\nselect x from wh.main.current",
    )
    t.run("build", unsupported="m.v1", no_history="m.v2 r")
    t.run("build", unsupported="m.v1", no_new_data="m.v2 r")
    t.write("models/p.yml", POINTING.format(latest=2, alias="current"))
    t.run("build", unsupported="m.v2", config_changed="m.v1", upstream_code_changed="r")
    t.run("build", unsupported="m.v2", no_new_data="m.v1 r")


@scenario
def the_latest_version_is_shown(t: Twin) -> None:
    """In a model's text, in a hook, and in a macro that replaces dbt's."""
    t.files(MODELS)
    t.write("models/p.yml", PLAIN.format(latest=1))
    t.write(
        "models/m_v2.sql",
        "select {{ model.version }} as x, '{{ model.latest_version }}' as latest",
    )
    note = "comment on table {{ this }} is '{{ model.latest_version == model.version }}'"
    t.write("models/m_v1.sql", f'{{{{ config(post_hook="{note}") }}}} select 1 as x')
    t.run("build", no_history="m.v1 m.v2")
    t.run("build", no_new_data="m.v1 m.v2")
    t.write("models/p.yml", PLAIN.format(latest=2))
    t.run("build", code_changed="m.v2", config_changed="m.v1")
    t.files(MODELS)
    t.run("build", code_changed="m.v2", config_changed="m.v1")
    t.run("build", no_new_data="m.v1 m.v2")
    t.write("macros/o.sql", with_extra("'{{ model.latest_version }}'"))
    t.run("build", config_changed="m.v1 m.v2")
    t.run("build", no_new_data="m.v1 m.v2")
    t.write("models/p.yml", PLAIN.format(latest=1))
    t.run("build", config_changed="m.v1 m.v2")
