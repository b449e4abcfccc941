"""The schema part of a version: the ordered columns of a relation, as one digest.

In:  rows of information_schema.columns, or what DESCRIBE says of one relation.
Out: a digest per relation, its column names, and why a relation cannot have a version at all.
Never: mixes the two sources for one relation: they print types differently.

The catalog's own list is read in bulk for what dbt builds. Whoever else writes a table may do so in
ways that reach the catalog late, so the table itself is asked then.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dbt_hodor import _core
from dbt_hodor.versions.databricks_statements import Rows

_FILTERS = ("row_filter", "column_masks", "column_mask")


class Unversioned(Exception):
    """A relation whose rows change without a commit, or that has no history."""


@dataclass(frozen=True)
class Columns:
    """Ordered columns: (name, type, whether it may be null)."""

    columns: tuple[tuple[str, str, str], ...]
    refusal: str = ""
    """Why the relation has no version whatever its history says."""

    @property
    def digest(self) -> str:
        """Names these columns."""
        return str(_core.digest("columns", [list(column) for column in self.columns]))

    @property
    def names(self) -> frozenset[str]:
        """In lower case."""
        return frozenset(name.lower() for name, _, _ in self.columns)


def of_catalog(rows: Rows) -> dict[tuple[str, str], Columns]:
    """By (schema, relation) in lower case, from rows (schema, relation, column, type, nullable) in
    the order of columns."""
    found: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for schema, relation, name, data_type, nullable in rows:
        column = (str(name), str(data_type), str(nullable))
        found.setdefault((schema.lower(), relation.lower()), []).append(column)
    return {key: Columns(tuple(columns)) for key, columns in found.items()}


def of_json(rows: Rows) -> Columns:
    """From DESCRIBE TABLE EXTENDED … AS JSON. Raises `Unversioned` or ValueError."""
    described = json.loads(rows[0][0])
    columns = tuple(
        (
            str(column["name"]),
            json.dumps(_without_comments(column["type"]), sort_keys=True),
            str(column.get("nullable", "")),
        )
        for column in described["columns"]
    )
    if not columns:
        raise ValueError("a relation without columns")
    refusal = next((name for name in _FILTERS if described.get(name)), "")
    if any(column.get(name) for column in described["columns"] for name in _FILTERS):
        refusal = "column_mask"
    return Columns(columns, refusal.replace("_", " "))


def _without_comments(data_type: Any) -> Any:
    """Comments on fields of a struct are no part of its type."""
    if isinstance(data_type, dict):
        return {
            key: _without_comments(value) for key, value in data_type.items() if key != "comment"
        }
    if isinstance(data_type, list):
        return [_without_comments(item) for item in data_type]
    return data_type


def of_describe(rows: Rows) -> Columns:
    """From plain DESCRIBE TABLE, where AS JSON is not understood: its rows up to the first heading."""
    columns: list[tuple[str, str, str]] = []
    for row in rows:
        name, data_type = str(row[0] or ""), str(row[1] or "")
        if not name or name.startswith("#"):
            break
        columns.append((name, data_type, ""))
    if not columns:
        raise ValueError("a relation without columns")
    return Columns(tuple(columns))


def names_of(keys: Sequence[Sequence[str]]) -> str:
    """The parts as a list of SQL literals: `(a, b), (c, d)` or `a, b`."""
    shown = [", ".join("'" + part.replace("\\", "\\\\").replace("'", "\\'") + "'" for part in key)
             for key in keys]  # fmt: skip
    return ", ".join(
        f"({text})" if len(key) > 1 else text for key, text in zip(keys, shown, strict=True)
    )
