"""The lists of core/extract/src/exact_words.inc and aggregates.inc, judged by the installed engine.

Goal: what is called exact gives exact values of exact arguments, and what is called blind to the
order of rows is. Method: bind every function over columns of every exact type; shuffle rows.
"""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dbt_hodor.versions.duckdb_types import UnprovableType, is_inexact

ROOT = Path(__file__).resolve().parents[2] / "core" / "extract" / "src"
EXACT = {
    "TINYINT": "n % 100", "BIGINT": "n", "HUGEINT": "n", "UBIGINT": "abs(n)",
    "DECIMAL(18,3)": "n / 1000", "DECIMAL(38,6)": "n", "BOOLEAN": "n % 2 = 0",
    "DATE": "DATE '2020-01-01' + (n % 3000)::INT", "TIME": "TIME '00:00' + to_microseconds(n % 1000)",
    "TIMESTAMP": "TIMESTAMP '2020-01-01' + to_microseconds(n)",
    "TIMESTAMP WITH TIME ZONE": "TIMESTAMP '2020-01-01' + to_microseconds(n)",
    "VARCHAR": "'s' || n", "UUID": "uuid_of(n)", "BLOB": "encode('b' || n)", "JSON": "n::VARCHAR",
}  # fmt: skip


_NOT_CALLED = {"count_star", "decimal_average", "histogram_exact", "sum_no_overflow"}
"""The optimizer's own, or of more arguments: some version takes none of ours."""


def is_inexact_text(printed: str) -> bool:
    """The same of a type that no table can have (a row without names), by the words in it."""
    try:
        return is_inexact(printed)
    except UnprovableType:
        return bool(re.search("FLOAT|DOUBLE|INTERVAL|VARIANT|UHUGEINT|BIGNUM|VARINT", printed))


def listed(file: str, macro: str, condition: str) -> list[str]:
    """Names of one list."""
    text = (ROOT / file).read_text(encoding="utf-8")
    section = text.split(f"#ifdef {condition}\n", 1)[1].split("#endif", 1)[0]
    return re.findall(rf'^{macro}\("(\w+)"\)', section, re.M)


@pytest.fixture(scope="module")
def engine() -> Any:
    connection = duckdb.connect(config={"threads": "1"})
    connection.execute("CREATE MACRO uuid_of(n) AS md5(n::VARCHAR)::UUID")
    rnd = random.Random(5)
    numbers = ", ".join(f"({rnd.randint(-(10**15), 10**15)})" for _ in range(200))
    columns = ", ".join(
        f"({value})::{name} AS c{place}" for place, (name, value) in enumerate(EXACT.items())
    )
    connection.execute(f"CREATE TABLE t AS SELECT {columns} FROM (VALUES {numbers}) v(n)")
    yield connection
    connection.close()


def bound_type(connection: Any, expression: str, clause: str = "") -> str | None:
    """The type that the engine gives an expression, None when it accepts none."""
    try:
        return str(connection.sql(f"SELECT {expression} AS x FROM t {clause}").types[0])
    except duckdb.Error:
        return None


def answer(connection: Any, expression: str, order: str) -> str:
    """The value of an aggregate over the rows in this order; a word where it has none."""
    try:
        text = f"SELECT {expression} FROM (FROM t ORDER BY {order})"
        return str(connection.execute(text).fetchone()[0])
    except duckdb.OutOfRangeException:
        return "out of range"


def test_exact_functions_give_exact_values(engine: Any) -> None:
    columns = [f"c{place}" for place in range(len(EXACT))]
    constants = ["'month'", "'a'", "2", "'%Y'"]
    wrong, bound = [], 0
    for name in listed("exact_words.inc", "EXACT_FUNCTION", "EXACT_FUNCTION"):
        calls = [f"{name}()", *(f"{name}({column})" for column in columns)]
        calls += [f"{call} OVER ()" for call in calls]
        calls += [f"{name}({a}, {b})" for a, b in itertools.product(columns[::3], repeat=2)]
        calls += [f"{name}({a}, {b})" for a in columns for b in constants]
        calls += [f"{name}({a}, {b}, {b})" for a in constants for b in columns]
        for call in calls:
            found = bound_type(engine, call)
            bound += found is not None
            if found is not None and is_inexact_text(found):
                wrong.append(f"{call}: {found}")
    assert not wrong
    assert bound > 1000


@pytest.mark.parametrize("operator", ["+", "-", "*", "||", "&", "|", "<<", ">>"])
def test_exact_operators_give_exact_values(engine: Any, operator: str) -> None:
    columns = [f"c{place}" for place in range(len(EXACT))]
    names = list(EXACT)
    wrong = []
    for left, right in itertools.product(range(len(columns)), repeat=2):
        found = bound_type(engine, f"{columns[left]} {operator} {columns[right]}")
        # The span between two moments is an interval, of the one form that it can have.
        span = operator == "-" and "DATE" in names[left] + names[right]
        span = span or (operator == "-" and "TIME" in names[left])
        if found is not None and is_inexact(found) and not span:
            wrong.append((names[left], names[right], found))
    assert not wrong


def test_spans_of_moments_have_one_form(engine: Any) -> None:
    """Equal differences of two moments look equal: it is no matter which one is shown."""
    rows = engine.execute(
        "SELECT count(DISTINCT (a.c9 - b.c9)::VARCHAR), count(DISTINCT a.c9 - b.c9) FROM t a, t b"
    ).fetchone()
    assert rows[0] == rows[1] > 1000


@pytest.mark.parametrize("name", listed("exact_words.inc", "EXACT_TYPE", "EXACT_TYPE"))
def test_exact_types_are_exact(engine: Any, name: str) -> None:
    if name in {"array", "enum", "list", "map", "row", "struct"}:
        return  # of parts that are types of their own
    found = bound_type(engine, f"NULL::{name}")
    assert found is None or not is_inexact(found)


@pytest.mark.parametrize("name", listed("aggregates.inc", "INSENSITIVE", "DUCKDB"))
def test_insensitive_aggregates_do_not_see_order(engine: Any, name: str) -> None:
    more = {"quantile": ", 0.3", "quantile_cont": ", 0.3", "quantile_disc": ", 0.3"}.get(name, "")
    tried = 0
    for place in range(len(EXACT)):
        for arguments in (f"c{place}{more}", f"c{place}, 3"):
            expression = f"{name}({arguments})::VARCHAR"
            if bound_type(engine, expression) is None:
                continue
            orders = [f"hash(c1, {seed})" for seed in range(6)]
            assert len({answer(engine, expression, order) for order in orders}) == 1, arguments
            tried += 1
    assert tried or name in _NOT_CALLED
