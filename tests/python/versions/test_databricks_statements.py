"""Goal: hodor's own statements run at the same time, an answer that does not come is given up, and
whoever waits gets the engine's words. Method: connections that sleep, fail or hang."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from dbt_hodor.versions.databricks_statements import Statements, StatementTimeout


class Sleeping:
    """A connection whose statements say how long they take; `hang` waits for `let_go`."""

    opened = 0
    closed = 0
    let_go = threading.Event()

    def __init__(self) -> None:
        type(self).opened += 1

    def execute(self, sql: str) -> list[list[Any]]:
        text = sql.split("*/ ", 1)[1]
        if text == "hang":
            self.let_go.wait(10)
        elif text.startswith("fail"):
            raise ValueError(text)
        else:
            time.sleep(float(text))
        return [[text]]

    def close(self) -> None:
        type(self).closed += 1


@pytest.fixture(autouse=True)
def _fresh() -> None:
    Sleeping.opened = Sleeping.closed = 0
    Sleeping.let_go = threading.Event()


def test_independent_statements_run_at_the_same_time() -> None:
    statements = Statements(Sleeping, "i", 4, 10)
    began = time.monotonic()
    assert statements.run_all(["0.2"] * 8) == [[("0.2",)]] * 8
    assert time.monotonic() - began < 1.2
    assert Sleeping.opened == 4
    assert statements.count == 8
    statements.close()


def test_an_error_is_the_answer_of_its_statement_only() -> None:
    statements = Statements(Sleeping, "i", 2, 10)
    first, second, third = statements.run_all(["0", "fail now", "0"])
    assert first == third == [("0",)]
    assert isinstance(second, ValueError)
    with pytest.raises(ValueError, match="fail again"):
        statements.run("fail again")
    statements.close()


def test_what_hangs_is_given_up_and_holds_up_nobody() -> None:
    statements = Statements(Sleeping, "i", 1, 0.3)
    with pytest.raises(StatementTimeout):
        statements.run("hang")
    assert statements.run("0") == [("0",)]
    Sleeping.let_go.set()
    time.sleep(0.1)
    assert statements.run_all(["0"] * 3) == [[("0",)]] * 3
    statements.close()


def test_each_statement_names_hodor_and_the_invocation() -> None:
    seen: list[str] = []

    class Noting(Sleeping):
        def execute(self, sql: str) -> list[list[Any]]:
            seen.append(sql)
            return []

    statements = Statements(Noting, "abc-1", 1, 10)
    statements.run("SELECT 1")
    statements.close()
    assert seen == ['/* {"app": "dbt-hodor", "invocation": "abc-1"} */ SELECT 1']


def test_after_the_end_nothing_runs_and_connections_are_closed() -> None:
    statements = Statements(Sleeping, "i", 3, 10)
    statements.run_all(["0.05"] * 3)
    statements.close()
    with pytest.raises(RuntimeError):
        statements.submit("0")
    give_up_at = time.monotonic() + 5
    while Sleeping.closed < Sleeping.opened and time.monotonic() < give_up_at:
        time.sleep(0.02)
    assert Sleeping.closed == Sleeping.opened
