"""How much thread-CPU and waiting hodor itself costs, by what it was spent on.

In:  marks at the borders between our own work, data versions and the store.
Out: totals per bucket, and named counts. A full collection of Python's garbage walks all that dbt has
     loaded, and whose code it falls into is chance, so it has a bucket of its own.
Never: locks on the hot path: each thread adds to a table of its own.
"""

from __future__ import annotations

import gc
import threading
import weakref
from collections import Counter
from contextlib import suppress
from time import perf_counter, thread_time
from typing import Any

OWN, VERSIONS, STORE, COLLECTOR = "own", "versions", "store", "collector"
_BUCKETS = (OWN, VERSIONS, STORE, COLLECTOR)
_FULL_COLLECTION = 2


class _ThreadTable:
    """What one thread has added, and the bucket that its time goes to now."""

    __slots__ = ("bucket", "collected_for", "counts", "cpu_s", "since", "wall_s")

    def __init__(self) -> None:
        self.bucket: str | None = None
        self.collected_for: str | None = None
        self.since = 0.0
        self.cpu_s = dict.fromkeys(_BUCKETS, 0.0)
        self.wall_s = dict.fromkeys(_BUCKETS, 0.0)
        self.counts: Counter[str] = Counter()

    def change_to(self, bucket: str | None) -> str | None:
        """Charges what comes now to another bucket; returns the one before."""
        now, outer = thread_time(), self.bucket
        if outer is not None:
            self.cpu_s[outer] += now - self.since
        self.bucket, self.since = bucket, now
        return outer


class _Bracket:
    """One use of `spent_on`. A class: a generator costs more than what many uses measure."""

    __slots__ = ("_bucket", "_entered", "_outer", "_table")

    def __init__(self, table: _ThreadTable, bucket: str) -> None:
        self._table = table
        self._bucket = bucket

    def __enter__(self) -> None:
        self._outer = self._table.change_to(self._bucket)
        self._entered = perf_counter()

    def __exit__(self, *_: object) -> None:
        self._table.wall_s[self._bucket] += perf_counter() - self._entered
        self._table.change_to(self._outer)


class Counters:
    """One run's costs. CPU is that of the calling thread, native code included."""

    def __init__(self) -> None:
        self._local = threading.local()
        self._tables: list[_ThreadTable] = []
        self._lock = threading.Lock()
        self._on_collection: Any = None

    def watch_collections(self) -> None:
        """Charges full collections that happen in one of our buckets to their own, until
        `stop_watching` or until these counters are gone."""
        counters = weakref.ref(self)

        def on_collection(phase: str, info: dict[str, int]) -> None:
            if info["generation"] != _FULL_COLLECTION:
                return
            watched = counters()
            if watched is not None:
                with suppress(Exception):  # nobody could catch it
                    watched._collection(phase)

        self._on_collection = on_collection
        weakref.finalize(self, _forget, on_collection)
        gc.callbacks.append(on_collection)

    def stop_watching(self) -> None:
        """Later collections are nobody's."""
        _forget(self._on_collection)

    def _collection(self, phase: str) -> None:
        table: _ThreadTable | None = getattr(self._local, "table", None)
        if table is None:
            return
        if phase == "start" and table.bucket is not None:
            table.collected_for = table.change_to(COLLECTOR)
        elif phase == "stop" and table.collected_for is not None:
            table.change_to(table.collected_for)
            table.collected_for = None

    def of_thread(self) -> _ThreadTable:
        """The calling thread's own; `change_to` on it is the shortest way to charge a bucket."""
        try:
            table: _ThreadTable = self._local.table
        except AttributeError:
            table = self._local.table = _ThreadTable()
            with self._lock:
                self._tables.append(table)
        return table

    def spent_on(self, bucket: str) -> _Bracket:
        """Charges the body to `bucket`; what a nested use measures is charged to that one only."""
        return _Bracket(self.of_thread(), bucket)

    def count(self, name: str, amount: int = 1) -> None:
        """Adds to a named count."""
        self.of_thread().counts[name] += amount

    def cpu_s(self, bucket: str) -> float:
        """CPU seconds of all threads, those of this one up to now."""
        own = self.of_thread()
        if own.bucket is not None:
            now = thread_time()
            own.cpu_s[own.bucket] += now - own.since
            own.since = now
        with self._lock:
            return sum(table.cpu_s[bucket] for table in self._tables)

    def wall_s(self, bucket: str) -> float:
        """Seconds that threads were in the bucket, what they waited for included."""
        with self._lock:
            return sum(table.wall_s[bucket] for table in self._tables)

    def counted(self, name: str) -> int:
        """A named count over all threads."""
        with self._lock:
            return sum(table.counts[name] for table in self._tables)


def _forget(callback: Any) -> None:
    with suppress(ValueError):
        gc.callbacks.remove(callback)
