"""How much of what a perfect oracle reuses is reused, on nodes that are settled.

In:  what the world says about its nodes before each run, the twin's outcomes and relations.
Out: per kind of node the reuses that were possible and those that were made.
Never: asks hodor why it built. Whether a node is settled follows from its kind, from the runs before
       and from the twin, so that a hodor that answers "unsettled" to everything loses its share.

A node is settled when
- the documentation does not say that its kind is never reused (``Node.never``), and no full refresh
  was asked for;
- it succeeded in the last run that had it, hodor was on in that run, and no run without hodor came
  after it (nobody recorded what that one built);
- if what it builds depends on what stood there before: that last run was no full refresh, was not the
  first one, and changed nothing in the twin.

The perfect oracle builds when the twin's relation differs from what stood there before, a test when
its outcome differs from its last one. A test over other rows that comes out the same is counted for
itself (``MOVED``): it has another result on other data, which nobody can know without running it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from e2e.compare import Dump, same_relation
from e2e.twin import REUSE_REASONS
from model.world import KEEP_STATE, World

RAN = ("success", "pass", "warn", "fail")
SHOWN = 60
MOVED = "test, over changed rows"


class NodeFacts(NamedTuple):
    kind: str
    never: str
    reads: tuple[str, ...] = ()
    """Relations that a test looks at."""


class RunFacts(NamedTuple):
    """What is known of one dbt run before it starts."""

    nodes: dict[str, NodeFacts]
    edits: tuple[str, ...]
    """Kinds of edits since the run before."""
    full_refresh: bool
    recorded: bool
    """Whether hodor is on."""


def facts_of(world: World, edits: list[str], line: str, recorded: bool) -> RunFacts:
    nodes = {n.name: NodeFacts(n.kind, n.never()) for n in world.nodes.values()}
    return RunFacts(nodes, tuple(edits), "--full-refresh" in line, recorded)


@dataclass
class Past:
    """Of one node: its last recorded run."""

    outcome: tuple[str, Any]
    steady: bool
    """It was not the first, no full refresh, and changed nothing."""
    run: int
    """Its number in the sequence."""


@dataclass
class Share:
    possible: Counter[str] = field(default_factory=Counter)
    reused: Counter[str] = field(default_factory=Counter)
    """Both by the kind of node, and by "after EDIT" for each kind of edit since the node's last run."""
    lost: Counter[str] = field(default_factory=Counter)
    """By kind, hodor's reason and the edits."""

    def add(self, other: Share) -> None:
        self.possible.update(other.possible)
        self.reused.update(other.reused)
        self.lost.update(other.lost)

    def kinds(self) -> list[str]:
        return [k for k, _ in self.possible.most_common() if not k.startswith("after ")]

    def judged(self) -> list[str]:
        return [k for k in self.kinds() if k != MOVED]

    def of(self, kinds: list[str]) -> float:
        return sum(self.reused[k] for k in kinds) / max(1, sum(self.possible[k] for k in kinds))

    def lines(self) -> list[str]:
        rows = [*self.kinds(), *sorted(k for k in self.possible if k.startswith("after "))]
        return [
            "reused of the possible, settled nodes:",
            *(
                f"  {self.reused[k]:5} of {self.possible[k]:5} ({self.of([k]):6.1%}) {k}"
                for k in rows
            ),
            f"  together {self.of(self.judged()):.1%}, with {MOVED!r} {self.of(self.kinds()):.1%}",
            "builds that changed nothing:",
            *(f"  {count:5} {what}" for what, count in self.lost.most_common(SHOWN)),
        ]


class Measure:
    """Looks at one sequence, run by run."""

    def __init__(self) -> None:
        self.share = Share()
        self._past: dict[str, Past] = {}
        self._edits: list[tuple[str, ...]] = []

    def look(
        self,
        run: RunFacts,
        results: list[dict[str, Any]],
        before: Dump,
        after: Dump,
        reasons: dict[str, str],
    ) -> None:
        """``results``, ``before``, ``after``: the twin's. ``reasons``: hodor's answers."""
        self._edits.append(run.edits)
        if not run.recorded:
            self._past.clear()
            return
        for row in results:
            unique_id, status = row["unique_id"], row["status"]
            if status not in RAN:
                self._past.pop(unique_id, None)
                continue
            facts = self._facts(run, unique_id)
            if facts is None:
                continue
            outcome = (status, row["failures"])
            past = self._past.get(unique_id)
            same = self._nothing_changed(facts, unique_id, before, after)
            if past is not None and self._settled(run, facts, past):
                kind = self._possible(facts.kind, same, past.outcome == outcome)
                self._count(kind, past.run, reasons.get(unique_id, "none"))
            steady = past is not None and not run.full_refresh and same
            self._past[unique_id] = Past(outcome, steady, len(self._edits))

    @staticmethod
    def _facts(run: RunFacts, unique_id: str) -> NodeFacts | None:
        name = unique_id.split(".")[2]
        if not unique_id.startswith("test."):
            return run.nodes.get(name)
        if name.startswith("source_"):
            return NodeFacts("test", "", ("raw.t0",))
        # unique_n1_id, not_null_n1_id, sing_n1
        node = next(n for n in name.split("_") if n in run.nodes)
        also = ("raw.t1",) if name.startswith("sing_") else ()
        return NodeFacts("test", "", (f"main.{node}", *also))

    @staticmethod
    def _nothing_changed(facts: NodeFacts, unique_id: str, before: Dump, after: Dump) -> bool:
        keys = facts.reads or ("main." + unique_id.split(".")[2],)
        return all(same_relation(before.get(k), after.get(k)) for k in keys)

    @staticmethod
    def _settled(run: RunFacts, facts: NodeFacts, past: Past) -> bool:
        if facts.never or run.full_refresh:
            return False
        return past.steady or facts.kind not in KEEP_STATE

    @staticmethod
    def _possible(kind: str, same: bool, same_outcome: bool) -> str | None:
        """Under which kind the run counts as a possible reuse."""
        if kind != "test":
            return kind if same else None
        if not same_outcome:
            return None
        return kind if same else MOVED

    def _count(self, kind: str | None, last_run: int, reason: str) -> None:
        if kind is None:
            return
        edits = sorted({edit for made in self._edits[last_run:] for edit in made})
        keys = [kind, *(f"after {edit}" for edit in edits if kind != MOVED)]
        self.share.possible.update(keys)
        if reason in REUSE_REASONS:
            self.share.reused.update(keys)
        else:
            self.share.lost[f"{kind}: {reason} after {', '.join(edits) or 'no edit'}"] += 1
