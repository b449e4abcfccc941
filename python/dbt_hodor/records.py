"""The build records that a run starts from, decoded as late as possible.

In:  the rows that the store loaded.
Out: per node the row, the core's record, facts, detail, code mark.
Never: lets a bad record harm another node: it counts as no record, once with a warning.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from dbt_hodor import _core
from dbt_hodor.store.base import Row

DETAIL_VERSION = 1
PARTIAL = "partial"
"""Status of a build that failed but may have left something behind: nothing may be reused from it."""

FOR_PEOPLE = ', "config": {'
"""Where in a detail begins what no run reads: two thirds of it. Quotes within a value are escaped, and
no other part of a detail has a mapping of this name."""

_DETAIL_START = re.compile(
    r'^\{"v": 1, "code_mark": (?:null|"[0-9a-f]{64}"), "fixpoint": (true|false), '
)
_CODE_MARK = re.compile(r'^\{"v": 1, "code_mark": "([0-9a-f]{64})"')


class Records:
    """Rows by node_key. Not locked: rows are never changed, decoding twice does no harm."""

    def __init__(self, rows: Iterable[Row], warn: Callable[[str], None]) -> None:
        self._rows = {row.node_key: row for row in rows if row.status != PARTIAL}
        self._warn = warn
        self._details: dict[str, dict[str, Any]] = {}
        self._bad: set[str] = set()
        self._read_names: set[str] | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, node_key: str) -> Row | None:
        """The newest successful build, or None when there is none or it is unreadable."""
        return None if node_key in self._bad else self._rows.get(node_key)

    def rows(self) -> Iterable[Row]:
        """All rows."""
        return self._rows.values()

    def _spoiled(self, node_key: str, error: Exception) -> None:
        if node_key not in self._bad:
            self._bad.add(node_key)
            self._warn(f"the record of {node_key} cannot be read ({error}); the node builds")

    def decoded(self, row: Row, dropped_keys: Iterable[str] = ()) -> Any:
        """The core's record, without the named inputs; None when a column is damaged."""
        try:
            upstreams = row.upstreams
            dropped = [key for key in dropped_keys if upstreams and f'"{key}"' in upstreams]
            if dropped:
                kept = _core.decode_upstreams(upstreams)
                upstreams = _core.encode_upstreams(
                    [(key, token) for key, token in kept.items() if key not in dropped]
                )
            start = _DETAIL_START.match(row.detail or "")
            # The rest of the detail is for people; reading it would cost more than the decision.
            detail = f'{{"v": 1, "fixpoint": {start.group(1)}}}' if start else row.detail
            return _core.BuildRecord.decode(
                row.text_hash, row.code_hash, row.unrendered_hash, row.config_hash,
                row.hash_version, row.data_version, row.built_at_ms, upstreams, detail,
            )  # fmt: skip
        except ValueError as error:
            self._spoiled(row.node_key, error)
            return None

    def facts(self, row: Row) -> Any:
        """Recorded facts of the node's text; None when damaged or not recorded."""
        if row.sql_facts is None:
            return None
        try:
            return _core.Facts.decode(row.sql_facts)
        except ValueError as error:
            self._spoiled(row.node_key, error)
            return None

    def detail(self, row: Row) -> dict[str, Any]:
        """The detail column as a dict; empty when damaged or of another version."""
        known = self._details.get(row.node_key)
        if known is None:
            known = self._details[row.node_key] = _decoded(row.detail)
        return known

    def code_mark(self, node_key: str) -> str | None:
        """The mark of a node's last build. It is written first, so that no JSON is parsed here."""
        row = self.row(node_key)
        if row is None or row.detail is None:
            return None
        found = _CODE_MARK.match(row.detail)
        if found:
            return found.group(1)
        mark = self.detail(row).get("code_mark")
        return mark if isinstance(mark, str) else None

    def is_read(self, name: str) -> bool:
        """Whether some recorded build read a relation of this name, in whatever schema."""
        if self._read_names is None:
            found: set[str] = set()
            for row in self._rows.values():
                try:
                    keys = _core.decode_upstreams(row.upstreams or "{}")
                except ValueError:
                    continue
                found.update(key.rsplit(".", 1)[-1].strip('"') for key in keys)
            self._read_names = found
        return name.lower() in self._read_names

    def tokens(self) -> dict[str, list[str]]:
        """Every version token that a record has of a relation, by relation key."""
        found: dict[str, list[str]] = {}
        for row in self._rows.values():
            if row.data_version:
                found.setdefault(row.node_key, []).append(row.data_version)
            try:
                upstreams = _core.decode_upstreams(row.upstreams or "{}")
            except ValueError:
                continue  # told when its node is decided
            for key, token in upstreams.items():
                if token:
                    found.setdefault(key, []).append(token)
        return {key: list(dict.fromkeys(tokens)) for key, tokens in found.items()}

    def view_definitions(self) -> dict[str, str]:
        """Definition hash -> encoded facts of every view that a record describes."""
        found: dict[str, str] = {}
        for row in self._rows.values():
            if row.detail and '"views"' in row.detail:
                # Not kept decoded: half the rows of a project may have this.
                views = _decoded(row.detail).get("views")
                if isinstance(views, dict):
                    found.update({str(k): v for k, v in views.items() if isinstance(v, str)})
        return found

    def test_result(self, row: Row) -> dict[str, Any] | None:
        """What a data test found; None unless complete."""
        try:
            result = json.loads(row.test_result or "null")
        except ValueError:
            return None
        if not isinstance(result, dict) or not isinstance(result.get("failures"), int):
            return None
        if not all(isinstance(result.get(key), bool) for key in ("should_warn", "should_error")):
            return None
        return result


def _decoded(detail: str | None) -> dict[str, Any]:
    try:
        value = json.loads(detail or "{}")
    except ValueError:
        return {}
    known = isinstance(value, dict) and value.get("v") == DETAIL_VERSION
    return value if known else {}
