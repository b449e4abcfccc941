"""Looks at every group of corpus queries that share one code hash: each needs a judge.

In:  --corpus: a directory of <dialect>/*.jsonl, each line an object with "sql" (not part of the
     repository); mined.jsonl beside this file, the verdicts on groups that no judge here can settle.
Out: how many groups there are and who judged them; exit code 1 when one has no verdict. ``--list`` prints
     those as lines for mined.jsonl, whose "why" a person has to write after reading the texts.
Never: takes a verdict for another group: a group is named after all of its texts.

Judges, in this order: the texts have the same tokens (only gaps and comments differ); DuckDB parses them
to one tree, without its locations; a committed verdict, made by a person, by execution, or by the plans of
Spark (its "why" says which).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dbt_hodor import _core

VERDICTS = Path(__file__).resolve().parent / "mined.jsonl"
NO_IDS = _core.RelationIds([])
Group = dict[str, frozenset[tuple[str, str]]]
"""What each text of one hash takes for granted."""


def queries(corpus: Path, dialect: str) -> Iterator[str]:
    for path in sorted((corpus / dialect).glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)["sql"]


def groups(corpus: Path, dialect: str) -> list[Group]:
    """Different texts of the canonical tier with one hash."""
    by_hash: dict[str, Group] = defaultdict(dict)
    for sql in queries(corpus, dialect):
        analysis = _core.analyze(sql, dialect, [], NO_IDS, None, usual_settings=True)
        if analysis.tier == "canonical":
            by_hash[analysis.code_hash][sql] = frozenset(analysis.assumes)
    return [group for group in by_hash.values() if len(group) > 1]


def name_of(dialect: str, texts: list[str]) -> str:
    """Names a group after its texts, in any order."""
    digests = sorted(hashlib.sha256(sql.encode()).hexdigest() for sql in texts)
    return hashlib.sha256("".join([dialect, *digests]).encode()).hexdigest()[:16]


def distinct_tokens(dialect: str, group: Group) -> list[str]:
    """One text for each sequence of tokens."""
    found: dict[str, str] = {}
    for sql in group:
        found.setdefault(_core.analyze(sql, dialect, [], NO_IDS, None).code_hash, sql)
    return list(found.values())


def engine_tree(connection: Any, sql: str) -> str | None:
    """DuckDB's own tree of a query, without locations; ``None`` when it does not serialize it."""
    row = connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
    tree = json.loads(row[0])
    return None if tree.get("error") else json.dumps(_without_locations(tree), sort_keys=True)


def _without_locations(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_locations(v) for k, v in value.items() if "location" not in k}
    if isinstance(value, list):
        return [_without_locations(each) for each in value]
    return value


def judge(dialect: str, group: Group, connection: Any) -> str | None:
    """Who says that all texts of a group are one query; ``None``: nobody here."""
    texts = distinct_tokens(dialect, group)
    if len(texts) == 1:
        return "same tokens"
    if dialect == "duckdb":
        trees = {engine_tree(connection, sql) for sql in texts}
        if len(trees) == 1 and None not in trees:
            return "one tree of DuckDB's"
    return None


def read_verdicts() -> dict[str, str]:
    found = {}
    for line in VERDICTS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if not row["why"]:
            raise ValueError(f"{VERDICTS.name}: no reason for {row['group']}")
        found[row["group"]] = row["why"]
    return found


def main() -> int:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--corpus", type=Path, required=True)
    arguments.add_argument("--list", action="store_true", help="print what has no verdict")
    given = arguments.parse_args()
    import duckdb

    connection = duckdb.connect()
    verdicts = {} if given.list and not VERDICTS.exists() else read_verdicts()
    missing = 0
    for dialect in ("duckdb", "databricks"):
        judges: Counter[str] = Counter()
        for group in groups(given.corpus, dialect):
            texts = distinct_tokens(dialect, group)
            name = name_of(dialect, texts)
            by = judge(dialect, group, connection) or ("verdict" if name in verdicts else None)
            judges[by or "nobody"] += 1
            if by is None:
                missing += 1
                row = {"group": name, "dialect": dialect, "why": "", "texts": texts}
                print(json.dumps(row, ensure_ascii=False) if given.list else f"unjudged: {row}")
        if not given.list:
            told = ", ".join(f"{count} {by}" for by, count in judges.most_common())
            print(f"mining {dialect}: {judges.total()} groups: {told}")
    return 1 if missing and not given.list else 0


if __name__ == "__main__":
    sys.exit(main())
