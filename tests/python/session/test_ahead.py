"""Plans that were made before their node's turn.

Goal: such a plan is used only where a plan made now would be the same.
Method: a real warehouse over a provider of the test; a decider whose plans the test chooses.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dbt_hodor import _core
from dbt_hodor.ahead import Ahead
from dbt_hodor.counters import Counters
from dbt_hodor.inputs import CodeMarks
from dbt_hodor.plan import Plan
from dbt_hodor.versions.base import ListedRelation, Listing
from dbt_hodor.versions.cache import VersionCache
from dbt_hodor.warehouse import Warehouse

PARTS = ("d", "main", "t")
TOKEN = _core.version_token("1", "", "")


class Provider:
    def listing(self, databases: Any) -> Listing:
        return Listing(relations=[ListedRelation(PARTS, "table", "")])

    def builtin_functions(self) -> list[str]:
        return []

    def relations(self, wanted: Any) -> dict[Any, Any]:
        return {parts: ListedRelation(parts, "table", "") for parts in wanted}

    def versions(self, relations: Any) -> dict[Any, Any]:
        return dict.fromkeys(relations, TOKEN)

    def is_exclusive(self, database: str) -> bool:
        return True


class Decider:
    """Plans ahead what it is asked for, and remembers for whom."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.compiled_as_recorded = True
        self.changes: dict[str, Any] = {}

    def plan_as_recorded(self, node: Any, inputs: Any, warehouse: Any) -> Plan:
        self.asked.append(node.unique_id)
        plan = Plan(node=node, node_key=node.unique_id, action="reuse", reason="no_new_data")
        plan.reuses, plan.upstreams = True, [("k", "k", "data", TOKEN)]
        for name, value in self.changes.items():
            setattr(plan, name, value)
        return plan

    def is_as_recorded(self, plan: Plan) -> bool:
        return self.compiled_as_recorded


class Run:
    def __init__(self, nodes_may_set: bool = False) -> None:
        cache = VersionCache(Provider(), threads=1)
        self.warehouse = Warehouse(Provider(), cache, Counters(), ("d", "main"))  # type: ignore[arg-type]
        self.warehouse.start(["d"])
        self.marks = CodeMarks(lambda key: None)
        self.index = None
        self.nodes_may_set = nodes_may_set
        self.decider = Decider()
        self.nodes = [SimpleNamespace(unique_id=f"model.p.m{i}") for i in range(40)]
        self.ahead = Ahead(self, self.decider)  # type: ignore[arg-type]
        self.ahead.expect(self.nodes)

    def now_ms(self) -> int:
        return 7

    def take(self, number: int) -> Plan | None:
        return self.ahead.take(self.nodes[number])


def test_the_next_nodes_are_planned_together_more_of_them_each_time():
    run = Run()
    asked = []
    for number in range(6):
        plan = run.take(number)
        assert plan is not None and plan.node is run.nodes[number] and plan.started_ms == 7
        asked.append(len(run.decider.asked))
    assert asked == [1, 5, 5, 5, 5, 21]


WRITES = {
    "reread": lambda run: run.warehouse.reread(PARTS),
    "just built": lambda run: run.warehouse.just_built(PARTS, False),
    "a look": lambda run: run.warehouse.look([PARTS]),
    "a function": lambda run: run.warehouse.forget_session(),
    "temporary objects": lambda run: run.warehouse.distrust_partial_names(),
    "files": lambda run: run.warehouse.forget_files(),
    "anything": lambda run: run.warehouse.forget_everything(),
    "a new listing": lambda run: run.warehouse.start(["d"]),
    "a parent's code": lambda run: run.marks.built("d.main.t", None),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_no_plan_outlives_a_write(write):
    run = Run()
    run.take(0)
    run.take(1)
    assert "model.p.m2" in run.decider.asked
    before = len(run.decider.asked)
    write(run)
    if run.warehouse.is_settled():
        assert run.take(2) is not None and run.decider.asked[before:] == ["model.p.m2"]
    else:
        assert run.take(2) is None


def test_a_write_while_the_text_is_compared_counts():
    run = Run()

    def written_meanwhile(plan: Plan) -> bool:
        run.warehouse.forget_files()
        return True

    run.decider.is_as_recorded = written_meanwhile  # type: ignore[method-assign]
    assert run.take(0) is None


def test_nothing_is_planned_before_what_was_written_has_been_looked_at():
    for write in (WRITES["just built"], WRITES["anything"]):
        run = Run()
        write(run)
        assert run.take(0) is None and run.decider.asked == []


@pytest.mark.parametrize(
    "changes",
    [
        {"reuses": False},
        {"reason": "within_lag_tolerance"},
        {"upstreams": [("k", "k", "data", TOKEN), ("f", "f", "data", None)]},
    ],
)
def test_a_plan_that_may_be_another_one_later_is_not_kept(changes):
    run = Run()
    run.decider.changes = changes
    assert run.take(0) is None
    assert run.take(1) is None
    assert run.decider.asked == ["model.p.m0", "model.p.m1"]


def test_another_text_or_an_open_transaction_needs_a_plan_made_now():
    run = Run()
    run.decider.compiled_as_recorded = False
    assert run.take(0) is None


def test_a_copy_of_the_node_and_a_second_turn_need_a_plan_made_now():
    run = Run()
    assert run.ahead.take(SimpleNamespace(unique_id="model.p.m0")) is None
    assert run.take(1) is not None
    assert run.take(1) is None


def test_a_fault_while_planning_ahead_is_met_at_the_nodes_turn():
    run = Run()

    def broken(*_: Any) -> Plan:
        raise ZeroDivisionError

    run.decider.plan_as_recorded = broken  # type: ignore[method-assign]
    assert run.take(0) is None


def test_nothing_is_planned_ahead_where_nodes_may_set_the_session():
    run = Run(nodes_may_set=True)
    assert run.take(0) is None and run.decider.asked == []


def test_only_what_was_read_is_known():
    run = Run()
    warehouse = run.warehouse
    assert warehouse.known_version("d.main.t") is None
    assert warehouse.version("d.main.t") == TOKEN == warehouse.known_version("d.main.t")
    warehouse.never_versioned(["d.main.t"])
    assert warehouse.known_version("d.main.t") is None
