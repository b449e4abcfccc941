"""Relations that nodes of this run have just built, looked at many at a time.

In:  plans of nodes that dbt executed, in the order in which they ended.
Out: per plan, once its relation was looked at, the token that its build left; the plan's inputs with
     the tokens that earlier builds left.
Never: waits with a look where the token could become somebody else's work: see `may_wait`.

A look at fifty relations costs what five looks at one cost, so a run in which everything is new waits
with them: until there are fifty, until somebody asks about one of them, or for as long as records wait.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from dbt_hodor.plan import Plan
from dbt_hodor.versions.base import Parts
from dbt_hodor.warehouse import Warehouse

LOOK_COUNT = 50


@dataclass(frozen=True)
class Built:
    """One node whose build is not recorded yet. `seconds`: what dbt says it took."""

    plan: Plan
    parts: Parts
    status: str
    seconds: float


class JustBuilt:
    """Thread-safe. `record` is called for each build with the token that it left."""

    def __init__(
        self,
        warehouse: Warehouse,
        record: Callable[[Built, str | None], None],
        compiling_may_write: Callable[[], bool],
    ) -> None:
        """`compiling_may_write`: whether some node of the run may run statements when dbt compiles
        it, which nobody hears about before it is done. Asked once, when it first matters."""
        self._warehouse = warehouse
        self._record = record
        self._compiling_may_write = compiling_may_write
        self._waits: bool | None = None
        self._entries: list[Built] = []
        self._writers: set[str] = set()
        self._left: dict[str, str | None] = {}
        self._lock = threading.Lock()
        self._looking = threading.RLock()
        warehouse.look_at_unseen = self.look

    def begins(self, unique_id: str, writes_elsewhere: bool) -> None:
        """A node is about to be executed. One that may write what is not its own ends the waiting:
        what was built before it is looked at before it acts."""
        if writes_elsewhere:
            with self._lock:
                self._writers.add(unique_id)
            self.look()

    def ended(self, unique_id: str) -> None:
        """The node is done."""
        with self._lock:
            self._writers.discard(unique_id)

    def may_wait(self, plan: Plan) -> bool:
        """Whether nobody but the plan's own node can write its relation before it is looked at: no
        other process, and no node that is running now or being compiled."""
        if plan.parts is None or plan.key is None or plan.kind == "test":
            return False
        if not self._warehouse.provider.is_exclusive(plan.parts[0]):
            return False
        if self._waits is None:
            self._waits = not self._compiling_may_write()
        return self._waits and not self._writers

    def add(self, built: Built) -> None:
        """Notes a build that may wait."""
        with self._lock:
            self._warehouse.just_built(built.parts, built.plan.kind == "view")
            self._entries.append(built)
            full = len(self._entries) >= LOOK_COUNT
        if full:
            self.look()

    def look(self) -> None:
        """Looks at everything that waits, and records it."""
        with self._looking:
            with self._lock:
                entries, self._entries = self._entries, []
            if not entries:
                return
            self._left.update(self._warehouse.look([entry.parts for entry in entries]))
            for entry in entries:
                self.resolve(entry.plan)
                self._record(entry, self._left.get(entry.plan.key or ""))

    def resolve(self, plan: Plan) -> None:
        """Gives the plan's inputs the tokens that were not known when it was decided."""
        if not plan.awaited:
            return
        self._look_at(plan.awaited.values())
        awaited, plan.awaited = plan.awaited, {}
        plan.upstreams = [
            (key, group, kind, self._left.get(awaited[key]) if key in awaited else token)
            for key, group, kind, token in plan.upstreams
        ]

    def _look_at(self, keys: Iterable[str]) -> None:
        if any(key not in self._left for key in keys):
            self.look()


def writes_elsewhere(plan: Plan, writes_only_itself: bool) -> bool:
    """Whether executing the node may change other relations than its own."""
    effects: Any = plan.effects
    return bool(
        not writes_only_itself
        or plan.writes_unseen
        or effects.opaque
        or effects.session
        or effects.writes
        or plan.hooks_to_run
    )
