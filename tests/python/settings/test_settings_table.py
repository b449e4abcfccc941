"""The declared table of settings: parsing, precedence and warnings come from it, row by row."""

import pytest

from dbt_hodor import settings as module
from dbt_hodor.settings import (
    SETTINGS,
    NodeSettings,
    RunSettings,
    meta_complaint,
    resolve_node_settings,
    resolve_run_settings,
    version_opt_out,
)

GOOD = {
    "hodor_mode": ("on", "on"),
    "hodor_store": ("duckdb", "duckdb"),
    "hodor_database": ("my-db", "my-db"),
    "hodor_schema": ("ops", "ops"),
    "hodor_table": ("t_1", "t_1"),
    "hodor_path": ("x/state.duckdb", "x/state.duckdb"),
    "hodor_metadata_threads": ("4", 4),
    "hodor_compute": ("Small one", "Small one"),
    "hodor_statement_timeout": ("30s", 30_000),
    "hodor_lookback_days": ("7", 7),
    "hodor_reused_status": ("SUCCESS", "success"),
    "hodor_trust_loaded_at": ("true", True),
    "hodor_rebuild_on_runtime": ("yes", True),
}
BAD = {
    "hodor_mode": "yes",
    "hodor_store": "sqlite",
    "hodor_database": 'a"b',
    "hodor_schema": "a.b",
    "hodor_table": "",
    "hodor_path": "\x00",
    "hodor_metadata_threads": "65",
    "hodor_compute": "two\nlines",
    "hodor_statement_timeout": "soon",
    "hodor_lookback_days": "0",
    "hodor_reused_status": "skipped",
    "hodor_trust_loaded_at": "maybe",
    "hodor_rebuild_on_runtime": "2",
}
RUN_ROWS = [row for row in SETTINGS if row.where == "run"]


def test_every_run_setting_has_a_good_and_a_bad_example():
    names = {row.name for row in RUN_ROWS}
    assert names == set(GOOD) == set(BAD)


@pytest.mark.parametrize("row", RUN_ROWS, ids=lambda row: row.name)
def test_precedence_is_environment_vars_profile_default(row):
    text, parsed = GOOD[row.name]
    assert getattr(RunSettings(), row.attribute) == row.default
    for place in range(3):
        sources = [{}, {}, {}]
        sources[place] = {(row.env if place == 2 else row.name): text}
        assert getattr(resolve_run_settings(*sources), row.attribute) == parsed
        source = (
            f"profile key {row.name}",
            f"--vars {row.name}",
            f"environment variable {row.env}",
        )
        assert resolve_run_settings(*sources).sources == {row.attribute: source[place]}
    assert resolve_run_settings({}, {}, {}).sources == {}
    if row.name == "hodor_lookback_days":
        assert resolve_run_settings({row.name: 1}, {row.name: 2}, {row.env: "3"}).lookback_days == 3
        assert resolve_run_settings({row.name: 1}, {row.name: 2}, {row.env: ""}).lookback_days == 2


@pytest.mark.parametrize("row", RUN_ROWS, ids=lambda row: row.name)
def test_a_bad_value_warns_with_what_is_allowed(row):
    result = resolve_run_settings(
        {row.name: BAD[row.name]} if BAD[row.name] else {row.name: "!"}, {}, {}
    )
    if row.invalid_turns_off:
        assert result.mode == "off"
        assert result.off_because
        for allowed in row.accepted.split(", "):
            assert allowed in result.off_because
    else:
        assert result.off_because is None
        assert len(result.warnings) == 1
        assert row.name in result.warnings[0]
        assert getattr(result, row.attribute) == row.default


@pytest.mark.parametrize(
    ("given", "mode"),
    [
        (True, "on"),
        (False, "off"),
        ("On", "on"),
        (" SHADOW ", "shadow"),
        ("true", "on"),
        ("off", "off"),
    ],
)
def test_mode_accepts_yaml_booleans_and_any_case(given, mode):
    assert resolve_run_settings({"hodor_mode": given}, {}, {}).mode == mode


def test_the_default_mode_reuses_nothing():
    assert resolve_run_settings({}, {}, {}).mode == "shadow"


