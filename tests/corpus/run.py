"""Lexes and hashes a corpus of real queries, and compares pairs of queries.

In:  --corpus: a directory of <dialect>/*.jsonl, each line an object with "sql"; --cases: a directory of
     *.jsonl pairs (dialect, a, b); --tool: the hodor-dev program. Without directories only the pairs of
     tests/metamorphic are run. The corpus is not part of the repository.
Out: what was lexed, MB/s, and for each file of pairs how many share a code hash. Exit status 1 when a
     text of the corpus cannot be lexed, when tokens break an invariant, or when two queries of a file
     named must-differ share a hash.
Never: judges the other files of pairs: the token tier promises no more than token_equal.jsonl.

    python tests/corpus/run.py [--corpus DIR] [--cases DIR] [--tool PROGRAM]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PAIRS = ROOT / "tests" / "metamorphic"


class Text(NamedTuple):
    """One query; `name` says where it is from."""

    dialect: str
    sql: str
    name: str


class Outcome(NamedTuple):
    """What hodor-dev said about one text; `error` is empty when it was lexed."""

    tier: str
    code_hash: str
    tokens: int
    error: str


class Batch(NamedTuple):
    """Outcomes in the order of the texts, and the cost of all of them together."""

    outcomes: list[Outcome]
    size_bytes: int
    lex_seconds: float
    hash_seconds: float


def run_batch(tool: Path, texts: Iterable[Text], columns: Path | None = None) -> Batch:
    """Hashes all texts in one process; raises RuntimeError when the tool fails. `columns`: a file with
    those of the tables that they read."""
    records = bytearray()
    for text in texts:
        sql = text.sql.encode()
        records += f"{text.dialect} {len(sql)}\n".encode() + sql
    command = [str(tool), "batch", *(("--columns", str(columns)) if columns else ())]
    done = subprocess.run(command, input=bytes(records), capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{tool} batch: exit status {done.returncode}: {done.stderr.decode()}")
    *lines, costs = done.stdout.decode().splitlines()
    outcomes = []
    for line in lines:
        tier, code_hash, tokens, error = line.split(" ", 3)
        outcomes.append(Outcome(tier, code_hash, int(tokens), "" if error == "-" else error))
    _, size, lex_seconds, hash_seconds = costs.split()
    return Batch(outcomes, int(size), float(lex_seconds), float(hash_seconds))


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)


def run_corpus(tool: Path, directory: Path) -> bool:
    """False when a text was not lexed."""
    texts = [
        Text(path.parent.name, row["sql"], str(row.get("id", path.name)))
        for path in sorted(directory.glob("*/*.jsonl"))
        for row in read_lines(path)
    ]
    batch = run_batch(tool, texts)
    failed = [(t, o) for t, o in zip(texts, batch.outcomes, strict=True) if o.error]
    for text, outcome in failed[:20]:
        print(f"  not lexed: {text.name}: {outcome.error}")
    megabytes = batch.size_bytes / 1e6
    tokens = sum(outcome.tokens for outcome in batch.outcomes)
    print(
        f"corpus: {len(texts)} texts, {megabytes:.1f} MB, {tokens} tokens, {len(failed)} not lexed; "
        f"lex {megabytes / batch.lex_seconds:.0f} MB/s, "
        f"lex and hash {megabytes / batch.hash_seconds:.0f} MB/s"
    )
    return bool(texts) and not failed


def run_pairs(tool: Path, path: Path) -> bool:
    """False when a pair that must differ shares a hash. It is compared with the columns of its tables
    known; the others without, where the canonical form assumes what tables lack."""
    must_differ = path.stem.replace("-", "_") == "must_differ"
    judged = {(row["a"], row["b"]) for row in read_lines(PAIRS / "judged_equal.jsonl")}
    rows = [
        row for row in read_lines(path) if not must_differ or (row["a"], row["b"]) not in judged
    ]
    texts = [Text(row["dialect"], row[side], path.name) for row in rows for side in ("a", "b")]
    columns = PAIRS / "tables.json" if must_differ else None
    outcomes = run_batch(tool, texts, columns).outcomes
    equal = [
        row
        for row, a, b in zip(rows, outcomes[::2], outcomes[1::2], strict=True)
        if a.code_hash == b.code_hash
    ]
    kinds = Counter(f"{row['dialect']}/{row['kind']}" for row in equal if "kind" in row)
    note = "".join(f"\n    {count:4} {kind}" for kind, count in sorted(kinds.items()))
    print(f"{path.name}: {len(equal)} of {len(rows)} pairs share a hash{note}")
    for row in equal if must_differ else []:
        print(f"  EQUAL but must differ ({row['dialect']}):\n    {row['a']}\n    {row['b']}")
    return not (must_differ and equal)


def main() -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--corpus", type=Path, help="directory of <dialect>/*.jsonl")
    parser.add_argument("--cases", type=Path, help="directory of *.jsonl pairs")
    parser.add_argument(
        "--tool", type=Path, default=ROOT / "build" / "tools" / "hodor-dev" / "hodor-dev"
    )
    arguments = parser.parse_args()
    if not arguments.tool.is_file():
        parser.error(f"no {arguments.tool}; build it (cmake -DHODOR_TOOLS=ON) or give --tool")
    passed = True
    if arguments.corpus is not None:
        passed &= run_corpus(arguments.tool, arguments.corpus)
    directories = [PAIRS]
    if arguments.cases is not None:
        directories.append(arguments.cases)
    for directory in directories:
        for path in sorted(directory.glob("*.jsonl")):
            if {"dialect", "a", "b"} <= set(next(read_lines(path), {})):
                passed &= run_pairs(arguments.tool, path)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
