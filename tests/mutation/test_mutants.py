"""Runs the planted mistakes of this folder: each script fails when the tests do not notice one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SCRIPTS = sorted(Path(__file__).parent.glob("*.sh"))


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_every_mutant_is_killed(script: Path) -> None:
    done = subprocess.run(["bash", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_there_are_scripts() -> None:
    assert "decision" in {script.stem for script in SCRIPTS}
