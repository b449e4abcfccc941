"""Times one SQL parser in a process of its own.

In:  the parser's name as the argument; questions as JSON lines on standard input.
Out: one JSON line for each.
Never: more than one thread, but for a batch; anything but the parser's own work between the clocks.

    hodor     tree, canonical form, facts, SHA-256: all that a decision needs of a text
    duckdb    extract_statements: the engine's own parser
    sqlglot   parse, qualify and generate, as tools built on it do for a hash (sqlglotc: compiled)
    polyglot  parse
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

Parse = Callable[[str, str], object]
"""(sql, dialect)"""


def hodor() -> tuple[str, Parse]:
    from importlib.metadata import version

    from dbt_hodor import _core

    def parse(sql: str, dialect: str) -> object:
        return _core.analyze_batch([(sql, None)], dialect, 1)

    try:
        return version("dbt-hodor"), parse
    except Exception:
        return "of this tree", parse


def duckdb() -> tuple[str, Parse]:
    import duckdb as engine

    connection = engine.connect()
    return engine.__version__, lambda sql, dialect: connection.extract_statements(sql)


def sqlglot() -> tuple[str, Parse]:
    import sqlglot as library
    from sqlglot.optimizer.qualify import qualify

    def parse(sql: str, dialect: str) -> object:
        tree = qualify(
            library.parse_one(sql, read=dialect),
            dialect=dialect,
            validate_qualify_columns=False,
            expand_stars=False,
            identify=True,
            canonicalize_table_aliases=True,
        )
        return tree.sql(dialect=dialect)

    return library.__version__, parse


def polyglot() -> tuple[str, Parse]:
    import polyglot_sql as library

    return getattr(library, "__version__", "?"), lambda sql, dialect: library.parse(sql, dialect)


PARSERS: dict[str, Callable[[], tuple[str, Parse]]] = {
    "hodor": hodor,
    "duckdb": duckdb,
    "sqlglot": sqlglot,
    "sqlglotc": sqlglot,
    "polyglot": polyglot,
}


def time_once(name: str, parse: Parse, dialect: str, sqls: list[str]) -> float | None:
    """CPU seconds; ``None`` when the parser does not read the dialect. A text that it refuses counts
    with the time until it did."""
    if name == "duckdb" and dialect != "duckdb":
        return None
    started = time.process_time()
    for sql in sqls:
        try:  # noqa: SIM105 - what it costs is measured
            parse(sql, dialect)
        except Exception:
            pass
    return time.process_time() - started


def batch(dialect: str, sqls: list[str]) -> float:
    """Wall seconds for all texts by the one call that uses all cores."""
    from dbt_hodor import _core

    started = time.perf_counter()
    _core.analyze_batch([(sql, None) for sql in sqls], dialect, os.cpu_count() or 1)
    return time.perf_counter() - started


def memory(parse: Parse, dialect: str, sqls: list[str]) -> int:
    """By how many bytes the peak of resident memory grows."""

    def peak() -> int:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024

    with open("/proc/self/clear_refs", "w") as reset:
        reset.write("5")  # the peak is that of now
    before = peak()
    for sql in sqls:
        parse(sql, dialect)
    return peak() - before


def main() -> None:
    name = sys.argv[1]
    version, parse = PARSERS[name]()
    for line in sys.stdin:
        question: dict[str, Any] = json.loads(line)
        answer: dict[str, Any] = {"version": version}
        if question["what"] == "time":
            answer["seconds"] = time_once(name, parse, question["dialect"], question["sqls"])
        elif question["what"] == "batch":
            answer["seconds"] = batch(question["dialect"], question["sqls"])
        elif question["what"] == "memory":
            answer["bytes"] = memory(parse, question["dialect"], question["sqls"])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
