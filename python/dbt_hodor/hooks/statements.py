"""Notes the statements that dbt runs on a thread while it compiles a node.

In:  dbt's events; a thread says when it begins to compile.
Out: the texts of the statements, in their order.
Never: raises into dbt: what could not be noted is reported as an unknown statement.

Compiling may write: `run_query` runs whatever the project says, whether the node is then built or not.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from dbt_common.events.event_manager_client import get_event_manager

UNKNOWN = ""
"""Stands for a statement that could not be noted."""

_thread = threading.local()


def listen() -> Callable[[], None]:
    """Begins to hear dbt's events; the function that ends it."""
    callbacks = get_event_manager().callbacks
    callbacks.append(_hear)

    def stop() -> None:
        if _hear in callbacks:
            callbacks.remove(_hear)

    return stop


def _hear(event: Any) -> None:
    noted = getattr(_thread, "noted", None)
    if noted is None:
        return
    try:
        if event.info.name == "SQLQuery":
            noted.append(str(event.data.sql))
    except Exception:  # noqa: BLE001 - dbt fires its events in the midst of its work
        noted.append(UNKNOWN)


@contextmanager
def noted() -> Iterator[list[str]]:
    """The statements that this thread runs meanwhile."""
    before = getattr(_thread, "noted", None)
    _thread.noted = found = []
    try:
        yield found
    finally:
        _thread.noted = before
        if before is not None:
            before.extend(found)
