"""Connections of dbt-databricks for hodor's own statements, one per thread of ours.

In:  dbt's adapter, the name of a compute of the profile or None.
Out: a function that opens the calling thread's connection and gives what executes a statement on it.
Never: takes a connection that a node has; closes one that it did not open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

_NAME = "hodor"


class _OwnConnection:
    """The calling thread's connection; used and closed in that thread only."""

    def __init__(self, adapter: Any, compute: str | None) -> None:
        self._adapter = adapter
        adapter.acquire_connection(_NAME, _on_compute(compute))

    def execute(self, sql: str) -> Sequence[Sequence[Any]]:
        """The rows of one statement."""
        _, cursor = self._adapter.connections.add_query(sql, auto_begin=False)
        try:
            found: Sequence[Sequence[Any]] = cursor.fetchall() if cursor.description else ()
        finally:
            cursor.close()
        return found

    def close(self) -> None:
        """Ends the session."""
        self._adapter.release_connection()


def opener(adapter: Any, compute: str | None) -> Callable[[], _OwnConnection]:
    """What `Statements` opens its connections with."""
    return lambda: _OwnConnection(adapter, compute)


def _on_compute(compute: str | None) -> Any:
    """What the adapter looks at to choose a compute: a node's configuration."""
    if compute is None:
        return None
    return SimpleNamespace(
        config={"databricks_compute": compute}, relation_name=None, resource_type="model"
    )


def session_settings(adapter: Any) -> list[tuple[str, Any]]:
    """(name, value) of every setting of this thread's connection."""
    cursor = adapter.connections.get_thread_connection().handle.execute("SET")
    return [(str(row[0]), row[1]) for row in cursor.fetchall()]
