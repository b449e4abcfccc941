"""The suite finds bugs: each deliberate fault makes a sequence differ from its twin.

In:  the faults; the random sequences that find them (found_faults.json, made by model.planted).
Out: a failure for each fault that nothing finds any more.
Never: takes a differing decision for a find. What random sequences do not reach has a directed scenario;
       that these pass without the fault is tests/e2e/test_scenarios.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from e2e.scenario import load_all
from e2e.twin import Twin, TwinFailure
from e2e.workers import Pair
from model.faults import FAULTS
from model.planted import Trial, committed

SCENARIOS = load_all()
BY_RANDOM = committed()
DIRECTED = [name for name in FAULTS if name not in BY_RANDOM]
WANTED = 15
SEARCH = "search again: cd tests && python -m model.planted"


class Blind(Twin):
    """Sees relations and outcomes, not decisions."""

    def _decision_problems(self, wanted: dict[str, set[str]]) -> list[str]:
        return []


@pytest.mark.parametrize("number", sorted(set(BY_RANDOM.values())))
def test_random_sequence_finds(number: int, pair: Pair, failures_dir: Path) -> None:
    trial = Trial(pair, number, failures_dir)
    assert trial.sound, "it differs without a fault"
    faults = [name for name, found_by in BY_RANDOM.items() if found_by == number]
    missed = [name for name in faults if not trial.problems(name)]
    assert not missed, SEARCH


@pytest.mark.parametrize("name", DIRECTED)
def test_directed_scenario_finds(name: str, pair: Pair, failures_dir: Path) -> None:
    scenario = SCENARIOS[FAULTS[name].scenario]
    twin = Blind(pair, f"fault-{name}", failures_dir)
    pair.a.send({"cmd": "fault", "names": [name]})
    planted = pair.a.receive()
    assert "error" not in planted, planted["error"]
    try:
        with pytest.raises(TwinFailure):
            scenario.steps(twin)
    finally:
        pair.a.send({"cmd": "fault", "names": []})
        assert "error" not in pair.a.receive()
    assert "hodor_error" not in twin.decisions().values(), "the fault broke hodor, and it built"


def test_there_are_enough_faults() -> None:
    assert len({*BY_RANDOM} & {*FAULTS}) >= WANTED
    assert {*BY_RANDOM} <= {*FAULTS}, SEARCH
    assert {f.scenario for f in FAULTS.values()} <= set(SCENARIOS)
