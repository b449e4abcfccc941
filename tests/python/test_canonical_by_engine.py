"""The engine's own parser judges which expressions are one.

Goal: two expressions with one canonical hash are one expression for the installed DuckDB.
Method: random expressions with parentheses in random places, each against a twin with one pair of
parentheses more or less, and each against the expressions that its generator made before; the engine
serializes both, and where the serialized trees differ the hashes have to.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dbt_hodor import _core

sys.path.insert(0, str(Path(__file__).parents[1] / "metamorphic"))

from random_forms import Engine, attack

NO_IDS = _core.RelationIds([])
# `_` stands for a space.
INFIX = """
    or and = <> != < <= > >= == || + - * / // % ^ ** & | << >> -> ->> @> <@ ^@ && ~ !~ ~~ !~~
    like ilike glob <-> not_like is_distinct_from is_not_distinct_from at_time_zone
""".split()  # noqa: SIM905 - a word list
PREFIX = ("not", "-", "+", "~", "@")
POSTFIX = ("is null", "is not null", "isnull", "notnull", "is true", "::int", "::text", "collate nocase",
           "[1]", ".f", "!")  # fmt: skip
EXPRESSIONS = 4000


class Maker:
    """Random expressions. Every operand may be in parentheses."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def operand(self, depth: int) -> str:
        choose = self.random
        kind = choose.random()
        if depth == 0 or kind < 0.3:
            text = choose.choice(["a", "b", "c", "1", "-1", "'x'", "f(a)", "s.g", "null"])
        else:
            text = self.expression(depth - 1)
            if kind < 0.8:
                return f"({text})"
        return f"({text})" if choose.random() < 0.15 else text

    def expression(self, depth: int) -> str:
        choose = self.random
        kind = choose.random()
        if kind < 0.12:
            return f"{choose.choice(PREFIX)} {self.operand(depth)}"
        if kind < 0.24:
            return f"{self.operand(depth)} {choose.choice(POSTFIX)}"
        if kind < 0.30:
            return f"{self.operand(depth)} between {self.operand(depth)} and {self.operand(depth)}"
        if kind < 0.36:
            return f"{self.operand(depth)} in ({self.operand(depth)}, {self.operand(depth)})"
        if kind < 0.40:
            return f"{self.operand(depth)} like {self.operand(depth)} escape '!'"
        op = choose.choice(INFIX).replace("_", " ")
        return f"{self.operand(depth)} {op} {self.operand(depth)}"


def stripped(value: Any) -> Any:
    """A serialized tree without where in the text its parts were."""
    if isinstance(value, dict):
        return {k: stripped(v) for k, v in value.items() if not k.startswith("query_location")}
    if isinstance(value, list):
        return [stripped(item) for item in value]
    return value


class Judge:
    def __init__(self) -> None:
        self.engine = duckdb.connect(":memory:", config={"threads": "1"})

    def tree(self, expression: str) -> str | None:
        """What the engine takes it for, or None for what it does not parse."""
        return self.query(f"select {expression} as x from t")

    def query(self, sql: str) -> str | None:
        """The same of a whole query."""
        (text,) = self.engine.execute("select json_serialize_sql(?)", [sql]).fetchone()
        found = json.loads(text)
        return None if found.get("error") else json.dumps(stripped(found["statements"][0]["node"]))


def canonical(expression: str) -> str:
    """Where keys are expressions no spelling stands for another that is not one tree to the engine."""
    return hash_of(f"select max(a) as x from t group by a + 1 having {expression}")


def hash_of(sql: str) -> str:
    return _core.analyze(sql, "duckdb", [], NO_IDS, None, True).code_hash


def twins(expression: str, choose: random.Random) -> list[str]:
    """The expression with one pair of parentheses taken away, where that leaves them balanced."""
    opens, pairs = [], []
    for place, letter in enumerate(expression):
        if letter == "(":
            opens.append(place)
        elif letter == ")":
            pairs.append((opens.pop(), place))
    choose.shuffle(pairs)
    return [
        f"{expression[:begin]} {expression[begin + 1 : end]} {expression[end + 1 :]}"
        for begin, end in pairs[:4]
    ]


