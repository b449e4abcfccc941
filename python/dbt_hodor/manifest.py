"""Reads dbt's manifest: names, kinds and neighbours of nodes, without dbt's classes.

In:  the manifest after deferral, the runtime config.
Out: plain answers about one node, and an index of relation names.
Never: hashes, asks the warehouse, or changes a node.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from dbt_hodor import _core

Parts = tuple[str, str, str]

BUILTIN_STRATEGIES = frozenset(
    {"append", "merge", "delete+insert", "insert_overwrite", "replace_where"}
)
DEFAULT_STRATEGY = {"duckdb": "delete+insert", "databricks": "merge"}
_RELATION_KINDS = frozenset({"model", "seed", "snapshot"})


def parts_of(node: Any) -> Parts | None:
    """(database, schema, relation) of a node or source; None when it has no relation."""
    resource = str(node.resource_type)
    if resource == "source":
        name = node.identifier
    elif resource in _RELATION_KINDS or resource == "test":
        name = node.alias
        if node.config.materialized == "ephemeral":
            return None
    else:
        return None
    if not node.database or not node.schema or not name:
        return None
    return (node.database, node.schema, name)


def parent_ids(node: Any) -> list[str]:
    """unique_ids that dbt says a node depends on; seeds and sources have none."""
    return list(getattr(getattr(node, "depends_on", None), "nodes", None) or ())


def expected_type(kind: str) -> str:
    """What the relation of a node of this kind must be in the warehouse."""
    return "view" if kind == "view" else "table"


def strategy_of(node: Any, adapter_type: str) -> str:
    """The incremental strategy, an unset one being the adapter's default."""
    chosen = node.config.incremental_strategy
    return str(chosen) if chosen else DEFAULT_STRATEGY.get(adapter_type, "unknown")


def classify(node: Any, adapter_type: str) -> tuple[str, str]:
    """(kind for the decision, why it is never reused or an empty text)."""
    resource = str(node.resource_type)
    if resource == "test":
        return "test", ""
    if resource == "seed":
        return "seed", ""
    if resource == "snapshot":
        return "snapshot", ""
    if str(getattr(node, "language", "sql")) != "sql":
        return "table", "Python models"
    materialized = str(node.config.materialized)
    if materialized in ("table", "view"):
        return materialized, ""
    if materialized == "incremental":
        strategy = strategy_of(node, adapter_type)
        if strategy in BUILTIN_STRATEGIES:
            return "incremental", ""
        return "incremental", f"incremental models with strategy {strategy}"
    return "table", f"materialization {materialized}"


def writes_only_itself(node: Any, adapter_type: str) -> bool:
    """Whether the statements of dbt's own materialization of this node are known to us."""
    if str(getattr(node, "language", "sql")) != "sql":
        return False
    materialized = str(node.config.materialized)
    if materialized == "incremental":
        return strategy_of(node, adapter_type) in BUILTIN_STRATEGIES | {"microbatch"}
    return materialized in ("table", "view", "seed", "snapshot", "test", "external")


