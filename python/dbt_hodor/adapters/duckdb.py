"""dbt-duckdb: the warehouse is a file or a memory of this process, records lie in a file of ours.

In:  settings, dbt's facts of the run.
Out: see `base.Adapter`.
Never: loads the engine before a run needs it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

from dbt_hodor.adapters.base import Names
from dbt_hodor.settings import RunSettings
from dbt_hodor.store.base import StoreUnavailable
from dbt_hodor.versions.duckdb_settings import counts

__all__ = ["counts", "default_store", "has_transactions", "loaded_at", "names", "open_store",
           "provider", "refusal", "session_settings"]  # fmt: skip

default_store = "duckdb"
has_transactions = True


def refusal(credentials: Any) -> str | None:
    """A remote engine reads and writes through another process."""
    if getattr(credentials, "remote", None):
        return "a remote DuckDB (Buena Vista) is not supported"
    return None


def open_store(settings: RunSettings, facts: Any, say: Callable[[str], None]) -> Any:
    """The state file; never the warehouse file itself."""
    if settings.store not in (None, "duckdb"):
        say(f"the store {settings.store} needs another adapter")
        return None
    try:
        import duckdb  # noqa: F401
    except ImportError:
        say("the duckdb package is missing (pip install dbt-hodor[duckdb])")
        return None
    from dbt_hodor.store.duckdb import DuckDBStore

    path = os.path.join(facts.project_root, os.path.expanduser(settings.path))
    warehouse_path = str(getattr(facts.config.credentials, "path", ""))
    if warehouse_path and os.path.abspath(warehouse_path) == os.path.abspath(path):
        say(f"hodor_path is the warehouse file itself ({settings.path})")
        return None
    try:
        return DuckDBStore(path, schema=settings.schema, table=settings.table)
    except (StoreUnavailable, ValueError) as error:
        say(str(error))
        return None


def provider(settings: RunSettings, facts: Any, store: Any) -> Any:
    """Reads through cursors of its own on dbt's instance."""
    from dbt_hodor.hooks.duckdb_cursor import opener
    from dbt_hodor.versions.duckdb import DuckDBProvider
    from dbt_hodor.versions.duckdb_memory import MEMORY_LIMIT

    credentials = facts.config.credentials
    keeps_open = bool(credentials.keep_open) or credentials.path == ":memory:"
    set_by_user = {*(credentials.settings or ()), *(credentials.config_options or ())}
    limited = {MEMORY_LIMIT, "max_memory"} & {str(key).lower() for key in set_by_user}
    return DuckDBProvider(
        opener(facts.adapter),
        str(credentials.path),
        keeps_open,
        default_memory_limit=None if limited else partial(store.default_of, MEMORY_LIMIT),
    )


def names(facts: Any, provider: Any) -> Names:
    """Where the engine looks for partial names, and every attached database.

    Not the target's schema: dbt-duckdb creates relations there but never enters it."""
    import duckdb

    from dbt_hodor.hooks.duckdb_cursor import opener

    facts.engine_version = duckdb.__version__
    cursor = opener(facts.adapter)()
    try:
        database, schema, path = cursor.execute(
            "SELECT current_database(), current_schema(), current_setting('search_path')"
        ).fetchone()
        attached = cursor.execute(
            "SELECT database_name FROM duckdb_databases() WHERE NOT internal"
        ).fetchall()
    finally:
        cursor.close()
    only_these = "," not in str(path or "")
    return Names(str(database), str(schema), only_these, frozenset(row[0] for row in attached))


def loaded_at(facts: Any, provider: Any, warn: Callable[[str], None]) -> Any:
    """Reads through cursors of its own."""
    from dbt_hodor.hooks.duckdb_cursor import opener
    from dbt_hodor.loaded_at import LoadedAt

    return LoadedAt(opener(facts.adapter), warn)


def session_settings(facts: Any) -> list[tuple[str, Any]]:
    """Settings of the calling thread's connection."""
    cursor = facts.adapter.connections.get_thread_connection().handle.cursor()
    rows = cursor.execute("SELECT name, value FROM duckdb_settings()").fetchall()
    return [(str(name), value) for name, value in rows]
