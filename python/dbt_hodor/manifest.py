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
_WORD = re.compile(r"\w+")
_RELATION_KINDS = frozenset({"model", "seed", "snapshot"})


_resource_names: dict[Any, str] = {}


def resource_of(node: Any) -> str:
    """The resource type as a text. Remembered: dbt's enumeration takes a microsecond to say it, and
    is asked a dozen times a node."""
    resource = node.resource_type
    name = _resource_names.get(resource)
    if name is None:
        name = _resource_names[resource] = str(resource)
    return name


def parts_of(node: Any) -> Parts | None:
    """(database, schema, relation) of a node or source; None when it has no relation."""
    resource = resource_of(node)
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
    resource = resource_of(node)
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
        self._node_keys: dict[str, str] = {}
        self._parents: dict[str, list[str]] = {}
        self.databases: set[str] = set()
        """Every database that the project or the deferred state names."""
        self.parts: dict[str, Parts] = {}
        """unique_id -> relation of every node and source that has one, tests included."""
        self.ephemeral: set[str] = set()
        """unique_ids of ephemeral models."""
        self._deferred: dict[str, Parts] = {}
        tests: set[str] = set()
        for unique_id, node in self._named():
            self._add(unique_id, node, tests)
        self.keys = _keyed(self.parts)
        """unique_id -> relation key, for all in `parts`."""
        self.deferred_keys = _keyed(self._deferred)
        """unique_id -> key of the relation that `--defer` may read instead."""
        self.unique_ids: dict[str, str] = {}
        """Relation key -> unique_id of nodes and sources."""
        for unique_id, key in self.keys.items():
            if unique_id in tests:
                continue
            self.unique_ids.setdefault(key, unique_id)
            if unique_id in self.deferred_keys:
                self.unique_ids.setdefault(self.deferred_keys[unique_id], unique_id)
        self._tests = frozenset(tests)

    def _named(self) -> Iterator[tuple[str, Any]]:
        yield from self.manifest.nodes.items()
        yield from self.manifest.sources.items()

    def _add(self, unique_id: str, node: Any, tests: set[str]) -> None:
        parts, deferred = parts_of(node), deferred_parts(node)
        if deferred is not None:
            self.databases.add(deferred[0])
        if parts is None:
            if _is_ephemeral(node):
                self.ephemeral.add(unique_id)
            return
        self.parts[unique_id] = parts
        self.databases.add(parts[0])
        if resource_of(node) == "test":
            tests.add(unique_id)
        elif deferred is not None:
            self._deferred[unique_id] = deferred

    def _relations(self) -> Iterator[tuple[Parts, str]]:
        """What texts may name: relation and unique_id, tests left out."""
        for unique_id, parts in self.parts.items():
            if unique_id in self._tests:
                continue
            yield parts, unique_id
            deferred = self._deferred.get(unique_id)
            if deferred is not None and deferred != parts:
                yield deferred, unique_id

    @cached_property
    def relation_ids(self) -> Any:
        """The core's table of names, for the texts that have to be analysed."""
        return _core.RelationIds([(list(parts), uid) for parts, uid in self._relations()])

    def is_named(self, name: str) -> bool:
        """Whether a relation of this name belongs to the project, or some raw text mentions it."""
        if name.lower() in self._by_name:
            return True
        known = self._mentioned.get(name.lower())
        if known is None:
            word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
            texts = map(_text_without_hooks, self.manifest.nodes.values())
            known = self._mentioned[name.lower()] = any(word.search(text) for text in texts)
        return known

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for parts, unique_id in self._relations():
            found.setdefault(parts[2].lower(), []).append(unique_id)
        return found

    @cached_property
    def _odd_names(self) -> list[str]:
        """Names that are more than one word."""
        return [name for name in self._by_name if not _WORD.fullmatch(name)]

    def named_in(self, text: str) -> list[str]:
        """unique_ids of relations whose own name a text mentions, as a word if it is one."""
        lower = text.lower()
        names = {word for word in _WORD.findall(lower) if word in self._by_name}
        names.update(name for name in self._odd_names if name in lower)
        return [unique_id for name in names for unique_id in self._by_name[name]]

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
        unique_id: str = node.unique_id
        known = self._parents.get(unique_id)
        if known is None:
            known = self._parents[unique_id] = self._find_parents(node)
        return known

    def _find_parents(self, node: Any) -> list[str]:
        found: dict[str, None] = {}
        pending = parent_ids(node)
        seen: set[str] = set()
        while pending:
            unique_id = pending.pop()
            if unique_id in seen:
                continue
            seen.add(unique_id)
            if unique_id in self.ephemeral:
                pending.extend(parent_ids(self.find(unique_id)))
            else:
                found[unique_id] = None
        return list(found)

    def node_key(self, node: Any) -> str:
        """Names the series of records: the relation, or for tests the id and what they test."""
        unique_id: str = node.unique_id
        known = self._node_keys.get(unique_id)
        if known is None:
            known = self._node_keys[unique_id] = self._node_key(node)
        return known

    def _node_key(self, node: Any) -> str:
        unique_id: str = node.unique_id
        if resource_of(node) != "test":
            return self.keys.get(unique_id, unique_id)
        tested = sorted(self.keys.get(parent, parent) for parent in parent_ids(node))
        digest = hashlib.sha256("|".join(tested).encode()).hexdigest()
        return f"{unique_id}#{digest[:16]}"

    @cached_property
    def tests_of(self) -> dict[str, list[Any]]:
        """Generic tests by the unique_id of the node or source that they are attached to."""
        found: dict[str, list[Any]] = {}
        for node in self.manifest.nodes.values():
            if resource_of(node) != "test" or not getattr(node, "test_metadata", None):
                continue
            attached = getattr(node, "attached_node", None)
            parents = parent_ids(node)
            if attached is None and len(parents) == 1 and parents[0].startswith("source."):
                attached = parents[0]  # dbt leaves it out for sources
            if attached:
                found.setdefault(attached, []).append(node)
        return found


def _keyed(relations: dict[str, Parts]) -> dict[str, str]:
    return dict(zip(relations, _core.relation_keys(list(relations.values())), strict=True))


_MAKES_EMPTY_TABLE = re.compile(
    r"\s*create\s+table\s+if\s+not\s+exists\s+[\w.\"]+\s*\([\w\s,]*\)\s*;?\s*", re.IGNORECASE
)


def _text_without_hooks(node: Any) -> str:
    text = str(getattr(node, "raw_code", ""))
    if resource_of(node) == "operation" and _MAKES_EMPTY_TABLE.fullmatch(text):
        return ""  # names the table, and reads nothing
    for name in ("pre_hook", "post_hook"):
        for hook in getattr(node.config, name, None) or ():
            text = text.replace(hook.sql, "")
    return text


def _is_ephemeral(node: Any) -> bool:
    config = getattr(node, "config", None)
    return resource_of(node) == "model" and config.materialized == "ephemeral"


def deferred_parts(node: Any) -> Parts | None:
    """The relation that `--defer` may read instead of the node's own."""
    deferred = getattr(node, "defer_relation", None)
    if deferred is None or not (deferred.database and deferred.schema and deferred.alias):
        return None
    return (deferred.database, deferred.schema, deferred.alias)
