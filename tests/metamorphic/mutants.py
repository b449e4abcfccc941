"""Edits corpus queries and compares code hashes: an edit that keeps the meaning should keep the hash, one
that changes it must change the hash.

In:  --corpus: a directory of <dialect>/*.jsonl; --mutator: a Python file with
     ``mutate(sql, dialect, seed)`` that yields (kind, text, keeps its meaning); neither is part of the
     repository. duckdb and sqlglot are installed.
Out: a table per dialect and kind. Exit code 1 when a changing edit kept the hash and no judge says that
     the two texts are one query, or when fewer of the keeping edits than ``KEPT`` have the hash.
Never: trusts the mutator's word alone: a "keeping" edit that changes the columns' names or types is a
changing one, and what a "changing" edit did is looked at before it is called a fault.

Judges: both texts take something for granted that cannot hold at once (then equal hashes do not count);
DuckDB parses both to one tree; the two, executed over tables made for them, show names, types or rows that
differ (a fault) or not (said, and counted as one query only with ``--believe-rows``).
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

from mine import engine_tree
from synthetic import synthesize

from dbt_hodor import _core

NO_IDS = _core.RelationIds([])
KEPT = 0.995
Mutate = Callable[[str, str, int], Iterator[tuple[str, str, bool]]]


class Tally(NamedTuple):
    """Counts by kind of edit."""

    kept: Counter[str]
    lost: Counter[str]
    changed: Counter[str]
    judged: Counter[str]
    faults: list[tuple[str, str, str]]
    """(kind, text, edited text)"""


def load_mutator(path: Path) -> Mutate:
    spec = importlib.util.spec_from_file_location("mutator", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.mutate  # type: ignore[no-any-return]


def sample(corpus: Path, dialect: str, count: int, seed: int) -> list[str]:
    sqls = [
        json.loads(line)["sql"]
        for path in sorted((corpus / dialect).glob("*.jsonl"))
        if not path.name.startswith("stitched")
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    random.Random(seed).shuffle(sqls)
    return sqls[:count]


def analysis_of(sql: str, dialect: str) -> Any:
    return _core.analyze(sql, dialect, [], NO_IDS, None, usual_settings=True)


def cannot_both_hold(one: Any, other: Any) -> bool:
    """Whether each text takes for granted that a table lacks a column where the other does not: the one
    reads it of a table of which the other says that it has none, so that one of them is an error."""
    ours, theirs = {*one.assumes}, {*other.assumes}
    return bool({column for _, column in ours - theirs} & {column for _, column in theirs - ours})


def show(connection: Any, sql: str) -> tuple[list[tuple[str, str]], list[str]] | None:
    """Names, types and rows; ``None`` for an error."""
    try:
        relation = connection.sql(sql)
        shape = [
            (name, str(kind)) for name, kind in zip(relation.columns, relation.types, strict=True)
        ]
        return shape, sorted(map(repr, relation.fetchall()))
    except Exception:
        return None


def judge_changing(dialect: str, sql: str, edited: str, one: Any, other: Any) -> str:
    """What an equal hash of an edit that is said to change the meaning is."""
    if cannot_both_hold(one, other):
        return "contradictory"
    if dialect != "duckdb":
        return "fault"
    import duckdb

    with duckdb.connect() as connection:
        if engine_tree(connection, sql) == engine_tree(connection, edited) is not None:
            return "one tree"
        tables = synthesize(connection, sql, {*one.assumes, *other.assumes})
        if tables is None:
            return "fault"
        first, second = show(connection, sql), show(connection, edited)
        return "same rows" if first is not None and first == second else "fault"


def is_other_shape(sql: str, edited: str) -> bool:
    """Whether an edit gives the columns other names or types on DuckDB."""
    import duckdb

    with duckdb.connect() as connection:
        if synthesize(connection, sql) is None:
            return False
        first, second = show(connection, sql), show(connection, edited)
        return first is not None and (second is None or first[0] != second[0])


def run(dialect: str, sqls: list[str], mutate: Mutate, seed: int) -> Tally:
    tally = Tally(Counter(), Counter(), Counter(), Counter(), [])
    for number, sql in enumerate(sqls):
        original = analysis_of(sql, dialect)
        if original.tier != "canonical":
            continue
        for kind, edited, keeps in mutate(sql, dialect, seed + number):
            found = analysis_of(edited, dialect)
            is_equal = found.code_hash == original.code_hash
            if keeps and is_equal:
                tally.kept[kind] += 1
            elif keeps and dialect == "duckdb" and is_other_shape(sql, edited):
                tally.changed[kind] += 1
            elif keeps:
                tally.lost[kind] += 1
            elif not is_equal:
                tally.changed[kind] += 1
            else:
                verdict = judge_changing(dialect, sql, edited, original, found)
                tally.judged[f"{kind}: {verdict}"] += 1
                if verdict in ("fault", "same rows"):
                    tally.faults.append((f"{kind}: {verdict}", sql, edited))
    return tally


def report(dialect: str, tally: Tally, believe_rows: bool, kept: float) -> bool:
    """Prints the table; whether all is as it should be."""
    keeping = sum(tally.kept.values()) + sum(tally.lost.values())
    share = sum(tally.kept.values()) / keeping if keeping else 1.0
    print(f"mutants {dialect}: {share:.2%} of {keeping} keeping edits keep the hash")
    for kind in sorted({*tally.kept, *tally.lost}):
        print(f"    {kind:<24} kept {tally.kept[kind]:>6}  lost {tally.lost[kind]:>5}")
    print(f"  {sum(tally.changed.values())} changing edits change the hash; of the others:")
    for verdict, count in sorted(tally.judged.items()):
        print(f"    {verdict:<40} {count:>5}")
    faults = [each for each in tally.faults if not (believe_rows and each[0].endswith("same rows"))]
    for kind, sql, edited in faults[:20]:
        print(f"  EQUAL after {kind}:\n    {sql[:600]!r}\n    {edited[:600]!r}")
    return share >= kept and not faults


def main() -> int:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--corpus", type=Path, required=True)
    arguments.add_argument("--mutator", type=Path, required=True)
    arguments.add_argument("--queries", type=int, default=5_000, help="of each dialect")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--dialect", choices=("duckdb", "databricks"))
    arguments.add_argument("--believe-rows", action="store_true")
    arguments.add_argument(
        "--kept", type=float, default=KEPT, help="the least share of keeping edits"
    )
    given = arguments.parse_args()
    mutate = load_mutator(given.mutator)
    passed = True
    for dialect in [given.dialect] if given.dialect else ["duckdb", "databricks"]:
        sqls = sample(given.corpus, dialect, given.queries, given.seed)
        passed &= report(
            dialect, run(dialect, sqls, mutate, given.seed), given.believe_rows, given.kept
        )
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
