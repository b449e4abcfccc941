"""Runs the programs that ./dev is built from.

In:  command lines.
Out: their output when they fail, or as they go when asked; `Failed` with a plain sentence.
Never: retries, and never goes on after a failure.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Failed(Exception):
    """A step did not work. Its text is all that the user sees; `code` is the exit code of ./dev."""

    def __init__(self, text: str, code: int = 1) -> None:
        super().__init__(text)
        self.code = code


def say(text: str) -> None:
    """One line of progress, on stderr so that a command's own output stays clean."""
    print(f"[dev] {text}", file=sys.stderr, flush=True)


def run(
    command: Sequence[str | Path],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path = ROOT,
) -> None:
    """Runs a program with its output as it goes. Raises `Failed` with its exit code."""
    sys.stdout.flush()
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=_merged(env), stdin=subprocess.DEVNULL
    )
    if done.returncode != 0:
        name = " ".join(str(part) for part in command[:4])
        raise Failed(f"failed with exit code {done.returncode}: {name} …", done.returncode)


def run_quietly(
    command: Sequence[str | Path],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path = ROOT,
    advice: str = "",
) -> str:
    """Runs a program and returns its stdout. Its whole output is shown only when it fails."""
    try:
        done = subprocess.run(
            [str(part) for part in command],
            cwd=cwd,
            env=_merged(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
    except OSError as error:
        raise Failed(f"cannot start {command[0]}: {error}. {advice}".strip()) from error
    if done.returncode != 0:
        sys.stderr.write(done.stdout + done.stderr)
        name = " ".join(str(part) for part in command[:4])
        raise Failed(f"failed: {name} … {advice}".strip())
    return done.stdout


def _merged(env: Mapping[str, str] | None) -> dict[str, str]:
    merged = dict(os.environ)
    # A ./dev started from inside some other environment must not pick up its packages.
    for name in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"):
        merged.pop(name, None)
    merged.update(env or {})
    return merged
