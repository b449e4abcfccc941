"""Proves that building a node again on the same inputs would change nothing (rule 8b, b and c).

In:  a node that keeps earlier state, its facts, its configuration, recorded test outcomes.
Out: true only when the proof holds for the data that stands there now.
Never: believes a test that did not pass on exactly the current version of what it tested.

merge and delete+insert replace rows by key: a second run over equal inputs finds and replaces exactly
the rows of the first, unless a key is NULL (never found, so added again), or, for merge, is there
twice (the engine then picks one, or fails). So keys must be tested. A text that takes only rows above
`max(c)` of its own relation finds none the second time; the parser says where that is so.

Both need values to come back from the relation as they went in. An insert casts to the column's type,
and 1.5 in an integer column is never found again. So the columns must be those of a full build with the
same code over inputs of the same columns (`FullBuild`); nothing may have altered them since.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from dbt_hodor import _core
from dbt_hodor.inputs import Upstream
from dbt_hodor.manifest import ManifestIndex, parent_ids, parts_of, strategy_of
from dbt_hodor.store.base import Row

_CONDITIONS = (
    "incremental_predicates", "predicates", "merge_update_condition", "merge_insert_condition",
    "merge_clauses", "merge_on_using_columns", "merge_update_columns", "merge_exclude_columns",
    "merge_update_set_expressions", "merge_returning_columns", "matched_condition",
    "not_matched_condition", "not_matched_by_source_condition", "not_matched_by_source_action",
    "skip_matched_step", "skip_not_matched_step",
)  # fmt: skip
_PROVABLE = ("append", "merge", "delete+insert")
_REPLACING = ("insert_overwrite", "replace_where")
_NAME = re.compile(r"^[A-Za-z_]\w*$")
_SELECT_ALL = re.compile(r"^\s*select\s+\*\s+from\s+(\S+)\s*;?\s*$", re.IGNORECASE)


class TestOutcomes:
    """Which generic tests passed on which version of the relation that they are attached to."""

    __test__ = False

    def __init__(
        self, index: ManifestIndex, row_of: Callable[[str], Row | None], overrides: Any
    ) -> None:
        self.index = index
        self._row_of = row_of
        self._overrides = overrides

    def passed(self, unique_id: str, key: str, name: str, column: str, token: str | None) -> bool:
        """Whether dbt's own test `name` on `column` last passed on this version of relation `key`."""
        if token is None or self._overrides(f"test_{name}"):
            return False
        return any(
            self._is_the_test(test, name, column) and self._passed_on(test, key, token)
            for test in self.index.tests_of.get(unique_id, ())
        )

    def read_by(self, node: Any, key: str) -> str | None:
        """The version of relation `key` that the last build of a node read."""
        row = self._row_of(self.index.node_key(node))
        try:
            return _core.decode_upstreams((row and row.upstreams) or "{}").get(key)
        except ValueError:
            return None

    @staticmethod
    def _is_the_test(test: Any, name: str, column: str) -> bool:
        metadata, config = test.test_metadata, test.config
        named = str((metadata.kwargs or {}).get("column_name", "")).strip('"').lower()
        plain = config.where is None and config.limit is None and config.fail_calc == "count(*)"
        judged = config.warn_if == "!= 0" and config.error_if == "!= 0"
        own = metadata.name == name and metadata.namespace is None
        return own and plain and judged and named == column.lower()

    def _passed_on(self, test: Any, key: str, token: str) -> bool:
        row = self._row_of(self.index.node_key(test))
        if row is None or row.status != "pass" or not row.upstreams:
            return False
        try:
            recorded = _core.decode_upstreams(row.upstreams).get(key)
            return bool(_core.compare_versions(token, recorded, "rows") == "same")
        except ValueError:
            return False


def keeps_earlier_state(kind: str, facts: Any) -> bool:
    """Whether what a build yields depends on what stood there before."""
    return kind in ("incremental", "snapshot") or facts.own.reads != "none"


