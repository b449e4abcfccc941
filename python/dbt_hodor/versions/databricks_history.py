"""Reads the histories of Delta tables, several in a statement where the warehouse accepts that.

In:  a runner of statements, names of tables, the tokens that are recorded of them.
Out: per table its listing (`_core.DeltaHistory`) or the engine's error.
Never: lets one bad table cost another its version; reads a larger page than some record needs.

Times are taken as epoch milliseconds inside the statement, so that no session's time zone matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from dbt_hodor import _core
from dbt_hodor.versions.base import Parts
from dbt_hodor.versions.databricks_statements import Rows, Statements

PAGES = (20, 200, 1000)
TABLES_IN_A_STATEMENT = 20
_NOT_ACCEPTED = ("PARSE_SYNTAX_ERROR", "UNSUPPORTED_FEATURE")
_PLAIN_COLUMNS = (0, 1, 4, 5, 12)
"""Of DESCRIBE HISTORY: version, timestamp, operation, operationParameters, operationMetrics."""

Answer = Any
"""A `_core.DeltaHistory` or an exception."""


def quoted_name(parts: Sequence[str]) -> str:
    """A relation in backquotes; a table of hive_metastore too has its catalog in front."""
    return ".".join("`" + part.replace("`", "``") + "`" for part in parts)


class Histories:
    """Thread-safe: all it remembers is what the warehouse accepts."""

    def __init__(self, statements: Statements, recorded: Callable[[Parts], Sequence[str]]) -> None:
        """`recorded`: tokens that records have of a table; they say which page is needed."""
        self._statements = statements
        self._recorded = recorded
        self._nests = True
        """Whether DESCRIBE HISTORY may stand in FROM, as far as is known."""

    def read(self, tables: Sequence[Parts]) -> dict[Parts, Answer]:
        """Each table at the page that its records were made with, larger ones as long as needed."""
        found: dict[Parts, Answer] = {}
        pending = {parts: self._first_page(parts) for parts in tables}
        while pending:
            answers = self._read_once(pending)
            found.update(answers)
            pending = {
                parts: page
                for parts, answer in answers.items()
                if (page := self._next_page(parts, pending[parts], answer)) is not None
            }
        return found

    def _first_page(self, parts: Parts) -> int:
        return max([PAGES[0], *(_core.recorded_page(token) for token in self._recorded(parts))])

    def _next_page(self, parts: Parts, page: int, answer: Answer) -> int | None:
        if isinstance(answer, Exception) or answer.decides(list(self._recorded(parts))):
            return None
        return next((larger for larger in PAGES if larger > page), None)

    def _read_once(self, pages: dict[Parts, int]) -> dict[Parts, Answer]:
        tables = list(pages)
        found: dict[Parts, Answer] = {}
        alone: list[Parts] = []
        if self._nests and len(tables) > 1:
            batches = [
                tables[start : start + TABLES_IN_A_STATEMENT]
                for start in range(0, len(tables), TABLES_IN_A_STATEMENT)
            ]
            texts = [_nested(batch, pages) for batch in batches]
            for batch, rows in zip(batches, self._statements.run_all(texts), strict=True):
                if isinstance(rows, Exception):
                    self._note(rows)
                    alone += batch
                else:
                    found.update(_listings(batch, rows, pages))
        else:
            alone = tables
        return found | self._read_alone(alone, pages)

    def _note(self, error: Exception) -> None:
        if any(code in str(error) for code in _NOT_ACCEPTED):
            self._nests = False

    def _read_alone(self, tables: Sequence[Parts], pages: dict[Parts, int]) -> dict[Parts, Answer]:
        found: dict[Parts, Answer] = {}
        if self._nests and tables:
            texts = [_nested([parts], pages) for parts in tables]
            answers = self._statements.run_all(texts)
            for parts, rows in zip(tables, answers, strict=True):
                if isinstance(rows, Exception):
                    self._note(rows)
                    found[parts] = rows
                else:
                    found.update(_listings([parts], rows, pages))
            if self._nests:
                return found
            tables = [parts for parts in tables if isinstance(found[parts], Exception)]
        texts = [f"DESCRIBE HISTORY {quoted_name(p)} LIMIT {pages[p]}" for p in tables]
        for parts, rows in zip(tables, self._statements.run_all(texts), strict=True):
            found[parts] = (
                rows if isinstance(rows, Exception) else _listing(_plain(rows), pages[parts])
            )
        return found


def _nested(tables: Sequence[Parts], pages: dict[Parts, int]) -> str:
    return " UNION ALL ".join(
        f"SELECT {place} AS i, version, unix_millis(timestamp) AS t, operation, "
        "to_json(operationParameters) AS p, to_json(operationMetrics) AS m "
        f"FROM (DESCRIBE HISTORY {quoted_name(parts)} LIMIT {pages[parts]})"
        for place, parts in enumerate(tables)
    )


def _listings(tables: Sequence[Parts], rows: Rows, pages: dict[Parts, int]) -> dict[Parts, Answer]:
    by_place: dict[int, list[Any]] = {place: [] for place in range(len(tables))}
    for place, *rest in rows:
        by_place[place].append(tuple(rest))
    return {parts: _listing(by_place[place], pages[parts]) for place, parts in enumerate(tables)}


def _listing(rows: Iterable[Any], page: int) -> Answer:
    try:
        return _core.DeltaHistory.read(list(rows), page)
    except (ValueError, TypeError) as error:
        return error


def _plain(rows: Rows) -> list[tuple[Any, ...]]:
    picked = [tuple(row[place] for place in _PLAIN_COLUMNS) for row in rows]
    return [(version, _epoch_ms(time), *rest) for version, time, *rest in picked]


def _epoch_ms(time: Any) -> int | None:
    """None for a time without its zone: it could be any."""
    if not isinstance(time, datetime) or time.tzinfo is None:
        return None
    return round(time.timestamp() * 1000)
