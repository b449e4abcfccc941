"""Sequences: random projects, edits and runs, made from a number; judged by the twin alone.

In:  a seed number. Out: the steps (JSON-able, see e2e/replay.py), and what running them showed:
     differences from the twin, and which share of the possible reuses was made.
Never: uses what hodor decided to make the next step.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from e2e.replay import apply
from e2e.twin import PROFILES, Twin
from model.edits import EDITS
from model.settled import Measure, RunFacts, Share, facts_of
from model.world import FUNCTIONS_SQL, World, random_world

Steps = list[dict[str, Any]]

STAMPS = ["dbt_valid_from", "dbt_valid_to", "dbt_updated_at", "dbt_scd_id"]
SOURCES_SQL = """create schema raw;
create table raw.t0 as select * from (values (1, 'a', 1), (2, 'b', 2), (3, 'c', 3)) x(id, v, n);
create table raw.t1 as select * from (values (2, 'k', 5), (3, 'l', 6)) x(id, v, n)"""

THREADED = 4
"""Every so manieth sequence runs with so many threads."""


@dataclass
class Sequence:
    number: int
    steps: Steps
    runs: list[RunFacts]
    edits: Counter[str] = field(default_factory=Counter)


@dataclass
class Outcome:
    """What one sequence showed."""

    problems: list[str] = field(default_factory=list)
    runs: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    share: Share = field(default_factory=Share)


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
    threads = THREADED if number % THREADED == 0 else 1
    world = random_world(rng, rng.randint(4, 9), threads)
    profiles = PROFILES.replace("threads: 1", f"threads: {threads}")
    files = world.files()
    steps = write_steps({}, {"profiles.yml": profiles, **files})
    steps.append({"op": "sql", "text": SOURCES_SQL, "file": "wh.duckdb"})
    steps.append({"op": "sql", "text": FUNCTIONS_SQL, "file": "wh.duckdb"})
    steps += exceptions(world)
    sequence = Sequence(number, steps, [])
    add_run(sequence, world, "build", [])
    kinds = list(EDITS)
    weights = [EDITS[k][0] for k in kinds]
    for _ in range(rng.randint(2, 3)):
        made = []
        for _ in range(rng.choice([0, 1, 2, 3, 4])):
            kind = rng.choices(kinds, weights)[0]
            statement = EDITS[kind][1](rng, world)
            if statement is None:
                continue
            made.append(kind)
            if statement:
                steps.append({"op": "try_sql", "text": statement})
            after = world.files()
            steps += write_steps(files, after)
            files = after
        sequence.edits.update(made)
        add_run(sequence, world, command(rng, world), made)
        if rng.random() < 0.08:
            add_run(sequence, world, "build", [], {"HODOR_MODE": "off"})
    add_run(sequence, world, "build", [])
    return sequence


def exceptions(world: World) -> Steps:
    """Columns that hold the moment of the run: stamps, and what a snapshot says of its own run. A
    snapshot by timestamp takes its moments from the data, so nothing of it is excepted."""
    snapshots = [n.name for n in world.nodes.values() if n.kind == "snapshot"]
    return [
        {"op": "except_columns", "relation": "*", "columns": ["loaded_at"]},
        *(
            {"op": "except_columns", "relation": f"main.{name}", "columns": STAMPS}
            for name in snapshots
        ),
    ]


def add_run(
    sequence: Sequence, world: World, line: str, edits: list[str], env: dict[str, str] | None = None
) -> None:
    sequence.steps.append({"op": "invoke", "command": line, "env": env or {}, "twin": None})
    sequence.runs.append(facts_of(world, edits, line, recorded=not env))


def play(twin: Twin, steps: Steps, runs: list[RunFacts] | None = None) -> Outcome:
    """Does all steps up to the first difference; ``runs``: counts reuses after each dbt run."""
    outcome, measure = Outcome(), Measure()
    for number, step in enumerate(steps):
        if step["op"] == "invoke":
            twin.read_warehouses()
            before = twin.dumps["b"]
            outcome.runs += 1
        problems = apply(twin, step)
        outcome.problems += [f"step {number}: {p}" for p in problems]
        if outcome.problems:
            break
        if step["op"] == "invoke" and runs is not None:
            reasons = reasons_of(twin)
            outcome.reasons.update(reasons.values())
            facts, results = runs[outcome.runs - 1], twin.last["b"]["results"]
            measure.look(facts, results, before, twin.dumps["b"], reasons)
    outcome.share = measure.share
    return outcome


def reasons_of(twin: Twin) -> dict[str, str]:
    """What hodor answered for each node; a node that it was not asked for has no answer."""
    artefact = twin.last["a"]["hodor"]
    nodes = artefact["nodes"] if artefact is not None else []
    return {n["unique_id"]: n["reason"] for n in nodes if n["reason"] is not None}


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
