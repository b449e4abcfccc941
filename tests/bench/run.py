"""Measures what hodor adds to a dbt run on generated projects, and says whether it is within budget.

In:  sizes and numbers of pairs (see --help); DuckDB.
Out: a table; all raw samples under bench-results/; exit code 1 when a budget is exceeded.
Never: compares runs that did not alternate, or counts a run in which something was built as steady.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from generate import write_project
from measure import Sample, loop_seconds, median_with_interval, run_dbt

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench-results"
SETTLING_RUNS = 5

# Budgets of a steady run, per node, in milliseconds of CPU unless the name says otherwise.
STEADY_MS = 1.0
OUTSIDE_MS = 0.15
FIRST_RUN_MS = 2.0
MEMORY_RATIO = 1.15
# The steady budget holds at this size, and a larger project may cost no more per node.
BUDGET_MODELS = 1000
GROWTH = 1.0


def main() -> int:
    options = parse_options()
    work = ROOT / "build" / "bench"
    shutil.rmtree(work, ignore_errors=True)
    report: dict[str, Any] = {
        "commit": commit(),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "options": vars(options),
        "sizes": [],
    }
    for models in options.models:
        size = measure_size(work / str(models), models, options)
        report["sizes"].append(size)
        print_size(size)
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{report['started'].replace(':', '')}-{report['commit']}.json"
    path.write_text(json.dumps(report, indent=1))
    print(f"\nraw samples: {path.relative_to(ROOT)}")
    over = [] if options.smoke else exceeded(report["sizes"])
    for line in over:
        print(f"OVER BUDGET: {line}")
    return 1 if over else 0


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    parser.add_argument("--models", type=int, nargs="+", default=[200, 1000, 3000])
    parser.add_argument("--pairs", type=int, default=10, help="steady runs of each variant")
    parser.add_argument("--first-pairs", type=int, default=3, help="first runs of each variant")
    parser.add_argument("--smoke", action="store_true", help="only that it works: tiny, no budget")
    options = parser.parse_args()
    if options.smoke:
        options.models, options.pairs, options.first_pairs = [40], 2, 1
    return options


def measure_size(folder: Path, models: int, options: argparse.Namespace) -> dict[str, Any]:
    """All measurements of one project size."""
    print(f"\n{models} models: generating and loading …", flush=True)
    template = folder / "template"
    write_project(template, models)
    run_dbt("plain", template, "run-operation", "load_raw")
    first = first_runs(folder, template, options.first_pairs)
    hodor, floor = folder / "hodor", folder / "floor"
    settle(hodor)
    # Both variants start from the same warehouse and a manifest parsed by themselves.
    shutil.copytree(hodor, floor, ignore=shutil.ignore_patterns("target", "logs", ".hodor"))
    run_dbt("floor", floor, "build")
    pairs: list[tuple[Sample, Sample]] = []
    totals: list[dict[str, Any]] = []
    nodes, speeds = 0, []
    for number in range(options.pairs):
        # The order within a pair alternates too, so that a drift of the machine cancels out.
        order = ("hodor", "floor") if number % 2 == 0 else ("floor", "hodor")
        speeds.append(loop_seconds())
        taken = {variant: run_dbt(variant, folder / variant, "build") for variant in order}
        run = read_run(hodor)
        built = [node["unique_id"] for node in run["nodes"] if node["action"] == "build"]
        if built:
            raise SystemExit(f"not steady, built: {built[:5]}")
        nodes = len(run["nodes"])
        pairs.append((taken["hodor"], taken["floor"]))
        totals.append(run["totals"])
        print(
            f"  pair {number + 1}: hodor {taken['hodor'].cpu_s:.2f} s, "
            f"floor {taken['floor'].cpu_s:.2f} s CPU",
            flush=True,
        )
    return summarize(models, nodes, pairs, totals, first) | {"loop_s": speeds}


def first_runs(folder: Path, template: Path, count: int) -> list[tuple[Sample, Sample]]:
    """(hodor, plain) on empty warehouses; the last hodor folder stays as `hodor`."""
    found = []
    for number in range(count):
        taken = {}
        for variant in ("hodor", "plain") if number % 2 == 0 else ("plain", "hodor"):
            target = folder / variant
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(template, target)
            run_dbt(variant, target, "parse")
            taken[variant] = run_dbt(variant, target, "build")
        found.append((taken["hodor"], taken["plain"]))
        print(
            f"  first run {number + 1}: hodor {taken['hodor'].cpu_s:.2f} s, "
            f"plain {taken['plain'].cpu_s:.2f} s CPU",
            flush=True,
        )
    return found


def settle(folder: Path) -> None:
    """Runs until nothing is built any more."""
    for _ in range(SETTLING_RUNS):
        run_dbt("hodor", folder, "build")
        if all(node["action"] != "build" for node in read_run(folder)["nodes"]):
            return
    left = {
        n["unique_id"]: n["reason"] for n in read_run(folder)["nodes"] if n["action"] == "build"
    }
    raise SystemExit(f"still built after {SETTLING_RUNS} runs: {dict(list(left.items())[:10])}")


def read_run(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "target" / "hodor_run.json").read_text())
    return found


def summarize(
    models: int,
    nodes: int,
    pairs: list[tuple[Sample, Sample]],
    totals: list[dict[str, Any]],
    first: list[tuple[Sample, Sample]],
) -> dict[str, Any]:
    steady = median_with_interval([1000 * (h.cpu_s - f.cpu_s) / nodes for h, f in pairs])
    first_ms = median_with_interval([1000 * (h.cpu_s - p.cpu_s) / nodes for h, p in first])
    memory = median_with_interval([h.peak_bytes / f.peak_bytes for h, f in pairs])
    return {
        "models": models,
        "nodes": nodes,
        "steady_ms_per_node": steady,
        "first_run_ms_per_node": first_ms,
        "memory_ratio": memory,
        "floor_cpu_s": median_with_interval([f.cpu_s for _, f in pairs])[0],
        "floor_peak_mb": median_with_interval([f.peak_bytes / 1e6 for _, f in pairs])[0],
        "own_ms_per_node": median_with_interval([t["cpu_ms"]["own"] / nodes for t in totals]),
        "parser_calls": max(t["parser_calls"] for t in totals),
        "totals": totals,
        "samples": [[h.as_json(), f.as_json()] for h, f in pairs],
        "first_samples": [[h.as_json(), p.as_json()] for h, p in first],
    }


def print_size(size: dict[str, Any]) -> None:
    def line(label: str, value: tuple[float, float, float], unit: str) -> None:
        print(f"  {label:<34} {value[0]:8.3f}  [{value[1]:.3f}, {value[2]:.3f}] {unit}")

    print(f"{size['models']} models, {size['nodes']} nodes, {len(size['samples'])} pairs:")
    line("steady state over floor", size["steady_ms_per_node"], "ms CPU a node")
    line("first run over plain dbt", size["first_run_ms_per_node"], "ms CPU a node")
    line("peak memory against floor", size["memory_ratio"], "times")
    line("outside queries and flushes", size["own_ms_per_node"], "ms CPU a node (own counter)")
    print(f"  parser calls in a steady run: {size['parser_calls']}")
    low, high = min(size["loop_s"]), max(size["loop_s"])
    print(f"  machine: {low:.3f} to {high:.3f} s for a loop of two million additions")
    print(f"  floor: {size['floor_cpu_s']:.2f} s CPU, {size['floor_peak_mb']:.0f} MB")
    for name, value in sorted(size["totals"][-1].items()):
        print(f"  totals.{name}: {value}")


def exceeded(sizes: list[dict[str, Any]]) -> list[str]:
    """What is over budget, in sentences. Medians are judged; the intervals say how sure that is."""
    found = []
    by_models = {size["models"]: size for size in sizes}
    base = by_models.get(BUDGET_MODELS)
    for models, size in by_models.items():
        steady = size["steady_ms_per_node"][0]
        if models >= BUDGET_MODELS and steady > STEADY_MS:
            found.append(f"{models} models: {steady:.2f} ms a node, allowed {STEADY_MS}")
        if base is not None and models > BUDGET_MODELS:
            allowed = base["steady_ms_per_node"][2] * GROWTH
            if size["steady_ms_per_node"][1] > allowed:
                found.append(f"{models} models cost more per node than {BUDGET_MODELS}")
        if models >= BUDGET_MODELS and size["own_ms_per_node"][0] > OUTSIDE_MS:
            found.append(f"{models} models: own work {size['own_ms_per_node'][0]:.2f} ms a node")
        if size["parser_calls"] > 0:
            found.append(f"{models} models: {size['parser_calls']} parser calls in a steady run")
        if size["first_run_ms_per_node"][0] > FIRST_RUN_MS:
            found.append(f"{models} models: first run {size['first_run_ms_per_node'][0]:.2f} ms")
        if models == BUDGET_MODELS and size["memory_ratio"][0] > MEMORY_RATIO:
            found.append(f"{models} models: memory {size['memory_ratio'][0]:.2f} of the floor")
    return found


def commit() -> str:
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True
    )
    return done.stdout.strip() or "unknown"


if __name__ == "__main__":
    sys.exit(main())
