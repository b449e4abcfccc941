"""Runs a saved sequence of steps again and prints what each dbt step decided.

In:  a JSON file written by a failing scenario or model test. Out: the decisions and differences.
Never: stops at the first difference unless it is told to (``--stop``).
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from e2e.twin import Twin
from e2e.workers import Pair

SIMPLE = {"write", "delete", "copy", "sql", "try_sql", "store", "subprocess", "manifests"}


def apply(twin: Twin, step: dict[str, Any]) -> list[str]:
    """Does one recorded step; returns the differences after a dbt run."""
    arguments = {k: v for k, v in step.items() if k != "op"}
    if step["op"] in SIMPLE:
        getattr(twin, step["op"])(**arguments)
    elif step["op"] == "except_columns":
        twin.except_columns(step["relation"], *step["columns"])
    elif step["op"] == "stale":
        twin.stale(*step["relations"])
    elif step["op"] == "invoke":
        ran = twin.invoke(**arguments)
        return twin.problems(compare=ran)
    return []


def replay(twin: Twin, steps: list[dict[str, Any]], stop: bool = False) -> list[str]:
    """All differences of a recorded sequence, each with the number of its step."""
    found: list[str] = []
    for number, step in enumerate(steps):
        problems = [f"step {number}: {p}" for p in apply(twin, step)]
        if step["op"] == "invoke":
            print(f"-- {number}: dbt {step['command']}")
            for name, reason in twin.decisions().items():
                print(f"   {name}: {reason}")
        elif step["op"] == "write" and number > 1:
            print(f"-- {number}: write {step['path']}\n{step['content']}")
        elif step["op"] in ("sql", "store", "delete"):
            print(f"-- {number}: {step}")
        for problem in problems:
            print("   DIFFERS", problem)
        found += problems
        if found and stop:
            break
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--stop", action="store_true", help="stop at the first difference")
    parser.add_argument("--output", action="store_true", help="print what ours printed last")
    options = parser.parse_args()
    saved = json.loads(options.file.read_text())
    with tempfile.TemporaryDirectory() as root:
        pair = Pair(Path(root))
        try:
            twin = Twin(pair, saved["name"])
            found = replay(twin, saved["steps"], options.stop)
            if options.output:
                print(twin.output())
        finally:
            pair.stop()
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
