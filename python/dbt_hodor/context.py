"""Everything that is the same for all nodes of one run.

In:  dbt's config, manifest, flags and adapter; settings; records; the warehouse.
Out: one object that the deciding and recording modules share.
Never: decides, writes, or outlives its run.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from dbt_hodor import _core, adapters
from dbt_hodor.config_facts import macro_values, plain, pointer_value
from dbt_hodor.counters import VERSIONS, Counters
from dbt_hodor.inputs import CodeMarks, Inputs, VolatileValues
from dbt_hodor.macros import Macros, MacroUse, may_set
from dbt_hodor.manifest import ManifestIndex, resource_of, writes_only_itself
from dbt_hodor.node_text import TextReader
from dbt_hodor.order_readers import OrderReaders
from dbt_hodor.plan import Plan
from dbt_hodor.records import Records
from dbt_hodor.secrets import Redactor
from dbt_hodor.settings import NodeSettings, RunSettings, resolve_node_settings
from dbt_hodor.settling import TestOutcomes
from dbt_hodor.stamps import StampReaders
from dbt_hodor.text_sources import TextSources
from dbt_hodor.warehouse import Warehouse

_VERSIONS = ("version", "engine")
_OF_ANY_SESSION = {*_VERSIONS, "TimeZone"}
"""What the environment names when all settings are at their defaults; none of it changes how SQL is
read."""


class RunContext:
    """The fixed surroundings of a run. Thread-safe: nothing here changes but memo tables."""

    def __init__(
        self,
        settings: RunSettings,
        dbt: Any,
        records: Records,
        warehouse: Warehouse,
        counters: Counters,
        warn: Callable[[str], None],
        offset_ms: int,
    ) -> None:
        """`dbt`: hooks.run_facts.RunFacts of this invocation."""
        self.settings = settings
        self.dbt = dbt
        self.config, self.flags = dbt.config, dbt.flags
        self.manifest = dbt.manifest
        self.adapter_type: str = dbt.adapter_type
        self.invocation_id: str = dbt.invocation_id
        self.target: Mapping[str, Any] = dbt.target
        self.adapter = adapters.of(self.adapter_type)
        self.tells_writers = bool(getattr(warehouse.provider, "tells_writers", False))
        """Whether anybody may write the warehouse, and histories show who did."""
        self.records, self.warehouse, self.counters = records, warehouse, counters
        self.redactor = Redactor(os.environ)
        self._offset_ms = offset_ms
        self._warn = warn
        self._warned: set[str] = set()
        self._lock = threading.Lock()
        self._shared: dict[Any, str] = {}
        self._vars: dict[str, Mapping[str, Any]] = {}
        self._in_memory: dict[str, bool] = {}
        self._node_settings: dict[tuple[str, str], NodeSettings] = {}
        self.index = ManifestIndex(self.manifest)
        self.macros = Macros(
            self.manifest, dbt.project_name, self.adapter_type, dbt.internal_packages,
            self.config.get_macro_search_order,
        )  # fmt: skip
        self.text_sources = TextSources(
            self.index, self.macros, self.vars_of, self.target, self._runs_incrementally
        )
        self.reader = TextReader(warehouse.provider.dialect, dbt.run_values, self.index, counters)
        self.marks = CodeMarks(records.code_mark)
        self.inputs = Inputs(
            warehouse,
            self.index,
            self.marks,
            VolatileValues(warehouse.provider.volatile_values, self.invocation_id),
        )
        self.stamp_readers = StampReaders(
            lambda: self.manifest.nodes.values(),
            self._recorded_facts,
            self._is_volatile,
            self.text_sources.added_to,
        )
        self.order_readers = OrderReaders(
            self.index,
            self._facts_of_present_text,
            self._named_by,
            warehouse.read_in_order,
            lambda facts: warehouse.order_sensitive(_core.Facts.decode(facts)),
        )
        self.test_outcomes = TestOutcomes(self.index, records.row, self.macros.overrides_of)
        self.pointers_by_default = bool(
            getattr(self.flags, "latest_version_pointer_enabled_by_default", False)
        )
        self.environment = self._read_environment()
        self.nodes_may_set = any(map(may_set, self._all_texts()))
        """Whether something in the project may change settings of the session."""
        self.reader.usual_settings = not self.nodes_may_set and (
            self.environment["warehouse"].keys() <= _OF_ANY_SESSION
        )

    def has_open_transaction(self) -> bool:
        """Whether the connection of the calling thread is inside a transaction."""
        return bool(self.adapter.has_transactions and self.dbt.has_open_transaction())

    # -- time, warnings -------------------------------------------------------------------------

    def now_ms(self) -> int:
        """Warehouse time, UTC epoch ms."""
        return int(time.time() * 1000) + self._offset_ms

    def warn_once(self, sentence: str) -> None:
        """A warning about the project, once per wording and run."""
        with self._lock:
            if sentence in self._warned:
                return
            self._warned.add(sentence)
        self._warn(self.redactor.text(sentence))

    # -- configuration shared by many nodes -------------------------------------------------------

    def _read_environment(self) -> dict[str, Any]:
        with self.counters.spent_on(VERSIONS):
            values: dict[str, Any] = dict(self.warehouse.provider.environment())
        if self.settings.rebuild_on_runtime:
            values["engine"] = self.dbt.engine_version
        return {
            "warehouse": plain(values),
            "flags": plain(self.dbt.behaviour_flags),
            "profile": plain(self.dbt.profile_settings),
        }

    def _all_texts(self) -> Iterator[str]:
        for node in self.manifest.nodes.values():
            yield str(getattr(node, "raw_code", ""))
            for hooks in (
                getattr(node.config, "pre_hook", ()),
                getattr(node.config, "post_hook", ()),
            ):
                yield from (hook.sql for hook in hooks or ())
        yield from self.macros.texts_of_projects()

    def compiling_may_write(self) -> bool:
        """Whether some node of the project may run statements while dbt compiles it. Hooks of the
        run are no such nodes: they run before the first node or after the last."""
        return any(
            self.macros.used_by_text(str(node.raw_code)).acts
            for node in self.manifest.nodes.values()
            if resource_of(node) in ("model", "snapshot", "test")
        )

    def session_differences(self) -> dict[str, Any]:
        """Settings of the calling thread's connection that differ from those of a new one: what an
        earlier node's hook or `run_query` set stays set for the nodes after it."""
        if not self.nodes_may_set:
            return {}
        usual = {k: v for k, v in self.environment["warehouse"].items() if k not in _VERSIONS}
        own = {
            name: "NULL" if value is None else str(value)
            for name, value in self.adapter.session_settings(self.dbt)
            if self.adapter.counts(name, value)
        }
        differing = {key: own.get(key) for key in {*usual, *own} if own.get(key) != usual.get(key)}
        if differing.keys() & {"schema", "search_path"}:
            self.warehouse.distrust_partial_names()
        return differing

    def shared_digest(self, node: Any, use: MacroUse) -> str:
        """Digest of what this node's configuration has in common with others of its package."""
        key = (node.package_name, str(node.config.materialized))
        known = self._shared.get(key)
        if known is None:
            known = _core.digest("shared", self.shared_values(node, use))
            self._shared[key] = known
        return known

    def shared_values(self, node: Any, use: MacroUse) -> dict[str, Any]:
        """The preimage of `shared_digest`: macros, what they read, and the environment."""
        order = getattr(self.config, "dispatch", None)
        return {
            **({"dispatch": plain(order)} if order else {}),
            **macro_values(use, self.vars_of(node), self.target, os.environ),
            **{f"environment {key}": value for key, value in self.environment.items()},
        }

    def vars_of(self, node: Any) -> Mapping[str, Any]:
        """Every `var` as code of this node's package sees it."""
        package = node.package_name
        known = self._vars.get(package)
        if known is None:
            known = self._vars[package] = self.dbt.vars_of(node)
        return known

    # -- questions about one node -----------------------------------------------------------------

    def seed_hash(self, node: Any) -> str:
        """Hash of a seed's file. Raises OSError when it cannot be read."""
        path = os.path.join(node.root_path or self.dbt.project_root, node.original_file_path)
        with open(path, "rb") as file:
            data = file.read()
        delimiter = str(getattr(node.config, "delimiter", None) or ",")
        return _core.seed_hash(data, delimiter)

    def settings_of(self, node: Any) -> NodeSettings:
        """The node's `state:` block; what is wrong in it is said once per wording."""
        extra = getattr(node.config, "_extra", None)
        state = extra.get("state") if extra else None
        key = (resource_of(node), repr(state))
        known = self._node_settings.get(key)
        if known is None:
            known, notes = resolve_node_settings(state, key[0])
            self._node_settings[key] = known
            for note in notes:
                self.warn_once(note)
        return known

    def makes_pointer(self, node: Any) -> bool:
        """Whether building it also makes a view that points to it, under a name that a macro gives."""
        pointer = pointer_value(node, self.pointers_by_default)
        return pointer is not None and bool(pointer["is_latest_version"])

    def writes_only_itself(self, node: Any) -> bool:
        """Whether building it without its hooks changes no relation but its own."""
        return writes_only_itself(node, self.adapter_type) and not self.makes_pointer(node)

    def is_in_memory(self, database: str) -> bool:
        """Whether a database ends with the process."""
        known = self._in_memory.get(database)
        if known is None:
            known = self._in_memory[database] = self.warehouse.provider.is_in_memory(database)
        return known

    def stores_failures_as(self, node: Any) -> str | None:
        """`table` or `view` for a data test that keeps its failing rows, else None."""
        config = node.config
        stores = (
            self.flags.STORE_FAILURES if config.store_failures is None else config.store_failures
        )
        if not stores:
            return None
        return "view" if str(config.store_failures_as).lower() == "view" else "table"

    def sees_order(self, plan: Plan) -> bool:
        """Whether the order of the rows that a node reads may show, in it or below it."""
        if plan.order_sensitive is None:
            facts = plan.facts
            plan.order_sensitive = (
                facts is None
                or facts.order_sensitive
                or plan.overridden
                or self.warehouse.order_sensitive(facts)
                or self.order_readers.are_below(plan.node.unique_id)
            )
        return plan.order_sensitive

    def _recorded_facts(self, node: Any) -> Any:
        """Facts of the node's last build, when its text is still that build's."""
        if resource_of(node) not in ("model", "snapshot", "test"):
            return _core.Facts(exact=True)
        row = self.records.row(self.index.node_key(node))
        if row is None or not self._is_of_present_text(row, node):
            return None
        return self.records.facts(row)

    def _is_volatile(self, facts: Any) -> bool:
        """Whether a text uses a value of the moment, other than to stamp a column with it: directly,
        through a view or a function, or through something that cannot be looked into."""
        if any(call.use != "stamp" for call in facts.volatile_calls):
            return True
        traced = self.warehouse.trace(facts, None)
        return any(kind in ("volatile_value", "opaque") for kind, _, _, _ in traced)

    def _facts_of_present_text(self, node: Any) -> str | None:
        """The same, encoded."""
        row = self.records.row(self.index.node_key(node))
        if row is None or not self._is_of_present_text(row, node):
            return None
        return row.sql_facts

    def _named_by(self, node: Any, facts: str | None) -> Iterable[str]:
        """unique_ids of what a node's text may read by its name, whether dbt knows of it or not."""
        ids = self.index.unique_ids
        if facts is None:
            text = self.text_sources.added_to(node)
            return ids.values() if text is None else self.index.named_in(text)
        own = self.index.parts.get(node.unique_id)
        traced = self.warehouse.trace(_core.Facts.decode(facts), own)
        if any(kind == "opaque" for kind, _, _, _ in traced):
            return ids.values()
        return [ids[key] for kind, key, _, _ in traced if kind == "table" and key in ids]

    def _is_of_present_text(self, row: Any, node: Any) -> bool:
        digest = self.text_sources.in_mode(node)
        return digest is not None and f'"source": "{digest}"' in (row.detail or "")

    def _runs_incrementally(self, node: Any) -> bool:
        parts = self.index.parts.get(node.unique_id)
        if parts is None or str(node.config.materialized) != "incremental":
            return False
        return not self.is_full_refresh(node) and (
            self.warehouse.existence(parts, "table") == "present"
        )

    def is_full_refresh(self, node: Any) -> bool:
        """Whether dbt builds this node anew; its own configuration wins over the flag."""
        chosen = getattr(node.config, "full_refresh", None)
        return bool(self.flags.FULL_REFRESH if chosen is None else chosen)

    def databases(self) -> set[str]:
        """Every database that the project names."""
        return {str(self.config.credentials.database), *self.index.databases}
