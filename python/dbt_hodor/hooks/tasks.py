"""Wraps dbt's run tasks: a session per task, our runners for its nodes, a flush before it ends.

In:  RunTask and its subclasses (run, build, test, seed, snapshot, and retry of those).
Out: the same classes with four wrapped methods; `uninstall` gives the originals back.
Never: keeps state of a run outside the task object; never wraps a wrapper.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from dbt.artifacts.schemas.results import RunStatus
from dbt.flags import get_flags
from dbt.task.build import BuildTask
from dbt.task.run import RunTask
from dbt.task.seed import SeedTask
from dbt.task.snapshot import SnapshotTask
from dbt.task.test import TestTask

from dbt_hodor.hooks import messages, signals

_RUNNER_CLASSES = (RunTask, SeedTask, SnapshotTask, TestTask, BuildTask)
_MISSING = object()
_originals: list[tuple[type, str, Any]] = []


def install() -> None:
    """Wraps the methods; does nothing when they are wrapped already."""
    if _originals:
        return
    for task_class in _RUNNER_CLASSES:
        _replace(task_class, "get_runner_type", _choosing_runner)
    _replace(RunTask, "before_run", _starting_session)
    _replace(RunTask, "execute_nodes", _flushing)
    _replace(RunTask, "execute_with_hooks", _finishing)


def uninstall() -> None:
    """Puts back what stood there before `install`."""
    while _originals:
        owner, name, original = _originals.pop()
        if original is _MISSING:
            delattr(owner, name)
        else:
            setattr(owner, name, original)


def _replace(owner: type, name: str, wrap: Callable[[Callable[..., Any]], Any]) -> None:
    # RunTask inherits two of these: what is put on it must go again, not stay as a copy.
    _originals.append((owner, name, owner.__dict__.get(name, _MISSING)))
    setattr(owner, name, wrap(getattr(owner, name)))


def _session_of(task: Any) -> Any:
    return getattr(task, "_hodor_session", None)


def _choosing_runner(original: Callable[..., Any]) -> Callable[..., Any]:
    outermost_only = original is RunTask.get_runner_type

    @functools.wraps(original)
    def get_runner_type(self: Any, node: Any) -> Any:
        chosen = original(self, node)
        session = _session_of(self)
        # BuildTask compares the class that RunTask gave it, so it must see dbt's own there.
        if chosen is None or session is None or (outermost_only and isinstance(self, BuildTask)):
            return chosen
        return session.class_for(chosen)

    return get_runner_type


def _starting_session(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def before_run(self: Any, adapter: Any, selected_uids: Any) -> Any:
        status = original(self, adapter, selected_uids)
        try:
            skips = getattr(get_flags(), "skip_nodes_if_on_run_start_fails", True)
            runs = status == RunStatus.Success or not skips
            from dbt_hodor import starting

            # When a failing hook skips every node there is nothing to read ahead, but the run is told.
            self._hodor_session = starting.start(self, adapter, selected_uids if runs else ())
        except Exception as error:  # noqa: BLE001 - without a session dbt builds as usual
            messages.warn(f"could not start and is off for this run: {type(error).__name__}")
        return status

    return before_run


def _flushing(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def execute_nodes(self: Any) -> Any:
        try:
            return original(self)
        finally:
            # Here, not later: dbt closes its connections as soon as execute_with_hooks unwinds.
            session = _session_of(self)
            if session is not None:
                session.nodes_done()

    return execute_nodes


def _finishing(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def execute_with_hooks(self: Any, selected_uids: Any) -> Any:
        with signals.unwinding_on_sigterm(lambda: _session_of(self) is not None):
            try:
                return original(self, selected_uids)
            finally:
                session = _session_of(self)
                if session is not None:
                    session.finish(self.node_results)
                    self._hodor_session = None

    return execute_with_hooks
