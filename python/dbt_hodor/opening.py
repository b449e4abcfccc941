"""Opens what a session needs, in order: provider, store, records, catalog, prefetch.

In:  settings that say yes.
Out: a Session, or None with a warning when the store cannot be opened.
Never: keeps the store or a transaction open between two uses.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from dbt_hodor import adapters
from dbt_hodor.context import RunContext
from dbt_hodor.counters import OWN, STORE, VERSIONS, Counters
from dbt_hodor.hooks import messages, run_facts
from dbt_hodor.inputs import is_loaded_by_plugin
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
        kind = adapters.of(facts.adapter_type)
        store = kind.open_store(settings, facts, _say_off)
        if store is None:
            return None
        provider = kind.provider(settings, facts, store)
        with counters.spent_on(VERSIONS):
            offset_ms = _clock_offset(provider)
        now_ms = int(time.time() * 1000) + offset_ms
        rows = _load(store, facts, now_ms - settings.lookback_days * _DAY_MS, counters)
        if rows is None:
            return None
        records = Records(rows, messages.warn)
        expect = getattr(provider, "expect", None)
        if expect is not None:
            expect(records.tokens())
        with counters.spent_on(VERSIONS):
            names = kind.names(facts, provider)
        default = (names.database, names.schema)
        warehouse = Warehouse(provider, _cache(provider, settings), counters, default)
        if not names.are_certain:
            warehouse.distrust_partial_names()
        run = RunContext(settings, facts, records, warehouse, counters, messages.warn, offset_ms)
        _fill(run, names.databases)
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


def _say_off(why: str) -> None:
    messages.warn(f"off for this run: {why}")


def _load(store: Any, facts: Any, since_ms: int, counters: Counters) -> Any:
    try:
        with counters.spent_on(STORE):
            rows = store.load_latest(
                facts.project_name, facts.target_name, since_ms, detail_until=FOR_PEOPLE
            )
    except StoreUnavailable as error:
        _say_off(str(error))
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


def _cache(provider: Any, settings: RunSettings) -> Any:
    from dbt_hodor.versions.cache import VersionCache

    return VersionCache(provider, threads=settings.metadata_threads)


def _fill(run: RunContext, others: Iterable[str]) -> None:
    warehouse, reader = run.warehouse, run.reader
    warehouse.definition_facts.update(run.records.view_definitions())

    def analyse_definition(text: str) -> Any:
        return reader.query(text, None).facts

    warehouse.analyse_definition = analyse_definition
    _choose_versions(run)
    with run.counters.spent_on(VERSIONS):
        warehouse.start(run.databases().union(others))


def _choose_versions(run: RunContext) -> None:
    """Which relations are not scanned, and which sources are believed about themselves."""
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
    reader = run.adapter.loaded_at(run.dbt, run.warehouse.provider, run.warn_once)
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
