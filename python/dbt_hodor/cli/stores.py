"""Opens the store that the project's settings name.

In:  a loaded project.
Out: its store; for reading only unless asked otherwise.
Never: creates a state file when opened for reading.
"""

from __future__ import annotations

from typing import Any

from dbt_hodor.cli.project import Project
from dbt_hodor.store.base import StateStore, StoreUnavailable

# The store that belongs to each adapter; the settings may name another one.
_STORE_OF_ADAPTER = {"duckdb": "duckdb"}


def store_name(project: Project) -> str:
    """The kind of store in use. Raises StoreUnavailable when there is none for this adapter."""
    name = project.settings.store or _STORE_OF_ADAPTER.get(project.adapter_type)
    if name != "duckdb":
        raise StoreUnavailable(
            f"there is no store for the adapter {project.adapter_type!r}"
            if name is None
            else f"this version has no store {name!r}"
        )
    return name


def open_store(project: Project, *, read_only: bool = True) -> StateStore:
    """The project's store. Raises StoreUnavailable or ValueError (a name that is not allowed)."""
    store_name(project)
    return duckdb_store(project, read_only=read_only)


def duckdb_store(project: Project, *, read_only: bool) -> Any:
    """The store in a DuckDB file; its path is relative to the project's root."""
    from dbt_hodor.store.duckdb import DuckDBStore

    settings = project.settings
    return DuckDBStore(
        str(project.root / settings.path), settings.schema, settings.table, read_only=read_only
    )
