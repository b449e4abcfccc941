"""The state store in a Delta table of the warehouse.

In:  rows of text and integers (`store/base.py`); a function that runs one statement.
Out: the same rows.
Never: creates a schema or a catalog; changes a table that is there; reads the table when it appends,
so that jobs that record at the same time do not conflict.

A batch is one literal: the cells as a JSON text, taken apart by the engine. Thousands of literals in
VALUES take it longer to parse than the insert takes. The text is cut into statements by rows and bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dbt_hodor.store.base import (
    BIGINT_COLUMNS,
    SUCCESSFUL_STATUSES,
    Row,
    StoreUnavailable,
    StoreUnreadable,
)

INSERT_ROWS = 500
_INSERT_BYTES = 4 << 20
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
_NO_TABLE = ("TABLE_OR_VIEW_NOT_FOUND", "DELTA_TABLE_NOT_FOUND", "DELTA_MISSING_DELTA_TABLE")
_NO_PLACE = ("SCHEMA_NOT_FOUND", "NO_SUCH_CATALOG", "CATALOG_NOT_FOUND", "NO_SUCH_SCHEMA")

Run = Callable[[str], Sequence[Sequence[Any]]]


def quoted(name: str) -> str:
    """An identifier in backquotes."""
    return "`" + name.replace("`", "``") + "`"


def literal(text: str) -> str:
    """A string literal. A dollar sign is escaped too: `${…}` is replaced even inside of literals."""
    text = text.replace("\\", "\\\\").replace("'", "\\'").replace("$", "\\u0024")
    return "'" + text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "\\u0000") + "'"


_COLUMNS = ", ".join(quoted(column) for column in Row._fields)


class DeltaStore:
    """A `StateStore`. Errors: `StoreUnavailable` when there is no table and none can be made,
    `StoreUnreadable` when there is one and its records do not read."""

    def __init__(
        self, run: Run, database: str, schema: str, table: str = "hodor_state",
        read_only: bool = False,
    ) -> None:  # fmt: skip
        """`run`: executes one statement and gives its rows. ValueError on a name that is not allowed."""
        self._run = run
        for name, what in ((database, "database"), (schema, "schema"), (table, "table")):
            if not _NAME.fullmatch(name):
                raise ValueError(
                    f"hodor_{what} {name!r}: only letters, digits, '_' and (not first) '-' are allowed"
                )
        self._place = f"{database}.{schema}"
        self.name = ".".join(quoted(part) for part in (database, schema, table))
        self._read_only = read_only
        self._written: set[str] = set()
        self._doubtful: set[str] = set()
        self.notices: list[str] = []
        """What a person should be told. The caller empties it."""

    # -- the protocol ---------------------------------------------------------------------------

    def load_latest(
        self,
        project: str,
        target: str,
        since_ms: int,
        before_ms: int | None = None,
        detail_until: str | None = None,
    ) -> list[Row]:
        """The newest successful build per node. The table is made when it is not there."""
        statuses = ", ".join(literal(status) for status in SUCCESSFUL_STATUSES)
        before = "" if before_ms is None else f" AND recorded_at_ms < {before_ms:d}"
        columns = _COLUMNS
        if detail_until is not None:
            mark = literal(detail_until)
            columns = columns.replace(
                "`detail`",
                f"CASE WHEN contains(`detail`, {mark}) "
                f"THEN concat(substring_index(`detail`, {mark}, 1), '}}') ELSE `detail` END",
            )
        return self._rows(
            f"SELECT {columns} FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY node_key "
            f"ORDER BY recorded_at_ms DESC, record_id DESC) AS hodor_position FROM {self.name} "
            f"WHERE {_of(project, target)} AND recorded_at_ms >= {_bigint(since_ms)}{before} "
            f"AND action = 'build' AND status IN ({statuses})) WHERE hodor_position = 1"
        )

    def append(self, rows: Sequence[Row]) -> None:
        """Writes all rows or raises. Rows that this store has written before are left out; those of
        a statement that failed are looked for first."""
        fresh = {row.record_id: row for row in rows if row.record_id not in self._written}
        doubtful = self._doubtful.intersection(fresh)
        if doubtful:
            there = self._present(doubtful)
            self._written |= there
            self._doubtful -= doubtful
            fresh = {key: row for key, row in fresh.items() if key not in there}
        for batch, text in _batches(list(fresh.values())):
            ids = {row.record_id for row in batch}
            try:
                self._insert(text)
            except Exception as error:  # noqa: BLE001 - whatever it was: see what is there
                self._insert_again(batch, ids, error)
            self._written |= ids

    def _insert_again(self, batch: list[Row], ids: set[str], error: Exception) -> None:
        """One more try, of the rows that are not there all the same."""
        if any(code in str(error) for code in _NO_TABLE):
            self._create()
        self._doubtful |= ids
        there = self._present(ids)
        for _, text in _batches([row for row in batch if row.record_id not in there]):
            self._insert(text)
        self._doubtful -= ids

    def invocation(self, project: str, target: str, invocation_id: str | None) -> list[Row]:
        """All rows of one invocation, oldest first; without an id, of the one that wrote last."""
        which = (
            f"(SELECT invocation_id FROM {self.name} WHERE {_of(project, target)} "
            "ORDER BY recorded_at_ms DESC, record_id DESC LIMIT 1)"
            if invocation_id is None
            else literal(invocation_id)
        )
        return self._rows(
            f"SELECT {_COLUMNS} FROM {self.name} WHERE {_of(project, target)} "
            f"AND invocation_id = {which} ORDER BY recorded_at_ms, record_id"
        )

    def prune(self, project: str, target: str, older_than_ms: int, delete: bool) -> int:
        """How many rows of this project and target are older; with ``delete`` they are gone."""
        condition = f"WHERE {_of(project, target)} AND recorded_at_ms < {_bigint(older_than_ms)}"
        found = self._with_table(
            lambda: self._run(f"SELECT count(*) FROM {self.name} {condition}"), [(0,)]
        )
        count = int(found[0][0])
        if delete and count:
            self._run(f"DELETE FROM {self.name} {condition}")
        return count

    def ddl(self) -> str:
        """The statement for an administrator; hodor runs it itself where it may."""
        columns = ",\n  ".join(
            f"{quoted(column)} {'BIGINT' if column in BIGINT_COLUMNS else 'STRING'}"
            for column in Row._fields
        )
        return (
            f"CREATE TABLE IF NOT EXISTS {self.name} (\n  {columns}\n) USING DELTA\n"
            "CLUSTER BY (target_name, node_key)"
        )

    def check_writable(self) -> None:
        """Makes the table if need be. Raises `StoreUnavailable`."""
        self._with_table(lambda: self._run(f"SELECT 1 FROM {self.name} LIMIT 0"), [])

    def close(self) -> None:
        """Nothing is open here."""

    # -- statements -----------------------------------------------------------------------------

    def _rows(self, sql: str) -> list[Row]:
        found = self._with_table(lambda: self._run(sql), [])
        known: dict[object, object] = {}
        once = known.setdefault
        return [Row._make(map(once, row, row)) for row in found]

    def _with_table(self, work: Callable[[], Any], of_nothing: Any) -> Any:
        try:
            return work()
        except Exception as error:
            words = str(error)
            if any(code in words for code in _NO_PLACE):
                raise StoreUnavailable(
                    f"{self._place} does not exist, and hodor makes no schema ({_first_line(words)})"
                ) from error
            if not any(code in words for code in _NO_TABLE):
                raise StoreUnreadable(
                    f"the records in {self.name} cannot be read: {_first_line(words)}"
                ) from error
        if self._read_only:
            raise StoreUnavailable(f"there is no table {self.name} yet; a dbt run creates it")
        self._create()
        return of_nothing

    def _create(self) -> None:
        try:
            self._run(self.ddl())
        except Exception as error:
            raise StoreUnavailable(
                f"{self.name} cannot be made ({_first_line(str(error))}); an administrator can run "
                "what `dbt-hodor ddl` prints"
            ) from error

    def _insert(self, text: str) -> None:
        cells = ", ".join(
            f"CAST(cells[{place}] AS BIGINT)" if column in BIGINT_COLUMNS else f"cells[{place}]"
            for place, column in enumerate(Row._fields)
        )
        self._run(
            f"INSERT INTO {self.name} ({_COLUMNS}) SELECT {cells} FROM (SELECT explode(from_json("
            f"{literal(text)}, 'array<array<string>>', map('mode', 'FAILFAST'))) AS cells)"
        )

    def _present(self, ids: set[str]) -> set[str]:
        names = ", ".join(literal(record_id) for record_id in sorted(ids))
        found = self._run(f"SELECT record_id FROM {self.name} WHERE record_id IN ({names})")
        return {row[0] for row in found}


def _of(project: str, target: str) -> str:
    return f"project_name = {literal(project)} AND target_name = {literal(target)}"


def _bigint(number: int) -> str:
    return f"CAST('{number:d}' AS BIGINT)"  # the smallest has no literal of its own


def _batches(rows: Sequence[Row]) -> Iterator[tuple[list[Row], str]]:
    """Rows and their JSON text, a statement each."""
    batch: list[Row] = []
    texts: list[str] = []
    size = 0
    for row in rows:
        cells = [str(cell) if isinstance(cell, int) else cell for cell in row]
        text = json.dumps(cells, ensure_ascii=False, separators=(",", ":"))
        if batch and (len(batch) == INSERT_ROWS or size + len(text) > _INSERT_BYTES):
            yield batch, f"[{','.join(texts)}]"
            batch, texts, size = [], [], 0
        batch.append(row)
        texts.append(text)
        size += len(text)
    if batch:
        yield batch, f"[{','.join(texts)}]"


def _first_line(words: str) -> str:
    return words.strip().splitlines()[0][:300] if words.strip() else "no reason given"
