"""Versions of sources from their `loaded_at_field`, where the owner chose to trust it.

In:  sources that opted in, a cursor on the warehouse.
Out: a token of the newest value and the columns, or None.
Never: trusts a value that is not older than the query: such a column shows the time of asking.

Deletes and updates that do not move the field are not seen. That is the owner's choice, per source
with `meta: {hodor: {version: loaded_at}}`, or with `hodor_trust_loaded_at` for sources that have no
better version.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dbt_hodor import _core


class LoadedAt:
    """Reads through cursors of its own; safe to use from several threads."""

    def __init__(self, open_cursor: Callable[[], Any], warn: Callable[[str], None]) -> None:
        self._open_cursor = open_cursor
        self._warn = warn

    def version(self, parts: Sequence[str], source: Any) -> str | None:
        """The token now; None when the source has no field, no rows, or a field that moves by itself."""
        name = ".".join('"' + part.replace('"', '""') + '"' for part in parts)
        query = getattr(source, "loaded_at_query", None)
        field = getattr(source, "loaded_at_field", None)
        if not query and not field:
            return None
        cursor = self._open_cursor()
        try:
            columns = cursor.execute(f"DESCRIBE SELECT * FROM {name}").fetchall()
            inner = query or f"SELECT max({field}) FROM {name}"
            newest, is_old, shown = cursor.execute(
                f"SELECT v::TIMESTAMPTZ IS NOT NULL, v::TIMESTAMPTZ < current_timestamp::TIMESTAMPTZ, "
                f"v::VARCHAR FROM ({inner}) AS t(v)"
            ).fetchone()
        finally:
            cursor.close()
        if not newest:
            return None
        if not is_old:
            self._warn(
                f"loaded_at of {'.'.join(parts)} is not older than now; its version is unknown"
            )
            return None
        schema = _core.digest("columns", [[str(value) for value in row[:3]] for row in columns])
        return _core.version_token(_core.digest("loaded_at", shown), "", schema)
