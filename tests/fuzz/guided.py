"""Runs the fuzz targets under libFuzzer: first the canary, whose planted fault has to be found.

In:  --targets: the folder of the built targets; the seeds and pairs of the repository; --corpus: a folder
     of <dialect>/*.jsonl with more texts, if there is one; the seconds for each target.
Out: libFuzzer's last lines. Exit code 1 when the canary was not found or a target broke; the input that
     did it lies in the folder of the targets.
Never: shows the canary a seed that breaks it already.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAIRS = HERE.parent / "metamorphic"
TARGETS = ("fuzz_lexer", "fuzz_parser", "fuzz_analyze", "fuzz_record")
LONGEST_BYTES = 2_000
TEXTS_OF_CORPUS = 1_500
WORDS = 1_200
CANARY_WORD = "intersect"
CANARY_SEEDS = 100


def texts_of_pairs() -> Iterator[str]:
    """Both sides of every pair."""
    for path in sorted(PAIRS.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            yield from (value for value in row.values() if isinstance(value, str) and " " in value)


def texts_of_corpus(corpus: Path) -> Iterator[str]:
    """All of them, in the order of the files."""
    for path in sorted(corpus.glob("*/*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)["sql"]


def write_seeds(folder: Path, texts: list[str]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for text in texts:
        if len(text.encode()) <= LONGEST_BYTES:
            (folder / hashlib.sha256(text.encode()).hexdigest()[:20]).write_text(text)


def write_words(path: Path, texts: list[str]) -> None:
    """Words and symbols that several texts have, as a dictionary of libFuzzer."""
    counts: dict[str, int] = {}
    for text in texts:
        for word in set(re.findall(r"[A-Za-z_]{2,20}|[^\sA-Za-z0-9_]{1,3}", text)):
            if word.isascii():
                counts[word] = counts.get(word, 0) + 1
    common = sorted(counts, key=lambda word: (-counts[word], word))[:WORDS]
    escaped = (word.replace("\\", "\\\\").replace('"', '\\"') for word in common)
    path.write_text("".join(f'"{word}"\n' for word in escaped))


def fuzz(target: Path, seconds: int, words: Path, *seeds: Path) -> subprocess.CompletedProcess[str]:
    found = target.parent / "found" / target.name
    found.mkdir(parents=True, exist_ok=True)
    command = [
        str(target),
        f"-max_total_time={seconds}",
        f"-max_len={LONGEST_BYTES}",
        "-timeout=25",
    ]
    command += [f"-dict={words}", "-print_final_stats=1", str(found), *map(str, seeds)]
    done = subprocess.run(
        command, cwd=target.parent, text=True, errors="replace", capture_output=True
    )
    print(f"{target.name}: exit code {done.returncode}")
    print("\n".join(line for line in done.stderr.splitlines() if line.startswith("stat::")))
    return done


def main() -> int:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--targets", type=Path, required=True)
    arguments.add_argument("--corpus", type=Path)
    arguments.add_argument("--only", action="append", choices=TARGETS)
    arguments.add_argument("seconds", type=int, nargs="?", default=600)
    given = arguments.parse_args()
    home = given.targets.resolve()
    texts = list(dict.fromkeys(texts_of_pairs()))
    if given.corpus:
        found = list(texts_of_corpus(given.corpus))
        texts += random.Random(1).sample(
            found, min(TEXTS_OF_CORPUS, len(found))
        )  # the same each time
    words = home / "words.dict"
    write_words(words, texts)
    write_seeds(home / "seeds", texts)
    plain = [text for text in texts if CANARY_WORD not in text.lower()]
    # Few seeds and words: a canary has to be found in seconds.
    write_seeds(home / "canary_seeds", sorted(plain, key=len)[:CANARY_SEEDS])
    canary_words = home / "canary_words.dict"
    canary_words.write_text(f'" {CANARY_WORD} "\n"select "\n')
    shutil.rmtree(home / "found" / "canary", ignore_errors=True)
    canary = fuzz(home / "canary", given.seconds, canary_words, home / "canary_seeds")
    if "CANARY" not in canary.stderr:
        print("the fuzzer did not find the planted fault")
        return 1
    broken = False
    for name in given.only or TARGETS:
        seeds = [home / "seeds"] if name != "fuzz_record" else []
        done = fuzz(home / name, given.seconds, words, *seeds, HERE / "seeds")
        if done.returncode != 0:
            broken = True
            print(done.stderr[-4_000:])
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
