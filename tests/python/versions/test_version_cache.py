"""The version cache: one read at a time, writes that overtake a read, errors, waits.

Goal: a node never gets a token from before a write, and never waits for ever.
Method: fake providers that count, sleep on an event, fail and hang.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from dbt_hodor.versions import cache as version_cache
from dbt_hodor.versions.base import Parts
from dbt_hodor.versions.cache import VersionCache

A, B, C = ("d", "s", "a"), ("d", "s", "b"), ("d", "s", "c")


class Fake:
    """Answers with the state of a dict; calls `before` with each batch."""

    def __init__(self, before: Callable[[Sequence[Parts]], None] = lambda batch: None) -> None:
        self.before = before
        self.state: dict[Parts, Any] = {}
        self.calls: list[list[Parts]] = []
        self.forgotten: list[Any] = []
        self.lock = threading.Lock()
        self.closed = False

    def versions(self, relations: Sequence[Parts]) -> dict[Parts, Any]:
        with self.lock:
            self.calls.append(list(relations))
        answers = {parts: self.state.get(parts, f"1;{parts[2]};;x") for parts in relations}
        self.before(relations)
        return answers

    def forget(self, parts: Any) -> None:
        self.forgotten.append(parts)

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def opened() -> Any:
    caches: list[VersionCache] = []

    def open_cache(provider: Any, **options: Any) -> VersionCache:
        caches.append(VersionCache(provider, **options))
        return caches[-1]

    yield open_cache
    for cache in caches:
        cache.close()


def run(count: int, work: Callable[[int], None]) -> None:
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()


def wait_until(condition: Callable[[], bool]) -> None:
    give_up_at = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < give_up_at
        time.sleep(0.005)


def test_read_once_for_many(opened: Any) -> None:
    fake = Fake(lambda batch: time.sleep(0.05))
    cache = opened(fake)
    found: list[Any] = []
    run(16, lambda number: found.append(cache.get(A)))
    assert found == ["1;a;;x"] * 16
    assert sum(A in call for call in fake.calls) == 1
    assert cache.counters.relations == 1


def test_prefetch_is_in_order_and_in_batches(opened: Any) -> None:
    fake = Fake()
    cache = opened(fake, threads=1)
    relations = [("d", "s", str(number)) for number in range(120)]
    cache.prefetch(relations)
    assert cache.get(relations[-1]) == "1;119;;x"
    wait_until(lambda: all(cache.peek(parts) for parts in relations))
    assert [parts for call in fake.calls for parts in call if parts != relations[-1]] == relations[
        :-1
    ]
    assert max(len(call) for call in fake.calls) == 50


def test_a_question_goes_before_the_work_list(opened: Any) -> None:
    gate = threading.Event()
    fake = Fake(lambda batch: gate.wait(10) if A not in batch else None)
    cache = opened(fake, threads=1)
    cache.prefetch([("d", "s", str(number)) for number in range(500)])
    wait_until(lambda: bool(fake.calls))
    assert cache.get(A, timeout_s=10) == "1;a;;x"  # every thread is held up by the gate
    gate.set()


def test_a_read_that_a_write_overtook_is_dropped(opened: Any) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def hold(batch: Sequence[Parts]) -> None:
        if len(fake.calls) == 1:
            begun.set()
            go_on.wait(10)

    fake = Fake(hold)
    fake.state[A] = "1;old;;x"
    cache = opened(fake)
    cache.prefetch([A])
    assert begun.wait(10)
    fake.state[A] = "1;new;;x"
    cache.invalidate(A)
    go_on.set()
    assert cache.get(A) == "1;new;;x"
    assert fake.forgotten == [A]


@pytest.mark.parametrize("everything", [False, True])
def test_invalidated_values_are_read_again(opened: Any, everything: bool) -> None:
    fake = Fake()
    cache = opened(fake)
    assert cache.get(A) == "1;a;;x"
    fake.state[A] = "1;a2;;x"
    assert cache.get(A) == "1;a;;x"
    if everything:
        cache.invalidate_all()
    else:
        cache.invalidate(A)
    assert cache.get(A) == "1;a2;;x"


def test_an_old_question_gets_the_new_value(opened: Any) -> None:
    """A question that waits while its relation is written waits for the second read."""
    go_on = threading.Event()
    fake = Fake(lambda batch: go_on.wait(10) if len(fake.calls) == 1 else None)
    fake.state[A] = "1;old;;x"
    cache = opened(fake)
    found: list[Any] = []
    asking = threading.Thread(target=lambda: found.append(cache.get(A)))
    asking.start()
    wait_until(lambda: bool(fake.calls))
    fake.state[A] = "1;new;;x"
    cache.invalidate_all()
    go_on.set()
    asking.join(10)
    assert found == ["1;new;;x"]


def test_views_are_dropped_with_any_write(opened: Any) -> None:
    fake = Fake()
    fake.state[B] = "1;;;columns"
    cache = opened(fake)
    assert cache.get(B) == "1;;;columns"
    assert cache.get(C) == "1;c;;x"
    fake.state[B] = "1;;;other columns"
    cache.invalidate(A)
    assert cache.get(B) == "1;;;other columns"
    assert sum(C in call for call in fake.calls) == 1


def test_a_view_read_while_something_was_written_is_dropped(opened: Any) -> None:
    go_on = threading.Event()
    fake = Fake(lambda batch: go_on.wait(10) if len(fake.calls) == 1 else None)
    fake.state[B] = "1;;;old"
    cache = opened(fake)
    cache.prefetch([B])
    wait_until(lambda: bool(fake.calls))
    fake.state[B] = "1;;;new"
    cache.invalidate(A)
    go_on.set()
    assert cache.get(B) == "1;;;new"


class Failing(Fake):
    """Fails for `A`: the first `failures` times, as one answer or as a whole."""

    def __init__(self, failures: int, whole: bool) -> None:
        super().__init__()
        self.failures = failures
        self.whole = whole

    def versions(self, relations: Sequence[Parts]) -> dict[Parts, Any]:
        answers = super().versions(relations)
        if A in relations and self.failures > 0:
            self.failures -= 1
            if self.whole:
                raise RuntimeError("no luck")
            answers[A] = RuntimeError("no luck")
        return answers


@pytest.mark.parametrize("whole", [False, True])
def test_an_error_is_tried_once_more(opened: Any, whole: bool) -> None:
    cache = opened(Failing(1, whole), threads=1)
    cache.prefetch([A, B])
    assert cache.get(A) == "1;a;;x"
    assert cache.get(B) == "1;b;;x"
    assert cache.errors() == {}


@pytest.mark.parametrize("whole", [False, True])
def test_a_second_error_is_unknown_until_a_write(opened: Any, whole: bool) -> None:
    fake = Failing(2, whole)
    cache = opened(fake, threads=1)
    cache.prefetch([A, B])
    assert cache.get(A) is None
    assert cache.get(A) is None
    assert cache.get(B) == "1;b;;x"
    assert cache.errors() == {A: "no luck"}
    assert sum(A in call for call in fake.calls) == 2
    cache.invalidate(A)
    assert cache.errors() == {}
    assert cache.get(A) == "1;a;;x"


def test_an_answer_that_is_missing_or_empty_is_an_error(opened: Any) -> None:
    fake = Fake()
    fake.state[A] = ""
    cache = opened(fake)
    assert cache.get(A) is None
    assert A in cache.errors()


def test_a_wait_ends(opened: Any) -> None:
    gate = threading.Event()
    fake = Fake(lambda batch: gate.wait(20) if A in batch else None)
    cache = opened(fake, threads=1)
    before = time.monotonic()
    assert cache.get(A, timeout_s=0.1) is None
    assert time.monotonic() - before < 5
    assert cache.errors() == {}  # not an answer: it may still come
    assert cache.get(B, timeout_s=10) == "1;b;;x"
    gate.set()
    assert cache.get(A, timeout_s=10) == "1;a;;x"


def test_closing_ends_waits_and_closes_the_provider(opened: Any) -> None:
    gate = threading.Event()
    fake = Fake(lambda batch: gate.wait(20))
    cache = opened(fake)
    found: list[Any] = []
    asking = threading.Thread(target=lambda: found.append(cache.get(A)))
    asking.start()
    wait_until(lambda: bool(fake.calls))
    cache.close()
    asking.join(10)
    assert found == [None]
    assert fake.closed
    assert cache.get(B) is None
    gate.set()


def test_stop_prefetch_leaves_questions_alone(opened: Any) -> None:
    gate = threading.Event()
    fake = Fake(lambda batch: gate.wait(10) if len(fake.calls) == 1 else None)
    cache = opened(fake, threads=1)
    cache.prefetch([("d", "s", str(number)) for number in range(200)])
    wait_until(lambda: bool(fake.calls))
    cache.stop_prefetch()
    gate.set()
    assert cache.get(A) == "1;a;;x"
    wait_until(lambda: not cache._workers)
    assert sum(len(call) for call in fake.calls) <= 51


def test_a_provider_may_split_batches(opened: Any) -> None:
    fake = Fake()
    fake.batches = lambda relations: [[parts] for parts in relations]  # type: ignore[attr-defined]
    cache = opened(fake, threads=1)
    cache.prefetch([A, B, C])
    assert cache.get(C) == "1;c;;x"
    assert cache.get(A) == "1;a;;x"
    assert all(len(call) == 1 for call in fake.calls)


@pytest.mark.parametrize("seed", range(6))
def test_random_traffic_never_gives_an_old_token(opened: Any, seed: int) -> None:
    """Writers change the state, then invalidate; a reader that asks after an invalidation must see
    that state or a newer one."""
    chance = random.Random(seed)
    relations = [("d", "s", str(number)) for number in range(6)]
    fake = Fake(lambda batch: time.sleep(chance.random() * 0.003))
    numbers = dict.fromkeys(relations, 0)
    settled = dict.fromkeys(relations, 0)
    for parts in relations:
        fake.state[parts] = "1;0;;x"
    cache = opened(fake, threads=2)
    wrong: list[Any] = []

    def write(parts: Parts) -> None:
        for _ in range(40):
            numbers[parts] += 1
            fake.state[parts] = f"1;{numbers[parts]};;x"
            if chance.random() < 0.1:
                cache.invalidate_all()
            else:
                cache.invalidate(parts)
            settled[parts] = numbers[parts]
            time.sleep(chance.random() * 0.004)

    def ask() -> None:
        for _ in range(150):
            parts = chance.choice(relations)
            least = settled[parts]
            answer = cache.get(parts, timeout_s=10)
            if answer is None or int(answer.split(";")[1]) < least:
                wrong.append((parts, least, answer))

    cache.prefetch(relations * 5)
    workers = [threading.Thread(target=write, args=(parts,)) for parts in relations]
    workers += [threading.Thread(target=ask) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert not wrong
    assert all(cache.get(parts) == f"1;{numbers[parts]};;x" for parts in relations)


def test_a_question_while_the_last_reader_leaves_is_read(
    opened: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that found nothing to do counts as gone from that moment on."""
    found_nothing, asked = threading.Event(), threading.Event()
    cache = opened(Fake(), threads=1)
    plain = VersionCache._work_off

    def leave_slowly(self: VersionCache) -> None:
        plain(self)
        if not found_nothing.is_set():
            found_nothing.set()
            asked.wait(10)

    monkeypatch.setattr(VersionCache, "_work_off", leave_slowly)
    cache.prefetch([A])
    assert found_nothing.wait(10)
    try:
        assert cache.get(B, timeout_s=5) == "1;b;;x"
    finally:
        asked.set()


def test_a_reader_that_died_is_replaced(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever ended it, nobody waits for it longer than a look takes."""
    monkeypatch.setattr(version_cache, "_LOOK_AGAIN_S", 0.05)
    monkeypatch.setattr(threading, "excepthook", lambda info: None)
    cache = opened(Fake(), threads=1)
    plain, died = VersionCache._work, threading.Event()

    def die_once(self: VersionCache) -> None:
        if not died.is_set():
            died.set()
            raise SystemError
        plain(self)

    monkeypatch.setattr(VersionCache, "_work", die_once)
    assert cache.get(A, timeout_s=10) == "1;a;;x"
    assert died.is_set()
