"""Versions of what stands in a Databricks warehouse: positions in Delta histories, and columns.

In:  a runner of statements, the schemas and relations of the project, tokens that records have.
Out: tokens (`1;history:…;;columns`), listings, the environment: `versions/base.py`.
Never: writes, or uses a connection of a node; vouches for a table with a row filter or column mask, for
one without a Delta history, or for a relation of our own that somebody else may have written.

What does not depend on anything else is asked for at the beginning, all at once: `begin`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from dbt_hodor import _core
from dbt_hodor.versions import databricks_listing as listings
from dbt_hodor.versions.base import ListedRelation, Listing, Parts
from dbt_hodor.versions.databricks_columns import Columns, Unversioned, of_describe, of_json
from dbt_hodor.versions.databricks_history import Histories, quoted_name
from dbt_hodor.versions.databricks_settings import counts
from dbt_hodor.versions.databricks_statements import Rows, Statements
from dbt_hodor.versions.databricks_writes import writes_of

Key = tuple[str, ...]

_NOW = (
    "SELECT unix_millis(current_timestamp()), cast(current_date() AS STRING), current_user(), "
    "current_catalog(), current_schema(), current_timezone(), "
    "to_json(current_version()), unix_millis(timestamp(date_add(current_date(), 1)))"
)
_MARGIN_MS = 60_000
"""So long before midnight the date is asked for anew each time."""


def key_of(parts: Sequence[str]) -> Key:
    """Names of a catalog have no case."""
    return tuple(part.lower() for part in parts)


class DatabricksProvider:
    """A ``VersionProvider``. Any thread may call any method."""

    dialect = "databricks"
    tells_writers = True

    def __init__(
        self,
        statements: Statements,
        schemas: Collection[tuple[str, str]],
        built_by_dbt: Collection[Parts],
        clock_ms: Callable[[], float] = lambda: time.time() * 1000,
    ) -> None:
        """``schemas``: (catalog, schema) that the project names; ``built_by_dbt``: relations that
        nobody else is expected to write, so that the catalog's list of columns will do."""
        self._statements = statements
        self._schemas: dict[str, set[str]] = {}
        for catalog, schema in schemas:
            self._schemas.setdefault(catalog.lower(), set()).add(schema)
        self._built = frozenset(map(key_of, built_by_dbt))
        self._clock_ms = clock_ms
        self._recorded: Mapping[str, Sequence[str]] = {}
        self._histories = Histories(statements, self._tokens_of)
        self._lock = threading.Lock()
        self._columns: dict[Key, Columns] = {}
        self._refused: dict[Key, str] = {}
        self._views: dict[Key, str] = {}
        self._listed: dict[Key, Any] = {}
        self._unsure_catalogs: set[str] = set()
        self._now: tuple[Any, ...] | None = None
        self._begun: dict[str, Any] = {}

    # -- the beginning --------------------------------------------------------------------------

    def begin(self) -> None:
        """Asks for what every run needs, without waiting."""
        self._begun["now"] = self._statements.submit(_NOW), self._clock_ms()
        self._begun["settings"] = self._statements.submit("SET")
        catalogs = sorted(self._schemas)
        self._begun["listing"] = catalogs, _in_thread(lambda: self._list(catalogs))

    def expect(self, recorded: Mapping[str, Sequence[str]]) -> None:
        """Tokens that records have of tables, by relation key: a history is read as far as they
        need it."""
        self._recorded = recorded

    def _tokens_of(self, parts: Parts) -> Sequence[str]:
        return self._recorded.get(_core.relation_key(list(parts)), ())

    def close(self) -> None:
        """No statements any more."""
        self._statements.close()

    # -- clock, values, environment -------------------------------------------------------------

    def _read_now(self) -> tuple[Any, ...]:
        begun = self._begun.pop("now", None)
        if begun is not None:
            answer, before_ms = begun
            row = self._statements.result(answer)[0]
        else:
            before_ms = self._clock_ms()
            row = self._statements.run(_NOW)[0]
        after_ms = self._clock_ms()
        self._offset_ms = round(int(row[0]) - (before_ms + after_ms) / 2)
        self._now = row
        return row

    def clock_offset_ms(self) -> int:
        self._read_now()
        return self._offset_ms

    def volatile_values(self) -> Mapping[str, str]:
        """One statement, and none again until the warehouse's next midnight."""
        row = self._now
        if row is None or self._clock_ms() + self._offset_ms > int(row[7]) - _MARGIN_MS:
            row = self._read_now()
        return {"date": str(row[1]), "session": "|".join(str(value) for value in row[2:7])}

    def environment(self) -> Mapping[str, str]:
        begun: Future[Rows] | None = self._begun.pop("settings", None)
        rows = self._statements.result(begun) if begun is not None else self._statements.run("SET")
        found = {
            str(row[0]): str(row[1]) for row in rows if len(row) > 1 and counts(str(row[0]), row[1])
        }
        found["TimeZone"] = str((self._now or self._read_now())[5])
        return dict(sorted(found.items()))

    def engine_version(self) -> str:
        """Of the runtime, as it tells."""
        return str((self._now or self._read_now())[6])

    # -- listings -------------------------------------------------------------------------------

    def _list(self, catalogs: Sequence[str]) -> Listing:
        listing = Listing()
        found = [
            listings.read(self._statements, catalog, sorted(self._schemas.get(catalog, ())))
            for catalog in catalogs
        ]
        with self._lock:
            self._columns.clear()
            self._refused.clear()
            self._views.clear()
            self._unsure_catalogs.clear()
        for catalog, one in zip(catalogs, found, strict=True):
            self._take(catalog, one)
            listing.relations += one.relations
            listing.functions += one.functions
            if one.error:
                listing.errors[catalog] = one.error
            if one.functions_error:
                listing.errors["functions"] = one.functions_error
        return listing

    def _take(self, catalog: str, found: listings.CatalogListing) -> None:
        with self._lock:
            for key, columns in found.columns.items():
                self._columns[(catalog.lower(), *key)] = columns
            for key, why in found.refused.items():
                self._refused[(catalog.lower(), *key)] = why
            for relation in found.relations:
                if relation.type == "view":
                    self._views[key_of(relation.parts)] = relation.ddl
                else:
                    self._views.pop(key_of(relation.parts), None)
            if found.error:
                self._unsure_catalogs.add(catalog.lower())

    def listing(self, databases: Iterable[str]) -> Listing:
        catalogs = sorted({database.lower() for database in databases})
        begun = self._begun.pop("listing", None)
        if begun is not None and begun[0] == catalogs:
            answer: Listing = begun[1].result()
            return answer
        return self._list(catalogs)

    def builtin_functions(self) -> Sequence[str]:
        return list(_core.known_functions("databricks"))

    def relations(self, wanted: Sequence[Parts]) -> dict[Parts, ListedRelation | None]:
        found: dict[Parts, ListedRelation | None] = dict.fromkeys(wanted)
        for catalog in {parts[0] for parts in wanted}:
            of_catalog = [parts for parts in wanted if parts[0] == catalog]
            listing = listings.read(self._statements, catalog, (), of_catalog)
            if listing.error:
                raise LookupError(listing.error)
            self._take(catalog, listing)
            by_key = {key_of(relation.parts): relation for relation in listing.relations}
            for parts in of_catalog:
                found[parts] = by_key.get(key_of(parts))
        return found

    # -- versions -------------------------------------------------------------------------------

    def batches(self, relations: Sequence[Parts]) -> list[list[Parts]]:
        """How a caller should split ``relations``: as many as one statement takes."""
        size = 20
        return [list(relations[start : start + size]) for start in range(0, len(relations), size)]

    def forget(self, parts: Parts | None) -> None:
        """Columns of one relation, or with ``None`` everything, may have changed."""
        with self._lock:
            if parts is None:
                self._columns.clear()
                self._listed.clear()
            else:
                self._columns.pop(key_of(parts), None)
                self._listed.pop(key_of(parts), None)

    def versions(self, relations: Sequence[Parts]) -> Mapping[Parts, str | Exception]:
        answers: dict[Parts, str | Exception] = {}
        tables: list[Parts] = []
        for parts in relations:
            why = self._refusal(key_of(parts))
            if why:
                answers[parts] = Unversioned(why)
            else:
                tables.append(parts)
        columns = self._read_columns(tables)
        readable = [
            parts
            for parts in tables
            if isinstance(columns[parts], Columns) and key_of(parts) not in self._views
        ]
        histories = self._histories.read(readable)
        for parts in tables:
            shape, history = columns[parts], histories.get(parts)
            if not isinstance(shape, Columns):
                answers[parts] = shape
            elif key_of(parts) in self._views:
                answers[parts] = _core.version_token("", "", shape.digest)
            elif shape.refusal:
                answers[parts] = Unversioned(f"it has a {shape.refusal}")
            elif isinstance(history, Exception) or history is None:
                answers[parts] = history or LookupError("no answer")
            else:
                with self._lock:
                    self._listed[key_of(parts)] = history
                answers[parts] = _core.version_token(history.data, "", shape.digest)
        return answers

    def _refusal(self, key: Key) -> str:
        if key[0] in self._unsure_catalogs:
            return "filters and masks of its catalog could not be listed"
        return self._refused.get(key, "")

    def _read_columns(self, tables: Sequence[Parts]) -> dict[Parts, Columns | Exception]:
        """From the catalog's list for what dbt builds, from the table itself for all others."""
        found: dict[Parts, Columns | Exception] = {}
        ours = [parts for parts in tables if self._is_listed_by_catalog(parts)]
        unread = [parts for parts in ours if key_of(parts) not in self._columns]
        for catalog in {parts[0] for parts in unread}:
            wanted = [parts for parts in unread if parts[0] == catalog]
            self._take(catalog, listings.read(self._statements, catalog, (), wanted))
        for parts in ours:
            known = self._columns.get(key_of(parts))
            found[parts] = known or LookupError("the catalog does not list its columns")
        others = [parts for parts in tables if parts not in found]
        return found | self._describe(others)

    def _is_listed_by_catalog(self, parts: Parts) -> bool:
        return parts[0].lower() != listings.HIVE and key_of(parts) in self._built

    def _describe(self, tables: Sequence[Parts]) -> dict[Parts, Columns | Exception]:
        names = [quoted_name(parts) for parts in tables]
        answers = self._statements.run_all(
            [f"DESCRIBE TABLE EXTENDED {name} AS JSON" for name in names]
        )
        found: dict[Parts, Columns | Exception] = {}
        for parts, name, rows in zip(tables, names, answers, strict=True):
            try:
                if isinstance(rows, Exception) and "PARSE_SYNTAX_ERROR" in str(rows):
                    found[parts] = of_describe(self._statements.run(f"DESCRIBE TABLE {name}"))
                else:
                    found[parts] = rows if isinstance(rows, Exception) else of_json(rows)
            except Exception as error:  # noqa: BLE001 - one answer per relation
                found[parts] = error
        return found

    def is_ours(
        self, parts: Parts, before: str | None, statements: Sequence[str], was_there: bool
    ) -> bool:
        """Whether what the last read of this table saw is the work of these statements alone.
        ``before``: its token when the node was decided."""
        history = self._listed.get(key_of(parts))
        writes = writes_of(statements, parts)
        if history is None or writes is None:
            return False
        names, is_new = writes
        if not was_there or is_new:
            return bool(history.are_ours(None, names))
        return before is not None and bool(history.are_ours(before, names))

    def is_our_view(self, parts: Parts, query: str) -> bool:
        """Whether the view, as it was last listed, was made from this query."""
        definition = self._views.get(key_of(parts), "")
        return bool(query.strip()) and " ".join(query.split()) in " ".join(definition.split())

    def columns_of(self, relation: Parts) -> Columns | None:
        """Its columns as it describes them itself, or None when they cannot be read."""
        answer = self._describe([relation])[relation]
        return answer if isinstance(answer, Columns) else None

    def column_names(self, relation: Parts) -> frozenset[str] | None:
        known = self._columns.get(key_of(relation)) or self.columns_of(relation)
        return None if known is None else known.names

    def file_version(self, pattern: str, function: str) -> str | None:
        """Files of a warehouse have no version here."""
        return None

    # -- databases ------------------------------------------------------------------------------

    def is_exclusive(self, database: str) -> bool:
        """Anybody may write a warehouse at any time."""
        return False

    def is_in_memory(self, database: str) -> bool:
        """Nothing here ends with the process."""
        return False


def _in_thread(work: Callable[[], Any]) -> Future[Any]:
    answer: Future[Any] = Future()

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as error:  # noqa: BLE001 - whoever waits for it gets it
            answer.set_exception(error)

    threading.Thread(target=run, name="hodor-listing", daemon=True).start()
    return answer
