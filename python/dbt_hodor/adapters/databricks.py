"""dbt-databricks: the warehouse is shared, records lie in a table there or in a local file.

In:  settings, dbt's facts of the run.
Out: see `base.Adapter`.
Never: opens a connection of its own: dbt's adapter does, on the compute that the settings name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dbt_hodor.adapters import duckdb as local
from dbt_hodor.adapters.base import Names
from dbt_hodor.manifest import parts_of, resource_of
from dbt_hodor.settings import RunSettings
from dbt_hodor.versions.databricks_settings import counts

__all__ = ["counts", "default_store", "has_transactions", "loaded_at", "names", "open_store",
           "provider", "refusal", "session_settings"]  # fmt: skip

default_store = "delta"
has_transactions = False


def refusal(credentials: Any) -> str | None:
    """dbt can run inside a Spark session, where no statement of ours runs beside a node's."""
    if str(getattr(credentials, "method", "") or "") == "session":
        return "dbt-databricks in session mode is not supported"
    return None


def open_store(settings: RunSettings, facts: Any, say: Callable[[str], None]) -> Any:
    """The record table; its schema has to be named, since hodor writes nowhere unasked."""
    if settings.store == "duckdb":
        return local.open_store(settings, facts, say)
    if "schema" not in settings.sources:
        say("hodor_schema has to name the schema in which records are kept")
        return None
    from dbt_hodor.store.delta import DeltaStore

    database = settings.database or str(facts.config.credentials.database)
    run = _statements(settings, facts).run
    try:
        return DeltaStore(run, database, settings.schema, settings.table)
    except ValueError as error:
        say(str(error))
        return None


def provider(settings: RunSettings, facts: Any, store: Any) -> Any:
    """Begins at once with what does not depend on anything."""
    from dbt_hodor.versions.databricks import DatabricksProvider

    schemas: set[tuple[str, str]] = set()
    built = []
    for node in (*facts.manifest.nodes.values(), *facts.manifest.sources.values()):
        parts = parts_of(node)
        if parts is None:
            continue
        schemas.add(parts[:2])
        if resource_of(node) != "source":
            built.append(parts)
    credentials = facts.config.credentials
    schemas.add((str(credentials.database), str(credentials.schema)))
    made = DatabricksProvider(_statements(settings, facts), schemas, built)
    made.begin()
    return made


def _statements(settings: RunSettings, facts: Any) -> Any:
    if facts.statements is None:
        from dbt_hodor.hooks.databricks_connection import opener
        from dbt_hodor.versions.databricks_statements import Statements

        facts.statements = Statements(
            opener(facts.adapter, settings.compute),
            facts.invocation_id,
            settings.metadata_threads,
            settings.statement_timeout / 1000,
        )
    return facts.statements


def names(facts: Any, provider: Any) -> Names:
    """Partial names are certain only where everything is in hive_metastore: elsewhere a view keeps
    the catalog that was current when it was made, and nothing tells which that was."""
    facts.engine_version = provider.engine_version()
    credentials = facts.config.credentials
    database = str(credentials.database)
    nodes = (*facts.manifest.nodes.values(), *facts.manifest.sources.values())
    everywhere = {database, *(parts[0] for parts in map(parts_of, nodes) if parts)}
    return Names(database, str(credentials.schema), everywhere == {"hive_metastore"})


def loaded_at(facts: Any, provider: Any, warn: Callable[[str], None]) -> Any:
    """Reads by statements of our own."""
    from dbt_hodor.versions.databricks_loaded_at import LoadedAt

    return LoadedAt(provider, facts.statements.run, warn)


def session_settings(facts: Any) -> list[tuple[str, Any]]:
    """Settings of the calling thread's connection."""
    from dbt_hodor.hooks.databricks_connection import session_settings

    return session_settings(facts.adapter)
