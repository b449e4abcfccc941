"""All SQL that belongs to a node: its query, its hooks, its header, and configuration that is SQL.

In:  a compiled node, its rendered hooks, the project's relations.
Out: one text to hash, and the merged facts of its parts; what its hooks write and where.
Never: renders Jinja or decides. A statement that is not understood is reported as such.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dbt_hodor import _core

SEPARATOR = "\n\x00hodor\x00\n"

_FRAGMENTS = {
    "incremental": (
        "incremental_predicates", "predicates", "merge_update_condition", "merge_insert_condition",
        "matched_condition", "not_matched_condition", "not_matched_by_source_condition",
        "not_matched_by_source_action", "merge_clauses", "merge_on_using_columns",
        "merge_update_set_expressions", "merge_returning_columns",
    ),
    "snapshot": ("updated_at", "unique_key", "check_cols", "dbt_valid_to_current"),
}  # fmt: skip


FRAGMENT_KEYS = tuple(sorted({key for keys in _FRAGMENTS.values() for key in keys}))
"""Configuration keys whose values a materialization splices into SQL."""


def test_sql(node: Any) -> str:
    """The query that dbt runs for a data test, in the shape of dbt's own `get_test_sql`."""
    config = node.config
    limit = f"\nlimit {config.limit}" if config.limit is not None else ""
    calc = config.fail_calc
    return (
        f"select {calc} as failures, {calc} {config.warn_if} as should_warn, "
        f"{calc} {config.error_if} as should_error\nfrom (\n{node.compiled_code}{limit}\n)"
        " dbt_internal_test"
    )


def fragments(node: Any, kind: str) -> list[str]:
    """Configuration values of this node that its materialization splices into SQL."""
    found: list[str] = []
    for key in _FRAGMENTS.get(kind, ()):
        value = node.config.get(key) if key in node.config.__dict__ or _has(node, key) else None
        found.extend(_sql_texts(value))
    return [text for text in found if not text.isidentifier()]


def _has(node: Any, key: str) -> bool:
    extra = getattr(node.config, "_extra", None)
    return bool(extra) and key in extra


def _sql_texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [] if value.strip().lower() == "all" else [value]
    if isinstance(value, Mapping):
        return [text for item in value.values() for text in _sql_texts(item)]
    if isinstance(value, (list, tuple)):
        return [text for item in value for text in _sql_texts(item)]
    return []


@dataclass(slots=True)
class Effects:
    """What running a node's hooks does besides building the node."""

    code: str = ""
    """Canonical hash over all hooks and the header, for the configuration hash."""
    forbids_reuse: str = ""
    """Why a hook prevents reuse, or an empty text."""
    writes_own: bool = False
    writes: list[list[str]] = field(default_factory=list)
    """Relations outside the node that hooks write, as named."""
    opaque: bool = False
    """Some statement may write anything."""
    session: bool = False
    """Later statements on the same connection run differently."""

    def as_json(self) -> dict[str, Any]:
        """For the record: a run with the same text takes it from there."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Effects:
        """The inverse of `as_json`. TypeError when a key is missing or unknown."""
        return cls(**value)


class TextReader:
    """Analyses texts of one run; knows the run's values and the project's names."""

    def __init__(
        self, dialect: str, run_values: list[tuple[str, str]], index: Any, counters: Any
    ) -> None:
        self.dialect = dialect
        self.run_values = run_values
        self.usual_settings = False
        """Whether the engine reads SQL as it does by default: only then a text has a canonical form."""
        self._index = index
        self._counters = counters
        self._noted: dict[str, Effects] = {}

    def text_hash(self, sql: str, extras: Sequence[str]) -> str:
        """Hash of the whole text with the values of this run replaced."""
        whole = SEPARATOR.join((sql, *extras)) if extras else sql
        return _core.text_hash(whole, self.run_values)

    def query(self, sql: str, own: Sequence[str] | None, as_written: bool = False) -> Any:
        """`_core.Analysis` of one query. `as_written`: with the hash of its tokens."""
        self._counters.count("parser_calls")
        return _core.analyze(
            sql, self.dialect, self.run_values, self._index.relation_ids,
            None if own is None else list(own), self.usual_settings and not as_written,
        )  # fmt: skip

    def statements(self, sql: str, own: Sequence[str] | None) -> tuple[str, list[Any]]:
        """Code hash and statements of a text of several statements."""
        self._counters.count("parser_calls")
        return _core.analyze_statements(
            sql, self.dialect, self.run_values, self._index.relation_ids,
            None if own is None else list(own),
        )  # fmt: skip

    def effects(self, texts: Sequence[str], own: Sequence[str] | None) -> tuple[Effects, list[Any]]:
        """What hooks and header do, and the facts that count as the node's own."""
        effects, facts, codes = Effects(), [], []
        for text in texts:
            code, statements = self.statements(text, own)
            codes.append(code)
            for statement in statements:
                self._add(statement, own, effects, facts)
        effects.code = _core.digest("hooks", codes)
        return effects, facts

    def note(self, sql: str, effects: Effects) -> None:
        """Adds what statements do that dbt ran by itself; a text that is not known may do anything."""
        known = self._noted.get(sql)
        if known is None:
            known = Effects(opaque=not sql)
            for statement in self.statements(sql, None)[1]:
                self._add(statement, None, known, [])
            self._noted[sql] = known
        effects.opaque = effects.opaque or known.opaque
        effects.session = effects.session or known.session
        effects.writes += known.writes

    def _add(
        self, statement: Any, own: Sequence[str] | None, effects: Effects, facts: list[Any]
    ) -> None:
        kind = statement.kind
        if kind == "harmless":
            return
        if kind == "query":
            facts.append(statement.facts)
        elif kind == "write" and statement.target:
            target = list(statement.target)
            if own is not None and _names(target, own):
                effects.writes_own = True
                facts.append(statement.facts)
            else:
                effects.writes.append(target)
        else:
            effects.forbids_reuse = {
                "session": "a hook changes the session",
                "loads": "a hook brings data in",
            }.get(kind, "a hook is not understood")
            effects.session = effects.session or kind == "session"
            effects.opaque = effects.opaque or kind != "session"


def _names(target: Sequence[str], own: Sequence[str]) -> bool:
    count = len(target)
    return _core.relation_key(target) == _core.relation_key(list(own)[-count:])
