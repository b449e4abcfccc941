"""The pairs that the canonical form calls one query, run by the installed engine.

Goal: equal in the data file is equal for the engine. Method: tables with NULLs, duplicates and ties;
columns, types and rows of both queries compared.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest

PAIRS = Path(__file__).resolve().parents[1] / "metamorphic"


def _pairs(name: str) -> list[tuple[str, str]]:
    rows = [json.loads(line) for line in (PAIRS / name).read_text(encoding="utf-8").splitlines()]
    return [(row["a"], row["b"]) for row in rows if row["dialect"] == "duckdb"]


@pytest.fixture(scope="module")
def engine() -> Any:
    connection = duckdb.connect(config={"threads": "1"})
    connection.execute(
        "CREATE TABLE t (id INTEGER, a INTEGER, b INTEGER, Mixed VARCHAR);"
        "INSERT INTO t VALUES (1, 1, 2, 'x'), (2, 1, NULL, 'X'), (2, 3, 2, NULL), (3, NULL, 5, 'y'), "
        "(4, 7, 7, 'x'), (4, 7, 7, 'x');"
        "CREATE TABLE u (id INTEGER, c INTEGER);"
        "INSERT INTO u VALUES (1, 10), (2, 20), (2, NULL), (5, 3), (7, 3);"
    )
    yield connection
    connection.close()


def _answer(connection: Any, sql: str) -> Any:
    """Names, types and the multiset of rows; the kind of error otherwise."""
    try:
        relation = connection.sql(sql)
        if relation is None:
            return "no relation"
        return (
            relation.columns,
            [str(kind) for kind in relation.types],
            Counter(map(repr, relation.fetchall())),
        )
    except duckdb.Error as error:
        return type(error).__name__


@pytest.mark.parametrize("name", ["canonical_equal.jsonl", "token_equal.jsonl"])
def test_equal_pairs_give_equal_relations(engine: Any, name: str) -> None:
    ran = 0
    for left, right in _pairs(name):
        answer = _answer(engine, left)
        assert answer == _answer(engine, right), f"{left}\n{right}"
        ran += not isinstance(answer, str)
    assert ran >= {"canonical_equal.jsonl": 45, "token_equal.jsonl": 8}[name]
