"""Pairs of texts that count as one query, executed by the installed DuckDB.

In:  a seed, and how many pairs or seconds; --broken: hodor-dev programs with a planted mistake in a
     rewrite, each of which the same texts have to convict.
Out: how many pairs were executed, how many of them gave two rows or more, and each pair whose columns,
     types or rows differ. Exit code 1 when one does, when too few pairs have rows to compare, or when a
     broken program was not found out.
Never: counts a pair that fails on both sides; holds the order of rows against a query that asks for none.

Pairs: a random query and its canonical text; a random query, or a small one of each shape, and a respelling
of it with the same hash. The tables have NULLs, duplicates and ties (random_forms.SETUP).

    python tests/metamorphic/differential.py [--seed N] [--pairs N] [--seconds N] [--broken PROGRAM...]
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from random_forms import KNOWN, NO_IDS, Engine, Outcome, difference, hash_of
from random_queries import Writer
from random_shapes import each_shape
from respellings import every_respelling, respellings

from dbt_hodor import _core

SHAPES = 0.35
VARIANTS = 24
CHUNK = 40  # queries that are hashed together
LEAST_WITH_ROWS = 0.8


@dataclass
class Tally:
    pairs: int = 0
    with_rows: int = 0  # two or more
    canonical: int = 0  # of the pairs: a query and its canonical text
    skipped: int = 0  # of fewer rows, beyond the share that may be
    findings: list[str] = field(default_factory=list)
    convicted: dict[str, str] = field(default_factory=dict)


class Judge:
    """Executes texts, each once."""

    def __init__(self) -> None:
        self.engine = Engine()
        self.outcomes: dict[str, Outcome] = {}

    def outcome(self, text: str) -> Outcome:
        if text not in self.outcomes:
            self.outcomes[text] = self.engine(text)
        return self.outcomes[text]

    def differ(self, a: str, b: str) -> str | None:
        what = difference(self.outcome(a), self.outcome(b))
        return None if what == "order" and not (sorts(a) and sorts(b)) else what

    def forget(self) -> None:
        self.outcomes.clear()


def sorts(text: str) -> bool:
    """Whether the order of the rows is asked for, by all of their columns."""
    return text.rstrip().endswith("order by all")


def hashes_of_tool(tool: str, texts: Sequence[str], columns: Path) -> list[str | None]:
    records = b"".join(f"duckdb {len(t.encode())}\n".encode() + t.encode() for t in texts)
    command = [tool, "batch", "--columns", str(columns)]
    done = subprocess.run(command, input=records, capture_output=True, check=True)
    lines = done.stdout.decode().splitlines()[: len(texts)]
    return [line.split()[1] if line.startswith("canonical") else None for line in lines]


def groups(keys: Sequence[str | None], texts: Sequence[str]) -> list[list[str]]:
    found: dict[str, list[str]] = {}
    for key, text in zip(keys, texts, strict=True):
        if key is not None:
            found.setdefault(key, []).append(text)
    return [group for group in found.values() if len(group) > 1]


def count(tally: Tally, judge: Judge, a: str, b: str) -> None:
    one, other = judge.outcome(a), judge.outcome(b)
    if one[0] == other[0] == "error":
        return
    what = judge.differ(a, b)
    if what is not None:
        tally.findings.append(f"{what}\n  {a}\n  {b}")
    has_rows = len(one[2]) > 1
    if not has_rows and tally.with_rows < LEAST_WITH_ROWS * (tally.pairs + 1):
        tally.skipped += 1
        return
    tally.pairs += 1
    tally.with_rows += has_rows


def canonical_text(text: str) -> str | None:
    found = _core.analyze(text, "duckdb", [], NO_IDS, None, True, KNOWN, True)
    return str(found.text) if found.tier == "canonical" else None


def convict(
    tally: Tally, judge: Judge, tools: Sequence[str], sets: Sequence[Sequence[str]], columns: Path
) -> None:
    """Texts that a broken program takes for one, though they give two results."""
    for tool in tools:
        if tool in tally.convicted:
            continue
        texts = [text for each in sets for text in each]
        keys = iter(hashes_of_tool(tool, texts, columns))
        for each in sets:
            for group in groups([next(keys) for _ in each], each):
                for other in group[1:]:
                    what = judge.differ(group[0], other)
                    if what is not None and tool not in tally.convicted:
                        tally.convicted[tool] = f"{what}\n  {group[0]}\n  {other}"


def run(seed: int, pairs: int, seconds: float, tools: Sequence[str]) -> Tally:
    writer, chosen, judge, tally = Writer(seed, SHAPES), random.Random(seed), Judge(), Tally()
    end = time.monotonic() + seconds
    with tempfile.NamedTemporaryFile("w", suffix=".json") as columns:
        json.dump(KNOWN, columns)
        columns.flush()
        sets = [every_respelling(text) for text in each_shape()]
        while tally.pairs < pairs and time.monotonic() < end:
            for _ in range(CHUNK):
                text = writer.text()
                if judge.outcome(text)[0] == "rows":
                    sets.append(respellings(text, chosen, VARIANTS))
            for texts in sets:
                for group in groups([hash_of(text, True) for text in texts], texts):
                    for other in group[1:]:
                        count(tally, judge, group[0], other)
                printed = canonical_text(texts[0])
                if printed is not None and printed != texts[0]:
                    before = tally.pairs
                    count(tally, judge, texts[0], printed)
                    tally.canonical += tally.pairs - before
            if sets and tools:
                convict(tally, judge, tools, sets, Path(columns.name))
            sets = []
            judge.forget()
    return tally


def main() -> int:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--pairs", type=int, default=1_000_000)
    arguments.add_argument("--seconds", type=float, default=100_000.0)
    arguments.add_argument("--broken", nargs="*", default=[])
    given = arguments.parse_args()
    tally = run(given.seed, given.pairs, given.seconds, given.broken)
    for finding in tally.findings:
        print(finding)
    share = tally.with_rows / max(tally.pairs, 1)
    print(
        f"differential: {tally.pairs} pairs ({tally.canonical} with a canonical text), {share:.0%} of them "
        f"with two rows or more, {len(tally.findings)} differ"
    )
    for tool in given.broken:
        print(f"{Path(tool).name}: {tally.convicted.get(tool, 'NOT FOUND')}")
    missed = set(given.broken) - set(tally.convicted)
    return 1 if tally.findings or missed or share < LEAST_WITH_ROWS else 0


if __name__ == "__main__":
    sys.exit(main())
