"""The suite finds bugs: each deliberate fault makes its directed scenario fail.

The other half, that the scenario passes without the fault, is tests/e2e/test_scenarios.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from e2e.scenario import load_all
from e2e.twin import Twin, TwinFailure
from e2e.workers import Pair
from model.faults import FAULTS

SCENARIOS = load_all()


@pytest.mark.parametrize("name", list(FAULTS))
def test_fault_is_found(name: str, pair: Pair, failures_dir: Path) -> None:
    scenario = SCENARIOS[FAULTS[name].scenario]
    twin = Twin(pair, f"fault-{name}", failures_dir)
    pair.a.send({"cmd": "fault", "names": [name]})
    planted = pair.a.receive()
    assert "error" not in planted, planted["error"]
    try:
        with pytest.raises(TwinFailure):
            scenario.steps(twin)
    finally:
        pair.a.send({"cmd": "fault", "names": []})
        assert "error" not in pair.a.receive()


def test_there_are_enough_faults() -> None:
    assert len(FAULTS) >= 15
    assert {f.scenario for f in FAULTS.values()} <= set(SCENARIOS)
