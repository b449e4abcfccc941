"""Planted faults against random sequences: the twin alone says whether a fault is found.

In:  a fault's name and the number of a sequence. Out: the differences that the twin shows with it.
Never: looks at a decision or a reason: a fault that only builds too often is not found here.

The plain side of a sequence does not depend on the fault, so it is run once and its answers are kept.

Finds the sequences again after a change of the random worlds (they are committed in found_faults.json):

    cd tests && python -m model.planted [--tries 12] [FAULT ...]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from e2e.twin import Twin
from e2e.workers import Pair, Worker
from model.faults import FAULTS
from model.sequence import Sequence, make, play

FOUND = Path(__file__).with_name("found_faults.json")
UP_TO = 400
"""The last sequence that is a candidate."""
TRIES = 12
FEW = 3
"""So many texts with a word are enough."""


class Remembering:
    """Stands for the plain worker: asks it once per request of a sequence, then repeats the answers."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._answers: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self._waiting: deque[dict[str, Any] | None] = deque()
        self._next = 0

    def rewind(self) -> None:
        self._next = 0

    def send(self, request: dict[str, Any]) -> None:
        if self._next < len(self._answers):
            asked, answer = self._answers[self._next]
            assert asked == request, "a sequence depends on its number alone"
            self._waiting.append(answer)
        else:
            self._worker.send(request)
            self._waiting.append(None)
            self._answers.append((request, {}))
        self._next += 1

    def receive(self) -> dict[str, Any]:
        answer = self._waiting.popleft()
        if answer is None:
            answer = self._worker.receive()
            self._answers[-1] = (self._answers[-1][0], answer)
        return answer

    def stop(self) -> None:
        self._worker.stop()


class Find(NamedTuple):
    sequence: int
    step: int
    """After which it shows."""


class Trial:
    """One sequence, or its beginning, as often as there are faults to plant."""

    def __init__(
        self, pair: Pair, number: int, last: int | None = None, failures: Path | None = None
    ) -> None:
        self._number, self._steps = number, make(number).steps[: None if last is None else last + 1]
        self._failures = failures
        self._plain = Remembering(pair.b)
        self._pair = Pair(pair.root)
        self._pair.a, self._pair.b = pair.a, self._plain  # type: ignore[assignment]
        differs = self._play("no fault")
        if differs:
            print(f"{number}: DIFFERS WITHOUT A FAULT: {differs[0]}", flush=True)
        self.sound = not differs
        """Whether it differs in nothing as it is. This asks the plain side for everything: after a
        sequence that was given up, its warehouse would be another."""

    def problems(self, fault: str) -> list[str]:
        """What the twin finds with this fault."""
        self._plant([fault])
        try:
            return self._play(fault)
        finally:
            self._plant([])

    def _play(self, name: str) -> list[str]:
        self._plain.rewind()
        twin = Twin(self._pair, f"{name}-{self._number}", self._failures)
        return play(twin, self._steps).problems

    def _plant(self, names: list[str]) -> None:
        self._pair.a.send({"cmd": "fault", "names": names})
        reply = self._pair.a.receive()
        assert "error" not in reply, reply["error"]


@cache
def made(number: int) -> Sequence:
    return make(number)


def candidates(fault: str) -> list[int]:
    """Sequences with what should provoke the fault: those with much of it first, then short ones."""
    ranks = {}
    for number in range(1, UP_TO + 1):
        sequence = made(number)
        texts = [f"{step.get('content')} {step.get('command')}" for step in sequence.steps]
        edits = sum(sequence.edits[edit] for edit in FAULTS[fault].edits)
        words = sum(word in text for word in FAULTS[fault].words for text in texts)
        if edits and words:
            ranks[number] = (-edits * min(words, FEW), len(sequence.runs), number)
    return sorted(ranks, key=lambda number: ranks[number])


def search(faults: Iterable[str], tries: int) -> Iterator[tuple[str, Find]]:
    """For each fault a sequence that finds it, if one of the first few candidates does."""
    trials: dict[int, Trial] = {}
    with tempfile.TemporaryDirectory(dir=memory_folder()) as root:
        pair = Pair(Path(root))
        try:
            for name in faults:
                for number in candidates(name)[:tries]:
                    if number not in trials:
                        trials[number] = Trial(pair, number)
                    trial = trials[number]
                    if trial.sound and (problems := trial.problems(name)):
                        print(f"{name}: {number}: {problems[0][:150]}", flush=True)
                        step = int(problems[0].split(":")[0].removeprefix("step "))
                        yield name, Find(number, step)
                        break
                else:
                    print(f"{name}: not found", flush=True)
        finally:
            pair.stop()


def memory_folder() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def committed() -> dict[str, Find]:
    return {str(name): Find(*find) for name, find in json.loads(FOUND.read_text()).items()}


def main() -> int:
    parser = argparse.ArgumentParser(description="Finds a random sequence for each planted fault.")
    parser.add_argument("faults", nargs="*", help="default: all")
    parser.add_argument(
        "--tries", type=int, default=TRIES, help="sequences that are tried for each"
    )
    options = parser.parse_args()
    found = committed() if options.faults and FOUND.exists() else {}
    for name in options.faults:
        found.pop(name, None)
    for name, find in search(options.faults or FAULTS, options.tries):
        found[name] = find
        FOUND.write_text(json.dumps(dict(sorted(found.items())), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
