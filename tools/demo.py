"""The main job, shown and checked: a small shop is built, kept, fed, edited and explained.

In:  examples/shop, an environment with dbt-duckdb in which dbt_hodor is importable.
Out: what each run kept and built, for a person to read; exit code 0 only when every run decided what
     it should and left the same relations as its twin, which is plain dbt without the plugin.
Never: changes anything but build/demo/, and never judges by hodor's own words alone.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SHOP = ROOT / "examples" / "shop"
WORK = ROOT / "build" / "demo"
sys.path.insert(0, str(ROOT / "tests"))

from e2e.compare import differences, dump_warehouse, outcomes  # noqa: E402

# `audit.builds` is a hook's diary of real builds: it is shorter when less is built, and meant to be.
EXCEPTED = {"audit.builds"}

FED_BY_ORDERS = """fct_orders fct_daily_revenue customer_value
    unique_stg_orders_order_id not_null_stg_orders_order_id
    relationships_stg_orders_customer_id__customer_id__ref_stg_customers_
    unique_fct_orders_order_id not_null_fct_orders_order_id
    accepted_values_fct_orders_status__open__paid__returned
    unique_fct_daily_revenue_order_day not_null_fct_daily_revenue_order_day
    unique_customer_value_customer_id not_null_customer_value_customer_id revenue_adds_up"""
FED_BY_CUSTOMERS = """dim_customers country_sizes customer_value
    unique_customer_value_customer_id not_null_customer_value_customer_id revenue_adds_up"""
KEEPS_STATE = "fct_orders fct_daily_revenue customers_history"


@dataclass(frozen=True)
class Step:
    """One run. `built` must be built; `may_build` may be; everything else must be reused.
    `change` edits the shop's files, `operation` is a macro that changes the source tables."""

    title: str
    built: str = ""
    may_build: str = ""
    everything: bool = False
    operation: str = ""
    change: Callable[[Path], None] | None = None


