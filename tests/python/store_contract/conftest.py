"""Rows and stores for the store contract: every store runs the same tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dbt_hodor.store.base import Row, StateStore


def record(number: int = 0, **changes: Any) -> Row:
    """A full record; `changes` name columns."""
    plain: dict[str, Any] = {
        "record_id": f"record-{number}",
        "invocation_id": "invocation-1",
        "recorded_at_ms": 1_000 + number,
        "project_name": "shop",
        "target_name": "dev",
        "node_key": f"db.main.model_{number}",
        "unique_id": f"model.shop.model_{number}",
        "resource_type": "model",
        "mode": "on",
        "decision": "build",
        "reason": "no_history",
        "action": "build",
        "status": "success",
        "text_hash": "t" * 64,
        "code_hash": "c" * 64,
        "unrendered_hash": None,
        "config_hash": "g" * 64,
        "hash_version": 1,
        "sql_facts": '{"relations": []}',
        "data_version": "1;20:123;456;abc",
        "data_changed_at_ms": None,
        "built_at_ms": 900,
        "upstreams": '{"db.raw.t": "1;1:2;3;d"}',
        "test_result": None,
        "hodor_version": "0.1.0",
        "detail": '{"v": 1}',
    }
    return Row(**(plain | changes))


@pytest.fixture(params=["duckdb"])
def open_store(request: Any, tmp_path: Path) -> Iterator[Callable[..., StateStore]]:
    """Opens the store under test; called again it opens the same records."""
    opened: list[Any] = []

    def open_it(**options: Any) -> StateStore:
        from dbt_hodor.store.duckdb import DuckDBStore

        assert request.param == "duckdb"
        path = tmp_path / "a b" / ".hodor" / "state.duckdb"
        opened.append(DuckDBStore(str(path), **options))
        return opened[-1]

    yield open_it
    for store in opened:
        store.close()
