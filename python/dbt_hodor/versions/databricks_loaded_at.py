"""Versions of sources from their `loaded_at_field` on Databricks, where the owner trusts it.

In:  sources that opted in, a runner of statements.
Out: a token of the newest value and the columns, or None.
Never: trusts a value that is not older than the query: such a column shows the time of asking.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dbt_hodor import _core
from dbt_hodor.versions.databricks_history import quoted_name


class LoadedAt:
    """Safe to use from several threads. See `dbt_hodor.loaded_at` for what the choice means."""

    def __init__(
        self, provider: Any, run: Callable[[str], Any], warn: Callable[[str], None]
    ) -> None:
        self._provider = provider
        self._run = run
        self._warn = warn

    def version(self, parts: Sequence[str], source: Any) -> str | None:
        """The token now; None when the source has no field, no rows, or a field that moves by itself."""
        query = getattr(source, "loaded_at_query", None)
        field = getattr(source, "loaded_at_field", None)
        if not query and not field:
            return None
        inner = query or f"SELECT max({field}) FROM {quoted_name(parts)}"
        is_old, shown = self._run(
            "SELECT CAST(v AS TIMESTAMP) < current_timestamp(), CAST(v AS STRING) "
            f"FROM ({inner}) AS t(v)"
        )[0]
        if shown is None:
            return None
        if not is_old:
            self._warn(
                f"loaded_at of {'.'.join(parts)} is not older than now; its version is unknown"
            )
            return None
        columns = self._provider.columns_of(tuple(parts))
        if columns is None:
            return None
        return str(_core.version_token(_core.digest("loaded_at", shown), "", columns.digest))