class ManifestIndex:
    """Relations of the project (and of the deferred state) by name, made once per run."""

    def __init__(self, manifest: Any) -> None:
        self.manifest = manifest
        self._mentioned: dict[str, bool] = {}
        self._keys: dict[str, str] = {}
        self._parents: dict[str, list[str]] = {}
        self.unique_ids: dict[str, str] = {}
        """Relation key -> unique_id of nodes and sources."""
        self.parts: dict[str, Parts] = {}
        """unique_id -> relation of every node and source that has one, tests included."""
        self.last_parts: set[str] = set()
        """The relations' own names, without database and schema."""
        pairs: list[tuple[list[str], str]] = []
        for unique_id, node in self._named():
            parts = parts_of(node)
            if parts is None:
                continue
            self.parts[unique_id] = parts
            if str(node.resource_type) == "test":
                continue
            pairs.append((list(parts), unique_id))
            self.unique_ids.setdefault(_core.relation_key(parts), unique_id)
            self.last_parts.add(_core.relation_key(parts[-1:]))
            deferred = deferred_parts(node)
            if deferred is not None and deferred != parts:
                pairs.append((list(deferred), unique_id))
                self.unique_ids.setdefault(_core.relation_key(deferred), unique_id)
                self.last_parts.add(_core.relation_key(deferred[-1:]))
        self.relation_ids = _core.RelationIds(pairs)

    def _named(self) -> Iterator[tuple[str, Any]]:
        yield from self.manifest.nodes.items()
        yield from self.manifest.sources.items()

    def databases(self) -> set[str]:
        """Every database that the project or the deferred state names."""
        found: set[str] = set()
        for _, node in self._named():
            found.update(parts[0] for parts in (parts_of(node), deferred_parts(node)) if parts)
        return found

    def is_named(self, name: str) -> bool:
        """Whether a relation of this name belongs to the project, or some raw text mentions it."""
        if _core.relation_key([name]) in self.last_parts:
            return True
        known = self._mentioned.get(name.lower())
        if known is None:
            word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
            texts = map(_text_without_hooks, self.manifest.nodes.values())
            known = self._mentioned[name.lower()] = any(word.search(text) for text in texts)
        return known

    def find(self, unique_id: str) -> Any:
        """A node, source or function of the manifest, or None."""
        manifest = self.manifest
        return (
            manifest.nodes.get(unique_id)
            or manifest.sources.get(unique_id)
            or getattr(manifest, "functions", {}).get(unique_id)
        )

    def parents(self, node: Any) -> list[str]:
        """unique_ids of direct parents, ephemeral ones replaced by theirs."""
        known = self._parents.get(node.unique_id)
        if known is not None:
            return known
        found: dict[str, None] = {}
        pending = parent_ids(node)
        seen: set[str] = set()
        while pending:
            unique_id = pending.pop()
            if unique_id in seen:
                continue
            seen.add(unique_id)
            parent = self.find(unique_id)
            if parent is not None and _is_ephemeral(parent):
                pending.extend(parent_ids(parent))
            else:
                found[unique_id] = None
        self._parents[node.unique_id] = list(found)
        return self._parents[node.unique_id]

    def node_key(self, node: Any) -> str:
        """Names the series of records: the relation, or for tests the id and what they test."""
        known = self._keys.get(node.unique_id)
        if known is None:
            known = self._keys[node.unique_id] = self._node_key(node)
        return known

    def _node_key(self, node: Any) -> str:
        if str(node.resource_type) == "test":
            tested = sorted(self._relation_or_id(parent) for parent in parent_ids(node))
            digest = hashlib.sha256("|".join(tested).encode()).hexdigest()
            return f"{node.unique_id}#{digest[:16]}"
        parts = parts_of(node)
        return node.unique_id if parts is None else _core.relation_key(parts)

    def _relation_or_id(self, unique_id: str) -> str:
        node = self.find(unique_id)
        parts = None if node is None else parts_of(node)
        return unique_id if parts is None else _core.relation_key(parts)

    @cached_property
    def tests_of(self) -> dict[str, list[Any]]:
        """Generic tests by the unique_id of the node or source that they are attached to."""
        found: dict[str, list[Any]] = {}
        for node in self.manifest.nodes.values():
            if str(node.resource_type) != "test" or not getattr(node, "test_metadata", None):
                continue
            attached = getattr(node, "attached_node", None)
            parents = parent_ids(node)
            if attached is None and len(parents) == 1 and parents[0].startswith("source."):
                attached = parents[0]  # dbt leaves it out for sources
            if attached:
                found.setdefault(attached, []).append(node)
        return found


_MAKES_EMPTY_TABLE = re.compile(
    r"\s*create\s+table\s+if\s+not\s+exists\s+[\w.\"]+\s*\([\w\s,]*\)\s*;?\s*", re.IGNORECASE
)


def _text_without_hooks(node: Any) -> str:
    text = str(getattr(node, "raw_code", ""))
    if str(node.resource_type) == "operation" and _MAKES_EMPTY_TABLE.fullmatch(text):
        return ""  # names the table, and reads nothing
    for name in ("pre_hook", "post_hook"):
        for hook in getattr(node.config, name, None) or ():
            text = text.replace(hook.sql, "")
    return text


def _is_ephemeral(node: Any) -> bool:
    config = getattr(node, "config", None)
    return str(node.resource_type) == "model" and config.materialized == "ephemeral"


def deferred_parts(node: Any) -> Parts | None:
    """The relation that `--defer` may read instead of the node's own."""
    deferred = getattr(node, "defer_relation", None)
    if deferred is None or not (deferred.database and deferred.schema and deferred.alias):
        return None
    return (deferred.database, deferred.schema, deferred.alias)
