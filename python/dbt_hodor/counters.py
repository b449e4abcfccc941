"""How much thread-CPU and waiting hodor itself costs, by what it was spent on.

In:  marks at the borders between our own work, data versions and the store.
Out: totals in milliseconds, and named counts.
Never: locks on the hot path: each thread adds to a table of its own.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

OWN, VERSIONS, STORE = "own", "versions", "store"


class Counters:
    """One run's costs. CPU is that of the calling thread, native code included."""

    def __init__(self) -> None:
        self._local = threading.local()
        self._tables: list[dict[str, float]] = []
        self._lock = threading.Lock()

    def _table(self) -> dict[str, float]:
        table = getattr(self._local, "table", None)
        if table is None:
            table = self._local.table = {}
            self._local.bucket = None
            with self._lock:
                self._tables.append(table)
        return table

    @contextmanager
    def spent_on(self, bucket: str) -> Iterator[None]:
        """Charges the body to `bucket`; what a nested use measures is charged to that one only."""
        table = self._table()
        local = self._local
        outer = local.bucket
        now, wall = time.thread_time(), time.perf_counter()
        if outer is not None:
            table[outer] = table.get(outer, 0.0) + now - local.since
        local.bucket, local.since = bucket, now
        try:
            yield
        finally:
            now = time.thread_time()
            table[bucket] = table.get(bucket, 0.0) + now - local.since
            key = f"{bucket} wall"
            table[key] = table.get(key, 0.0) + time.perf_counter() - wall
            local.bucket, local.since = outer, now

    def count(self, name: str, amount: int = 1) -> None:
        """Adds to a named count."""
        table = self._table()
        table[name] = table.get(name, 0) + amount

    def total(self, name: str) -> float:
        """The sum over all threads: seconds for buckets, a number for counts."""
        with self._lock:
            return sum(table.get(name, 0.0) for table in self._tables)
