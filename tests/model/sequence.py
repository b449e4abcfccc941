"""Sequences: random projects, edits and runs, made from a number; judged by the twin alone.

In:  a seed number. Out: the steps (JSON-able, see e2e/replay.py), and what running them showed:
     differences from the twin, and how many reuses a perfect oracle would have made.
Never: uses what hodor decided to make the next step.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from e2e.compare import Dump, same_relation
from e2e.replay import apply
from e2e.twin import PROFILES, REUSE_REASONS, Twin
from model.edits import EDITS
from model.world import World, random_world

Steps = list[dict[str, Any]]

STAMPS = ["dbt_valid_from", "dbt_valid_to", "dbt_updated_at", "dbt_scd_id"]
SOURCES_SQL = """create schema raw;
create table raw.t0 as select * from (values (1, 'a', 1), (2, 'b', 2), (3, 'c', 3)) x(id, v, n);
create table raw.t1 as select * from (values (2, 'k', 5), (3, 'l', 6)) x(id, v, n)"""

UNSETTLED = frozenset(
    {
        "unsupported",
        "hook_writes",
        "full_refresh",
        "no_history",
        "unsettled",
        "volatile_sql",
        "select_star_view",
    }
)
"""Reasons of nodes that the rules never reuse, or not yet."""


@dataclass
class Sequence:
    number: int
    steps: Steps
    edits: Counter[str] = field(default_factory=Counter)


@dataclass
class Outcome:
    """What one sequence showed. ``possible``: node runs in which the twin changed nothing."""

    problems: list[str] = field(default_factory=list)
    possible: int = 0
    reused: int = 0
    runs: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)


def write_steps(before: dict[str, str], after: dict[str, str]) -> Steps:
    steps: Steps = [
        {"op": "write", "path": path, "content": text}
        for path, text in after.items()
        if before.get(path) != text
    ]
    return steps + [{"op": "delete", "path": p} for p in before if p not in after]


def command(rng: random.Random, world: World) -> str:
    """Mostly everything, sometimes a part of it."""
    names = [n.name for n in world.nodes.values() if n.has_relation()]
    some = rng.choice(names)
    return rng.choices(
        [
            "build",
            "run",
            f"build -s {some}+",
            f"build -s {some}",
            f"build --exclude {some}",
            f"run -s +{some}",
            "test",
            "seed",
            "snapshot",
            "build --full-refresh",
        ],
        [12, 3, 2, 2, 2, 1, 1, 1, 1, 1],
    )[0]


def make(number: int) -> Sequence:
    """The sequence of this number: the same every time."""
    rng = random.Random(number)
    world = random_world(rng, rng.randint(4, 9))
    files = world.files()
    steps = write_steps({}, {"profiles.yml": PROFILES, **files})
    steps.append({"op": "sql", "text": SOURCES_SQL, "file": "wh.duckdb"})
    steps.append({"op": "except_columns", "relation": "*", "columns": STAMPS})
    steps.append(run_step("build"))
    sequence = Sequence(number, steps)
    kinds = list(EDITS)
    weights = [EDITS[k][0] for k in kinds]
    for _ in range(rng.randint(2, 3)):
        for _ in range(rng.choice([0, 1, 2, 3, 4])):
            kind = rng.choices(kinds, weights)[0]
            statement = EDITS[kind][1](rng, world)
            if statement is None:
                continue
            sequence.edits[kind] += 1
            if statement:
                steps.append({"op": "try_sql", "text": statement})
            after = world.files()
            steps += write_steps(files, after)
            files = after
        steps.append(run_step(command(rng, world)))
        if rng.random() < 0.08:
            steps.append(run_step("build", {"HODOR_MODE": "off"}))
    steps.append(run_step("build"))
    return sequence


def run_step(line: str, env: dict[str, str] | None = None) -> dict[str, Any]:
    return {"op": "invoke", "command": line, "env": env or {}, "twin": None}


def play(twin: Twin, steps: Steps, stop: bool = True) -> Outcome:
    """Does all steps; compares and counts after each dbt run."""
    outcome = Outcome()
    for number, step in enumerate(steps):
        if step["op"] == "invoke":
            twin.read_warehouses()
            before = twin.dumps["a"]
            outcome.runs += 1
        problems = apply(twin, step)
        outcome.problems += [f"step {number}: {p}" for p in problems]
        if step["op"] == "invoke" and not problems:
            count(twin, before, outcome)
        if outcome.problems and stop:
            break
    return outcome


def count(twin: Twin, before: Dump, outcome: Outcome) -> None:
    """A build was needed only if the twin's relation differs from what stood there before."""
    artefact = twin.last["a"]["hodor"]
    if artefact is None:
        return
    done = {r["unique_id"]: r["status"] for r in twin.last["b"]["results"]}
    after = twin.dumps["b"]
    for node in artefact["nodes"]:
        reason, unique_id = node["reason"], node["unique_id"]
        if reason is None:
            continue
        outcome.reasons[reason] += 1
        if unique_id.startswith("test.") or reason in UNSETTLED or done[unique_id] != "success":
            continue
        key = "main." + unique_id.split(".")[2]
        if not same_relation(before.get(key), after.get(key)):
            continue
        outcome.possible += 1
        if reason in REUSE_REASONS:
            outcome.reused += 1
        else:
            outcome.missed[reason] += 1


def shrink(steps: Steps, fails: Any, budget: int = 25) -> Steps:
    """Leaves out steps one by one, last first, while ``fails(steps)`` still says so."""
    kept = list(steps)
    for index in range(len(steps) - 1, -1, -1):
        if budget == 0:
            break
        if index >= len(kept) or kept[index].get("path") in ("dbt_project.yml", "profiles.yml"):
            continue
        shorter = kept[:index] + kept[index + 1 :]
        budget -= 1
        if fails(shorter):
            kept = shorter
    return kept