def test_an_unknown_hodor_key_is_said():
    assert "hodor_mod" in resolve_run_settings({"hodor_mod": "on"}, {}, {}).warnings[0]


@pytest.mark.parametrize(
    ("value", "milliseconds"),
    [
        ("0s", 0), ("45m", 2_700_000), ("4h", 14_400_000), ("1d", 86_400_000), ("1w", 604_800_000),
        (90, 90_000), ("90", 90_000), ({"count": 3, "period": "hour"}, 10_800_000),
        ({"count": 2, "period": "days"}, 172_800_000),
    ],
)  # fmt: skip
def test_lag_tolerance_forms(value, milliseconds):
    settings, notes = resolve_node_settings({"lag_tolerance": value}, "model")
    assert settings.lag_tolerance == milliseconds
    assert notes == ()


@pytest.mark.parametrize("value", ["45", True, -1, "-1m", "1y", {"count": 1}, {"count": "1", "period": "day"},
                                   {"count": 1, "period": "fortnight"}, [1], 1.5])  # fmt: skip
def test_a_bad_lag_tolerance_keeps_the_default(value):
    settings, notes = resolve_node_settings({"lag_tolerance": value}, "model")
    if value == "45":
        assert settings.lag_tolerance == 45_000
        return
    assert settings.lag_tolerance == module.DEFAULT_LAG_MS
    assert len(notes) == 1


def test_lag_defaults_by_resource_type():
    assert resolve_node_settings(None, "model")[0].lag_tolerance == module.DEFAULT_LAG_MS
    assert resolve_node_settings({}, "snapshot")[0].lag_tolerance == 0
    assert resolve_node_settings({"lag_tolerance": "1h"}, "snapshot")[0].lag_tolerance == 3_600_000
    assert resolve_node_settings({"lag_tolerance": "1h"}, "test")[0].lag_tolerance == 0


def test_node_keys_and_their_aliases():
    given = {
        "require_fresh_data_from": "ALL",
        "compare_unrendered_code": True,
        "execute_hooks_on_reuse": "true",
        "evaluate_volatile_sql": "auto",
    }
    settings, notes = resolve_node_settings(given, "model")
    assert settings == NodeSettings(
        require_fresh_data_from="all", compare_unrendered_code=True, execute_hooks_on_any_reuse=True
    )
    assert notes == ()


def test_unknown_unsupported_and_malformed_state_is_said_and_ignored():
    settings, notes = resolve_node_settings({"pre_clone": "x", "nonsense": 1}, "model")
    assert settings == NodeSettings()
    assert len(notes) == 2
    assert resolve_node_settings("foo", "model")[1]


@pytest.mark.parametrize(
    ("meta", "answer"),
    [
        (None, None), ({}, None), ({"hodor": "x"}, None), ({"hodor": {}}, None),
        ({"hodor": {"version": "none"}}, "none"), ({"hodor": {"version": None}}, "none"),
        ({"hodor": {"version": "loaded_at"}}, "loaded_at"), ({"hodor": {"version": "?"}}, "none"),
    ],
)  # fmt: skip
def test_version_opt_out(meta, answer):
    assert version_opt_out(meta) == answer


def test_every_row_names_what_it_accepts_and_explains_itself():
    assert len({row.name for row in SETTINGS}) == len(SETTINGS)
    for row in SETTINGS:
        assert row.accepted
        assert row.help.endswith(".")
        assert (row.env == row.name.upper()) == (row.where == "run")


@pytest.mark.parametrize(
    ("meta", "complaint"),
    [
        (None, None),
        ({}, None),
        ({"owner": "x"}, None),
        ({"hodor": {"version": "none"}}, None),
        ({"hodor": {"version": "loaded_at"}}, None),
        ({"hodor": {"version": "nnone"}}, "what reads it builds"),
        ({"hodor": {"versoin": "none"}}, "no setting versoin"),
        ({"hodor": "none"}, "not a mapping"),
    ],
)
def test_a_mistake_in_meta_is_named(meta: object, complaint: str | None) -> None:
    said = meta_complaint(meta)
    assert (said is None) == (complaint is None)
    assert complaint is None or complaint in str(said)
