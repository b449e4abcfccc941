"""Random sequences with the twin as the only oracle, and the share of possible reuses made.

The number of sequences: ``HODOR_MODEL_SEQUENCES`` (default 60, CI; a long run is 2,000), from number
``HODOR_MODEL_FIRST`` on. A failing sequence is saved as JSON, shrunk, and can be replayed.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from e2e.twin import UNPLUGGED, Twin
from e2e.workers import Pair
from model.sequence import Outcome, Steps, make, play, shrink

SEQUENCES = int(os.environ.get("HODOR_MODEL_SEQUENCES", "60"))
FIRST = int(os.environ.get("HODOR_MODEL_FIRST", "1"))
CHUNK = 10
WANTED_REUSE = 0.9
WANTED_OF_A_KIND = 0.5
MANY = 10
"""A kind with fewer possible reuses is shown, not judged for itself."""
FEW = 40
"""Below this many sequences the share of reuses is shown, not judged."""

EDITS: Counter[str] = Counter()
TOTAL = Outcome()


def reproduces(pair: Pair, steps: Steps, like: str) -> bool:
    """Whether a shorter sequence still differs in the same relation or outcome."""
    try:
        outcome = play(Twin(pair, "shrinking"), steps)
    except AssertionError:
        return False
    return any(like in p for p in outcome.problems)


def report_failure(pair: Pair, number: int, steps: Steps, outcome: Outcome, folder: Path) -> str:
    like = outcome.problems[0].split(": ", 1)[1].split(":")[0]
    small = shrink(steps, lambda s: reproduces(pair, s, like))
    file = folder / f"model-{number}.json"
    file.write_text(json.dumps({"name": f"model-{number}", "steps": small}, indent=1))
    problems = "\n  ".join(outcome.problems[:5])
    return f"sequence {number}:\n  {problems}\n  replay: python -m e2e.replay {file}"


@pytest.mark.timeout(0)
@pytest.mark.parametrize("first", range(FIRST, FIRST + SEQUENCES, CHUNK))
def test_sequences(first: int, pair: Pair, failures_dir: Path) -> None:
    failures = []
    for number in range(first, min(first + CHUNK, FIRST + SEQUENCES)):
        sequence = make(number)
        twin = Twin(pair, f"model-{number}", failures_dir)
        outcome = play(twin, sequence.steps, sequence.runs)
        EDITS.update(sequence.edits)
        TOTAL.share.add(outcome.share)
        TOTAL.runs += outcome.runs
        TOTAL.reasons.update(outcome.reasons)
        if outcome.problems:
            failures.append(report_failure(pair, number, sequence.steps, outcome, failures_dir))
    assert not failures, "\n".join(failures)


def test_share_of_possible_reuses(capsys: pytest.CaptureFixture[str]) -> None:
    """Of the node runs of settled nodes that changed nothing in the twin, at least 90 % are reuses."""
    if not TOTAL.runs:
        pytest.fail("no sequence ran")
    with capsys.disabled():
        print(f"\n{TOTAL.runs} dbt runs; edits:")
        for kind, count in EDITS.most_common():
            print(f"  {count:5} {kind}")
        print("reasons:", dict(TOTAL.reasons.most_common()))
        print("\n".join(TOTAL.share.lines()))
    if not UNPLUGGED and SEQUENCES >= FEW:
        share = TOTAL.share
        assert share.of(share.judged()) >= WANTED_REUSE
        low = [k for k in share.judged() if share.of([k]) < WANTED_OF_A_KIND]
        assert not [k for k in low if share.possible[k] >= MANY]


def test_a_number_names_one_sequence() -> None:
    """A sequence depends on its number alone."""
    assert make(7).steps == make(7).steps
    assert make(7).steps != make(8).steps
