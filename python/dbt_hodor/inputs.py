"""The inputs of one node with their versions now: what a decision compares and a record keeps.

In:  a node's facts, its dbt parents, the warehouse, code marks of parents.
Out: (key, group, kind, token) per input; token None means unknown.
Never: guesses. A parent that the SQL does not name is an input all the same.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dbt_hodor import _core
from dbt_hodor.manifest import ManifestIndex, Parts, resource_of
from dbt_hodor.settings import NodeSettings
from dbt_hodor.warehouse import Warehouse

Upstream = tuple[str, str, str, "str | None"]


class CodeMarks:
    """The transitive code mark of each table-like node, as of its last build or of this run's."""

    def __init__(self, recorded: Callable[[str], str | None]) -> None:
        self._recorded = recorded
        self._marks: dict[str, str | None] = {}
        self._lock = threading.Lock()
        self._builds = itertools.count(1)
        self.builds_noted = 0
        """Another number after each build."""

    def of(self, key: str) -> str | None:
        """Mark of the relation's node as a token; None when it never was built under hodor."""
        try:
            return self._marks[key]
        except KeyError:
            pass
        with self._lock:
            if key not in self._marks:
                mark = self._recorded(key)
                self._marks[key] = None if mark is None else _core.version_token(mark, "", "")
            return self._marks[key]

    def built(self, key: str, mark: str | None) -> None:
        """A node was executed: its children compare with this from now on."""
        with self._lock:
            self._marks[key] = None if mark is None else _core.version_token(mark, "", "")
            self.builds_noted = next(self._builds)


def code_mark(code_hash: str | None, upstreams: Iterable[Upstream]) -> str | None:
    """The mark that a build with this code against these parents has."""
    if not code_hash:
        return None
    # One input may be listed once for each way to it; its mark counts once.
    parents = {key: token for key, _, kind, token in upstreams if kind == "parent_code"}
    return _core.digest("code_mark", [code_hash, [list(mark) for mark in sorted(parents.items())]])


class VolatileValues:
    """`volatile:*` tokens. The date is derived at each decision, the rest follows the provider."""

    def __init__(self, read: Callable[[], Mapping[str, str]], invocation_id: str) -> None:
        self._read = read
        self._invocation_id = invocation_id

    def tokens(self, classes: set[str]) -> dict[str, str | None]:
        """One token per class; None where the warehouse did not say."""
        found: dict[str, str | None] = {}
        values: Mapping[str, str] = {}
        if classes - {"always"}:
            try:
                values = self._read()
            except Exception:  # noqa: BLE001 - unknown, and unknown builds
                values = {}
        for name in classes:
            value = self._invocation_id if name == "always" else values.get(name)
            found[name] = (
                None
                if value is None
                else _core.version_token(_core.digest("volatile", value), "", "")
            )
        return found


@dataclass(frozen=True)
class _Parent:
    """What a dbt parent is for its children."""

    node: Any
    unreadable: str | None
    """Why its version cannot be known."""
    parts: Parts | None
    """None too for a source that is a file: the text then names the file."""
    keys: frozenset[str]
    """By which of these a text may read it."""
    is_deferred: bool