@pytest.mark.parametrize("seed", range(4))
def test_one_hash_is_one_expression(seed: int) -> None:
    judge, maker = Judge(), Maker(seed)
    seen: dict[str, tuple[str, str]] = {}
    compared = equal = same_tree = 0
    for _ in range(EXPRESSIONS // 4):
        expression = maker.expression(3)
        for text in (expression, *twins(expression, maker.random)):
            tree = judge.tree(text)
            if tree is None:
                continue
            compared += 1
            key = canonical(text)
            other = seen.setdefault(key, (text, tree))
            assert other[1] == tree, f"one hash for\n  {other[0]}\n  {text}"
            equal += other[0] != text
            same_tree += 1
    assert compared > EXPRESSIONS // 8
    assert equal > compared // 20, (equal, compared)


CLAUSES = (
    "select a as x from t order by {}", "select a as x from t group by {}",
    "select a as x from t where {}", "select a as x from t having {}",
    "select a as x from t qualify {}", "select a as x from t limit {}",
    "select distinct on ({}) a as x from t", "select sum(a) over (partition by {}) as x from t",
    "select sum(a) over (order by {}) as x from t", "select sum(a order by {}) as x from t",
    "select sum(a) filter (where {}) as x from t", "select f({}) as x from t",
    "select count({}) as x from t", "select case {} when b then c end as x from t",
    "select [{}] as x from t", "select {{'k': {}}} as x from t", "select cast({} as int) as x from t",
    "select * replace ({} as a) from t", "values ({})", "select x: {} from t",
    "select interval {} day as x from t", "select a as x from t join u on {}",
    "select any_value({}) as x from f({})", "select a as x from t group by rollup ({})",
    "select a as x from t group by grouping sets ({})", "pivot t on a using {}",
    "select a in ({}) as x from t", "select a = any({}) as x from t", "select s[{}] as x from t",
    "select a as x from t where a in (select b from u where {})", "select {} from t",
    "select list_transform(l, lambda y: {}) as x from t", "select columns({}) as x from t",
)  # fmt: skip
INSIDE = ("a", "a + b", "1", "-1", "'x'", "a = b", "*", "t.*", "null", "count(a)", "a, b", "(select 1)",
          "a between b and c", "not a", "a::int", "x")  # fmt: skip


@pytest.mark.parametrize("clause", CLAUSES)
def test_parentheses_around_all_of_a_clause(clause: str) -> None:
    """One hash with and without: then the engine sees one query."""
    judge = Judge()
    for inside in INSIDE:
        plain, wrapped = (clause.replace("{}", text) for text in (inside, f"({inside})"))
        plain, wrapped = (text.replace("{{", "{").replace("}}", "}") for text in (plain, wrapped))
        if hash_of(plain) == hash_of(wrapped):
            assert judge.query(plain) == judge.query(wrapped), wrapped


NAMES = """
    int integer int4 bigint int8 smallint int2 tinyint int1 double float8 real float float4 boolean
    bool varchar text string date timestamp timestamptz blob bytea hugeint uinteger time json uuid
""".split()  # noqa: SIM905 - a word list


@pytest.mark.parametrize("name", NAMES)
def test_names_of_one_type(name: str) -> None:
    """Casts to two names with one hash give one type."""
    engine = duckdb.connect(":memory:", config={"threads": "1"})
    for other in ("integer", "bigint", "smallint", "tinyint", "double", "float", "boolean", "varchar",
                  "date", "timestamp", "timestamptz", "blob"):  # fmt: skip
        texts = [f"select null::{type_name} as x" for type_name in (name, other)]
        if hash_of(texts[0]) == hash_of(texts[1]):
            types = [engine.execute(f"describe {text}").fetchone()[1] for text in texts]
            assert types[0] == types[1]


@pytest.mark.parametrize("seed", range(4))
def test_queries_of_one_hash_give_one_result(seed: int) -> None:
    """Random queries and small edits of them, executed (tests/metamorphic/random_forms.py)."""
    tally = attack(seed, 300, Engine())
    assert not tally.findings, "\n".join(map(str, tally.findings))
    assert tally.judged > 150, tally


@pytest.mark.parametrize("seed", range(4))
def test_spellings_of_one_hash_give_one_result(seed: int) -> None:
    """Random queries of shapes that have several spellings, spelled in other ways."""
    tally = attack(seed, 150, Engine(), shapes=0.35)
    assert not tally.findings, "\n".join(map(str, tally.findings))
    assert tally.judged > 50, tally
