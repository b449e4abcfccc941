"""The measure of reuses judges hodor by the twin, whatever hodor says."""

from __future__ import annotations

from typing import Any

import pytest

from model.settled import MOVED, Measure, NodeFacts, RunFacts, Share

SAME = {"main.n1": {"type": "table", "rows": "r", "count": 1}}
OTHER = {"main.n1": {"type": "table", "rows": "q", "count": 1}}


def run(
    kind: str = "table", never: str = "", full_refresh: bool = False, recorded: bool = True
) -> RunFacts:
    return RunFacts({"n1": NodeFacts(kind, never)}, ("constant",), full_refresh, recorded)


def seen(
    *runs: RunFacts,
    reason: str = "unsettled",
    unique_id: str = "model.p.n1",
    outcomes: tuple[tuple[str, Any], ...] = (("success", None),),
    last: dict[str, Any] = SAME,
) -> Share:
    """Each run leaves everything as it was, but the last one leaves ``last``."""
    measure = Measure()
    for number, facts in enumerate(runs):
        status, failures = outcomes[min(number, len(outcomes) - 1)]
        results = [{"unique_id": unique_id, "status": status, "failures": failures}]
        after = last if number == len(runs) - 1 else SAME
        measure.look(facts, results, SAME, after, {unique_id: reason})
    return measure.share


@pytest.mark.parametrize("answer", ["no_history", "unsettled", "unsupported", "volatile_sql"])
def test_no_answer_excuses_a_build(answer: str) -> None:
    share = seen(run(), run(), reason=answer)
    assert (share.possible["table"], share.reused["table"]) == (1, 0)
    assert share.lost[f"table: {answer} after constant"] == 1


def test_a_reuse_counts() -> None:
    share = seen(run(), run(), reason="no_new_data")
    assert share.of(share.judged()) == 1.0
    assert share.possible["after constant"] == 1


@pytest.mark.parametrize(
    "runs",
    [
        [run()],
        [run(never="python"), run(never="python")],
        [run(), run(full_refresh=True)],
        [run(), run(recorded=False), run()],
        [run("merge"), run("merge")],
        [run("merge"), run("merge", full_refresh=True), run("merge")],
    ],
    ids=["first", "never", "full refresh", "after a run without hodor", "keeps state", "made anew"],
)
def test_unsettled(runs: list[RunFacts]) -> None:
    assert not seen(*runs).possible


def test_what_keeps_state_is_settled_when_a_run_changed_nothing() -> None:
    assert seen(run("merge"), run("merge"), run("merge")).possible["merge"] == 1


def test_a_build_that_changes_the_relation_is_no_reuse() -> None:
    assert not seen(run(), run(), last=OTHER).possible


def test_a_failure_has_no_past() -> None:
    outcomes = (("success", None), ("error", None), ("success", None))
    assert not seen(run(), run(), run(), outcomes=outcomes).possible


@pytest.mark.parametrize(
    ("outcomes", "last", "kind"),
    [
        ((("pass", 0),), SAME, "test"),
        ((("pass", 0),), OTHER, MOVED),
        ((("pass", 0), ("fail", 2)), SAME, None),
    ],
)
def test_a_test_is_judged_by_its_outcome(outcomes: Any, last: Any, kind: str | None) -> None:
    share = seen(run(), run(), unique_id="test.p.unique_n1_id.0", outcomes=outcomes, last=last)
    assert share.kinds() == ([] if kind is None else [kind])
