"""Gives back the memory that reads of many small tables leave in DuckDB's buffer pool.

In:  a cursor, at a moment when nobody else uses the instance.
Out: the pool as small as before; whatever was read is read from disk again when somebody needs it.
Never: touches the memory limit of somebody who has set one.

The smallest table takes a block of 256 KiB once it is read, and the pool keeps it until the memory limit
is reached: a thousand tables of a few rows are 250 MB that the process had no use for. Lowering the limit
for a moment is the only way to have blocks thrown out.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import duckdb

_WORTH_BYTES = 2 << 20
_HEADROOM_BYTES = 1 << 20
_LIMIT = "SELECT current_setting('memory_limit')"


class BufferPool:
    """Of one instance. Not thread-safe: it belongs to the start of a run."""

    def __init__(self) -> None:
        self._is_default: bool | None = None

    def shrink(self, cursor: Any) -> None:
        """Throws unused blocks of tables out, where that is worth the while."""
        used, cached = cursor.execute(
            "SELECT coalesce(sum(memory_usage_bytes), 0), "
            "coalesce(sum(memory_usage_bytes) FILTER (tag = 'BASE_TABLE'), 0) FROM duckdb_memory()"
        ).fetchone()
        if cached < _WORTH_BYTES or not self._has_default_limit(cursor):
            return
        limit_kb = (used - cached + _HEADROOM_BYTES) // 1000
        try:
            with suppress(Exception):  # more than that is in use: then nothing is thrown out
                cursor.execute(f"SET GLOBAL memory_limit = '{limit_kb}KB'")
        finally:
            cursor.execute("RESET GLOBAL memory_limit")

    def _has_default_limit(self, cursor: Any) -> bool:
        if self._is_default is None:
            # An engine does not tell what was set, but a new one has the default of this machine.
            with duckdb.connect(":memory:", config={"threads": "1"}) as fresh:
                default = fresh.execute(_LIMIT).fetchone()
            self._is_default = cursor.execute(_LIMIT).fetchone() == default
        return self._is_default
