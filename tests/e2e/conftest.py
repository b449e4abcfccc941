"""One pair of workers for all scenarios of a session."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.workers import Pair


@pytest.fixture(scope="session")
def pair() -> Iterator[Pair]:
    # A memory file system saves about a third of the time: DuckDB syncs its file at each commit.
    shared = Path("/dev/shm")
    root = Path(tempfile.mkdtemp(prefix="hodor-e2e-", dir=shared if shared.is_dir() else None))
    workers = Pair(root)
    yield workers
    workers.stop()
    shutil.rmtree(root, ignore_errors=True)


@pytest.fixture(scope="session")
def failures_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Replayable sequences of what failed; survives the session."""
    return tmp_path_factory.mktemp("failures")
