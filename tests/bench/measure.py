"""Child processes measured: CPU time, peak memory, and what a median of differences may be.

In:  commands; paired samples.
Out: seconds, bytes; a median with an interval that covers the true median in at least 90 of 100 cases.
Never: drops a sample.
"""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

CHILD = Path(__file__).resolve().parent / "child.py"


@dataclass(frozen=True)
class Sample:
    """One run of dbt. `cpu_s`: user plus system time of the process; `peak_bytes`: resident memory."""

    variant: str
    cpu_s: float
    wall_s: float
    peak_bytes: int

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def run_dbt(variant: str, folder: Path, *arguments: str) -> Sample:
    """Runs dbt as `variant` in `folder`. Raises RuntimeError with its output when it fails."""
    env = dict(os.environ) | {
        "DBT_PROFILES_DIR": str(folder),
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        "HODOR_MODE": "on",
        "PYTHONHASHSEED": "0",
    }
    # An installed package has its compiled files; without them each run compiles it first.
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    output = folder / "output.txt"
    started = time.monotonic()
    with output.open("w") as stream:
        process = subprocess.Popen(
            [sys.executable, str(CHILD), variant, *arguments],
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
        )
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"dbt ({variant}) failed in {folder}:\n{output.read_text()[-4000:]}")
    return Sample(
        variant=variant,
        cpu_s=usage.ru_utime + usage.ru_stime,
        wall_s=time.monotonic() - started,
        peak_bytes=usage.ru_maxrss * 1024,
    )


def loop_seconds() -> float:
    """Shortest of three times for a plain loop: what tells the speed of a machine at this moment, so
    that figures of two runs can be compared."""
    found = []
    for _ in range(3):
        started = time.thread_time()
        total = 0
        for number in range(2_000_000):
            total += number
        found.append(time.thread_time() - started)
    return min(found)


def median_with_interval(samples: Sequence[float]) -> tuple[float, float, float]:
    """(median, low, high). The interval is between two order statistics, so it assumes nothing about
    the distribution; with too few samples for 90 % it is the whole range."""
    ordered = sorted(samples)
    count = len(ordered)
    drop = 0
    while drop + 1 <= (count - 1) // 2 and _coverage(count, drop + 1) >= 0.9:
        drop += 1
    return statistics.median(ordered), ordered[drop], ordered[count - 1 - drop]


def _coverage(count: int, drop: int) -> float:
    """Probability that the true median lies within the samples left after dropping `drop` a side."""
    tail = sum(math.comb(count, k) for k in range(drop + 1)) / 2**count
    return 1 - 2 * tail
