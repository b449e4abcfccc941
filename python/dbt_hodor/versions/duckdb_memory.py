"""Keeps reads of many small tables from filling DuckDB's buffer pool.

In:  a cursor, at a moment when nobody else uses the instance.
Out: a limit for the time of the reads, and afterwards the memory given back to the system.
Never: touches the memory limit of somebody who has set one.

The smallest table takes a block of 256 KiB once it is read, and the pool keeps it until the memory limit
is reached: a thousand tables of a few rows are 250 MB that the process had no use for. With a low limit
each read takes over the block of an earlier one, which is faster than a fresh one too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

_HEADROOM_BYTES = 8 << 20
"""For fifty small tables at a time, of which not all are read at once."""
_REST_BYTES = 1 << 20
MEMORY_LIMIT = "memory_limit"
_LIMIT = f"SELECT current_setting('{MEMORY_LIMIT}')"
_USED = "SELECT coalesce(sum(memory_usage_bytes), 0) FROM duckdb_memory()"


class BufferPool:
    """Of one instance."""

    def __init__(self, default_limit: Callable[[], str] | None = None) -> None:
        """``default_limit``: what an engine on this machine shows for its memory limit when nobody set
        one, since an engine does not tell whether somebody did. None: nothing is limited."""
        self._default_limit = default_limit

    @contextmanager
    def kept_small(self, cursor: Any) -> Iterator[None]:
        """For the time of the body. What does not fit meanwhile is an error of its statement."""
        default = None if self._default_limit is None else self._default_limit()
        if default is None or not self._has_limit(cursor, default):
            yield
            return
        used = int(cursor.execute(_USED).fetchone()[0])
        try:
            self._set(cursor, used + _HEADROOM_BYTES)
            yield
            self._set(cursor, used + _REST_BYTES)
        finally:
            # DuckDB 1.5 resets what the setting shows and not the limit itself, so it is set first.
            with suppress(Exception):
                cursor.execute(f"SET GLOBAL {MEMORY_LIMIT} = '{default}'")
            cursor.execute(f"RESET GLOBAL {MEMORY_LIMIT}")

    @staticmethod
    def _set(cursor: Any, limit_bytes: int) -> None:
        """Blocks above it are thrown out, and freed pages go back to the system."""
        with suppress(Exception):  # more than that is in use: then the limit stays
            cursor.execute(f"SET GLOBAL {MEMORY_LIMIT} = '{limit_bytes // 1000}KB'")

    @staticmethod
    def _has_limit(cursor: Any, limit: str) -> bool:
        return bool(cursor.execute(_LIMIT).fetchone()[0] == limit)
