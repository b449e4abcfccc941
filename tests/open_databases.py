"""DuckDB files that this process still has open although everybody closed them.

In:  a folder.
Out: the files; after ``let_go`` none.
Never: closes a connection that somebody still refers to.

A connection in a cycle of references (an exception's traceback) keeps its instance of DuckDB alive, and
whoever connects to that path next is given the instance, although its file was deleted meanwhile.
"""

from __future__ import annotations

import gc
import os
from pathlib import Path


def held_open(folder: Path) -> list[str]:
    """DuckDB files under ``folder`` (Linux; elsewhere none is seen)."""
    held = []
    for descriptor in Path("/proc/self/fd").glob("*"):
        try:
            target = os.readlink(descriptor)
        except OSError:  # the one of this listing
            continue
        if target.startswith(f"{folder}/") and ".duckdb" in target:
            held.append(target)
    return held


def let_go(folder: Path) -> list[str]:
    """Collects what only cycles keep. Returns what is open even then."""
    if held_open(folder):
        gc.collect()
    return held_open(folder)
