"""What lies under a project: dbt's and the adapter's macros, the engine's version, the listing.

Goal: another text or version below the project is seen; what cannot be listed is never reused, and
nothing of it is forgotten.
Method: real runs with one function of dbt, the adapter or the provider replaced.
"""

from __future__ import annotations

import pytest

from dbt_hodor import _core, opening
from dbt_hodor.versions import duckdb as provider_module
from dbt_hodor.versions.duckdb import DuckDBProvider

REUSED = {"s": "reuse", "stg": "reuse", "t": "reuse", "not_null_t_id": "replay"}


@pytest.mark.parametrize(
    ("macro", "rebuilt"),
    [
        ("macro.dbt_duckdb.duckdb__create_table_as", {"t"}),
        ("macro.dbt_duckdb.duckdb__load_csv_rows", {"s"}),
        ("macro.dbt.materialization_view_default", {"stg"}),
        ("macro.dbt.default__get_test_sql", {"not_null_t_id"}),
        ("macro.dbt.default__generate_schema_name", set()),
        ("macro.dbt_duckdb.duckdb__get_catalog", set()),
    ],
)
def test_another_text_of_an_internal_macro_builds_what_runs_it(
    settled, monkeypatch, macro, rebuilt
):
    original = opening.open_session

    def with_another_text(task, *arguments):
        task.manifest.macros[macro].macro_sql += "{# of another release #}"
        return original(task, *arguments)

    monkeypatch.setattr(opening, "open_session", with_another_text)
    settled.dbt("build")
    built = {name for name, reason in settled.reasons.items() if reason == "config_changed"}
    assert rebuilt <= built, settled.reasons
    assert rebuilt or not built, settled.reasons
    settled.dbt("build")
    assert settled.actions == REUSED


def test_another_release_of_the_adapter_with_equal_macros_builds_nothing(settled, monkeypatch):
    from dbt.adapters.duckdb import __version__

    monkeypatch.setattr(__version__, "version", "99.9.9")
    settled.dbt("build")
    assert "duckdb=99.9.9" in settled.output
    assert settled.actions == REUSED


@pytest.mark.parametrize(("version", "builds"), [("99.0", True), (None, False)])
def test_another_minor_version_of_the_engine_builds(settled, monkeypatch, version, builds):
    original = DuckDBProvider.environment

    def environment(self):
        found = dict(original(self))
        assert found["version"].count(".") == 1, "no patch release"
        return {**found, "version": version or found["version"]}

    monkeypatch.setattr(DuckDBProvider, "environment", environment)
    settled.dbt("build")
    assert set(settled.reasons.values()) == {"config_changed"} or not builds
    settled.dbt("build")
    assert settled.actions == REUSED


def test_a_listing_that_fails_is_unknown_and_builds(settled, monkeypatch):
    """Existence::unknown: its reason is the one of a relation that "could not be listed"."""
    original = provider_module.read_relations

    def failing(cursor, databases, listing):
        listing.errors.update({name.lower(): "planted trouble" for name in databases})

    monkeypatch.setattr(provider_module, "read_relations", failing)
    sentences = {name: sentence for name, _, _, sentence in _core.REASONS}
    assert "could not be listed" in sentences["relation_missing"]
    for _ in range(2):
        settled.dbt("build")
        # The test reads what was just built, which was looked at without a listing.
        assert settled.reasons == {
            "s": "relation_missing", "stg": "relation_missing", "t": "relation_missing",
            "not_null_t_id": "no_new_data",
        }  # fmt: skip
    settled.dbt("test")
    assert settled.reasons == {"not_null_t_id": "unknown_upstream"}
    monkeypatch.setattr(provider_module, "read_relations", original)
    settled.dbt("build")
    assert settled.actions == {**REUSED, "not_null_t_id": "build"}, "its input was unknown"
    settled.dbt("build")
    assert settled.actions == REUSED


def test_a_listing_that_raises_at_the_start(settled, monkeypatch):
    def failing(self, databases):
        raise RuntimeError("planted trouble")

    settled.forget_run()
    with monkeypatch.context() as patched:
        patched.setattr(DuckDBProvider, "listing", failing)
        settled.dbt("build")
    assert "planted trouble" in settled.output
    assert not settled.has_run()
    settled.dbt("build")
    assert settled.actions == REUSED


def test_a_listing_that_raises_in_the_middle(settled, monkeypatch):
    original, calls = DuckDBProvider.listing, []

    def failing(self, databases):
        calls.append(databases)
        if len(calls) > 1:
            raise RuntimeError("planted trouble")
        return original(self, databases)

    settled.write("seeds/s.csv", "id,v\n1,a\n2,b\n3,c\n")
    settled.profile({"hodor_mode": "on"}, threads=1)
    settled.write("models/py.py", "def model(dbt, session):\n    return dbt.ref('s')\n")
    settled.write(
        "models/x.sql", "{{ config(materialized='table') }} select id from {{ ref('py') }}"
    )
    monkeypatch.setattr(DuckDBProvider, "listing", failing)
    settled.dbt("build")
    assert len(calls) > 1
    assert "planted trouble" in settled.output
    late = dict.fromkeys(("stg", "t", "x", "not_null_t_id"), "hodor_error")
    assert settled.reasons == {"s": "code_changed", "py": "unsupported", **late}
    assert settled.sql("select count(*) from x") == [(3,)]
    monkeypatch.setattr(DuckDBProvider, "listing", original)
    settled.dbt("build")
    assert {name: settled.actions[name] for name in late} == dict.fromkeys(late, "build")
    settled.dbt("build")
    assert settled.actions == {**REUSED, "py": "build", "x": "reuse"}
