"""Only the engine's own functions are trusted: nothing that was registered from outside."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest

from dbt_hodor.versions import duckdb_builtins
from dbt_hodor.versions.duckdb_builtins import BY_NAME, KNOWN_DIGESTS, builtin_names, total


@pytest.fixture
def rows() -> list[tuple[str, str]]:
    with duckdb.connect() as engine:
        return engine.execute(BY_NAME.format(source="duckdb_functions()")).fetchall()


@pytest.fixture
def fresh_engines(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Notes when a fresh engine is asked."""
    asked: list[str] = []
    real = duckdb_builtins._of_a_fresh_engine

    def counted() -> dict[str, str]:
        asked.append("fresh")
        return real()

    monkeypatch.setattr(duckdb_builtins, "_of_a_fresh_engine", counted)
    return asked


def test_a_plain_engine_is_known_by_its_digest(rows: Any, fresh_engines: list[str]) -> None:
    """A new version of the engine: add what `total` gives for it, after its lists were regenerated."""
    assert KNOWN_DIGESTS.get(duckdb.__version__) == total(dict(rows))
    assert {"abs", "sum", "read_csv", "range"} <= set(builtin_names(rows))
    assert fresh_engines == []


def test_what_is_added_is_not_the_engines(rows: Any, fresh_engines: list[str]) -> None:
    """A new name, and one more form of an old one: `create_function` makes both look internal."""
    added = [(name, "7" if name == "abs" else digest) for name, digest in rows] + [("mine", "1")]
    names = builtin_names(added)
    assert fresh_engines == ["fresh"]
    assert "mine" not in names and "abs" not in names
    assert {"sum", "lower"} <= set(names)


def test_a_new_name_alone_asks_nobody(rows: Any, fresh_engines: list[str]) -> None:
    assert "mine" not in builtin_names([*rows, ("mine", "1")])
    assert fresh_engines == []
