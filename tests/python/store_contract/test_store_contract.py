"""What every store does: one suite, run against each of them.

Goal: a record comes back as it was written, only the latest successful build decides, and nobody
else's records are touched. Method: the methods of the protocol, and nothing behind them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from dbt_hodor.store.base import BIGINT_COLUMNS, SUCCESSFUL_STATUSES, Row

from .conftest import record

Open = Callable[..., Any]

ODD_TEXTS = [
    "", " ", "'", '"', "\\", "\\n", "\n", "\r\n", "\t", "it''s", "NULL", "null", "None", "%s", "?",
    "$1", "{}", "[1, 2]", "a;b", "--", "/* */", "😀", "é", "e\u0301", "\u2028", "\x7f", "\x01", "a\x00b",
    "'; DROP TABLE hodor_state; --", '{"a": "\\"b\\""}', "x" * 10_000,
]  # fmt: skip


def test_what_follows_a_mark_in_a_detail_is_left_out_on_demand(open_store: Open) -> None:
    mark = ', "config": {'
    whole = '{"v": 1, "note": "\\", \\"config\\": {"' + mark + '"tags": ["a", "b"]}}'
    details = {1: whole, 2: '{"v": 1}', 3: None, 4: whole.replace("a", "'")}
    store = open_store()
    store.append([record(number, detail=detail) for number, detail in details.items()])
    rows = store.load_latest("shop", "dev", 0, 10**15, detail_until=mark)
    cut = whole.split(mark)[0] + "}"
    found = {row.record_id: row.detail for row in rows}
    assert found == {
        record(number).record_id: cut if detail and mark in detail else detail
        for number, detail in details.items()
    }
    assert json.loads(cut) == {"v": 1, "note": '", "config": {'}
    assert {row.detail for row in store.load_latest("shop", "dev", 0)} == set(details.values())


def latest(store: Any, **options: Any) -> dict[str, Row]:
    rows = store.load_latest("shop", "dev", options.get("since_ms", 0), options.get("before_ms"))
    assert len({row.node_key for row in rows}) == len(rows)
    return {row.node_key: row for row in rows}


def test_empty(open_store: Open) -> None:
    store = open_store()
    assert store.load_latest("shop", "dev", 0) == []
    assert store.invocation("shop", "dev", None) == []
    assert store.invocation("shop", "dev", "x") == []
    assert store.prune("shop", "dev", 10**15, True) == 0
    store.append([])
    assert store.load_latest("shop", "dev", 0) == []


def test_a_record_comes_back_as_it_was(open_store: Open) -> None:
    full = record(1)
    bare = Row(
        *[
            None
            if column in {"text_hash", "code_hash", "config_hash", "sql_facts", "data_version",
                          "built_at_ms", "upstreams", "detail"}
            else value
            for column, value in zip(Row._fields, record(2), strict=True)
        ]
    )  # fmt: skip
    open_store().append([full, bare])
    assert set(open_store().load_latest("shop", "dev", 0)) == {full, bare}
    for row in latest(open_store()).values():
        for column, value in zip(Row._fields, row, strict=True):
            assert value is None or isinstance(value, int if column in BIGINT_COLUMNS else str)


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_odd_values_in_every_column(open_store: Open, text: str) -> None:
    values = {c: text for c in Row._fields if c not in BIGINT_COLUMNS}
    values |= {"action": "build", "status": "success"}
    row = record(1, **values)
    store = open_store()
    store.append([row])
    assert store.load_latest(text, text, 0) == [row]
    assert store.invocation(text, text, text) == [row]
    assert store.prune(text, text, 10**15, True) == 1


@pytest.mark.parametrize("number", [0, -1, 1, 2**53 + 1, 2**63 - 1, -(2**63)])
def test_odd_numbers(open_store: Open, number: int) -> None:
    row = record(1, **dict.fromkeys(BIGINT_COLUMNS, number))
    store = open_store()
    store.append([row])
    assert store.load_latest("shop", "dev", -(2**63)) == [row]


def test_a_megabyte_of_detail(open_store: Open) -> None:
    rows = [record(n, detail='{"é\\"\\n": "' + "🎈x" * 200_000 + '"}') for n in range(3)]
    store = open_store()
    store.append(rows)
    assert set(store.load_latest("shop", "dev", 0)) == set(rows)


def test_text_that_is_none_costs_no_other_record(open_store: Open) -> None:
    store = open_store()
    store.append([record(1, detail="half a pair: \ud800"), record(2)])
    assert len(store.load_latest("shop", "dev", 0)) == 2


def test_twenty_thousand_records(open_store: Open) -> None:
    store = open_store()
    rows = [
        record(n, node_key=f"k{n % 4_000}", recorded_at_ms=n, record_id=f"{n:06}")
        for n in range(20_000)
    ]
    for start in range(0, len(rows), 5_000):
        store.append(rows[start : start + 5_000])
    newest = latest(store)
    assert len(newest) == 4_000
    assert {row.recorded_at_ms for row in newest.values()} == set(range(16_000, 20_000))
    assert len(store.invocation("shop", "dev", None)) == 20_000


def test_the_newest_wins_then_the_highest_id(open_store: Open) -> None:
    store = open_store()
    rows = [
        record(1, node_key="k", recorded_at_ms=20, record_id="b"),
        record(2, node_key="k", recorded_at_ms=20, record_id="c"),
        record(3, node_key="k", recorded_at_ms=10, record_id="z"),
        record(4, node_key="k", recorded_at_ms=20, record_id="a"),
    ]
    store.append(rows)
    assert latest(store)["k"] == rows[1]


@pytest.mark.parametrize(
    "status", [*SUCCESSFUL_STATUSES, "error", "skipped", "reused", "", "Success"]
)
@pytest.mark.parametrize("action", ["build", "reuse", "Build"])
def test_only_successful_builds_are_loaded(open_store: Open, status: str, action: str) -> None:
    store = open_store()
    old = record(1, node_key="k", recorded_at_ms=1)
    store.append([old, record(2, node_key="k", recorded_at_ms=2, action=action, status=status)])
    counts = action == "build" and status in SUCCESSFUL_STATUSES
    assert latest(store)["k"].recorded_at_ms == (2 if counts else 1)
    assert len(store.invocation("shop", "dev", None)) == 2


def test_lookback_edges(open_store: Open) -> None:
    store = open_store()
    store.append([record(n, node_key=f"k{n}", recorded_at_ms=n) for n in (9, 10, 11, 19, 20, 21)])
    assert set(latest(store, since_ms=10)) == {"k10", "k11", "k19", "k20", "k21"}
    assert set(latest(store, since_ms=10, before_ms=20)) == {"k10", "k11", "k19"}
    assert latest(store, since_ms=22) == {}


def test_before_hides_what_came_later(open_store: Open) -> None:
    store = open_store()
    store.append([record(n, node_key="k", recorded_at_ms=n) for n in (1, 2, 3)])
    assert latest(store, before_ms=3)["k"].recorded_at_ms == 2


def test_projects_and_targets_are_apart(open_store: Open) -> None:
    store = open_store()
    others = [
        record(1, project_name="other"),
        record(2, target_name="prod"),
        record(3, project_name="Shop"),
        record(4, project_name="shop "),
    ]
    mine = record(5)
    store.append([*others, mine])
    assert store.load_latest("shop", "dev", 0) == [mine]
    assert store.invocation("shop", "dev", None) == [mine]
    assert store.prune("shop", "dev", 10**15, True) == 1
    assert store.load_latest("other", "dev", 0) == [others[0]]
    assert store.load_latest("shop", "prod", 0) == [others[1]]
    assert store.load_latest("Shop", "dev", 0) == [others[2]]


def test_invocations(open_store: Open) -> None:
    store = open_store()
    first = [record(n, invocation_id="one", recorded_at_ms=n) for n in (3, 1, 2)]
    second = [record(n, invocation_id="two", recorded_at_ms=n) for n in (5, 4)]
    store.append([*second, *first])
    assert [row.recorded_at_ms for row in store.invocation("shop", "dev", None)] == [4, 5]
    assert [row.recorded_at_ms for row in store.invocation("shop", "dev", "one")] == [1, 2, 3]
    assert store.invocation("shop", "dev", "none") == []


def test_prune_counts_first_and_keeps_the_edge(open_store: Open) -> None:
    store = open_store()
    store.append([record(n, recorded_at_ms=n) for n in range(10)])
    assert store.prune("shop", "dev", 4, False) == 4
    assert len(store.load_latest("shop", "dev", 0)) == 10
    assert store.prune("shop", "dev", 4, True) == 4
    assert store.prune("shop", "dev", 4, True) == 0
    assert min(row.recorded_at_ms for row in store.load_latest("shop", "dev", 0)) == 4


def test_a_repeated_append_doubles_nothing(open_store: Open) -> None:
    rows = [record(n) for n in range(50)]
    store = open_store()
    store.append(rows)
    store.append(rows)
    store.append([*rows, record(50), record(50)])
    assert len(open_store().invocation("shop", "dev", None)) == 51


def test_ddl_names_every_column_and_the_table(open_store: Open) -> None:
    text = open_store(table="my-table", schema="my_schema").ddl()
    assert '"my_schema"."my-table"' in text
    for column in Row._fields:
        assert f'"{column}" {"BIGINT" if column in BIGINT_COLUMNS else "VARCHAR"}' in text


def test_other_names(open_store: Open) -> None:
    store = open_store(schema="ops-2", table="0_select")
    store.append([record(1)])
    assert store.load_latest("shop", "dev", 0) == [record(1)]
    assert open_store().load_latest("shop", "dev", 0) == []


@pytest.mark.parametrize("name", ["", "-a", "a b", 'a"b', "a;b", "é", "a.b", "a\n", "--"])
@pytest.mark.parametrize("what", ["schema", "table"])
def test_names_that_are_refused(open_store: Open, name: str, what: str) -> None:
    with pytest.raises(ValueError, match=f"hodor_{what}"):
        open_store(**{what: name})


def test_close_and_use_again(open_store: Open) -> None:
    store = open_store()
    store.append([record(1)])
    store.close()
    store.close()
    assert store.load_latest("shop", "dev", 0) == [record(1)]
