"""What reading versions and writing records cost, in the smallest units.

In:  the installed duckdb; nothing else.
Out: microseconds of CPU (user and system, all threads) and wall time per table, view and record; exit
     code 1 when a flush costs more than it may.
Never: measures a whole run; that against its floor is measured elsewhere.

Best of several rounds, because others share the machine.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "python")]

from store_contract.conftest import record  # noqa: E402

from dbt_hodor.store.duckdb import DuckDBStore  # noqa: E402
from dbt_hodor.versions.duckdb import DuckDBProvider  # noqa: E402

TABLES, VIEWS, RECORDS, ROUNDS = 1_000, 100, 200, 7
RECORD_IN_A_FLUSH_US, OPEN_AND_CLOSE_US = 50.0, 25_000.0
"""Budgets of the wall time: a record in a flush of 200; opening and closing the file."""


def report(what: str, count: int, work: Callable[[int], object], rounds: int = ROUNDS) -> float:
    """Prints the best round, divided by `count`, and returns its wall time in microseconds. `work`
    gets the round's number."""
    best_cpu_s = best_wall_s = float("inf")
    for number in range(rounds):
        cpu, wall = time.process_time(), time.perf_counter()
        work(number)
        best_cpu_s = min(best_cpu_s, time.process_time() - cpu)
        best_wall_s = min(best_wall_s, time.perf_counter() - wall)
    cpu_us, wall_us = best_cpu_s / count * 1e6, best_wall_s / count * 1e6
    print(f"{what:<58} cpu {cpu_us:>9.1f} us   wall {wall_us:>9.1f} us", flush=True)
    return wall_us


def versions() -> None:
    """Fingerprints and listings of a warehouse of tiny tables."""
    engine = duckdb.connect(config={"threads": "2"})
    engine.execute("CREATE SCHEMA s")
    for number in range(TABLES):
        engine.execute(
            f"CREATE TABLE s.t{number} AS SELECT r AS id, 'x' || r AS name, r % 2 = 0 AS ok, "
            "DATE '2020-01-01' + r::INTEGER AS day, (r * 1.5)::DECIMAL(12, 2) AS amount "
            "FROM range(20) t(r)"
        )
    for number in range(VIEWS):
        engine.execute(f"CREATE VIEW s.v{number} AS SELECT id, name FROM s.t{number}")
    tables = [("memory", "s", f"t{number}") for number in range(TABLES)]
    views = [("memory", "s", f"v{number}") for number in range(VIEWS)]
    provider = DuckDBProvider(engine.cursor, ":memory:")
    report("listing of 1,000 tables, per table", TABLES, lambda n: provider.listing(["memory"]))

    def all_tables(forget: bool) -> None:
        if forget:
            provider.forget(None)
        for batch in provider.batches(tables):
            provider.versions(batch)

    report(
        "column lists and versions, batches of 50, per table", TABLES, lambda n: all_tables(True)
    )
    report("versions alone, batches of 50, per table", TABLES, lambda n: all_tables(False))
    report(
        "versions alone, one by one, per table",
        100,
        lambda n: [provider.versions([parts]) for parts in tables[:100]],
    )

    def again(wanted: list[tuple[str, str, str]]) -> None:
        for parts in wanted:
            provider.forget(parts)
            provider.relations([parts])
            provider.versions([parts])

    report("a table again after a node ran", 50, lambda n: again(tables[:50]))
    report("a view again after a node ran", 20, lambda n: again(views[:20]), rounds=3)

    def all_views() -> None:
        provider.forget(None)
        provider.versions([*views, *tables[:12]])

    report("columns of 100 views and the bulk read, per view", VIEWS, lambda n: all_views())
    report("environment, per read", 1, lambda n: provider.environment())
    report("volatile values, per read", 1, lambda n: provider.volatile_values())
    engine.execute(
        "CREATE TABLE s.big AS SELECT r AS id, 'name ' || r AS name, r / 7 AS ratio, "
        "DATE '2020-01-01' + (r % 5000)::INTEGER AS day FROM range(3000000) t(r)"
    )
    big = ("memory", "s", "big")
    provider.versions([big])
    report("3,000,000 rows of 4 columns, per 1,000 rows", 3_000, lambda n: provider.versions([big]))
    provider.close()
    engine.close()


def records() -> list[str]:
    """Flushes of 200 records to a file that already has 20,000. Returns what exceeds its budget."""
    place = Path(tempfile.mkdtemp())
    detail = (
        '{"v": 1, "config": {' + ", ".join(f'"key{n}": ["{n:064}", 1]' for n in range(6)) + "}}"
    )
    store = DuckDBStore(str(place / "state.duckdb"))
    for first in range(0, 20_000, 2_000):
        rows = [record(n, detail=detail, recorded_at_ms=n) for n in range(first, first + 2_000)]
        store.append(rows)

    def flush(number: int, count: int) -> None:
        first = 1_000_000 + number * count
        store.append(
            [record(n, detail=detail, recorded_at_ms=n) for n in range(first, first + count)]
        )

    record_us = report(
        "flush of 200 records with open and close, per record", RECORDS, lambda n: flush(n, RECORDS)
    )
    one_us = report("flush of 1 record with open and close", 1, lambda n: flush(n + 1_000_000, 1))
    report("open, look at the schema, close", 1, lambda n: store.check_writable())
    report("load of the latest of 21,400 records, per record", 21_400,
           lambda n: store.load_latest("shop", "dev", 0), rounds=3)  # fmt: skip
    store.close()
    shutil.rmtree(place)
    exceeded = []
    if record_us > RECORD_IN_A_FLUSH_US:
        exceeded.append(f"a record in a flush: {record_us:.1f} us, allowed {RECORD_IN_A_FLUSH_US}")
    if one_us > OPEN_AND_CLOSE_US:
        exceeded.append(f"a flush of one record: {one_us:.0f} us, allowed {OPEN_AND_CLOSE_US:.0f}")
    return exceeded


def main() -> int:
    """Returns the exit status."""
    print(f"duckdb {duckdb.__version__}")
    versions()
    exceeded = records()
    for line in exceeded:
        print(f"over budget: {line}")
    return 1 if exceeded else 0


if __name__ == "__main__":
    sys.exit(main())
