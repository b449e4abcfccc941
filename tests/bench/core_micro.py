"""Times the calls of the native module that every node makes, one line each.

In:  nothing; the inputs are generated here and look like those of an ordinary project.
Out: microseconds a call (the best of several rounds, since other processes only add time) beside
     the budget of each; exit code 1 when a budget is missed and ``--check`` was given.
Never: needs dbt, a warehouse or a network.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from dbt_hodor import _core

NOW_MS = 1_792_465_200_000
HASH = "ab" * 32


def node_config() -> dict[str, object]:
    """A model config as dbt 1.12 hands it over: 45 keys, mostly None and empty."""
    config: dict[str, object] = {f"option_{i:02}": None for i in range(25)}
    config |= {f"list_{i}": [] for i in range(5)} | {f"map_{i}": {} for i in range(5)}
    config |= {"materialized": "incremental", "unique_key": ["order_id", "line"], "enabled": True}
    config |= {"incremental_strategy": "merge", "on_schema_change": "ignore", "alias": "orders"}
    config |= {"contract": {"enforced": False, "alias_types": True}, "schema": "marts"}
    config |= {"grants": {"select": ["reader", "analyst"]}, "database": "analytics"}
    assert len(config) == 45, len(config)
    return config


def typical_facts() -> _core.Facts:
    """Encodes to about 600 bytes."""
    return _core.Facts(
        exact=True,
        relations=[
            _core.RelationName(["analytics", "staging", name])
            for name in ("stg_orders", "stg_lines")
        ],
        functions=["coalesce", "count", "date_trunc", "max", "sum"],
        columns=["amount", "customer_id", "line", "ordered_at", "order_id", "quantity"],
        output_columns=["order_id", "customer_id", "ordered_on", "amount"],
        volatile_calls=[_core.VolatileCall("always", "stamp", "current_timestamp", "loaded_at")],
    )


def decision_call() -> Callable[[], object]:
    token = _core.version_token("1000:123456789012345678", "", "0123456789abcdef")
    keys = ["analytics.staging.a", "analytics.staging.b", "analytics.staging.c"]
    record = _core.BuildRecord.decode(
        text_hash=HASH,
        code_hash=HASH,
        unrendered_hash=HASH,
        config_hash=HASH,
        hash_version=_core.HASH_VERSION,
        data_version=token,
        built_at_ms=NOW_MS - 1000,
        upstreams=_core.encode_upstreams([(key, token) for key in keys]),
        detail='{"v": 1, "fixpoint": true}',
    )
    upstreams = [(key, key, "data", token) for key in keys]
    return lambda: _core.decide(
        kind="table",
        supported=True,
        full_refresh=False,
        hook_writes=False,
        star=False,
        order_sensitive=False,
        keeps_earlier_state=False,
        settles_by_proof=False,
        existence="present",
        text_hash=HASH,
        code_hash=HASH,
        unrendered_hash=HASH,
        config_hash=HASH,
        target=token,
        upstreams=upstreams,
        record=record,
        lag_tolerance_ms=0,
        require_fresh_data_from="any",
        compare_unrendered_code=False,
        now_ms=NOW_MS,
    )


def cases() -> list[tuple[str, float, Callable[[], object]]]:
    """Name, budget in microseconds, call."""
    config = node_config()
    sql = ("select o.order_id, sum(l.amount) as amount from staging.orders as o\n" * 40)[:2048]
    run_values = [
        ("0e2c1d9a-61fb-4c37-9c4c-1f0f4b9e7a11", "invocation_id"),
        ("2026-10-20 04:12:00.123456+00:00", "run_started_at"),
    ]
    facts = typical_facts()
    encoded = facts.encode()
    decision = decision_call()
    assert decision()[:2] == ("reuse", "no_new_data")
    return [
        ("digest of a 45-key config", 15, lambda: _core.digest("config", config)),
        ("digest_parts of a 45-key config", 15, lambda: _core.digest_parts("config", config)),
        ("text_hash of 2 KB", 5, lambda: _core.text_hash(sql, run_values)),
        (f"Facts.decode of {len(encoded)} bytes", 5, lambda: _core.Facts.decode(encoded)),
        (f"Facts.encode to {len(encoded)} bytes", 5, facts.encode),
        ("decide with 3 upstreams", 6, decision),
    ]


def microseconds(call: Callable[[], object], rounds: int = 30, calls: int = 400) -> float:
    """CPU time of this thread a call, in the best round."""
    best = float("inf")
    for _ in range(rounds):
        start = time.thread_time_ns()
        for _ in range(calls):
            call()
        best = min(best, (time.thread_time_ns() - start) / calls / 1000)
    return best


def main(arguments: list[str]) -> int:
    missed = 0
    for name, budget, call in cases():
        measured = microseconds(call)
        missed += measured > budget
        print(f"{name:34} {measured:7.2f} us   budget {budget:4.0f} us")
    return 1 if missed and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
