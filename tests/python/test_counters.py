"""What hodor's own counters count.

Goal: each stretch of CPU time is in one bucket, and full collections are in one of their own.
Method: counters in this process; collections are asked for.
"""

from __future__ import annotations

import gc

from dbt_hodor.counters import COLLECTOR, OWN, STORE, Counters


def burn() -> None:
    for _ in range(200_000):
        pass


def test_nested_buckets_share_no_time() -> None:
    counters = Counters()
    with counters.spent_on(OWN):
        burn()
        with counters.spent_on(STORE):
            burn()
    assert counters.cpu_s(OWN) > 0
    assert counters.cpu_s(STORE) > 0
    assert counters.wall_s(OWN) >= counters.wall_s(STORE)


def test_a_full_collection_is_charged_to_itself() -> None:
    counters = Counters()
    counters.watch_collections()
    before = gc.callbacks[:]
    heap = [[number] for number in range(200_000)]
    with counters.spent_on(OWN):
        gc.collect()
    own, collector = counters.cpu_s(OWN), counters.cpu_s(COLLECTOR)
    assert collector > own
    gc.collect()  # in nobody's time
    assert counters.cpu_s(COLLECTOR) == collector
    with counters.spent_on(OWN):
        gc.collect(1)
    assert counters.cpu_s(COLLECTOR) == collector
    counters.stop_watching()
    with counters.spent_on(STORE):
        gc.collect()
    assert counters.cpu_s(COLLECTOR) == collector
    assert len(gc.callbacks) == len(before) - 1
    assert len(heap) == 200_000


def test_counters_that_are_gone_leave_nothing() -> None:
    before = len(gc.callbacks)
    counters = Counters()
    counters.watch_collections()
    assert len(gc.callbacks) == before + 1
    del counters
    gc.collect()
    assert len(gc.callbacks) == before
