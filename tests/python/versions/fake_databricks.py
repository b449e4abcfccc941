"""A Databricks warehouse that answers hodor's statements from Python values.

Histories are lists of (version, ms, operation, parameters, metrics), newest first; what stands under a
name in `errors` is raised by every statement that names it.
"""

from __future__ import annotations

import json
import re
import threading
from typing import Any

from dbt_hodor.versions.databricks import DatabricksProvider
from dbt_hodor.versions.databricks_statements import Statements

APPEND = {"mode": "Append"}
HOUR_MS = 3_600_000


def write(version: int, rows: int = 1, at_ms: int = 0) -> tuple[Any, ...]:
    """An append."""
    metrics = {"numOutputRows": str(rows)}
    return (version, at_ms or 1000 * version, "WRITE", json.dumps(APPEND), json.dumps(metrics))


def commit(version: int, operation: str, at_ms: int = 0) -> tuple[Any, ...]:
    """A commit that has no metrics."""
    return (version, at_ms or 1000 * version, operation, "{}", None)


class FakeDatabricks:
    """The state of it is in plain attributes; `seen` are the statements that came."""

    def __init__(self) -> None:
        self.histories: dict[str, list[tuple[Any, ...]]] = {}
        self.columns: dict[str, list[tuple[str, str, str]]] = {}
        self.views: dict[str, str | None] = {}
        self.kinds: dict[str, tuple[str, str]] = {}
        self.filters: list[tuple[str, str, str]] = []
        self.functions: list[tuple[Any, ...]] = []
        self.described: dict[str, dict[str, Any]] = {}
        self.errors: dict[str, Exception] = {}
        self.settings: list[tuple[str, str]] = []
        self.now_ms = 10 * HOUR_MS
        self.nests = True
        self.seen: list[str] = []
        self.providers: list[DatabricksProvider] = []
        self._lock = threading.Lock()

    def table(self, name: str, *history: tuple[Any, ...]) -> None:
        """A Delta table with one column, `schema.table` of catalog main."""
        self.histories[name] = list(history)
        self.columns.setdefault(name, [("id", "int", "YES")])

    def provider(self, *built: str, **options: Any) -> DatabricksProvider:
        """A provider on this warehouse. `built`: names that dbt builds."""
        names = {*self.histories, *self.views, *built}
        made = DatabricksProvider(
            Statements(lambda: self, "invocation", 4, 5.0),
            {("main", name.split(".")[0]) for name in names},
            [("main", *name.split(".")) for name in built],
            clock_ms=lambda: float(self.now_ms),
            **options,
        )
        self.providers.append(made)
        return made

    # -- a connection ---------------------------------------------------------------------------

    def close(self) -> None:
        """Nothing is open."""

    def execute(self, sql: str) -> list[tuple[Any, ...]]:
        """Rows of one of hodor's statements."""
        sql = sql.split("*/ ", 1)[1]
        with self._lock:
            self.seen.append(sql)
        for name, error in self.errors.items():
            if name in sql.replace("`", ""):
                raise error
        for start, answer in (
            ("SELECT unix_millis(current_timestamp())", self._now),
            ("SET", lambda _: self.settings),
            ("DESCRIBE HISTORY", self._plain_history),
            ("DESCRIBE TABLE", self._describe),
            ("SELECT t.table_schema", self._relations),
            ("SELECT table_schema, table_name, 'row filter'", lambda _: self.filters),
            ("SELECT table_schema, table_name, column_name", self._columns),
            ("SELECT r.routine_schema", lambda _: self.functions),
        ):
            if sql.startswith(start):
                return answer(sql)
        if "DESCRIBE HISTORY" in sql:
            return self._histories(sql)
        raise AssertionError(f"an unknown statement: {sql}")

    def _now(self, _: str) -> list[tuple[Any, ...]]:
        day_ms = 24 * HOUR_MS
        midnight_ms = (self.now_ms // day_ms + 1) * day_ms
        day = f"day {self.now_ms // day_ms}"
        return [
            (self.now_ms, day, "me", "main", "dev", "UTC", '{"dbsql_version":"x"}', midnight_ms)
        ]

    def _histories(self, sql: str) -> list[tuple[Any, ...]]:
        if not self.nests:
            raise ValueError("[PARSE_SYNTAX_ERROR] at 'DESCRIBE'")
        rows = []
        found = re.findall(r"SELECT (\d+) AS i.*?HISTORY `main`\.`(\w+)`\.`(\w+)` LIMIT (\d+)", sql)
        for place, schema, name, page in found:
            rows += [(int(place), *row) for row in self._history(schema, name, int(page))]
        return rows

    def _history(self, schema: str, name: str, page: int) -> list[tuple[Any, ...]]:
        known = self.histories.get(f"{schema}.{name}")
        if known is None:
            raise ValueError(f"[TABLE_OR_VIEW_NOT_FOUND] {schema}.{name}")
        return known[:page]

    def _plain_history(self, sql: str) -> list[tuple[Any, ...]]:
        from datetime import datetime, timezone

        schema, name, page = re.findall(r"`main`\.`(\w+)`\.`(\w+)` LIMIT (\d+)", sql)[0]
        rows = []
        for version, at_ms, operation, parameters, metrics in self._history(
            schema, name, int(page)
        ):
            time = datetime.fromtimestamp(at_ms / 1000, timezone.utc)
            maps = [None if text is None else list(json.loads(text).items())
                    for text in (parameters, metrics)]  # fmt: skip
            row = [version, time, None, None, operation, maps[0], *[None] * 6, maps[1], None, None]
            rows.append(tuple(row))
        return rows

    def _describe(self, sql: str) -> list[tuple[Any, ...]]:
        name = ".".join(re.findall(r"`main`\.`(\w+)`\.`(\w+)`", sql)[0])
        if name in self.described:
            return [(json.dumps(self.described[name]),)]
        columns = [{"name": n, "type": {"name": t}, "nullable": y == "YES"}
                   for n, t, y in self.columns[name]]  # fmt: skip
        return [(json.dumps({"columns": columns}),)]

    def _relations(self, sql: str) -> list[tuple[Any, ...]]:
        rows = []
        for name in {*self.histories, *self.views, *self.kinds}:
            kind, form = self.kinds.get(
                name, ("VIEW", "") if name in self.views else ("MANAGED", "DELTA")
            )
            rows.append((*name.split("."), kind, form, self.views.get(name)))
        return [row for row in rows if self._is_wanted(sql, row)]

    def _columns(self, sql: str) -> list[tuple[Any, ...]]:
        rows = [
            (*name.split("."), *column) for name, all_ in self.columns.items() for column in all_
        ]
        return [row for row in rows if self._is_wanted(sql, row)]

    @staticmethod
    def _is_wanted(sql: str, row: tuple[Any, ...]) -> bool:
        if "(t.table_schema, t.table_name) IN" in sql:
            return f"('{row[0]}', '{row[1]}')" in sql
        return "t.table_schema IN" not in sql or f"'{row[0]}'" in sql
