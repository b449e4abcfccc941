"""Lets SIGTERM end a run the way Ctrl+C does, so that finished nodes keep their records.

In:  nothing.
Out: a context in which SIGTERM raises SystemExit in the main thread; afterwards the signal is given
     its former meaning and, if it came, delivered again, so that the process ends as it would have.
Never: touches a signal that is ignored, or one outside the main thread.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def unwinding_on_sigterm(is_wanted: Callable[[], bool]) -> Iterator[None]:
    """Runs its body with SIGTERM turned into an exception while `is_wanted()`. The process then ends
    by the signal."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = signal.getsignal(signal.SIGTERM)
    if former in (signal.SIG_IGN, None):
        yield
        return
    came: list[int] = []

    def handler(number: int, frame: FrameType | None) -> None:
        came.append(number)
        if callable(former):
            former(number, frame)  # someone else decides; if it returns, the run goes on
            came.clear()
            return
        if not is_wanted():
            signal.signal(signal.SIGTERM, former)
            os.kill(os.getpid(), number)
        elif len(came) == 1:
            raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, handler)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGTERM) is handler:
            signal.signal(signal.SIGTERM, former)
        if came and not callable(former):
            os.kill(os.getpid(), signal.SIGTERM)
