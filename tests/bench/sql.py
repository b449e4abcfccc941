"""How fast SQL is understood: this core against the parsers that other tools are built on.

In:  --corpus: a directory of <dialect>/*.jsonl with the compiled models of real dbt projects (``style``
     begins with "dbt"). It is not part of the repository.
Out: megabytes a second per size of text, the factors to each other parser, a batch of 10,000 models, and
     the memory that one large text takes; raw samples as JSON with ``--samples FILE``. Exit code 1 when
     a factor or figure misses what ``BUDGETS`` says and ``--check`` was given.
Never: measures a text twice as large by repeating a block: large ones are stitched from distinct models.

Each parser runs in a process and an environment of its own, one thread each; their rounds are
interleaved and medians are compared, so that other work on the machine meets all of them.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
WORKER = Path(__file__).resolve().parent / "sql_worker.py"
DIALECTS = ("duckdb", "databricks")
SIZES = {"1KB": 1_000, "5KB": 5_000, "20KB": 20_000, "100KB": 100_000, "1MB": 1_000_000}
TEXTS_OF_A_SIZE = 24
BATCH_MODELS, BATCH_MODEL_BYTES = 10_000, 5_000

BUDGETS = {
    "MB/s at 5-20 KB": 50.0,
    "sqlglot": 180.0,
    "sqlglotc": 80.0,
    "duckdb": 8.0,
    "polyglot": 3.0,
    "batch of 10,000 seconds": 1.0,
    "bytes of memory a byte": 30.0,
}
SLOW = ("sqlglot", "sqlglotc")
"""Not asked for texts of a megabyte in each round: those take minutes."""


class Texts(NamedTuple):
    """Texts of about one size."""

    dialect: str
    size: str
    sqls: list[str]

    @property
    def bytes(self) -> int:
        return sum(len(sql.encode()) for sql in self.sqls)


class Parser:
    """A worker process that times one parser on texts that it is given."""

    def __init__(self, name: str, python: Path | str) -> None:
        self.name = name
        self._process = subprocess.Popen(
            [str(python), str(WORKER), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.version = self._ask({"what": "version"})["version"]

    def seconds(self, texts: Texts) -> float | None:
        """CPU time for all of the texts once; ``None`` for a dialect that it does not read."""
        answer = self._ask({"what": "time", "dialect": texts.dialect, "sqls": texts.sqls})
        return None if answer["seconds"] is None else float(answer["seconds"])

    def ask(self, what: str, **more: Any) -> dict[str, Any]:
        return self._ask({"what": what, **more})

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the worker of {self.name} ended")
        return dict(json.loads(line))

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


def once(what: str, **more: Any) -> dict[str, Any]:
    """One question to a process of ours that has done nothing before."""
    parser = Parser("hodor", sys.executable)
    answer = parser.ask(what, **more)
    parser.close()
    return answer


def models_of(corpus: Path, dialect: str) -> list[str]:
    """The distinct dbt models of a dialect, in the order of the files."""
    sqls = {}
    for path in sorted((corpus / dialect).glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row.get("style", "").startswith("dbt"):
                sqls[row["sql"]] = None
    return list(sqls)


def stitch(models: Iterable[str], size: int) -> str:
    """Models as the CTEs of one query, until it has that many bytes or none is left."""
    parts: list[str] = []
    total = 0
    for sql in models:
        if total + len(sql) > size * 1.05:
            continue
        body = sql.strip().rstrip(";")
        parts.append(f"m{len(parts)} as (\n{body}\n)")
        total += len(sql) + 60
        if total >= size:
            break
    union = " union all ".join(f"select count(*) as n from m{i}" for i in range(len(parts)))
    return "with " + ",\n".join(parts) + "\n" + union


def texts_of(corpus: Path, dialect: str) -> list[Texts]:
    models = models_of(corpus, dialect)
    found = []
    for size, wanted in SIZES.items():
        if wanted <= 5_000:
            near = [sql for sql in models if 0.7 * wanted <= len(sql) <= 1.4 * wanted]
            sqls = near[:TEXTS_OF_A_SIZE]
        else:
            count = max(1, min(8, 200_000 // wanted))
            step = max(1, len(models) // count)
            sqls = [stitch(models[i * step :] + models[: i * step], wanted) for i in range(count)]
        found.append(Texts(dialect, size, sqls))
    return found


def measure(parsers: list[Parser], texts: Texts, rounds: int) -> dict[str, list[float]]:
    """Seconds of each round and parser, interleaved."""
    samples: dict[str, list[float]] = {parser.name: [] for parser in parsers}
    for number in range(rounds):
        for parser in parsers:
            if parser.name in SLOW and number >= (1 if texts.size in ("100KB", "1MB") else 3):
                continue
            seconds = parser.seconds(texts)
            if seconds is not None:
                samples[parser.name].append(seconds)
    return {name: found for name, found in samples.items() if found}


def report(texts: Texts, samples: dict[str, list[float]]) -> dict[str, float]:
    """Prints one line; returns MB/s under "hodor" and the factor to each other parser."""
    medians = {name: statistics.median(found) for name, found in samples.items()}
    ours = medians["hodor"]
    figures = {"hodor": texts.bytes / ours / 1e6}
    figures |= {name: other / ours for name, other in medians.items() if name != "hodor"}
    mean_ms = ours / len(texts.sqls) * 1e3
    others = "  ".join(
        f"{name} x{factor:.0f}" for name, factor in figures.items() if name != "hodor"
    )
    print(
        f"{texts.dialect:<11}{texts.size:>6} {len(texts.sqls):>3} texts"
        f" of {texts.bytes // len(texts.sqls):>7} B: "
        f"{figures['hodor']:>6.1f} MB/s {mean_ms:>8.3f} ms  {others}",
        flush=True,
    )
    return figures


def judge(
    figures: dict[tuple[str, str], dict[str, float]], batch_s: float, memory: float
) -> list[str]:
    """What misses its budget."""
    missed = []
    for (dialect, size), found in figures.items():
        if size in ("5KB", "20KB") and found["hodor"] < BUDGETS["MB/s at 5-20 KB"]:
            missed.append(f"{dialect} {size}: {found['hodor']:.1f} MB/s")
        for name, factor in found.items():
            if name in BUDGETS and factor < BUDGETS[name]:
                missed.append(f"{dialect} {size}: {factor:.1f} times {name}")
    if batch_s > BUDGETS["batch of 10,000 seconds"]:
        missed.append(f"batch: {batch_s:.2f} s")
    if memory > BUDGETS["bytes of memory a byte"]:
        missed.append(f"memory: {memory:.1f} bytes a byte")
    return missed


def main() -> int:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpus")
    arguments.add_argument("--rounds", type=int, default=9)
    arguments.add_argument("--python", action="append", default=[], metavar="PARSER=PYTHON")
    arguments.add_argument("--samples", type=Path)
    arguments.add_argument("--check", action="store_true")
    given = arguments.parse_args()
    if not given.corpus.is_dir():
        print(f"bench sql: no {given.corpus}: it holds compiled dbt models, see --corpus")
        return 2
    pythons = {"hodor": sys.executable, "duckdb": sys.executable}
    pythons |= dict(each.split("=", 1) for each in given.python)
    parsers = [Parser(name, python) for name, python in pythons.items()]
    print("  ".join(f"{parser.name} {parser.version}" for parser in parsers))
    figures, raw = {}, []
    for dialect in DIALECTS:
        for texts in texts_of(given.corpus, dialect):
            samples = measure(parsers, texts, given.rounds)
            figures[dialect, texts.size] = report(texts, samples)
            raw.append({"dialect": dialect, "size": texts.size, "bytes": texts.bytes, **samples})
    models = [sql for dialect in DIALECTS for sql in models_of(given.corpus, dialect)]
    near = [
        sql for sql in models if 0.8 * BATCH_MODEL_BYTES <= len(sql) <= 1.25 * BATCH_MODEL_BYTES
    ]
    batch = [near[i % len(near)] for i in range(BATCH_MODELS)]
    batch_s = float(once("batch", dialect="duckdb", sqls=batch)["seconds"])
    print(
        f"batch of {len(batch)} models, {sum(map(len, batch)) / 1e6:.1f} MB: {batch_s:.2f} s of wall time"
    )
    large = stitch(models_of(given.corpus, "databricks"), SIZES["1MB"])
    memory = float(once("memory", dialect="databricks", sqls=[large])["bytes"]) / len(
        large.encode()
    )
    print(f"memory of one text of {len(large)} B: {memory:.1f} bytes a byte")
    for parser in parsers:
        parser.close()
    if given.samples:
        given.samples.write_text(json.dumps(raw, indent=1) + "\n")
    missed = judge(figures, batch_s, memory)
    for line in missed:
        print(f"  misses its budget: {line}")
    return 1 if missed and given.check else 0


if __name__ == "__main__":
    sys.exit(main())
