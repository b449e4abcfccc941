"""Opens the store that the project's settings name.

In:  a loaded project.
Out: its store; for reading only unless asked otherwise.
Never: creates a state file when opened for reading.
"""

from __future__ import annotations

from typing import Any

from dbt_hodor import adapters
from dbt_hodor.cli.project import Project
from dbt_hodor.store.base import StateStore, StoreUnavailable


def store_name(project: Project) -> str:
    """The kind of store in use. Raises StoreUnavailable when there is none for this adapter."""
    adapter = adapters.of(project.adapter_type)
    if adapter is None:
        raise StoreUnavailable(f"there is no store for the adapter {project.adapter_type!r}")
    name: str = project.settings.store or adapter.default_store
    if name == "delta" and project.adapter_type != "databricks":
        raise StoreUnavailable(
            f"the store 'delta' needs another adapter than {project.adapter_type!r}"
        )
    return name


def open_store(project: Project, *, read_only: bool = True) -> StateStore:
    """The project's store. Raises StoreUnavailable or ValueError (a name that is not allowed)."""
    if store_name(project) == "delta":
        return delta_store(project, read_only=read_only)
    return duckdb_store(project, read_only=read_only)


def duckdb_store(project: Project, *, read_only: bool) -> Any:
    """The store in a DuckDB file; its path is relative to the project's root."""
    from dbt_hodor.store.duckdb import DuckDBStore

    settings = project.settings
    return DuckDBStore(
        str(project.root / settings.path), settings.schema, settings.table, read_only=read_only
    )


def delta_store(project: Project, *, read_only: bool) -> StateStore:
    """The store in a Delta table, read through dbt's own adapter when something is asked of it."""
    from dbt_hodor.store.delta import DeltaStore

    settings = project.settings
    if "schema" not in settings.sources:
        raise StoreUnavailable("hodor_schema has to name the schema in which records are kept")
    database = settings.database or str(project.credentials.database)
    opened: list[Any] = []

    def run(sql: str) -> Any:
        if not opened:
            from dbt_hodor.cli.project import adapter_of
            from dbt_hodor.hooks.databricks_connection import opener

            opened.append(opener(adapter_of(project), settings.compute)())
        return opened[0].execute(sql)

    return DeltaStore(run, database, settings.schema, settings.table, read_only)
