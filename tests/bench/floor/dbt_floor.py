"""A dbt plugin that reuses every node at once: what a run costs when nothing is decided or built.

In:  any run, build, test, seed or snapshot of dbt.
Out: the result `reused` for each relation and `pass` for each test, without touching the warehouse.
Never: used outside the benchmark, where it is the floor that hodor's cost is measured from.
"""

from __future__ import annotations

from typing import Any

from dbt.plugins.manager import dbtPlugin


class Floor(dbtPlugin):
    """Replaces the execute of dbt's runners when dbt loads plugins."""

    def initialize(self) -> None:
        from dbt.artifacts.schemas.results import RunStatus
        from dbt.artifacts.schemas.run import RunResult
        from dbt.task.run import ModelRunner
        from dbt.task.test import TestResultData, TestRunner

        def reuse(self: Any, node: Any, manifest: Any) -> Any:
            return RunResult.from_node(node, RunStatus.Reused, "REUSED")

        def passed(self: Any, node: Any, manifest: Any) -> Any:
            nothing = TestResultData(
                failures=0, should_warn=False, should_error=False, adapter_response={}
            )
            return self.build_test_run_result(node, nothing)

        ModelRunner.execute = reuse
        TestRunner.execute = passed


plugins = [Floor]
