"""Names of the project's relations in texts that dbt's graph says nothing about.

Goal: no relation that a text may read is missed.
Method: an index over a few made-up nodes.
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dbt_hodor.manifest import ManifestIndex


def model(alias: str, deferred: str = "") -> SimpleNamespace:
    relation = SimpleNamespace(database="other", schema="main", alias=deferred)
    return SimpleNamespace(
        resource_type="model",
        database="d",
        schema="main",
        alias=alias,
        config=SimpleNamespace(materialized="table"),
        defer_relation=relation if deferred else None,
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("select * from main.m", {"m"}),
        ('select * from "MAIN"."M"', {"m"}),
        ("select * from main.many", set()),
        ("select m.x from t as m", {"m"}),  # an alias alone: too many is safe
        ('select * from "my table"', {"odd"}),
        ("select * from übung", {"accented"}),
        ("select * from prod_k", {"k"}),
        ("select 1", set()),
    ],
)
def test_relations_named_in_a_text(text: str, found: set[str]) -> None:
    nodes = {
        "m": model("M"),
        "odd": model("my table"),
        "accented": model("Übung"),
        "k": model("k", deferred="prod_k"),
    }
    index = ManifestIndex(SimpleNamespace(nodes=nodes, sources={}))
    assert set(index.named_in(text)) == found
