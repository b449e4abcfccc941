"""The tables of a DuckDB state file, and the numbered steps that bring an older file up to date.

In:  a connection to which the file is attached, and the names to use in it.
Out: a record table with every column of ``Row``, and a small meta table with the schema version.
Never: changes a file whose schema version is higher than ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dbt_hodor.store.base import BIGINT_COLUMNS, Row

SCHEMA_VERSION = 2
"""1: the columns of the first design. 2: ``detail``, and the meta table itself."""

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")


class NewerSchema(Exception):
    """The file's schema version is higher than ours."""


def checked_name(name: str, what: str) -> str:
    """``name`` if it may be used for a schema or table. ValueError names the setting."""
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"{what} {name!r}: only letters, digits, '_' and (not first) '-' are allowed"
        )
    return name


def quoted(name: str) -> str:
    """An identifier in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def sql_type(column: str) -> str:
    """The portable type of a record column."""
    return "BIGINT" if column in BIGINT_COLUMNS else "VARCHAR"


@dataclass(frozen=True)
class Names:
    """Where the records are: ``catalog`` is empty when the statement is for a person."""

    schema: str
    table: str
    catalog: str = ""

    def _qualified(self, table: str) -> str:
        parts = [self.catalog, self.schema, table] if self.catalog else [self.schema, table]
        return ".".join(quoted(part) for part in parts)

    @property
    def records(self) -> str:
        return self._qualified(self.table)

    @property
    def meta(self) -> str:
        return self._qualified(self.table + "_meta")


def create_statements(names: Names) -> list[str]:
    """Everything that a new file needs, in order. Safe to run again."""
    columns = ",\n  ".join(f"{quoted(column)} {sql_type(column)}" for column in Row._fields)
    schema = ".".join(quoted(part) for part in (names.catalog, names.schema) if part)
    return [
        f"CREATE SCHEMA IF NOT EXISTS {schema}",
        f"CREATE TABLE IF NOT EXISTS {names.records} (\n  {columns}\n)",
        f"CREATE TABLE IF NOT EXISTS {names.meta} (name VARCHAR, value VARCHAR)",
        f"INSERT INTO {names.meta} SELECT 'schema_version', '{SCHEMA_VERSION}' "
        f"WHERE NOT EXISTS (SELECT 1 FROM {names.meta} WHERE name = 'schema_version')",
    ]


def _existing_tables(connection: Any, names: Names) -> set[str]:
    rows = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = ? AND schema_name = ?",
        [names.catalog, names.schema],
    ).fetchall()
    return {name for (name,) in rows}


def _recorded_version(connection: Any, names: Names, tables: set[str]) -> int:
    """0: no records at all. 1: records from before the meta table."""
    if names.table not in tables:
        return 0
    if names.table + "_meta" not in tables:
        return 1
    rows = connection.execute(
        f"SELECT value FROM {names.meta} WHERE name = 'schema_version'"
    ).fetchall()
    return max((int(value) for (value,) in rows), default=1)


def _add_missing_columns(connection: Any, names: Names) -> None:
    """Columns that an older version, or a hand, left out. Their values are null: a record without
    a value that a decision needs is of no use, which costs one build."""
    present = {
        row[1].lower()
        for row in connection.execute(
            f"SELECT * FROM pragma_table_info('{names.records}')"
        ).fetchall()
    }
    for column in Row._fields:
        if column not in present:
            connection.execute(
                f"ALTER TABLE {names.records} ADD COLUMN {quoted(column)} {sql_type(column)}"
            )


def _to_version_2(connection: Any, names: Names) -> None:
    """Adds the meta table; ``detail`` comes with the missing columns."""
    for statement in create_statements(names):
        connection.execute(statement)


MIGRATIONS: dict[int, Callable[[Any, Names], None]] = {2: _to_version_2}
"""Target version -> the step from the version before it."""


def bring_up_to_date(connection: Any, names: Names) -> None:
    """Creates or migrates the tables in one transaction. Raises ``NewerSchema`` and changes nothing
    when the file is from a newer version; lets the engine's errors through."""
    version = _recorded_version(connection, names, _existing_tables(connection, names))
    if version > SCHEMA_VERSION:
        raise NewerSchema(
            f"schema version number {version}, this dbt-hodor knows up to {SCHEMA_VERSION}"
        )
    connection.execute("BEGIN TRANSACTION")
    try:
        if version == 0:
            for statement in create_statements(names):
                connection.execute(statement)
        for target in range(max(version, 1) + 1, SCHEMA_VERSION + 1):
            MIGRATIONS[target](connection, names)
        _add_missing_columns(connection, names)
        if 0 < version < SCHEMA_VERSION:
            connection.execute(
                f"UPDATE {names.meta} SET value = '{SCHEMA_VERSION}' WHERE name = 'schema_version'"
            )
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