def full_build(
    source: str, config_hash: str | None, upstreams: Iterable[Upstream]
) -> dict[str, Any]:
    """What `columns_are_own` needs to know about a full build that was just done."""
    tokens = {key: token for key, _, kind, token in upstreams if kind in ("data", "definition")}
    return {"raw": source, "config": config_hash, "upstreams": tokens}


def columns_are_own(
    full: Any, source: str | None, config_hash: str | None, upstreams: Iterable[Upstream]
) -> bool:
    """Whether the relation's columns are what this code makes of inputs of these columns. `source`: what
    the text is made from (text_sources)."""
    if source is None or not isinstance(full, dict):
        return False
    if full.get("raw") != source or full.get("config") != config_hash:
        return False
    tokens = full.get("upstreams")
    if not isinstance(tokens, dict):
        return False
    now = [
        (key, kind, token) for key, _, kind, token in upstreams if kind in ("data", "definition")
    ]
    if {key for key, _, _ in now} != set(tokens):
        return False
    return all(
        _core.compare_versions(
            token, tokens[key], "rows" if kind == "definition" else "schema_only"
        )
        == "same"
        for key, kind, token in now
    )


def settles(
    node: Any, kind: str, facts: Any, target: str | None, adapter_type: str, outcomes: TestOutcomes,
) -> bool:  # fmt: skip
    """Whether a proof holds for this node as it stands. The caller has checked `columns_are_own`."""
    if not facts.exact or target is None:
        return False
    if kind == "snapshot":
        return _snapshot_settles(node, outcomes)
    strategy = strategy_of(node, adapter_type)
    conditions = [name for name in _CONDITIONS if _value(node, name)]
    conditional = bool(conditions)
    if kind == "incremental" and strategy in _REPLACING and facts.own.reads == "none":
        return _replaces_what_it_wrote(strategy, conditions)
    if kind != "incremental" or strategy not in _PROVABLE or conditional:
        return False
    if facts.own.reads == "other":
        return False
    if facts.own.reads == "high_water_mark" and facts.own.plain_greater:
        return True
    return strategy != "append" and _keys_are_sound(node, strategy, target, outcomes)


def _replaces_what_it_wrote(strategy: str, conditions: list[str]) -> bool:
    """Whether a second run replaces exactly the rows of the first: those for which the predicate holds
    (rows for which it does not are refused), or those of the partitions or clusters that it writes,
    which dbt-databricks compares in a way that finds NULL."""
    return conditions == (["incremental_predicates"] if strategy == "replace_where" else [])


def _keys_are_sound(node: Any, strategy: str, target: str, outcomes: TestOutcomes) -> bool:
    keys, parts = _key_columns(node), parts_of(node)
    needed = ("not_null", "unique") if strategy == "merge" else ("not_null",)
    if not keys or parts is None or (strategy == "merge" and len(keys) > 1):
        return False
    key = _core.relation_key(parts)
    return all(
        outcomes.passed(node.unique_id, key, test, column, target)
        for column in keys
        for test in needed
    )


def _snapshot_settles(node: Any, outcomes: TestOutcomes) -> bool:
    """A snapshot of a whole relation whose key is tested there, on the version that was taken."""
    keys = _key_columns(node)
    matched = _SELECT_ALL.match(node.compiled_code or "")
    parents = parent_ids(node)
    if len(keys) != 1 or matched is None or len(parents) != 1:
        return False
    parent = outcomes.index.find(parents[0])
    parts = None if parent is None else parts_of(parent)
    if parts is None or matched.group(1).replace('"', "").lower() != ".".join(parts).lower():
        return False
    key = _core.relation_key(parts)
    token = outcomes.read_by(node, key)
    return all(
        outcomes.passed(parent.unique_id, key, test, keys[0], token)
        for test in ("unique", "not_null")
    )


def _key_columns(node: Any) -> list[str]:
    value = _value(node, "unique_key")
    columns = [value] if isinstance(value, str) else list(value or [])
    named = [column for column in columns if isinstance(column, str) and _NAME.match(column)]
    return named if len(named) == len(columns) else []


def _value(node: Any, name: str) -> Any:
    config = node.config
    extra = getattr(config, "_extra", None) or {}
    return config.__dict__.get(name, extra.get(name))
