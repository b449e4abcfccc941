"""Tables for a query whose tables are gone, so that it can be executed.

In:  a DuckDB connection and a query that some project once ran.
Out: tables of the names that it reads, with the columns that it wants, some rows with NULLs, duplicates and
     ties; or nothing, where the wishes of the query were not found out.
Never: judges a query. It asks the engine what is missing, adds that, and asks again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from dbt_hodor import _core

NO_IDS = _core.RelationIds([])
ROWS = 7
_MOST_QUESTIONS = 120
_TYPES_BY_NAME = (
    (r"(_at|timestamp|_synced|_ts|time)$", "TIMESTAMP"),
    (r"(date|day|month|week)$|^date", "DATE"),
    (r"^(is|has|was)_|_flag$|deleted|active", "BOOLEAN"),
    (r"(_id|id|key|count|number|index|rank|num|year|minutes|seconds)$|^n_|^num", "INTEGER"),
    (r"(amount|price|rate|cost|total|sum|value|balance|quantity|score)", "DOUBLE"),
    (r"", "VARCHAR"),
)
_ALL_OF_ONE = ("INTEGER", "VARCHAR", "TIMESTAMP", "DOUBLE", "BOOLEAN", "DATE")
_VALUES = {
    "INTEGER": ["1", "2", "2", "3", "NULL", "1", "0"],
    "DOUBLE": ["1.5", "2", "2", "-3.25", "NULL", "1.5", "0"],
    "VARCHAR": ["'a'", "'b'", "'b'", "''", "NULL", "'a'", "'A'"],
    "BOOLEAN": ["true", "false", "false", "true", "NULL", "true", "true"],
    "DATE": [f"DATE '2024-01-0{n}'" for n in (1, 2, 2, 3)]
    + ["NULL", "DATE '2024-01-01'", "DATE '2023-12-31'"],
    "TIMESTAMP": [f"TIMESTAMP '2024-01-0{n} 10:00:00'" for n in (1, 2, 2, 3)]
    + ["NULL", "TIMESTAMP '2024-01-01 10:00:00'", "TIMESTAMP '2023-12-31 23:59:59'"],
}
_MISSING = (
    re.compile(r'Referenced column "(?P<column>[^"]+)" not found'),
    re.compile(r'Table "(?P<table>[^"]+)" does not have a column named "(?P<column>[^"]+)"'),
    re.compile(r'Values list "(?P<table>[^"]+)" does not have a column named "(?P<column>[^"]+)"'),
    re.compile(r'Column "(?P<column>[^"]+)" (does not exist|in USING|not found)'),
    re.compile(r'column "(?P<column>[^"]+)" does not exist'),
    re.compile(r'Column "(?P<column>[^"]+)" referenced that exists in the SELECT clause'),
)
_HIDDEN = re.compile(r'Referenced table "(?P<table>[^"]+)" not found')
_AMBIGUOUS = re.compile(r'Ambiguous reference to column name "(?P<column>[^"]+)"')

Table = dict[str, str]
"""Types by column."""


class Synthesis:
    """What one query wants, as found out so far."""

    def __init__(self, connection: Any, sql: str, lacking: Iterable[tuple[str, str]] = ()) -> None:
        self._connection = connection
        self._sql = sql
        facts = _core.analyze(sql, "duckdb", [], NO_IDS, None).facts
        self.names = [tuple(relation.parts) for relation in facts.relations]
        self.tables: dict[tuple[str, ...], Table] = {name: {} for name in self.names}
        self._lacking = {(relation.lower(), column.lower()) for relation, column in lacking}
        self._type = ""
        """Of all columns; empty: by their names."""

    def run(self) -> bool:
        """Whether the query could be executed; its tables stand then."""
        for self._type in ("", *_ALL_OF_ONE):
            for name, table in self.tables.items():
                self.tables[name] = {column: self._type_of(column) for column in table}
            if self._ask():
                return True
        return False

    def create(self, connection: Any) -> None:
        """The tables, with their rows, in another connection, too."""
        for name, table in self.tables.items():
            self._create(connection, name, table)

    def _ask(self) -> bool:
        for name in self.names:
            self._create(self._connection, name, self.tables[name])
        tried: set[tuple[tuple[str, ...], str]] = set()
        for _ in range(_MOST_QUESTIONS):
            try:
                self._connection.execute(self._sql).fetchall()
                return True
            except Exception as error:  # noqa: BLE001 - the engine says what is missing
                if not self._mend(str(error), tried):
                    return False
        return False

    def _mend(self, message: str, tried: set[tuple[tuple[str, ...], str]]) -> bool:
        """Whether something was changed that the message asks for."""
        ambiguous = _AMBIGUOUS.search(message)
        if ambiguous:
            column = ambiguous["column"].lower()
            owners = [name for name in self.names if column in self.tables[name]]
            if len(owners) < 2:
                return False
            del self.tables[owners[-1]][column]
            self._create(self._connection, owners[-1], self.tables[owners[-1]])
            return True
        hidden = _HIDDEN.search(message)
        for column, wanted in _wishes(message) + self._of_alias(hidden["table"] if hidden else ""):
            for name in self._candidates(wanted):
                lacks = (".".join(name).lower(), column) in self._lacking
                if column in self.tables[name] or (name, column) in tried or lacks:
                    continue
                tried.add((name, column))
                self.tables[name][column] = self._type_of(column)
                self._create(self._connection, name, self.tables[name])
                return True
        return False

    def _of_alias(self, alias: str) -> list[tuple[str, str | None]]:
        """What the text reads by an alias that the engine did not find, which it says of a correlated
        subquery when it is the column that is missing."""
        if not alias:
            return []
        reads = re.findall(rf'\b{re.escape(alias)}"?\."?(\w+)', self._sql, re.IGNORECASE)
        return [(column.lower(), None) for column in dict.fromkeys(reads)]

    def _candidates(self, wanted: str | None) -> Sequence[tuple[str, ...]]:
        """Those of the wanted name first; an alias may stand for any."""
        if wanted is None:
            return self.names
        return sorted(self.names, key=lambda name: name[-1].lower() != wanted.lower())

    def _type_of(self, column: str) -> str:
        if self._type:
            return self._type
        return next(kind for pattern, kind in _TYPES_BY_NAME if re.search(pattern, column))

    @staticmethod
    def _create(connection: Any, name: tuple[str, ...], table: Table) -> None:
        quoted = ['"' + part.replace('"', '""') + '"' for part in name]
        if len(quoted) == 3:
            connection.execute(f"ATTACH IF NOT EXISTS ':memory:' AS {quoted[0]}")
        if len(quoted) > 1:
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {'.'.join(quoted[:-1])}")
        columns = table or {"nothing_asks_for_it": "INTEGER"}
        declared = ", ".join(f'"{column}" {kind}' for column, kind in columns.items())
        path = ".".join(quoted)
        connection.execute(f"CREATE OR REPLACE TABLE {path} ({declared})")
        rows = []
        for row in range(ROWS):
            shift = 0
            values = []
            for kind in columns.values():
                values.append(_VALUES[kind][(row + shift) % ROWS])
                shift += row % 2  # not all columns tell the rows apart in the same way
            rows.append(f"({', '.join(values)})")
        connection.execute(f"INSERT INTO {path} VALUES {', '.join(rows)}")


def _wishes(message: str) -> list[tuple[str, str | None]]:
    """(column, table) that an error says to be missing."""
    for pattern in _MISSING:
        found = pattern.search(message)
        if found:
            return [(found["column"].lower(), found.groupdict().get("table"))]
    return []


def synthesize(connection: Any, sql: str, lacking: Iterable[tuple[str, str]] = ()) -> Synthesis | None:
    """The tables of a query, made in this connection, or ``None``. `lacking`: (relation, column) pairs
    that must not be."""
    synthesis = Synthesis(connection, sql, lacking)
    return synthesis if synthesis.run() else None
