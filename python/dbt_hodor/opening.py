"""Opens what a session needs, in order: provider, store, records, catalog, prefetch.

In:  settings that say yes.
Out: a Session, or None with a warning when the store cannot be opened.
Never: keeps the store or a transaction open between two uses.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from dbt_hodor.context import RunContext
from dbt_hodor.counters import OWN, STORE, VERSIONS, Counters
from dbt_hodor.hooks import messages, run_facts
from dbt_hodor.inputs import is_loaded_by_plugin
from dbt_hodor.loaded_at import LoadedAt
from dbt_hodor.manifest import ManifestIndex, resource_of
from dbt_hodor.prefetching import Prefetcher
from dbt_hodor.recording import RecordWriter
from dbt_hodor.records import FOR_PEOPLE, Records
from dbt_hodor.session import Session
from dbt_hodor.settings import RunSettings, meta_complaint, version_opt_out
from dbt_hodor.store.base import StoreUnavailable, StoreUnreadable
from dbt_hodor.warehouse import Warehouse

_DAY_MS = 86_400_000


def open_session(task: Any, adapter: Any, selected_uids: Any, settings: RunSettings) -> Any:
    """The session of a run; None when the store cannot be opened. Raises on anything unforeseen."""
    counters = Counters()
    counters.watch_collections()
    with counters.spent_on(OWN):
        facts = run_facts.read(task, adapter)
        store = _open_store(settings, facts)
        if store is None:
            return None
        provider = _provider(facts, store)
        with counters.spent_on(VERSIONS):
            offset_ms = _clock_offset(provider)
        now_ms = int(time.time() * 1000) + offset_ms
        rows = _load(store, facts, now_ms - settings.lookback_days * _DAY_MS, counters)
        if rows is None:
            return None
        records = Records(rows, messages.warn)
        with counters.spent_on(VERSIONS):
            default, is_certain, attached = _read_names(facts)
        warehouse = Warehouse(provider, _cache(provider, settings), counters, default)
        if not is_certain:
            warehouse.distrust_partial_names()
        run = RunContext(settings, facts, records, warehouse, counters, messages.warn, offset_ms)
        _fill(run, attached)
        writer = RecordWriter(store, counters, messages.warn)
        prefetcher = Prefetcher(run)
        session = Session(run, writer, prefetcher)
        order = _in_order(run.index, selected_uids)
        prefetcher.start(order)
        session.expect(order)
        writer.start()  # last: nothing would end it if one of these failed
        messages.info(
            f"mode {settings.mode}, {len(records)} build records for "
            f"{facts.project_name}/{facts.target_name}"
        )
        return session


def _open_store(settings: RunSettings, facts: Any) -> Any:
    try:
        import duckdb  # noqa: F401
    except ImportError:
        messages.warn(
            "off for this run: the duckdb package is missing (pip install dbt-hodor[duckdb])"
        )
        return None
    from dbt_hodor.store.duckdb import DuckDBStore

    path = os.path.join(facts.project_root, os.path.expanduser(settings.path))
    warehouse_path = str(getattr(facts.config.credentials, "path", ""))
    if warehouse_path and os.path.abspath(warehouse_path) == os.path.abspath(path):
        messages.warn(
            f"off for this run: hodor_path is the warehouse file itself ({settings.path})"
        )
        return None
    try:
        return DuckDBStore(path, schema=settings.schema, table=settings.table)
    except (StoreUnavailable, ValueError) as error:
        messages.warn(f"off for this run: {error}")
        return None


def _load(store: Any, facts: Any, since_ms: int, counters: Counters) -> Any:
    try:
        with counters.spent_on(STORE):
            rows = store.load_latest(
                facts.project_name, facts.target_name, since_ms, detail_until=FOR_PEOPLE
            )
    except StoreUnavailable as error:
        messages.warn(f"off for this run: {error}")
        return None
    except StoreUnreadable as error:
        messages.warn(f"records cannot be read, so everything builds: {error}")
        rows = []
    for notice in store.notices:
        messages.warn(notice)
    store.notices.clear()
    return rows


def _clock_offset(provider: Any) -> int:
    try:
        return int(provider.clock_offset_ms())
    except Exception as error:  # noqa: BLE001 - the local clock is the fallback
        messages.warn(f"the warehouse's clock cannot be read ({error}); using the local one")
        return 0


def _provider(facts: Any, store: Any) -> Any:
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


def _read_names(facts: Any) -> tuple[tuple[str, str], bool, set[str]]:
    """(database, schema) in which the engine looks for partial names, whether that is all, and every
    attached database: SQL may name relations of databases that no dbt node names.

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
    return (str(database), str(schema)), "," not in str(path or ""), {row[0] for row in attached}


def _cache(provider: Any, settings: RunSettings) -> Any:
    from dbt_hodor.versions.cache import VersionCache

    return VersionCache(provider, threads=settings.metadata_threads)


def _fill(run: RunContext, attached: set[str]) -> None:
    warehouse, reader = run.warehouse, run.reader
    warehouse.definition_facts.update(run.records.view_definitions())

    def analyse_definition(text: str) -> Any:
        return reader.query(text, None).facts

    warehouse.analyse_definition = analyse_definition
    _choose_versions(run)
    with run.counters.spent_on(VERSIONS):
        warehouse.start(run.databases() | attached)


def _choose_versions(run: RunContext) -> None:
    """Which relations are not scanned, and which sources are believed about themselves."""
    from dbt_hodor.hooks.duckdb_cursor import opener

    never: list[str] = []
    always: dict[str, Any] = {}
    otherwise: dict[str, Any] = {}
    for unique_id, key in run.index.keys.items():
        node = run.index.find(unique_id)
        choice, is_source = _version_choice(node, run.warn_once), resource_of(node) == "source"
        if is_loaded_by_plugin(node):
            never.append(key)
        elif choice == "loaded_at" and is_source:
            always[key] = node
        elif choice is not None:
            never.append(key)
        elif is_source and run.settings.trust_loaded_at:
            otherwise[key] = node
    run.warehouse.never_versioned(never)
    reader = LoadedAt(opener(run.dbt.adapter), run.warn_once)
    run.warehouse.trust_loaded_at(always, otherwise, reader)


def _version_choice(node: Any, warn: Callable[[str], None]) -> str | None:
    config = getattr(node, "config", None)
    places = ((node, "meta"), (config, "meta"), (node, "source_meta"))
    for place, name in places:
        meta = getattr(place, name, None)
        if complaint := meta_complaint(meta):
            warn(f"{node.unique_id}: {complaint}")
        choice = version_opt_out(meta)
        if choice is not None:
            return choice
    return None


def _in_order(index: ManifestIndex, selected_uids: Any) -> list[Any]:
    """Selected nodes, parents first."""
    nodes = index.manifest.nodes
    order: list[Any] = []
    seen: set[str] = set()
    placed: set[str] = set()
    for start_id in sorted(selected_uids):
        stack = [start_id]
        while stack:
            unique_id = stack[-1]
            if unique_id not in seen and unique_id in nodes:
                seen.add(unique_id)
                stack.extend(uid for uid in index.parents(nodes[unique_id]) if uid not in seen)
                continue
            stack.pop()
            if unique_id not in placed and unique_id in nodes:
                placed.add(unique_id)
                if unique_id in selected_uids:
                    order.append(nodes[unique_id])
    return order
