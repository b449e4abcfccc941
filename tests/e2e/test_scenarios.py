"""Every scenario once, twin compared and decisions asserted."""

from __future__ import annotations

from pathlib import Path

import pytest

from e2e.scenario import Scenario, load_all
from e2e.twin import Twin
from e2e.workers import Pair


def parameters() -> list[object]:
    return [
        pytest.param(s, id=s.id, marks=[pytest.mark.smoke] if s.smoke else [])
        for s in load_all().values()
    ]


@pytest.mark.parametrize("scenario", parameters())
def test_scenario(scenario: Scenario, pair: Pair, failures_dir: Path) -> None:
    scenario.steps(Twin(pair, scenario.id, failures_dir))
