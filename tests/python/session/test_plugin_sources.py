"""A source that a dbt-duckdb plugin loads while compiling has no version, wherever it says so."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dbt_hodor.inputs import _unreadable

PLUGIN = {"plugin": "excel"}


def _source(**places: object) -> SimpleNamespace:
    return SimpleNamespace(resource_type="source", **places)


@pytest.mark.parametrize(
    "places",
    [
        {"meta": PLUGIN},
        {"source_meta": PLUGIN},
        {"config": SimpleNamespace(meta=PLUGIN)},
        {"config": SimpleNamespace(_extra=PLUGIN)},
    ],
)
def test_it_is_unreadable(places: dict[str, object]) -> None:
    assert "plugin" in str(_unreadable(_source(**places), "source.p.s.t"))


def test_another_source_is_not() -> None:
    assert _unreadable(_source(meta={}, config=None), "source.p.s.t") is None
