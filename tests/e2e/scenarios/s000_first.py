"""First runs, modes and settings: what happens before anything has changed."""

from __future__ import annotations

from e2e.scenario import CHAIN, chain, scenario, smoke
from e2e.twin import Twin

ALL = "s m c"


@smoke
def build_then_reuse(t: Twin) -> None:
    """Nothing changed: everything is reused, twice in a row."""
    chain(t)
    t.run("build", no_new_data=ALL)
    t.run("build", no_new_data=ALL)
    t.said("no_new_data")


@scenario
def single_commands(t: Twin) -> None:
    """seed and run decide like build; only what is selected is decided."""
    t.files(CHAIN)
    t.run("seed", no_history="s")
    t.run("run", no_history="m c")
    t.run("seed", no_new_data="s")
    t.run("run", no_new_data="m c")
    t.run("run -s c", no_new_data="c")


@smoke
def cosmetic_edits(t: Twin) -> None:
    """White space, comments and the case of reserved words are no change of the code."""
    chain(t)
    t.write("models/m.sql", "SELECT id,\n   v -- the value\nFROM {{ ref('s') }} /* done */")
    t.run("build", no_new_data=ALL)
    t.write("models/m.sql", "select id, 'x' as v from {{ ref('s') }}")
    t.run("build", code_changed="m", new_upstream_data="c", no_new_data="s")


@scenario
def shadow_builds_all(t: Twin) -> None:
    """Shadow decides and records, but dbt builds; its records count when the mode is switched on."""
    t.files(CHAIN)
    t.run("build", env={"HODOR_MODE": "shadow"}, no_history=ALL)
    t.run("build", env={"HODOR_MODE": "shadow"}, no_new_data=ALL)
    t.statuses_were("success")
    t.run("build", no_new_data=ALL)
    t.statuses_were("reused")


@scenario
def default_mode_is_shadow(t: Twin) -> None:
    chain(t)
    t.run("build", env={"HODOR_MODE": ""}, no_new_data=ALL)
    t.mode_was("shadow")
    t.statuses_were("success")


@scenario
def mode_case(t: Twin) -> None:
    """HODOR_MODE=On is accepted."""
    t.files(CHAIN)
    t.run("build", env={"HODOR_MODE": "On"}, no_history=ALL)
    t.run("build", env={"HODOR_MODE": "ON"}, no_new_data=ALL)
    t.mode_was("on")


@scenario
def mode_unknown(t: Twin) -> None:
    """HODOR_MODE=yes: a warning with the allowed values, and off."""
    chain(t)
    t.run("build", env={"HODOR_MODE": "yes"})
    t.said("hodor_mode")
    t.said("shadow")
    t.mode_was(None)


@scenario
def mode_off_by_vars(t: Twin) -> None:
    """The profile says on, --vars says off; without the variable it is on again."""
    t.files(CHAIN)
    t.write(
        "profiles.yml",
        "p:\n  target: dev\n  outputs:\n"
        "    dev: {type: duckdb, path: wh.duckdb, threads: 1, hodor_mode: on}\n",
    )
    free = {"HODOR_MODE": ""}
    t.run("build", env=free, no_history=ALL)
    t.run("build --vars 'hodor_mode: off'", env=free)
    t.mode_was(None)
    t.run("build", env=free, no_new_data=ALL)


@scenario
def mode_off_by_environment(t: Twin) -> None:
    """Off says nothing and writes nothing."""
    t.files(CHAIN)
    t.run("build", env={"HODOR_MODE": "off"})
    t.not_said("hodor")
    t.store_exists(".hodor/state.duckdb", False)
    t.mode_was(None)


@scenario
def store_unknown(t: Twin) -> None:
    """HODOR_STORE=sqlite: a clear warning, and off."""
    chain(t)
    t.run("build", env={"HODOR_STORE": "sqlite"})
    t.said("hodor_store")
    t.said("duckdb")
    t.mode_was(None)


@scenario
def store_defaults_to_the_adapters_own(t: Twin) -> None:
    """Without HODOR_STORE a dbt-duckdb project gets a DuckDB file."""
    chain(t)
    t.store_exists(".hodor/state.duckdb")


@scenario
def store_is_the_warehouse(t: Twin) -> None:
    """hodor_path equal to the warehouse file is refused with a warning; dbt builds as usual."""
    t.files(CHAIN)
    t.run("build", env={"HODOR_PATH": "wh.duckdb"})
    t.said("hodor_path")
    t.mode_was(None)
    t.run("build", env={"HODOR_PATH": "./wh.duckdb"})
    t.said("hodor_path")


@scenario
def warehouse_in_memory(t: Twin) -> None:
    """A database that ends with the process never reuses."""
    t.files(CHAIN)
    t.write(
        "profiles.yml",
        "p:\n  target: dev\n  outputs:\n    dev: {type: duckdb, path: ':memory:', threads: 1}\n",
    )
    for _ in range(2):
        t.run("build", unsupported=ALL)
        t.statuses_were("success")