class Inputs:
    """Reads the versions of a node's inputs. Safe to use from several threads."""

    def __init__(
        self, warehouse: Warehouse, index: ManifestIndex, marks: CodeMarks, volatile: VolatileValues
    ) -> None:
        self._warehouse = warehouse
        self._index = index
        self._marks = marks
        self._volatile = volatile
        self._parents: dict[str, _Parent] = {}

    def of(
        self,
        node: Any,
        kind: str,
        facts: Any,
        settings: NodeSettings,
        counted_stamps: Iterable[str],
        open_transaction: bool,
        awaited: dict[str, str] | None = None,
    ) -> tuple[list[Upstream], list[str]]:
        """All inputs with their versions, and the hashes of the definitions on the way. An input
        that is read in two ways (directly and through a view, through two views) comes once for
        each: the way decides what excuses a difference and which direct input has new data.

        `counted_stamps`: classes of stamps that count as logic. With an open transaction what this
        connection sees may differ from what we read: unknown. `awaited`: where versions are only
        recorded, not compared, those of relations that were just built may come later; this receives
        the input keys, with the relations whose builds give them."""
        own = self._index.parts.get(node.unique_id) if kind != "test" else None
        traced = self._warehouse.trace(facts, own)
        traced += self._of_parents(node, traced, own)
        definitions: list[str] = []
        found: dict[tuple[str, str], Upstream] = {}
        volatile = set(counted_stamps)
        for input_kind, key, group, definition in traced:
            if definition:
                definitions.append(definition)
            if input_kind == "table":
                name = (key, key if group == key else group)
                if name not in found:
                    found[name] = (*name, "data", self._version(key, key, awaited))
                if kind != "test":  # one compares data only; code marks excuse nothing there
                    self._add_mark(key, group, found)
            elif input_kind == "volatile_value":
                volatile.add(key)
            else:
                upstream = self._other(input_kind, key, group, definition)
                found.setdefault((upstream[0], group), upstream)
        upstreams = list(found.values())
        if kind == "view":
            groups = dict.fromkeys(group for _, group, _, _ in upstreams)
            upstreams += self._schemas(groups, awaited)
        if settings.evaluate_volatile_sql is not False and volatile:
            tokens = self._volatile.tokens(volatile)
            upstreams += [(f"volatile:{n}", "", "volatile_value", t) for n, t in tokens.items()]
        if open_transaction:
            upstreams = [
                (key, group, what, None if what in ("data", "schema") else token)
                for key, group, what, token in upstreams
            ]
            # What compiling wrote would be rolled back: without a build nobody commits.
            upstreams.append(("opaque:open transaction", "", "opaque", None))
        return upstreams, definitions

    def _add_mark(self, key: str, group: str, found: dict[tuple[str, str], Upstream]) -> None:
        unique_id = self._index.unique_ids.get(key)
        if unique_id is not None and not unique_id.startswith("source."):
            name = f"code:{key}"
            if (name, group) not in found:
                found[name, group] = (name, group, "parent_code", self._marks.of(key))

    def _other(self, input_kind: str, key: str, group: str, definition: str) -> Upstream:
        if input_kind == "view":
            return (f"view:{key}", group, "definition", _definition(definition))
        if input_kind == "function":
            return (f"function:{key}", group, "definition", _definition(definition))
        if input_kind == "file":
            function, _, pattern = key.partition(":")
            return (f"file:{key}", group, "data", self._warehouse.file_version(pattern, function))
        return (f"opaque:{key}", group, "opaque", None)

    def _schemas(self, groups: Iterable[str], awaited: dict[str, str] | None) -> list[Upstream]:
        """The columns of what a view reads directly."""
        return [
            (key, group, "schema", self._version(key, group, awaited))
            for key, group in ((f"schema:{group}", group) for group in groups)
            if self._warehouse.parts_of(group) is not None
        ]

    def _version(self, key: str, relation: str, awaited: dict[str, str] | None) -> str | None:
        if awaited is not None and self._warehouse.is_unseen(relation):
            awaited[key] = relation
            return None
        return self._warehouse.version(relation)

    def _of_parents(
        self, node: Any, traced: list[tuple[str, str, str, str]], own: Parts | None
    ) -> list[tuple[str, str, str, str]]:
        """Inputs through dbt parents that no relation of the text accounts for."""
        read = {group for _, _, group, _ in traced} | {key for _, key, _, _ in traced}
        added: list[tuple[str, str, str, str]] = []
        for unique_id in self._index.parents(node):
            parent = self._parents.get(unique_id) or self._parent(unique_id)
            if not parent.keys.isdisjoint(read):
                continue
            why = parent.unreadable
            if why is None and unique_id.startswith("function."):
                if not _is_called(parent.node, traced):
                    why = f"function {unique_id} is not called by a name that hodor knows"
            elif why is None:
                if parent.parts is None or parent.parts == own:
                    continue
                if not parent.is_deferred:
                    added += self._through(parent.parts, own)
                    continue
                why = f"{unique_id} or what it is deferred to"
            if why is not None:
                added.append(("opaque", why, why, ""))
        return added

    def _parent(self, unique_id: str) -> _Parent:
        index = self._index
        node = index.find(unique_id)
        unreadable = _unreadable(node, unique_id)
        parts = index.parts.get(unique_id)
        keys: set[str] = set()
        if unreadable is not None or (parts is not None and _is_file(node)):
            parts = None
        if parts is not None:
            keys = {index.keys[unique_id], index.deferred_keys.get(unique_id, "")} - {""}
        is_deferred = unique_id in index.deferred_keys
        parent = _Parent(node, unreadable, parts, frozenset(keys), is_deferred)
        self._parents[unique_id] = parent
        return parent

    def _through(self, parts: Parts, own: Parts | None) -> list[tuple[str, str, str, str]]:
        facts = _core.Facts(exact=True, relations=[_core.RelationName(list(parts))])
        return self._warehouse.trace(facts, own)


def _definition(definition: str) -> str | None:
    return _core.version_token(definition, "", "") if definition else None


def _unreadable(parent: Any, unique_id: str) -> str | None:
    if parent is None:
        if unique_id.split(".", 1)[0] in ("model", "seed", "snapshot", "source", "function"):
            return f"{unique_id} is not in this project"
        return None
    if is_loaded_by_plugin(parent):
        return f"{unique_id} is loaded by a dbt-duckdb plugin"
    return None


def is_loaded_by_plugin(node: Any) -> bool:
    """Whether dbt-duckdb fills this relation anew whenever a node that names it is compiled. It does
    so by a connection of its own and says nothing."""
    return resource_of(node) == "source" and any("plugin" in place for place in _places(node))


def _is_file(parent: Any) -> bool:
    """Whether a source is rendered as a file: its text then names the file."""
    if resource_of(parent) != "source":
        return False
    return any("external_location" in place for place in _places(parent))


def _places(source: Any) -> list[Mapping[str, Any]]:
    """Where dbt-duckdb looks for how a source is read."""
    config = getattr(source, "config", None)
    return [
        getattr(source, "source_meta", None) or {},
        getattr(source, "meta", None) or {},
        getattr(config, "meta", None) or {},
        getattr(config, "_extra", None) or {},
    ]


def _is_called(function: Any, traced: list[tuple[str, str, str, str]]) -> bool:
    wanted = {str(function.name).lower(), str(getattr(function, "alias", function.name)).lower()}
    called = {key.lower().rsplit(".", 1)[-1] for kind, key, _, _ in traced if kind == "function"}
    return bool(wanted & called)
