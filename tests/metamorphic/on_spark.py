"""Random queries of Databricks SQL that count as one, judged by a local Spark.

In:  --tool: hodor-dev; a seed; how many pairs or seconds; --pairs-of: files of lines {"dialect", "a", "b"}
     to judge instead. Runs in a Python with pyspark 4.1, which needs no core.
Out: how many pairs were judged and how; each whose analysed schemas differ, or whose optimized plans and
     rows do. Exit code 1 when one does.
Never: counts a pair of which Spark takes neither text.

    python tests/metamorphic/on_spark.py --tool build/dev/tools/hodor-dev/hodor-dev --seconds 600
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from spark_shapes import COLUMNS, SETUP, SparkWriter

VARIANTS = 14
CHUNK = 60  # queries that are hashed together
ROWS = 300


def hashes(tool: Path, texts: Sequence[str]) -> list[str | None]:
    records = b"".join(f"databricks {len(t.encode())}\n".encode() + t.encode() for t in texts)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as columns:  # what is assumed is checked
        json.dump(COLUMNS, columns)
        columns.flush()
        command = [tool, "batch", "--columns", columns.name]
        done = subprocess.run(command, input=records, capture_output=True, check=True)
    lines = done.stdout.decode().splitlines()[: len(texts)]
    return [line.split()[1] if line.startswith("canonical") else None for line in lines]


class Spark:
    """A local session with the tables."""

    def __init__(self) -> None:
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.sql.shuffle.partitions", "1")
        self.session = builder.config("spark.driver.memory", "1g").getOrCreate()
        self.session.sparkContext.setLogLevel("OFF")
        for text in SETUP:
            self.session.sql(text)
        self.plans: dict[str, Any] = {}

    def plan(self, text: str) -> Any:
        """The query and its canonicalized optimized plan, or the error."""
        if text not in self.plans:
            try:
                frame = self.session.sql(text)
                self.plans[text] = (
                    frame,
                    frame._jdf.queryExecution().optimizedPlan().canonicalized(),
                )
            except Exception as error:
                self.plans[text] = str(error).splitlines()[0]
        return self.plans[text]

    def rows(self, frame: Any) -> list[str] | str:
        try:
            return sorted(repr(row) for row in frame.limit(ROWS).collect())
        except Exception as error:
            return f"error {type(error).__name__}"

    def judge(self, a: str, b: str) -> str:
        """How the two are one query, or DIFFERENT with what differs."""
        one, other = self.plan(a), self.plan(b)
        if isinstance(one, str) and isinstance(other, str):
            return "errors"
        if isinstance(one, str) or isinstance(other, str):
            return f"DIFFERENT: {one if isinstance(one, str) else other}"
        if shape(one[0]) != shape(other[0]):
            return f"DIFFERENT schemas: {shape(one[0])} {shape(other[0])}"
        if one[1].equals(other[1]):
            return "one plan"
        rows = self.rows(one[0])
        return "the same rows" if rows == self.rows(other[0]) else "DIFFERENT rows"


def shape(frame: Any) -> list[tuple[str, str]]:
    return [(field.name, field.dataType.simpleString()) for field in frame.schema.fields]


def random_pairs(tool: Path, writer: SparkWriter) -> list[tuple[str, str]]:
    sets = [writer.near(writer.text(), VARIANTS) for _ in range(CHUNK)]
    keys = iter(hashes(tool, [text for texts in sets for text in texts]))
    pairs = []
    for texts in sets:
        first: dict[str, str] = {}
        for text in texts:
            key = next(keys)
            if key is not None and first.setdefault(key, text) != text:
                pairs.append((first[key], text))
    return pairs


def given_pairs(tool: Path, paths: Sequence[Path]) -> list[tuple[str, str]]:
    rows = [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]
    pairs = [(row["a"], row["b"]) for row in rows if row["dialect"] == "databricks"]
    keys = hashes(tool, [text for pair in pairs for text in pair])
    return [p for p, a, b in zip(pairs, keys[::2], keys[1::2], strict=True) if a == b is not None]


def main() -> int:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--tool", type=Path, required=True)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--seconds", type=float, default=120.0)
    arguments.add_argument("--pairs-of", type=Path, nargs="*", default=[])
    given = arguments.parse_args()
    spark, writer, judges = Spark(), SparkWriter(given.seed), Counter[str]()
    end = time.monotonic() + given.seconds
    pairs = given_pairs(given.tool, given.pairs_of)
    while pairs or (not given.pairs_of and time.monotonic() < end):
        for a, b in pairs or random_pairs(given.tool, writer):
            said = spark.judge(a, b)
            judges[said.split()[0] if said.startswith("DIFFERENT") else said] += 1
            if said.startswith("DIFFERENT"):
                print(f"{said}\n  {a}\n  {b}", flush=True)
        pairs = []
        spark.plans.clear()
        if given.pairs_of:
            break
    told = ", ".join(f"{count} {by}" for by, count in judges.most_common())
    print(f"on Spark: {judges.total()} pairs: {told}")
    return 1 if judges["DIFFERENT"] else 0


if __name__ == "__main__":
    sys.exit(main())
