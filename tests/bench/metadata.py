"""What versions cost on a warehouse that takes its time to answer: statements and seconds.

In:  --tables, --sources, --latency (seconds a statement), --threads.
Out: per step the statements, the wall time and the bound that it must keep; exit code 1 beyond one.
Never: measures a real warehouse, or what dbt's adapter asks by itself.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python" / "versions"))

from fake_databricks import FakeDatabricks, commit, write

from dbt_hodor.versions.cache import VersionCache
from dbt_hodor.versions.databricks import DatabricksProvider
from dbt_hodor.versions.databricks_history import TABLES_IN_A_STATEMENT
from dbt_hodor.versions.databricks_statements import Statements


class Slow(FakeDatabricks):
    """Answers after a while."""

    latency_s = 0.3

    def execute(self, sql: str) -> list[tuple[Any, ...]]:
        time.sleep(self.latency_s)
        return super().execute(sql)


def main() -> int:
    """Measures a beginning and the versions of all tables."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--tables", type=int, default=2500)
    options.add_argument("--sources", type=int, default=500)
    options.add_argument("--latency", type=float, default=0.3)
    options.add_argument("--threads", type=int, default=8)
    given = options.parse_args()
    slow = Slow()
    slow.latency_s = given.latency
    names = [f"raw.s{n}" for n in range(given.sources)]
    names += [f"dev.m{n}" for n in range(given.tables - given.sources)]
    for name in names:
        slow.table(name, write(1), commit(0, "CREATE TABLE"))
    built = [("main", *name.split(".")) for name in names[given.sources :]]
    statements = Statements(lambda: slow, "bench", given.threads, 60.0)
    provider = DatabricksProvider(statements, {("main", "raw"), ("main", "dev")}, built)
    good = _beginning(provider, statements, given.latency)
    good &= _versions(provider, statements, names, given)
    statements.close()
    return 0 if good else 1


def _beginning(provider: DatabricksProvider, statements: Statements, latency_s: float) -> bool:
    began = time.perf_counter()
    provider.begin()
    provider.clock_offset_ms()
    provider.listing(["main"])
    provider.environment()
    wall_s = time.perf_counter() - began
    return _say("beginning", statements.count, wall_s, 2 * latency_s)


def _versions(
    provider: DatabricksProvider, statements: Statements, names: list[str], given: Any
) -> bool:
    before = statements.count
    cache = VersionCache(provider, threads=given.threads)
    wanted = [("main", *name.split(".")) for name in names]
    began = time.perf_counter()
    cache.prefetch(wanted)
    tokens = [cache.get(parts, timeout_s=600) for parts in wanted]
    wall_s = time.perf_counter() - began
    count = statements.count - before
    good = _say(
        "versions", count, wall_s, 1.1 * (count * given.latency / given.threads) + given.latency
    )
    expected = given.sources + given.tables / TABLES_IN_A_STATEMENT
    good &= count <= 1.1 * expected + given.threads
    print(f"  {given.tables} tables, {sum(token is not None for token in tokens)} versions")
    return good and None not in tokens


def _say(step: str, count: int, wall_s: float, bound_s: float) -> bool:
    good = wall_s <= bound_s
    print(f"{step:10} {count:5} statements {wall_s:7.2f} s, at most {bound_s:.2f} s"
          f"{'' if good else '  TOO LONG'}")  # fmt: skip
    return good


if __name__ == "__main__":
    sys.exit(main())
