"""Compares the records of one invocation with the builds before it and says what changed.

In:  rows of one invocation; the latest successful build of each node before it.
Out: one Explanation per node: decision, hashes, configuration, parts of the code, inputs with both
     versions, and the chain of causes down to the first changed input.
Never: decides anew (a record is what was decided), reads a store, or prints.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from dbt_hodor import _core
from dbt_hodor.cli.wording import config_change, input_change
from dbt_hodor.store.base import Row

SCHEMA_VERSION = 1
_CHAIN_LIMIT = 50
_HASHES = ("text_hash", "code_hash", "unrendered_hash", "config_hash", "data_version")
# Reasons whose cause lies in the node itself; the others point at inputs.
_OWN_CAUSES = frozenset({"code_changed", "config_changed"})
# Key prefixes of inputs that are not a table's data.
_PREFIXES = ("view:", "code:", "schema:", "function:", "file:", "volatile:", "opaque:")


@dataclass(frozen=True)
class Change:
    """One thing that differs: an input, a configuration key, a hash. None: not there or unknown."""

    name: str
    last: str | None
    now: str | None

    @property
    def differs(self) -> bool:
        """Unknown equals nothing, itself included."""
        return self.now is None or self.last != self.now


@dataclass(frozen=True)
class Parts:
    """Names of the CTEs, output columns or clauses that are new, gone or different."""

    changed: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.changed or self.added or self.removed)


@dataclass(frozen=True)
class Cause:
    """One link of the chain: what made the node above it differ. `depth` 0 is the node itself."""

    depth: int
    what: str
    reason: str | None = None


@dataclass(frozen=True)
class Explanation:
    """Everything that can be said about one node of one invocation."""

    unique_id: str
    node_key: str
    resource_type: str
    decision: str
    reason: str
    rule: str
    sentence: str
    action: str
    status: str
    mode: str
    last_build_ms: int | None
    hashes: list[Change]
    hash_version: Change
    config: list[Change]
    ctes: Parts
    columns: Parts
    clauses: Parts
    body_changed: bool
    upstreams: list[Change]
    changed: list[str]
    chain: list[Cause]

    def as_json(self) -> dict[str, Any]:
        """Plain values; field names as in docs/cli.md."""
        return asdict(self)


class Explainer:
    """Explains the nodes of one invocation. `previous`: node_key -> the build compared with."""

    def __init__(self, rows: Sequence[Row], previous: Iterable[Row]) -> None:
        self._rows = list(rows)
        self._previous = {row.node_key: row for row in previous}
        self._by_key = {row.node_key: row for row in self._rows}
        self._sentences = {name: (rule, text) for name, _, rule, text in _core.REASONS}

    def explain(self, row: Row) -> Explanation:
        """One node."""
        last = self._previous.get(row.node_key)
        rule, sentence = self._sentences.get(row.reason, ("-", "a reason of another version"))
        now, before = _detail(row), _detail(last)
        if now.get("why"):
            sentence = f"{sentence}: {now['why']}"
        hashes = [Change(name, getattr(last, name, None), getattr(row, name)) for name in _HASHES]
        if row.data_version is None:
            hashes.pop()  # nothing was built, so nothing was measured
        return Explanation(
            unique_id=row.unique_id,
            node_key=row.node_key,
            resource_type=row.resource_type,
            decision=row.decision,
            reason=row.reason,
            rule=rule,
            sentence=sentence,
            action=row.action,
            status=row.status,
            mode=row.mode,
            last_build_ms=None if last is None else last.built_at_ms,
            hashes=hashes,
            hash_version=Change(
                "hash_version",
                None if last is None else str(last.hash_version),
                str(row.hash_version),
            ),
            config=_config_changes(now, before),
            ctes=_parts(now, before, "ctes"),
            columns=_parts(now, before, "columns"),
            clauses=_parts(now, before, "clauses"),
            body_changed=_body_changed(now, before),
            upstreams=_upstreams(row, last),
            changed=[str(key) for key in now.get("changed", [])],
            chain=self._chain(row),
        )

    def _chain(self, row: Row) -> list[Cause]:
        """From the node down to the first cause, depth first, each node once."""
        causes: list[Cause] = []
        self._follow(row, 0, causes, set())
        return causes

    def _follow(self, row: Row, depth: int, causes: list[Cause], seen: set[str]) -> None:
        seen.add(row.node_key)
        causes.append(Cause(depth, _short_name(row), row.reason))
        last = self._previous.get(row.node_key)
        if row.reason in _OWN_CAUSES and last is not None:
            causes.extend(Cause(depth + 1, text) for text in _own_causes(row, last))
        for key in _changed_keys(row):
            if len(causes) >= _CHAIN_LIMIT:
                causes.append(Cause(depth + 1, "…"))
                return
            source = self._by_key.get(_relation_of(key))
            if source is not None and source.action == "build" and source.node_key not in seen:
                self._follow(source, depth + 1, causes, seen)
            elif source is None or source.node_key not in seen:
                causes.append(Cause(depth + 1, _input_cause(key, row, last)))


def matching(rows: Sequence[Row], selectors: Sequence[str]) -> list[Row]:
    """Rows whose unique_id, relation or node name is one of the selectors, which may hold * and ?."""
    if not selectors:
        return list(rows)
    return [row for row in rows if any(_matches(row, selector) for selector in selectors)]


def _matches(row: Row, selector: str) -> bool:
    wanted = selector.lower()
    key = row.node_key.lower()
    relation = key.split("#", 1)[0]
    parts = row.unique_id.lower().split(".")
    # model.project.name, model.project.name.v2, test.project.name.hash
    name = parts[2] if len(parts) > 2 else parts[-1]
    candidates = {row.unique_id.lower(), key, relation, name, ".".join(parts[2:])}
    candidates |= {relation.split(".", count)[-1] for count in (1, 2)}
    return any(fnmatchcase(candidate, wanted) for candidate in candidates)


def _short_name(row: Row) -> str:
    return ".".join([row.resource_type, row.unique_id.split(".", 2)[-1]])


def _detail(row: Row | None) -> dict[str, Any]:
    """The detail column; empty when it is missing, damaged or of a version that we do not know."""
    try:
        found = json.loads((row.detail if row else None) or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) and found.get("v") == 1 else {}


def _mapping(detail: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = detail.get(key)
    return found if isinstance(found, dict) else {}


def _config_changes(now: Mapping[str, Any], before: Mapping[str, Any]) -> list[Change]:
    new, old = _mapping(now, "config"), _mapping(before, "config")
    if not new or not old:
        return []
    changes = []
    for key in sorted({*new, *old}):
        digest, shown = _pair(new.get(key))
        old_digest, old_shown = _pair(old.get(key))
        if digest != old_digest:
            changes.append(Change(key, old_shown, shown))
    return changes


def _pair(entry: object) -> tuple[str | None, str | None]:
    """[digest, value that people may see]."""
    if isinstance(entry, list) and len(entry) == 2:
        return str(entry[0]), str(entry[1])
    return None, None


def _parts(now: Mapping[str, Any], before: Mapping[str, Any], kind: str) -> Parts:
    # A record without parts was not analysed: nothing can be said about single ones.
    if kind not in now or kind not in before:
        return Parts()
    new, old = _mapping(now, kind), _mapping(before, kind)
    return Parts(
        changed=sorted(name for name in new if name in old and new[name] != old[name]),
        added=sorted(set(new) - set(old)),
        removed=sorted(set(old) - set(new)),
    )


def _body_changed(now: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    return "body" in now and "body" in before and now["body"] != before["body"]


def _decoded(row: Row | None) -> dict[str, str | None]:
    try:
        return dict(_core.decode_upstreams(row.upstreams)) if row and row.upstreams else {}
    except ValueError:
        return {}


def _upstreams(row: Row, last: Row | None) -> list[Change]:
    now, before = _decoded(row), _decoded(last)
    changes = []
    for key in sorted({*now, *before}):
        last, new = before.get(key), now.get(key)
        if key.startswith("schema:") and _has_columns_of(last, new):
            last = new  # other rows, which a reader of the columns does not see
        changes.append(Change(key, last, new))
    return changes


def _has_columns_of(last: str | None, now: str | None) -> bool:
    if last is None or now is None:
        return False
    try:
        return bool(_core.compare_versions(now, last, "schema_only") == "same")
    except ValueError:
        return False


def _changed_keys(row: Row) -> list[str]:
    """The inputs that the decision named; the data before the definitions and marks beside it."""
    changed = [str(key) for key in _detail(row).get("changed", [])]
    return sorted(changed, key=lambda key: (key.startswith(_PREFIXES), key))


def _relation_of(key: str) -> str:
    """The relation behind an input key: that of a view, a code mark or a table."""
    for prefix in ("view:", "code:", "schema:"):
        if key.startswith(prefix):
            return key.removeprefix(prefix)
    return key


def _own_causes(row: Row, last: Row) -> list[str]:
    now, before = _detail(row), _detail(last)
    if row.reason == "config_changed":
        return [f"config {config_change(c)}" for c in _config_changes(now, before)]
    causes = []
    for kind, word in (("ctes", "CTE "), ("columns", "output column "), ("clauses", "")):
        for state, names in zip(
            ("changed", "is new", "is gone"), _lists(now, before, kind), strict=True
        ):
            shown = [name.upper() for name in names] if kind == "clauses" else names
            causes += [f"{word}{name} {state}" for name in shown]
    if not causes and _body_changed(now, before):
        causes.append("the main query changed outside its column list")
    return causes


def _lists(now: Mapping[str, Any], before: Mapping[str, Any], kind: str) -> list[list[str]]:
    parts = _parts(now, before, kind)
    return [parts.changed, parts.added, parts.removed]


def _input_cause(key: str, row: Row, last: Row | None) -> str:
    return input_change(Change(key, _decoded(last).get(key), _decoded(row).get(key)))
