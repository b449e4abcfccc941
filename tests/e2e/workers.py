"""The pair of worker processes: one that may load the plugin, one that cannot.

In:  requests for either or both sides.
Out: the answers; both sides work at the same time.
Never: lets a request wait for ever; a worker that dies is named with its last words and restarted.
"""

from __future__ import annotations

import importlib.util
import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
REQUEST_TIMEOUT_S = 480

SETTINGS = {
    "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    "DBT_ENGINE_SEND_ANONYMOUS_USAGE_STATS": "false",
    "PYTHONUNBUFFERED": "1",
    "TZ": "UTC",
}


def plugin_path() -> str:
    """From where this interpreter loads hodor: the source tree, or an installed package."""
    found = importlib.util.find_spec("dbt_hodor")
    assert found is not None and found.origin is not None, "dbt_hodor is not installed here"
    return str(Path(found.origin).parents[1])


def environment(plain: bool) -> dict[str, str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("HODOR_", "DBT_", "PYTHON"))}
    env |= SETTINGS
    if plain:
        env["HODOR_E2E_PLAIN"] = "1"
    else:
        env["PYTHONPATH"] = plugin_path()
    return env


class WorkerDied(Exception):
    """The process ended, or did not answer in time, while it worked on a request."""


class Worker:
    """One process. Not thread safe: one request is in flight at a time."""

    def __init__(self, plain: bool, errors: Path) -> None:
        self._plain = plain
        self._errors = errors
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.Queue[str | None] = queue.Queue()

    def start(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        self._answers = queue.Queue()
        with self._errors.open("w") as errors:
            self._process = subprocess.Popen(
                [sys.executable, str(HERE / "worker.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment(self._plain),
                text=True,
            )
        threading.Thread(
            target=self._read, args=(self._process, self._answers), daemon=True
        ).start()

    @staticmethod
    def _read(process: subprocess.Popen[str], answers: queue.Queue[str | None]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            answers.put(line)
        answers.put(None)

    def send(self, request: dict[str, Any]) -> None:
        alive = self._process is not None and self._process.poll() is None
        if not alive:
            self.start()
            if self._answer().get("ready") is not True:
                raise WorkerDied(self._last_words())
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        try:
            line = self._answers.get(timeout=REQUEST_TIMEOUT_S)
        except queue.Empty:
            self.stop()
            raise WorkerDied(f"no answer in {REQUEST_TIMEOUT_S} s\n{self._last_words()}") from None
        if line is None:
            raise WorkerDied(self._last_words())
        return json.loads(line)

    def _last_words(self) -> str:
        side = "plain" if self._plain else "plugin"
        return f"the {side} worker ended:\n{self._errors.read_text(errors='replace')[-4000:]}"

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.poll() is None:
            process.kill()
            process.wait()


class Pair:
    """Ours (``a``) and the plain twin (``b``)."""

    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.root = root
        self.a = Worker(False, root / "a.err")
        self.b = Worker(True, root / "b.err")

    def both(self, a: dict[str, Any], b: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        self.a.send(a)
        self.b.send(b)
        try:
            first = self.a.receive()
        except WorkerDied:
            self.b.receive()
            raise
        return first, self.b.receive()

    def stop(self) -> None:
        self.a.stop()
        self.b.stop()
