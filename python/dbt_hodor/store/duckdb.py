"""The state store in one local DuckDB file.

In:  rows of text and integers (``store/base.py``).
Out: the same rows; nothing is open between two calls, so that other processes can record too.
Never: removes or overwrites a file that it cannot read. A damaged file is renamed and a new one
begun; a file from a newer version is left alone.

One in-memory engine lives as long as the store; each call attaches the file, works, and detaches.
Attaching costs under a millisecond, an engine of its own tens of them. The file is created with
storage version v1.0.0, so that every supported engine reads what another one wrote.

What a call writes is in the file's log when it returns, and whoever attaches the file reads that too.
The log is folded into the file by `close`, by the first use of a later store if that did not come to
it, and when it is long: folding costs twice what a flush costs, reading a long log with each flush more.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from dbt_hodor.store.base import (
    SUCCESSFUL_STATUSES,
    Row,
    StoreUnavailable,
    StoreUnreadable,
)
from dbt_hodor.store.duckdb_faults import Fault, advice, classify
from dbt_hodor.store.duckdb_schema import (
    Names,
    NewerSchema,
    bring_up_to_date,
    checked_name,
    create_statements,
    quoted,
    sql_type,
)

Result = TypeVar("Result")

DEFAULT_LOCK_WAIT_S = 3.0
_LOCK_PAUSE_S = 0.05
_CATALOG = "hodor_state_file"
_FOLD_LOG = f"CHECKPOINT {_CATALOG}"

_COLUMNS = ", ".join(quoted(column) for column in Row._fields)

_DETAIL = quoted("detail")
_CUT_COLUMNS = _COLUMNS.replace(
    _DETAIL,
    f"CASE WHEN contains({_DETAIL}, ?) THEN split_part({_DETAIL}, ?, 1) || '}}' ELSE {_DETAIL} END",
)

_FETCH_COUNT = 200
# Trying these two on every column is two thirds of what a flush costs; without them the file is a
# third larger.
_LESS_COMPRESSION = "SET GLOBAL disabled_compression_methods = 'fsst,zstd'"
# Folding merges what several runs appended, whole row groups at once: of the usual 122,880 rows, which
# took 200 MB and a second. Where a run appended many rows there is no need to merge them with others, and
# the ten megabytes that it still takes would come when a run needs most.
_ROW_GROUPS = "ROW_GROUP_SIZE 2048"
# Setting a limit is what makes the engine give freed pages back to the system; without it, what the
# largest flush took stays with the process: ten megabytes of a steady run's peak. Takes 1 ms.
_FREE_MEMORY = "RESET GLOBAL memory_limit"
_NEW_FILE = ", STORAGE_VERSION 'v1.0.0'"
_MERGE = "SET GLOBAL max_vacuum_tasks = {}"
_MANY_ROWS = 512
_LONG_LOG_BYTES = 1 << 20
_ROOM_BYTES = 4 << 20


def literal(text: str) -> str:
    """A string literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def _one_text(rows: Iterable[Row]) -> str:
    """All cells as one JSON text. One parameter, because an engine of the 1.x line takes 500 ms to
    bind 26 lists of 200 values, and 9 ms to read them from a text."""
    cells = [[str(cell) if isinstance(cell, int) else cell for cell in row] for row in rows]
    text = json.dumps(cells, ensure_ascii=False, separators=(",", ":"))
    # Half a surrogate pair is no text for the engine; a question mark instead costs one build.
    return text.encode("utf-8", "replace").decode("utf-8")


def _rows_of(result: Any) -> list[Row]:
    """A few at a time, and each text once: most cells of a column say the same."""
    rows: list[Row] = []
    known: dict[object, object] = {}
    once = known.setdefault
    while some := result.fetchmany(_FETCH_COUNT):
        rows += [Row._make(map(once, row, row)) for row in some]
    return rows


class _NotFolded(Exception):
    """The log stays; the engine that tried is of no use any more."""


