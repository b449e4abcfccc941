"""Gathers the decisions of the next nodes in one go, and keeps each until its node's turn.

In:  the selected nodes in the order in which dbt will run them.
Out: a plan for a node at its turn, if it is a reuse and nothing that it was made from can have changed.
Never: waits for a version; keeps a plan over any write; lets a plan pass whose text is not the recorded
one.

Between two nodes dbt does thousands of times what a decision does, so that each decision finds the
caches of the processor empty: made one after the other they cost a third. A plan made ahead holds
what a plan made now would hold, because all that can change in a run is either behind one of the two
marks below, asked again at the node's turn (its text, an open transaction), or keeps the node from
being planned ahead (files, volatile values, hooks, settings of the session, the time).
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from itertools import islice
from typing import Any

from dbt_hodor.context import RunContext
from dbt_hodor.deciding import Decider
from dbt_hodor.inputs import Inputs
from dbt_hodor.plan import Plan
from dbt_hodor.warehouse import Warehouse

_MOST = 64
_HOLD_AT_ANY_TIME = ("no_new_data", "view_unchanged")


class _KnownOnly:
    """The warehouse as far as it was read. Stands in for `Warehouse` and `VolatileValues`: what would
    have to be read first, or may be another thing at the node's turn, is unknown."""

    def __init__(self, warehouse: Warehouse) -> None:
        self.version = warehouse.known_version
        self.trace = warehouse.trace
        self.parts_of = warehouse.parts_of
        self.existence = warehouse.existence
        self.definition_of = warehouse.definition_of

    def file_version(self, pattern: str, function: str) -> None:
        return None

    def tokens(self, classes: set[str]) -> dict[str, str | None]:
        return dict.fromkeys(classes)


class Ahead:
    """Thread-safe."""

    def __init__(self, run: RunContext, decider: Decider) -> None:
        self._run = run
        self._decider = decider
        self._warehouse: Any = _KnownOnly(run.warehouse)
        self._inputs = Inputs(self._warehouse, run.index, run.marks, self._warehouse)
        self._left: dict[str, Any] = {}
        self._plans: dict[str, Plan] = {}
        self._made_at: object = None
        self._count = 1
        self._lock = threading.Lock()

    def expect(self, nodes: Iterable[Any]) -> None:
        """These will be asked for, about in this order."""
        if not self._run.nodes_may_set:
            self._left = {node.unique_id: node for node in nodes}

    def take(self, node: Any) -> Plan | None:
        """The plan of a compiled node whose turn it is. None: it has to be made now."""
        unique_id = node.unique_id
        with self._lock:
            if self._left.pop(unique_id, None) is not node:
                return None
            marks = self._marks()
            if marks != self._made_at:
                # How long nothing is written shows by how long nothing was.
                self._plans.clear()
                self._made_at, self._count = marks, 1
            if unique_id not in self._plans:
                self._gather(node)
            plan = self._plans.pop(unique_id, None)
        if plan is None or not self._decider.is_as_recorded(plan):
            return None
        plan.started_ms = self._run.now_ms()
        return plan if self._marks() == marks else None

    def _marks(self) -> tuple[int, int]:
        """Move with every write that anybody notes, and with every node that was built."""
        return self._run.warehouse.writes_noted, self._run.marks.builds_noted

    def _gather(self, node: Any) -> None:
        if not self._run.warehouse.is_settled():
            return
        others = (other for uid, other in self._left.items() if uid not in self._plans)
        wanted = [node, *islice(others, self._count - 1)]
        made = 0
        for one in wanted:
            plan = self._plan(one)
            if plan is None:
                self._left.pop(one.unique_id, None)  # not tried again before its turn
            else:
                self._plans[one.unique_id] = plan
                made += 1
        self._count = min(4 * self._count, _MOST) if 2 * made >= len(wanted) else 1

    def _plan(self, node: Any) -> Plan | None:
        try:
            plan = self._decider.plan_as_recorded(node, self._inputs, self._warehouse)
        except Exception:  # noqa: BLE001 - at the node's turn the session hears of it
            return None
        if plan is None or not plan.reuses or plan.reason not in _HOLD_AT_ANY_TIME:
            return None
        if any(token is None for _, _, _, token in plan.upstreams):
            return None  # it may be known at the node's turn, and is recorded then
        plan.forget_texts()  # a build would need them
        return plan
