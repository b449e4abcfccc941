"""The version of each relation, read at most once at a time and again only after a write.

In:  a provider, a work list in the order of need, questions from nodes, notes of writes.
Out: a token, or ``None`` (unknown) after an error or when the wait was too long.
Never: keeps what a read brought that had begun before the relation was written; never keeps an
error as a value: one more try, then the relation is unknown until it is written.

Reads run on a few threads of the cache's own, so that a question can stop waiting for one that
hangs. What a node waits for goes first; when every thread is busy, it gets one more.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from dbt_hodor.versions.base import Parts

BATCH_RELATIONS = 50
DEFAULT_WAIT_S = 300.0
_MOST_EXTRA_THREADS = 32
_LOOK_AGAIN_S = 5.0
"""A question asks now and then whether there still is somebody to answer it."""
_SMALL_BATCH = 50


@dataclass
class ReadCounters:
    """What reading cost. CPU is that of the reading threads."""

    statements: int = 0
    relations: int = 0
    cpu_s: float = 0.0
    wall_s: float = 0.0


class VersionCache:
    """Thread-safe."""

    def __init__(self, provider: Any, threads: int = 2, wait_s: float = DEFAULT_WAIT_S) -> None:
        """``threads``: for reads ahead; a provider may ask for fewer (``most_parallel_reads``)."""
        self._provider = provider
        self._threads = max(1, min(threads, getattr(provider, "most_parallel_reads", threads)))
        self._wait_s = wait_s
        self._changed = threading.Condition()
        self._values: dict[Parts, str] = {}
        self._views: set[Parts] = set()
        self._reading: set[Parts] = set()
        self._writes: dict[Parts, int] = {}
        self._clock = 0
        self._everything_written_at = 0
        self._urgent: deque[Parts] = deque()
        self._ahead: deque[Parts] = deque()
        self._pieces: deque[list[Parts]] = deque()
        self._workers: list[threading.Thread] = []
        self._busy = 0
        self._closed = False
        self._broken = ""
        self._errors: dict[Parts, str] = {}
        self.counters = ReadCounters()

    # -- questions ------------------------------------------------------------------------------

    def get(self, parts: Parts, timeout_s: float | None = None) -> str | None:
        """The token, read if need be; ``None``: unknown, or not there in time (in seconds)."""
        give_up_at = time.monotonic() + (self._wait_s if timeout_s is None else timeout_s)
        with self._changed:
            while not self._closed:
                if self._broken:
                    raise RuntimeError(f"reading versions failed: {self._broken}")
                if parts in self._values:
                    return self._values[parts]
                if parts in self._errors:
                    return None
                if parts not in self._reading:
                    if parts not in self._urgent:
                        self._urgent.append(parts)
                    self._start_workers()  # each time: whoever was to read it may have gone
                left_s = give_up_at - time.monotonic()
                if left_s <= 0:
                    return None
                self._changed.wait(min(left_s, _LOOK_AGAIN_S))
        return None

    def peek(self, parts: Parts) -> str | None:
        """The token if it is there already; reads nothing, waits for nothing."""
        return self._values.get(parts)

    def errors(self) -> dict[Parts, str]:
        """What is unknown because its read failed twice, with the engine's words."""
        with self._changed:
            return dict(self._errors)

    def read_now(self, relations: Sequence[Parts]) -> dict[Parts, str]:
        """Reads these in the calling thread, whatever is unread of them in one statement; the tokens
        that are true now. Left out: what cannot be read, and what was written meanwhile."""
        with self._changed:
            begun_at = self._clock
            batch = [parts for parts in dict.fromkeys(relations) if self._unread(parts)]
            self._reading.update(batch)
        try:
            if batch:
                self._read(batch, begun_at, counted=False)
        finally:
            with self._changed:
                self._reading.difference_update(batch)
                self._changed.notify_all()
        found = {parts: self.get(parts) for parts in relations}
        return {parts: token for parts, token in found.items() if token is not None}

    def read_small(self, relations: Sequence[Parts], wait_s: float) -> list[Parts]:
        """Reads what takes no time in the calling thread, while no node runs, so that it takes no
        memory either; the relations that are left, after at most so many seconds."""
        small = getattr(self._provider, "small", None)
        if small is None:
            return list(relations)
        give_up_at = time.monotonic() + wait_s
        wanted = small(relations)
        if not wanted:
            return list(relations)
        with self._provider.using_little_memory():
            for start in range(0, len(wanted), _SMALL_BATCH):
                if time.monotonic() > give_up_at:
                    break
                self.read_now(wanted[start : start + _SMALL_BATCH])
        with self._changed:
            for parts in wanted:
                self._errors.pop(parts, None)  # with more memory it may be read
        return [parts for parts in relations if self.peek(parts) is None]

    # -- reads ahead ----------------------------------------------------------------------------

    def prefetch(self, relations: Sequence[Parts]) -> None:
        """Reads these, in this order, as far as nothing is waited for."""
        with self._changed:
            self._ahead.extend(relations)
            self._start_workers()

    def stop_prefetch(self) -> None:
        """What was not begun is not read ahead any more."""
        with self._changed:
            self._ahead.clear()
            self._pieces.clear()

    def close(self) -> None:
        """Answers ``None`` from now on, and closes the provider, which stops its reads."""
        with self._changed:
            self._closed = True
            self._ahead.clear()
            self._pieces.clear()
            self._urgent.clear()
            self._changed.notify_all()
        close = getattr(self._provider, "close", None)
        if close is not None:
            close()

    # -- writes ---------------------------------------------------------------------------------

    def invalidate(self, parts: Parts, views: Collection[Parts] = ()) -> None:
        """The relation was or is being written. ``views``, all that there are, lose what is known of
        them too: their columns follow what they read."""
        self._tell_provider(parts)
        with self._changed:
            self._clock += 1
            self._writes[parts] = self._clock
            self._values.pop(parts, None)
            for view in self._views:
                self._values.pop(view, None)
            self._views.clear()
            self._errors.pop(parts, None)
            for view in [error for error in self._errors if error in views]:
                del self._errors[view]  # what did not bind may do so now
            self._changed.notify_all()

    def invalidate_all(self) -> None:
        """Anything may have been written."""
        self._tell_provider(None)
        with self._changed:
            self._clock += 1
            self._everything_written_at = self._clock
            self._values.clear()
            self._views.clear()
            self._errors.clear()
            self._changed.notify_all()

    def _tell_provider(self, parts: Parts | None) -> None:
        forget = getattr(self._provider, "forget", None)
        if forget is not None:
            forget(parts)

    # -- reading --------------------------------------------------------------------------------

    def _start_workers(self) -> None:
        """With the lock. Threads end when there is nothing to do, so an idle cache has none."""
        self._workers = [thread for thread in self._workers if thread.is_alive()]
        wanted, there = 0, len(self._workers)
        if self._urgent and self._busy >= there:
            wanted = 1 if there < self._threads + _MOST_EXTRA_THREADS else 0
        elif self._ahead or self._pieces:
            wanted = max(0, self._threads - there)
        for _ in range(wanted):
            thread = threading.Thread(target=self._work, name="hodor-versions", daemon=True)
            thread.start()
            self._workers.append(thread)

    def _work(self) -> None:
        try:
            self._work_off()
        except Exception as error:  # noqa: BLE001 - nobody may wait for a thread that is gone
            with self._changed:
                self._broken = f"{type(error).__name__}: {error}"
                self._changed.notify_all()

    def _work_off(self) -> None:
        while True:
            with self._changed:
                batch = self._next_batch()
                if not batch:
                    # Under the same lock: a question that comes now starts another.
                    self._workers.remove(threading.current_thread())
                    return
                self._busy += 1
                self._reading.update(batch)
                begun_at = self._clock
            try:
                self._read(batch, begun_at)
            finally:
                with self._changed:
                    self._busy -= 1
                    self._reading.difference_update(batch)
                    self._changed.notify_all()

    def _next_batch(self) -> list[Parts]:
        """With the lock. What is waited for first, then the work list."""
        batch = self._take(self._urgent)
        if batch:
            return batch
        if len(self._workers) > self._threads:
            return []  # an extra thread was for a waiting node only
        while self._pieces or self._ahead:
            if not self._pieces:
                self._pieces.extend(self._split(self._take(self._ahead)))
                continue
            batch = [parts for parts in self._pieces.popleft() if self._unread(parts)]
            if batch:
                return batch
        return []

    def _take(self, queue: deque[Parts]) -> list[Parts]:
        batch: list[Parts] = []
        while queue and len(batch) < BATCH_RELATIONS:
            parts = queue.popleft()
            if self._unread(parts) and parts not in batch:
                batch.append(parts)
        return batch

    def _unread(self, parts: Parts) -> bool:
        return not (parts in self._values or parts in self._errors or parts in self._reading)

    def _split(self, batch: list[Parts]) -> list[list[Parts]]:
        batches = getattr(self._provider, "batches", None)
        return batches(batch) if batches is not None and batch else [batch]

    def _read(self, batch: list[Parts], begun_at: int, counted: bool = True) -> None:
        """Reads, tries what failed once more on its own, and keeps what is still true. Not `counted`:
        whoever waits for it counts its time."""
        failed = self._keep(self._ask(batch, counted), batch, begun_at, last=False)
        for parts in failed:
            with self._changed:
                begun_at = self._clock
            self._keep(self._ask([parts], counted), [parts], begun_at, last=True)

    def _ask(self, batch: list[Parts], counted: bool) -> dict[Parts, str | Exception]:
        cpu, wall = time.thread_time(), time.perf_counter()
        answers: dict[Parts, str | Exception] = {}
        try:
            answers.update(self._provider.versions(batch))
        except Exception as error:  # noqa: BLE001 - a failed read is an answer of its own
            answers.update(dict.fromkeys(batch, error))
        with self._changed:
            self.counters.statements += 1
            self.counters.relations += len(batch)
            self.counters.cpu_s += time.thread_time() - cpu if counted else 0.0
            self.counters.wall_s += time.perf_counter() - wall
        return answers

    def _keep(
        self, answers: dict[Parts, str | Exception], batch: list[Parts], begun_at: int, last: bool
    ) -> list[Parts]:
        """Keeps tokens and second errors; returns what is worth another try. Drops all that was
        written since the read began."""
        failed: list[Parts] = []
        with self._changed:
            for parts in batch:
                if max(self._writes.get(parts, 0), self._everything_written_at) > begun_at:
                    continue
                answer = answers.get(parts) or LookupError("no answer")
                if isinstance(answer, str):
                    is_view = answer.startswith("1;;")
                    if is_view and self._clock > begun_at:
                        continue  # something else was written, which may be what the view reads
                    self._values[parts] = answer
                    if is_view:
                        self._views.add(parts)
                elif last:
                    self._errors[parts] = str(answer) or type(answer).__name__
                else:
                    failed.append(parts)
            self._reading.difference_update(parts for parts in batch if parts not in failed)
            self._changed.notify_all()
        return failed
