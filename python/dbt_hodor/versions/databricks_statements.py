"""Runs hodor's own statements on a few connections of dbt's adapter, each in a thread of its own.

In:  a function that opens a connection for the calling thread, SQL texts.
Out: rows, or the engine's error; `StatementTimeout` when an answer did not come in time.
Never: uses a connection that a node uses, waits for ever, or runs a statement twice.

Every statement begins with a comment that names hodor and the invocation, so that a warehouse's query
history shows what is ours.
"""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from contextlib import suppress
from typing import Any, Protocol


class Connection(Protocol):
    """Belongs to the thread that opened it."""

    def execute(self, sql: str) -> Sequence[Sequence[Any]]:
        """The rows of one statement."""

    def close(self) -> None:
        """Ends it."""


Rows = list[tuple[Any, ...]]

_IDLE_S = 30.0


class StatementTimeout(Exception):
    """The warehouse did not answer in time; the statement may still run there."""


class Statements:
    """Thread-safe. Threads start when there is something to run and end when they idle."""

    def __init__(
        self, open_connection: Callable[[], Connection], invocation_id: str, threads: int,
        timeout_s: float,
    ) -> None:  # fmt: skip
        """`threads`: statements at once; one that hangs takes its thread along, and gets another."""
        self._open_connection = open_connection
        self._comment = (
            "/* " + json.dumps({"app": "dbt-hodor", "invocation": invocation_id}) + " */ "
        )
        self._threads = threads
        self.timeout_s = timeout_s
        self._waiting: queue.SimpleQueue[tuple[str, Future[Rows]] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._alive = 0
        self._idle = 0
        self._queued = 0
        self._lost: set[Future[Rows]] = set()
        self._closed = False
        self.count = 0
        """Statements so far."""

    def submit(self, sql: str) -> Future[Rows]:
        """Runs the statement when a connection is free."""
        answer: Future[Rows] = Future()
        with self._lock:
            if self._closed:
                raise RuntimeError("no statements any more: the run is over")
            self.count += 1
            self._queued += 1
            self._waiting.put((sql, answer))
            if self._queued > self._idle and self._alive < self._threads:
                self._alive += 1
                threading.Thread(target=self._work, name="hodor-statements", daemon=True).start()
        return answer

    def result(self, answer: Future[Rows]) -> Rows:
        """Its rows. Raises the engine's error or `StatementTimeout`."""
        try:
            return answer.result(self.timeout_s)
        except NotInTime:
            if answer.done():  # the engine's own
                raise
            if not answer.cancel():
                with self._lock:
                    self._lost.add(answer)  # and its thread with it, until it comes, if it does
                    self._alive -= 1
            raise StatementTimeout(f"no answer after {self.timeout_s:g} s") from None

    def run(self, sql: str) -> Rows:
        """The rows of one statement."""
        return self.result(self.submit(sql))

    def run_all(self, texts: Sequence[str]) -> list[Rows | Exception]:
        """Independent statements at the same time: per text its rows or its error."""
        answers = [self.submit(sql) for sql in texts]
        found: list[Rows | Exception] = []
        for answer in answers:
            try:
                found.append(self.result(answer))
            except Exception as error:  # noqa: BLE001 - an answer like any other
                found.append(error)
        return found

    def close(self) -> None:
        """Nothing is run any more; what waits is cancelled."""
        with self._lock:
            self._closed = True
            alive = self._alive
        for _ in range(alive):
            self._waiting.put(None)

    def _work(self) -> None:
        connection: Connection | None = None
        try:
            for sql, answer in self._taken():
                try:
                    if connection is None:
                        connection = self._open_connection()
                    rows = [tuple(row) for row in connection.execute(self._comment + sql)]
                except BaseException as error:  # noqa: BLE001 - whoever waits for it gets it
                    answer.set_exception(error)
                else:
                    answer.set_result(rows)
                with self._lock:
                    if answer in self._lost:
                        self._lost.remove(answer)
                        self._alive += 1
        finally:
            if connection is not None:
                with suppress(Exception):
                    connection.close()

    def _taken(self) -> Iterator[tuple[str, Future[Rows]]]:
        """What this thread has to run, until there is nothing for a while."""
        while True:
            with self._lock:
                self._idle += 1
            try:
                item = self._waiting.get(timeout=_IDLE_S)
            except queue.Empty:
                item = None
            with self._lock:
                self._idle -= 1
                self._queued -= item is not None
                if item is None and (self._closed or self._waiting.empty()):
                    self._alive -= 1
                    return
            if item is None:
                continue
            sql, answer = item
            if self._closed or not answer.set_running_or_notify_cancel():
                answer.cancel()
                continue
            yield sql, answer
