"""Committed digests of what the Python side hashes: configuration and unrendered code.

Goal: a stored hash keeps its meaning. When a digest here differs, either the change is a mistake or
the hash version has to move (CONTRIBUTING.md says when).
Method: nodes of plain objects; the pre-images are golden files of tests/golden/preimage.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from dbt_hodor import _core
from dbt_hodor.config_facts import config_digest, config_values, macro_values, plain
from dbt_hodor.deciding import Decider
from dbt_hodor.inputs import VolatileValues
from dbt_hodor.macros import MacroUse

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "preimage"


def check(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("HODOR_GOLDEN_UPDATE") == "1":
        path.write_text(text)
    assert path.read_text() == text


def node(**changes: Any) -> SimpleNamespace:
    config = {
        "materialized": "incremental", "unique_key": ["id"], "on_schema_change": "ignore",
        "grants": {"select": ["someone"]}, "persist_docs": {"relation": True, "columns": False},
        "contract": {"enforced": True}, "tags": ["a"], "meta": {"owner": "x"}, "docs": {"show": True},
        "enabled": True, "databricks_compute": "big", "pre_hook": [], "post_hook": [], "event_time": None,
        "_extra": {"my_key": 1, "state": {"lag_tolerance": "1h"}, "sql_header": "select 1"},
    }  # fmt: skip
    column = SimpleNamespace(
        name="id", description="the key", data_type="DECIMAL(10, 2)", constraints=[{"type": "not_null"}],
        meta={"x": 1}, tags=[], quote=None, _extra={"column_mask": {"function": "f"}},
    )  # fmt: skip
    values = {
        "config": SimpleNamespace(**config),
        "columns": {"id": column},
        "constraints": [{"type": "check", "expression": "id > 0"}],
        "description": "about it",
        "raw_code": "select {{ twice(1) }}, '{{ var('v') }}', '{{ env_var('E') }}' from {{ ref('a') }}",
        "unrendered_config": {"materialized": "{{ var('m') }}"},
    }
    return SimpleNamespace(**(values | changes))


def test_golden_configuration() -> None:
    use = MacroUse(
        project={"macro.p.note": "aa"}, internal="bb", vars=frozenset({"v", "absent"}),
        env_vars=frozenset({"E"}), target_keys=frozenset({"name", "absent"}),
        mentions=frozenset({"meta", "tags", "description"}),
    )  # fmt: skip
    values = config_values(node(), use)
    values |= macro_values(use, {"v": [1, "x"], "unused": 2}, {"name": "dev"}, {"E": "e"})
    dump = _core.dump_preimage("config", plain(values))
    check("node_config.txt", f"{dump}--\ndigest: {config_digest(values)}\n")
    for ignored in ("databricks_compute", "enabled", "lag_tolerance", "sql_header"):
        assert ignored not in dump


def unrendered(changed: SimpleNamespace, variables: dict[str, Any], text: str) -> str:
    macro = SimpleNamespace(unique_id="macro.p.twice", name="twice", macro_sql=text)
    run = SimpleNamespace(
        manifest=SimpleNamespace(macros={"macro.p.twice": macro}),
        vars_of=lambda _: variables,
        target={"name": "dev"},
    )
    return Decider._unrendered(SimpleNamespace(_run=run), changed)  # type: ignore[arg-type]


def test_golden_unrendered_code(monkeypatch: Any) -> None:
    monkeypatch.setenv("E", "e")
    macro = "{% macro twice(n) %}{{ n * 2 }}{% endmacro %}"
    before = unrendered(node(), {"v": 1}, macro)
    check("unrendered.txt", f"digest: {before}\n")
    others = {
        unrendered(node(), {"v": 2}, macro),
        unrendered(node(), {"v": 1}, macro.replace("2", "3")),
        unrendered(node(raw_code="select 1"), {"v": 1}, macro),
        unrendered(node(unrendered_config={}), {"v": 1}, macro),
    }
    monkeypatch.setenv("E", "f")
    others.add(unrendered(node(), {"v": 1}, macro))
    assert len(others | {before}) == 6, "each of them counts"
    monkeypatch.setenv("E", "e")
    assert unrendered(node(), {"v": 1, "unused": 2}, macro) == before


def test_the_date_is_asked_at_each_decision() -> None:
    days = iter(["2026-10-20", "2026-10-20", "2026-10-21"])
    values = VolatileValues(lambda: {"date": next(days)}, "an invocation")
    first, again, tomorrow = (values.tokens({"date"})["date"] for _ in range(3))
    assert first == again != tomorrow
    assert values.tokens({"always"})["always"] is not None
    assert VolatileValues(dict, "x").tokens({"session"}) == {"session": None}
