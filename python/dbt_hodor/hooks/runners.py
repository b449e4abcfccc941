"""Runner subclasses: decide before dbt executes a node, note what happened after.

In:  the runner class that dbt chose, and the session of this run.
Out: a subclass of it. Models, seeds, snapshots and data tests may be reused; every other node that
     executes is only noted, because it may have changed what others read.
Never: replaces a method on a class that others share.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from dbt.artifacts.schemas.results import NodeStatus, RunStatus
from dbt.artifacts.schemas.run import RunResult
from dbt.contracts.graph.nodes import UnitTestDefinition
from dbt.task.function import FunctionRunner
from dbt.task.run import MicrobatchModelRunner, ModelRunner
from dbt.task.test import TestResultData, TestRunner

from dbt_hodor.hooks import statements
from dbt_hodor.hooks.events import fire_reused_line


class RunnerClasses:
    """The subclasses of one session; a class per session keeps two runs in a process apart."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self.known: dict[type, type] = {}

    def class_for(self, chosen: type) -> type:
        """Our subclass of dbt's choice, or that choice for nodes that touch no relation."""
        known = self.known.get(chosen)
        if known is None:
            mixin = _mixin_for(chosen)
            known = chosen if mixin is None else type(chosen.__name__, (mixin, chosen), {})
            if mixin is not None:
                known._hodor_session = self._session  # type: ignore[attr-defined]
            self.known[chosen] = known
        return known


def _mixin_for(chosen: type) -> type | None:
    if issubclass(chosen, TestRunner):
        return _TestMixin
    if issubclass(chosen, MicrobatchModelRunner):
        return _MicrobatchMixin
    if issubclass(chosen, FunctionRunner):
        return _NotedMixin
    if issubclass(chosen, ModelRunner):
        return _ModelMixin
    return None


class _NotedMixin:
    """A node that always executes. `after_execute` comes when its connection is released."""

    _hodor_session: Any
    _hodor_plan: Any = None

    def compile(self, manifest: Any) -> Any:
        with statements.noted() as noted:
            try:
                return super().compile(manifest)  # type: ignore[misc]
            finally:
                self._hodor_session.compiled(self.node, noted)  # type: ignore[attr-defined]

    def _hodor_built(self, plan: Any, build: Callable[[], Any]) -> Any:
        """dbt's own result; the plan learns which statements made it, where that matters."""
        if not self._hodor_session.notes_statements:
            return build()
        with statements.noted() as plan.statements:
            return build()

    def after_execute(self, result: Any) -> None:
        self._hodor_session.executed(self.node, self._hodor_plan, result)  # type: ignore[attr-defined]
        super().after_execute(result)  # type: ignore[misc]


class _MicrobatchMixin(_NotedMixin):
    """Never reused: which batches run depends on the time. Recorded, for those who read it."""

    def execute(self, model: Any, manifest: Any) -> Any:
        self._hodor_plan = self._hodor_session.decide(model, manifest)
        return super().execute(model, manifest)  # type: ignore[misc]


class _ModelMixin(_NotedMixin):
    """Models, seeds and snapshots."""

    def execute(self, model: Any, manifest: Any) -> Any:
        plan = self._hodor_plan = self._hodor_session.decide(model, manifest)
        if plan.reuses:
            for sql in plan.hooks_to_run:
                # As a failing hook fails a build, it fails a reuse: no fail-open once one ran.
                self.adapter.execute(sql, auto_begin=False)  # type: ignore[attr-defined]
            status = RunStatus(self._hodor_session.settings.reused_status)
            return RunResult.from_node(model, status, plan.sentence)
        return self._hodor_built(plan, lambda: super(_ModelMixin, self).execute(model, manifest))  # type: ignore[misc]

    def print_result_line(self, result: Any) -> None:
        plan = self._hodor_plan
        if plan is None or result.status in (NodeStatus.Error, NodeStatus.Skipped):
            super().print_result_line(result)  # type: ignore[misc]
        elif plan.reuses:
            if not self._hodor_session.tried("a log line", fire_reused_line, self, result, plan):
                super().print_result_line(result)  # type: ignore[misc]
        else:
            shown = copy.copy(result)
            shown.message = f"{result.message} ({plan.sentence})"
            super().print_result_line(shown)  # type: ignore[misc]


class _TestMixin(_NotedMixin):
    """Data tests. Unit tests pass through: they read fixtures and write nothing."""

    _hodor_suffix = ""
    _hodor_result: Any = None

    def execute(self, test: Any, manifest: Any) -> Any:
        if isinstance(test, UnitTestDefinition):
            return super().execute(test, manifest)  # type: ignore[misc]
        plan = self._hodor_plan = self._hodor_session.decide(test, manifest)
        if plan.reuses:
            # Through dbt's own judgement: this run's severity and warn_error apply.
            replayed = TestResultData(
                failures=plan.test_result["failures"],
                should_warn=plan.test_result["should_warn"],
                should_error=plan.test_result["should_error"],
                adapter_response={"_message": plan.sentence},
            )
            return self.build_test_run_result(test, replayed)  # type: ignore[attr-defined]
        return self._hodor_built(plan, lambda: super(_TestMixin, self).execute(test, manifest))  # type: ignore[misc]

    def execute_data_test(self, data_test: Any, manifest: Any) -> Any:
        result = super().execute_data_test(data_test, manifest)  # type: ignore[misc]
        if self._hodor_plan is not None:
            self._hodor_plan.test_result = {
                "failures": result.failures,
                "should_warn": result.should_warn,
                "should_error": result.should_error,
            }
        return result

    def describe_node_name(self) -> str:
        return super().describe_node_name() + self._hodor_suffix  # type: ignore[misc]

    def print_result_line(self, result: Any) -> None:
        plan = self._hodor_plan
        if plan is not None and result.status != NodeStatus.Error:
            self._hodor_suffix = f" ({plan.sentence})"
        super().print_result_line(result)  # type: ignore[misc]
