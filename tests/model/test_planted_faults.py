"""The suite finds bugs: each deliberate fault makes a sequence differ from its twin.

In:  the faults; the random sequences that find them (found_faults.json, made by model.planted).
Out: a failure for each fault that nothing finds any more.
Never: takes a build for a find, as a fault that breaks hodor would make it. What random sequences do
       not reach has a directed scenario; that these pass without the fault is said by
       tests/e2e/test_scenarios.py.
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
DECISIONS_ONLY = frozenset(
    {
        "columns_under_views_are_ignored",
        "stars_are_ignored",
        "unknown_equals_itself",
        "volatile_values_are_nothing",
        "type_of_the_target_is_ignored",
        "vanished_inputs_are_forgotten",
        "user_functions_are_builtins",
    }
)
"""Their scenarios show a reuse that is not proven, but the relation happens to be right: DuckDB resolves
a view anew when it is read, and values that could differ are constant there."""
WANTED = 15
SEARCH = "search again: cd tests && python -m model.planted"


class Blind(Twin):
    """Sees relations and outcomes, not decisions."""

    def _decision_problems(self, wanted: dict[str, set[str]]) -> list[str]:
        return []


@pytest.mark.parametrize("number", sorted({find.sequence for find in BY_RANDOM.values()}))
def test_random_sequence_finds(number: int, pair: Pair, failures_dir: Path) -> None:
    finds = {name: find.step for name, find in BY_RANDOM.items() if find.sequence == number}
    trial = Trial(pair, number, max(finds.values()), failures_dir)
    assert trial.sound, "it differs without a fault"
    missed = [name for name in finds if not trial.problems(name)]
    assert not missed, SEARCH


@pytest.mark.parametrize("name", DIRECTED)
def test_directed_scenario_finds(name: str, pair: Pair, failures_dir: Path) -> None:
    scenario = SCENARIOS[FAULTS[name].scenario]
    kind = Twin if name in DECISIONS_ONLY else Blind
    twin = kind(pair, f"fault-{name}", failures_dir)
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
