"""Cursors on the DuckDB instance that dbt has open, for reads of our own.

In:  dbt's DuckDB adapter.
Out: a function that opens one cursor, with the profile's settings applied as for dbt's own.
Never: uses a connection that dbt uses; never opens the warehouse file a second time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class _Cursor:
    """A DuckDB cursor whose `close` also tells dbt's environment that it is gone."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self._cursor = handle.cursor()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)

    def close(self) -> None:
        """Gives the cursor back."""
        self._handle.close()


def opener(adapter: Any) -> Callable[[], Any]:
    """A function that opens cursors on the adapter's environment; it raises when that is closed."""
    connections = type(adapter.connections)

    def open_cursor() -> _Cursor:
        return _Cursor(connections.env().handle())

    return open_cursor
