"""Every known situation has a scenario, or a written decision why it has none here.

coverage.tsv: source (``scenario``, ``gap``, ``hole``, ``measured``), the situation, the scenarios that
hold it, a note. A situation without scenario needs a note; so does a row whose outcome was a choice.
"""

from __future__ import annotations

from pathlib import Path

from e2e.scenario import load_all

HERE = Path(__file__).parent
ROWS_OF = {"scenario": 108, "gap": 14, "hole": 1, "measured": 31}
"""How many situations are known per source: a row can be added, not lost."""


def rows() -> list[list[str]]:
    lines = (HERE / "coverage.tsv").read_text().splitlines()
    assert lines[0].split("\t") == ["source", "row", "scenarios", "note"]
    return [line.split("\t") for line in lines[1:]]


def test_every_row_has_a_scenario_or_a_decision() -> None:
    known = set(load_all())
    for source, row, scenarios, note in rows():
        assert source in ROWS_OF, source
        if scenarios == "-":
            assert note, f"{row}: neither a scenario nor a decision"
            continue
        missing = set(scenarios.split()) - known
        assert not missing, f"{row}: no scenario {missing}"


def test_no_row_was_lost() -> None:
    counts: dict[str, int] = {}
    for source, *_ in rows():
        counts[source] = counts.get(source, 0) + 1
    for source, least in ROWS_OF.items():
        assert counts[source] >= least, f"{source}: {counts[source]} rows, {least} are known"


def test_rows_are_unique() -> None:
    names = [(source, row) for source, row, *_ in rows()]
    assert len(names) == len(set(names))


def test_smoke_is_small() -> None:
    """What runs on every Python version stays within a minute."""
    smoke = [s.id for s in load_all().values() if s.smoke]
    assert 10 <= len(smoke) <= 16, smoke