@dataclass
class Side:
    """One copy of the shop with a warehouse of its own."""

    folder: Path
    plain: bool
    results: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0

    def dbt(self, *arguments: str) -> None:
        """Runs dbt in a process of its own; raises with its output when it does not succeed."""
        env = dict(os.environ) | {
            "DBT_PROFILES_DIR": str(self.folder),
            "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        }
        if self.plain:
            env["HODOR_E2E_PLAIN"] = "1"
        started = time.monotonic()
        command = [sys.executable, str(ROOT / "tests" / "e2e" / "one_run.py"), *arguments]
        done = subprocess.run(command, cwd=self.folder, env=env, capture_output=True, text=True)
        self.seconds = time.monotonic() - started
        with (self.folder / "dbt.log").open("a") as log:
            log.write(done.stdout + done.stderr)
        if done.returncode != 0:
            raise SystemExit(f"dbt {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
        if arguments[0] == "build":
            run_results = json.loads((self.folder / "target" / "run_results.json").read_text())
            self.results = run_results["results"]


def layout_only(folder: Path) -> None:
    path = folder / "models" / "marts" / "customer_value.sql"
    path.write_text("-- What a customer is worth.\n" + path.read_text().replace("    c.", "  c."))


def shout(folder: Path) -> None:
    path = folder / "models" / "marts" / "dim_customers.sql"
    path.write_text(
        path.read_text().replace("k.country_name", "upper(k.country_name) as country_name")
    )


STEPS = (
    Step("The first run builds everything", everything=True),
    Step(
        "Again: only what keeps earlier state runs once more, now with its incremental branch",
        may_build=KEEPS_STATE,
    ),
    Step("Again, after a comment and other indentation in one model", change=layout_only),
    Step("New orders arrive", operation="new_orders", built=FED_BY_ORDERS, may_build=KEEPS_STATE),
    Step(
        "dim_customers is edited: it and what reads it",
        change=shout,
        built=FED_BY_CUSTOMERS,
        may_build=KEEPS_STATE,
    ),
)


def main() -> int:
    started = time.monotonic()
    shutil.rmtree(WORK, ignore_errors=True)
    ours, twin = (Side(WORK / name / "shop", plain=name == "twin") for name in ("hodor", "twin"))
    for side in (ours, twin):
        shutil.copytree(SHOP, side.folder)
    both(ours, twin, "run-operation", "load_raw")
    problems: list[str] = []
    for number, step in enumerate(STEPS, start=1):
        heading(f"{number}. {step.title}")
        problems += take(step, ours, twin)
    heading(f"{len(STEPS) + 1}. Why? dbt-hodor explain -s customer_value")
    problems += explain(ours)
    print()
    for problem in problems:
        print(f"WRONG: {problem}")
    verdict = "failed" if problems else "passed: every relation equals plain dbt's after every run"
    print(
        f"demo {verdict} ({time.monotonic() - started:.0f} s; files in {WORK.relative_to(ROOT)}/)"
    )
    return 1 if problems else 0


def take(step: Step, ours: Side, twin: Side) -> list[str]:
    """One step on both sides. Returns what is wrong, in sentences."""
    if step.operation:
        print(f"$ dbt run-operation {step.operation}")
        both(ours, twin, "run-operation", step.operation)
    if step.change is not None:
        for side in (ours, twin):
            step.change(side.folder)
    print("$ dbt build")
    (ours.folder / "target" / "hodor_run.json").unlink(missing_ok=True)
    both(ours, twin, "build")
    run = read_run(ours)
    show(run)
    return decisions_wrong(step, run) + warehouses_differ(ours, twin)


def both(ours: Side, twin: Side, *arguments: str) -> None:
    with ThreadPoolExecutor(max_workers=2) as pool:
        for done in [pool.submit(side.dbt, *arguments) for side in (ours, twin)]:
            done.result()


def read_run(side: Side) -> dict[str, Any]:
    path = side.folder / "target" / "hodor_run.json"
    if not path.is_file():
        raise SystemExit(f"no {path.relative_to(ROOT)} was written: the plugin was not at work")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def show(run: dict[str, Any]) -> None:
    """The nodes of each action and reason, a line or a few each."""
    groups: dict[tuple[str, str], list[str]] = {}
    for node in run["nodes"]:
        groups.setdefault((node["action"], node["reason"]), []).append(short(node["unique_id"]))
    for (action, reason), names in sorted(groups.items()):
        word = {"reuse": "reused", "replay": "replayed", "build": "built"}[action]
        start = f"  {word:<8} {reason:<18} "
        print(
            start + listed(sorted(names), shutil.get_terminal_size((110, 24)).columns - len(start))
        )


def listed(names: list[str], width: int) -> str:
    """As many names as fit, and how many there are when not all do."""
    shown = ", ".join(names)
    if len(shown) <= width:
        return shown
    count = f", … ({len(names)})"
    kept = names[:1]
    while len(", ".join([*kept, names[len(kept)]])) + len(count) <= width:
        kept.append(names[len(kept)])
    return ", ".join(kept) + count


def decisions_wrong(step: Step, run: dict[str, Any]) -> list[str]:
    built = {short(node["unique_id"]) for node in run["nodes"] if node["action"] == "build"}
    every = {short(node["unique_id"]) for node in run["nodes"]}
    must = every if step.everything else set(step.built.split())
    wrong = [f"{name} was not built in {step.title!r}" for name in sorted(must - built)]
    allowed = must | set(step.may_build.split())
    if "customers_history" not in every or len(every) < 27:
        wrong.append(f"hodor_run.json names {len(every)} nodes only")
    return wrong + [f"{name} was built in {step.title!r}" for name in sorted(built - allowed)]


def warehouses_differ(ours: Side, twin: Side) -> list[str]:
    left, right = (dump_warehouse(side.folder / "shop.duckdb", {}) for side in (ours, twin))
    wrong = differences(left, right, EXCEPTED)
    if outcomes(ours.results) != outcomes(twin.results):
        wrong.append("the outcomes of nodes or tests differ from the twin's")
    if not wrong:
        print(
            f"  {len(left) - len(EXCEPTED)} relations and {len(twin.results)} outcomes "
            f"equal the twin's ({ours.seconds:.1f} s, plain dbt {twin.seconds:.1f} s)"
        )
    return wrong


def explain(ours: Side) -> list[str]:
    command = [
        sys.executable,
        "-c",
        "from dbt_hodor.cli.main import main; raise SystemExit(main())",
    ]
    env = dict(os.environ) | {"DBT_PROFILES_DIR": str(ours.folder)}
    done = subprocess.run(
        [*command, "explain", "-s", "customer_value"],
        cwd=ours.folder,
        env=env,
        capture_output=True,
        text=True,
    )
    print(done.stdout, end="")
    if done.returncode != 0:
        return [f"explain failed with exit code {done.returncode}: {done.stderr}"]
    if "dim_customers" not in done.stdout:
        return ["explain does not name the changed input dim_customers"]
    return []


def short(unique_id: str) -> str:
    parts = unique_id.split(".")
    return parts[2] if parts[0] == "test" else ".".join(parts[2:])


def heading(text: str) -> None:
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n{text}")


if __name__ == "__main__":
    sys.exit(main())
