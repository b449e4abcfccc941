"""Which lines of the core the corpus and the fuzz targets reach.

In:  --build: a build folder of the preset `coverage` with its fuzz targets; the repository's seeds and
     pairs; --corpus: a folder of <dialect>/*.jsonl with more texts, if there is one; seconds of mutation.
Out: per layer lines and the share that ran; with --least the exit code is 1 when `syntax` or `canonical`
     has less. With --missed the lines that never ran.
Never: counts a header once for each file that includes it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "fuzz"))

from guided import TARGETS, texts_of_corpus, texts_of_pairs, write_seeds  # noqa: E402

JUDGED = ("syntax", "canonical")
TEXTS_AT_MOST = 60_000

Lines = dict[Path, dict[int, bool]]
"""Source file -> line -> whether it ran."""


def run_targets(build: Path, corpus: Path | None, seconds: int) -> None:
    for counts in build.rglob("*.gcda"):
        counts.unlink()
    texts = list(dict.fromkeys(texts_of_pairs()))
    if corpus:
        texts += texts_of_corpus(corpus)
    with tempfile.TemporaryDirectory() as place:
        seeds = Path(place, "seeds")
        write_seeds(seeds, texts[:TEXTS_AT_MOST])
        for name in TARGETS:
            target = build / "tests" / "fuzz" / name
            subprocess.run(
                [target, f"-max_total_time={seconds}", seeds, ROOT / "tests" / "fuzz" / "seeds"],
                cwd=place,
                check=True,
            )


def lines_of(build: Path) -> Lines:
    """What gcov makes of the counts, merged over the objects that hold the same line."""
    found: Lines = defaultdict(dict)
    with tempfile.TemporaryDirectory() as place:
        counts = [str(path) for path in (build / "core").rglob("*.gcda")]
        command = [shutil.which("gcov-12") or "gcov", "--json-format", "--preserve-paths", *counts]
        subprocess.run(command, cwd=place, check=True, capture_output=True)
        for path in Path(place).glob("*.gcov.json.gz"):
            document = json.loads(gzip.decompress(path.read_bytes()))
            for file in document["files"]:
                source = Path(document["current_working_directory"], file["file"]).resolve()
                for line in file["lines"]:
                    ran = found[source].get(line["line_number"], False) or line["count"] > 0
                    found[source][line["line_number"]] = ran
    return found


def report(lines: Lines, *, missed: bool) -> dict[str, float]:
    """Prints a line per layer; the share of lines that ran, by layer."""
    core = ROOT / "core"
    layers: dict[str, list[bool]] = defaultdict(list)
    for source, ran in sorted(lines.items()):
        if not source.is_relative_to(core):
            continue
        layers[source.relative_to(core).parts[0]] += ran.values()
        never = [number for number in sorted(ran) if not ran[number]]
        if missed and never and source.relative_to(core).parts[0] in JUDGED:
            print(f"{source.relative_to(ROOT)}: {', '.join(map(str, never))}")
    shares = {layer: sum(ran) / len(ran) for layer, ran in layers.items()}
    for layer, share in sorted(shares.items()):
        print(f"{layer:<12} {len(layers[layer]):>6} lines  {share:>6.1%}")
    return shares


def main() -> int:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--build", type=Path, required=True)
    arguments.add_argument("--corpus", type=Path)
    arguments.add_argument("--least", type=float, default=0.0)
    arguments.add_argument("--missed", action="store_true")
    arguments.add_argument("seconds", type=int, nargs="?", default=20)
    given = arguments.parse_args()
    run_targets(given.build.resolve(), given.corpus, given.seconds)
    shares = report(lines_of(given.build.resolve()), missed=given.missed)
    below = [layer for layer in JUDGED if shares.get(layer, 0.0) < given.least]
    for layer in below:
        print(f"{layer} is below {given.least:.0%}")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