class DuckDBStore:
    """A ``StateStore``. Thread-safe: one call at a time. Errors: ``StoreUnavailable`` when the file
    cannot be opened or written, ``StoreUnreadable`` when it opens but its records do not read."""

    def __init__(
        self,
        path: str,
        schema: str = "main",
        table: str = "hodor_state",
        read_only: bool = False,
        lock_wait_s: float = DEFAULT_LOCK_WAIT_S,
    ) -> None:
        """``path``: the file; relative paths are taken from the current directory, now. ValueError
        on a schema or table name that is not allowed."""
        self.path = os.path.abspath(os.path.expanduser(path))
        self._names = Names(
            checked_name(schema, "hodor_schema"), checked_name(table, "hodor_table"), _CATALOG
        )
        self._read_only = read_only
        self._lock_wait_s = lock_wait_s
        self._lock = threading.Lock()
        self._engine: Any = None
        self._schema_ready = False
        self._appended = 0
        self._may_fold = True
        self.notices: list[str] = []
        """What a person should be told (a damaged file was set aside). The caller empties it."""

    # -- the protocol ---------------------------------------------------------------------------

    def load_latest(
        self,
        project: str,
        target: str,
        since_ms: int,
        before_ms: int | None = None,
        detail_until: str | None = None,
    ) -> list[Row]:
        """The newest successful build per node. The file is created when it is not there."""
        statuses = ", ".join(f"'{status}'" for status in SUCCESSFUL_STATUSES)
        before = "" if before_ms is None else " AND recorded_at_ms < ?"
        columns = _COLUMNS if detail_until is None else _CUT_COLUMNS
        # Two steps in one statement: the window runs over narrow columns only, so that the JSON of
        # every older record stays unread.
        sql = (
            f"SELECT {columns} FROM {self._names.records} WHERE rowid IN ("
            "SELECT id FROM (SELECT rowid AS id, ROW_NUMBER() OVER (PARTITION BY node_key "
            "ORDER BY recorded_at_ms DESC, record_id DESC) AS position "
            f"FROM {self._names.records} WHERE project_name = ? AND target_name = ? "
            f"AND recorded_at_ms >= ?{before} AND action = 'build' AND status IN ({statuses})) "
            "WHERE position = 1)"
        )
        values: list[object] = [project, target, since_ms]
        if before_ms is not None:
            values.append(before_ms)
        if detail_until is not None:
            values = [detail_until, detail_until, *values]
        return self._rows(sql, values)

    def append(self, rows: Sequence[Row]) -> None:
        """Writes all rows in one transaction; rows whose ``record_id`` is there already are left
        out, so that a call may be repeated after any error."""
        unique = {row.record_id: row for row in rows}
        if not unique:
            return
        # Rows of a repeated call carry their first time, so older parts of the file are skipped.
        oldest_ms = min(row.recorded_at_ms for row in unique.values())
        fields = ", ".join(
            f"cells[{place}]::{sql_type(column)} AS {quoted(column)}"
            for place, column in enumerate(Row._fields, start=1)
        )
        sql = (
            f"INSERT INTO {self._names.records} ({_COLUMNS}) SELECT {_COLUMNS} FROM "
            f"(SELECT {fields} FROM (SELECT unnest(from_json(?, '[[\"VARCHAR\"]]')) AS cells)) AS fresh "
            f"WHERE NOT EXISTS (SELECT 1 FROM {self._names.records} AS kept "
            "WHERE kept.recorded_at_ms >= ? AND kept.record_id = fresh.record_id)"
        )
        values = [_one_text(unique.values()), oldest_ms]
        self._with_file(lambda connection: connection.execute(sql, values).fetchall())
        self._appended += len(unique)
        with self._lock:
            if self._log_bytes() > _LONG_LOG_BYTES:
                self._fold_log(merge=False)

    def invocation(self, project: str, target: str, invocation_id: str | None) -> list[Row]:
        """All rows of one invocation, oldest first; without an id, of the one that wrote last."""
        which = "?"
        values: list[object] = [project, target]
        if invocation_id is None:
            which = (
                f"(SELECT invocation_id FROM {self._names.records} WHERE project_name = ? "
                "AND target_name = ? ORDER BY recorded_at_ms DESC, record_id DESC LIMIT 1)"
            )
            values += [project, target]
        else:
            values.append(invocation_id)
        return self._rows(
            f"SELECT {_COLUMNS} FROM {self._names.records} WHERE project_name = ? "
            f"AND target_name = ? AND invocation_id = {which} ORDER BY recorded_at_ms, record_id",
            values,
        )

    def prune(self, project: str, target: str, older_than_ms: int, delete: bool) -> int:
        """How many rows of this project and target are older; with ``delete`` they are gone."""
        condition = "WHERE project_name = ? AND target_name = ? AND recorded_at_ms < ?"
        values = [project, target, older_than_ms]

        def work(connection: Any) -> int:
            count = connection.execute(
                f"SELECT count(*) FROM {self._names.records} {condition}", values
            ).fetchone()[0]
            if delete and count:
                connection.execute(f"DELETE FROM {self._names.records} {condition}", values)
            return int(count)

        return self._with_file(work)

    def ddl(self) -> str:
        """The statements for a person; hodor runs them itself on first use."""
        names = Names(self._names.schema, self._names.table)
        return ";\n".join(create_statements(names)) + ";\n"

    def check_writable(self) -> None:
        """Opens the file for writing and brings it up to date; raises ``StoreUnavailable``."""
        self._with_file(lambda connection: None)

    def default_of(self, setting: str) -> str:
        """What an engine on this machine shows for a setting that nobody set; its own is one."""
        with self._lock:
            engine = self._opened_engine()
            return str(engine.execute("SELECT current_setting(?)", [setting]).fetchone()[0])

    def close(self) -> None:
        """Folds the log into the file and lets the engine go. The store may be used again."""
        with self._lock:
            if not self._read_only:
                self._fold_log(merge=self._appended < _MANY_ROWS)
            self._drop_engine()

    # -- opening and closing the file -----------------------------------------------------------

    def _rows(self, sql: str, values: list[object]) -> list[Row]:
        def work(connection: Any) -> list[Row]:
            try:
                return _rows_of(connection.execute(sql, values))
            except Exception as error:
                if classify(error) is Fault.unavailable:  # the file is fine, its tables are not
                    raise StoreUnreadable(
                        f"the records in {self.path} cannot be read: {error}"
                    ) from error
                raise

        return self._with_file(work)

    def _with_file(self, work: Callable[[Any], Result]) -> Result:
        """Attaches the file, runs ``work``, detaches. Waits for a lock; sets a damaged file aside
        once and begins again."""
        give_up_at = time.monotonic() + self._lock_wait_s
        set_aside = False
        with self._lock:
            while True:
                try:
                    with self._attached() as connection:
                        return work(connection)
                except (StoreUnavailable, StoreUnreadable):
                    raise
                except _NotFolded:  # its records can be read and written all the same
                    continue
                except NewerSchema as error:
                    raise StoreUnavailable(advice(Fault.newer, self.path, error)) from error
                except Exception as error:
                    fault = classify(error)
                    if fault is Fault.locked and time.monotonic() < give_up_at:
                        time.sleep(_LOCK_PAUSE_S)
                        continue
                    if fault is Fault.corrupt and not self._read_only and not set_aside:
                        set_aside = True
                        self._set_aside(error)
                        continue
                    raise StoreUnavailable(advice(fault, self.path, error)) from error

    @contextmanager
    def _attached(self) -> Iterator[Any]:
        if self._read_only and not os.path.exists(self.path):
            raise StoreUnavailable(f"there is no state file {self.path} yet; a dbt run creates it")
        if not self._read_only:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
        connection = self._opened_engine()
        options = "READ_ONLY" if self._read_only else _ROW_GROUPS
        if not os.path.exists(self.path):
            self._schema_ready = False
            self._create(connection)
            # If it could not be made beforehand. Only for a new file: one that somebody made with a
            # later version is not lowered.
            if not os.path.exists(self.path):
                options += _NEW_FILE
        connection.execute(f"ATTACH {literal(self.path)} AS {_CATALOG} ({options})")
        try:
            if not self._schema_ready and not self._read_only:
                self._bring_up_to_date(connection)
            yield connection
        except BaseException:
            # The engine may be unusable after a fault of its own; a fresh one is cheap to have.
            self._drop_engine()
            raise
        try:
            connection.execute(f"DETACH {_CATALOG}")
        except BaseException:
            self._drop_engine()
            raise
        with suppress(Exception):
            connection.execute(_FREE_MEMORY)

    def _create(self, connection: Any) -> None:
        """Makes an empty file under another name and gives it its own in one step. An engine that finds
        no file begins one and drops its log, even if another process has just made both."""
        log = f"{self.path}.wal"
        with suppress(OSError):
            stale = os.stat(log)
            if not os.path.exists(self.path) and os.path.samestat(stale, os.stat(log)):
                os.unlink(log)  # of a file that somebody deleted
        beginning = f"{self.path}.{uuid.uuid4().hex}.new"
        try:
            connection.execute(
                f"ATTACH {literal(beginning)} AS {_CATALOG} ({_ROW_GROUPS}{_NEW_FILE})"
            )
            connection.execute(f"DETACH {_CATALOG}")
            with suppress(OSError):  # somebody was faster, or a file system without links
                os.link(beginning, self.path)
        except BaseException:
            self._drop_engine()
            raise
        finally:
            with suppress(OSError):
                os.unlink(beginning)

    def _bring_up_to_date(self, connection: Any) -> None:
        try:
            bring_up_to_date(connection, self._names)
            if self._can_fold():
                self._fold(connection)
        except (NewerSchema, _NotFolded):
            raise
        except Exception as error:
            if classify(error) is Fault.unavailable and "error: " in str(error).lower():
                words = str(error).lower()
                if words.startswith(("catalog error", "binder error", "conversion error")):
                    raise StoreUnreadable(
                        f"the tables in {self.path} are not as expected: {error}"
                    ) from error
            raise
        self._schema_ready = True

    def _fold_log(self, merge: bool) -> None:
        """If somebody else has the file now, the log waits for the next who opens it."""
        if not self._can_fold():
            return
        with suppress(Exception), self._attached() as connection:
            if self._can_fold():  # opening did not come to it
                connection.execute(_MERGE.format(100 if merge else 0))
                self._fold(connection)

    def _can_fold(self) -> bool:
        """A failed try costs more than a long log: the engine leaves a mark of it in the log, and takes
        a log with two marks for a damaged one. So there is one try, and none on a disk that is full."""
        log_bytes = self._log_bytes()
        if not log_bytes or not self._may_fold:
            return False
        with suppress(OSError):
            free_bytes = shutil.disk_usage(os.path.dirname(self.path) or ".").free
            return free_bytes > 4 * log_bytes + _ROOM_BYTES
        return True

    def _fold(self, connection: Any) -> None:
        try:
            connection.execute(_FOLD_LOG)
        except Exception as error:
            self._may_fold = False
            raise _NotFolded from error

    def _log_bytes(self) -> int:
        try:
            return os.path.getsize(self.path + ".wal")
        except OSError:
            return 0

    def _opened_engine(self) -> Any:
        if self._engine is None:
            try:
                import duckdb  # late: dbt loads us on every command, also without duckdb
            except ImportError as error:
                raise StoreUnavailable(
                    "the duckdb package is not installed: pip install 'dbt-hodor[duckdb]'"
                ) from error
            # No temporary directory: it would be made where the user happens to stand.
            config = {"threads": "1", "temp_directory": ""}
            self._engine = duckdb.connect(":memory:", config=config)
            self._engine.execute(_LESS_COMPRESSION)
            self._engine.execute("PRAGMA disable_checkpoint_on_shutdown")
        return self._engine

    def _drop_engine(self) -> None:
        if self._engine is not None:
            # An engine that failed may refuse even this; it is gone either way.
            with suppress(Exception):
                self._engine.close()
            self._engine = None

    def _set_aside(self, error: Exception) -> None:
        """Renames the damaged file and its log. The name tells when; nothing is overwritten."""
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        aside = f"{self.path}.corrupt-{stamp}"
        number = 1
        while os.path.exists(aside):
            number += 1
            aside = f"{self.path}.corrupt-{stamp}-{number}"
        try:
            os.replace(self.path, aside)
            if os.path.exists(self.path + ".wal"):
                os.replace(self.path + ".wal", aside + ".wal")
        except OSError as refused:
            raise StoreUnavailable(advice(Fault.corrupt, self.path, error)) from refused
        self._schema_ready = False
        self.notices.append(
            f"{advice(Fault.corrupt, self.path, error)}; it was set aside as {aside} "
            "and a new one begun, so every node builds once"
        )
