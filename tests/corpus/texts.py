"""Prints the canonical text of each query of a corpus, and holds it against the query.

In:  --corpus: a directory of <dialect>/*.jsonl, each line an object with "sql", not part of the repository.
Out: per dialect how many texts were printed and how (see TextSource in analyze.hpp); those that were not, by
     file. Exit status 1 when a canonical text has another hash than its query, or prints another text.
Never: runs a query.

    python tests/corpus/texts.py --corpus DIR
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from dbt_hodor import _core

NO_IDS = _core.RelationIds([])
SHOWN = 20  # texts of a kind


def check(sql: str, dialect: str) -> tuple[str, str]:
    """How the text was printed ("-": there is no canonical form), and what is wrong with it."""
    once = _core.analyze(sql, dialect, [], NO_IDS, None, True, None, True)
    if once.tier == "text":
        return "-", ""
    again = _core.analyze(once.text, dialect, [], NO_IDS, None, True, None, True)
    wrong = ""
    if again.code_hash != once.code_hash:
        wrong = "another hash"
    elif again.text != once.text:
        wrong = "prints another text"
    return ("-" if once.tier == "tokens" else once.text_source), wrong


def run(directory: Path) -> bool:
    """False when something is wrong with a text."""
    passed, is_empty = True, True
    for folder in sorted(path for path in directory.iterdir() if path.is_dir()):
        counts: Counter[str] = Counter()
        by_file: Counter[tuple[str, str]] = Counter()
        for path in sorted(folder.glob("*.jsonl")):
            for line in path.open(encoding="utf-8"):
                sql = json.loads(line)["sql"]
                source, wrong = check(sql, folder.name)
                counts[source] += 1
                is_empty = False
                if wrong or source == "unprinted":
                    by_file[wrong or source, path.name] += 1
                    if by_file[wrong or source, path.name] <= SHOWN:
                        print(f"  {wrong or source}: {path.name}: {' '.join(sql.split())[:200]}")
                passed &= not wrong
        canonical = counts.total() - counts["-"]
        kinds = ", ".join(f"{count} {name}" for name, count in counts.most_common())
        print(
            f"canonical texts, {folder.name}: {counts['form'] + counts['kept_names']} of {canonical} "
            f"texts of the canonical tier are printed ({kinds})"
        )
        for (kind, name), count in sorted(by_file.items()):
            print(f"    {count:4} {kind}: {name}")
    return passed and not is_empty


def main() -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--corpus", type=Path, required=True)
    return 0 if run(parser.parse_args().corpus) else 1


if __name__ == "__main__":
    sys.exit(main())
