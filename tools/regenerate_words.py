"""Makes the word lists in core/syntax/data from installed engines, and the C++ table from the lists.

In:  the engines of the running interpreter (duckdb, pyspark: whichever is installed), the lists.
Out: data files named after the engine version; core/syntax/src/words/tables.inc.
Never: edits a list that is kept by hand (volatile, settled, pure table functions).

    python tools/regenerate_words.py            all installed engines, then the table
    python tools/regenerate_words.py --table    the table only
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "core" / "syntax" / "data"
TABLE = ROOT / "core" / "syntax" / "src" / "words" / "tables.inc"
DIALECTS = ("duckdb", "databricks")

# From the class that promises most about a word to the one that promises least: where versions of an
# engine disagree, the last of them holds.
CLASSES = ("reserved", "strict", "type_function", "column_name", "unreserved")

# A list's name within its engine, e.g. "keywords", to its lines.
Lists = dict[str, list[str]]


def duckdb_lists() -> tuple[str, Lists]:
    """The lists of the installed duckdb, and the prefix of their file names."""
    import duckdb

    connection = duckdb.connect()

    def column(sql: str) -> list[str]:
        return sorted({str(row[0]) for row in connection.execute(sql).fetchall()})

    lists = {
        "keywords": column(
            "select distinct keyword_name || ' ' || keyword_category from duckdb_keywords()"
        ),
        "functions": column(
            "select lower(function_name) from duckdb_functions() "
            "where function_type in ('scalar', 'aggregate', 'macro', 'window')"
        ),
        "table_functions": column(
            "select lower(function_name) from duckdb_functions() "
            "where function_type in ('table', 'table_macro')"
        ),
    }
    connection.close()
    return f"duckdb-{duckdb.__version__}", lists


def duckdb_functions(condition: str) -> list[str]:
    """Names of the installed duckdb's functions for which an SQL condition holds."""
    import duckdb

    connection = duckdb.connect()
    rows = connection.execute(
        f"select distinct lower(function_name) from duckdb_functions() where {condition}"
    ).fetchall()
    connection.close()
    return sorted(str(row[0]) for row in rows)


def unstable_duckdb_functions() -> list[str]:
    """Functions that the installed duckdb itself does not call stable."""
    return duckdb_functions(
        "stability is not null and stability <> 'CONSISTENT' and function_type <> 'pragma'"
    )


def catalog_macros() -> list[str]:
    """Macros of the installed DuckDB that read its catalogs."""
    return duckdb_functions("function_type = 'macro' and macro_definition ilike '%from %'")


def spark_lists() -> tuple[str, Lists]:
    """The lists of the installed pyspark (starts a JVM), and the prefix of their file names."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    parser = session._jsparkSession.sessionState().sqlParser()

    def parses(sql: str) -> bool:
        try:
            parser.parsePlan(sql)
        except Exception:  # noqa: BLE001  the JVM's parse error has no class of its own here
            return False
        return True

    ansi = ("spark.sql.ansi.enabled", "spark.sql.ansi.enforceReservedKeywords")
    for setting in ansi:  # without them it calls no word reserved
        session.conf.set(setting, "true")
    words = session.sql("select keyword, reserved from sql_keywords()").collect()
    for setting in ansi:
        session.conf.unset(setting)
    keywords = []
    for word, reserved in words:
        # A strict word is the only one that cannot name a table without quotes.
        is_strict = not parses(f"select * from t as {word}")
        word_class = "strict" if is_strict else "reserved" if reserved else "unreserved"
        keywords.append(f"{word.lower()} {word_class}")
    catalyst = session._jvm.org.apache.spark.sql.catalyst.analysis

    def names(registry: object) -> list[str]:
        iterator = registry.builtin().listFunction().iterator()  # type: ignore[attr-defined]
        found = []
        while iterator.hasNext():
            found.append(str(iterator.next().funcName()).lower())
        return sorted(set(found))

    lists = {
        "keywords": sorted(keywords),
        "functions": names(catalyst.FunctionRegistry),
        "table_functions": names(catalyst.TableFunctionRegistry),
    }
    version = session.version
    session.stop()
    return f"databricks-spark-{version}", lists


def read_list(path: Path) -> list[str]:
    """The lines of a list; a missing file is an error."""
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def versions_of(dialect: str) -> list[str]:
    """File name prefixes of the engine versions known for a dialect, e.g. "duckdb-2.0.1"."""
    suffix = ".keywords.txt"
    return sorted(path.name[: -len(suffix)] for path in DATA.glob(f"{dialect}-*{suffix}"))


def in_every_version(dialect: str, name: str) -> list[str]:
    """Lines that the list `name` has in all versions of the dialect."""
    versions = [set(read_list(DATA / f"{prefix}.{name}.txt")) for prefix in versions_of(dialect)]
    return sorted(set.intersection(*versions))


def in_any_version(dialect: str, *names: str) -> list[str]:
    """Lines that some version of the dialect has in one of these lists."""
    found: set[str] = set()
    for prefix in versions_of(dialect):
        for name in names:
            found |= set(read_list(DATA / f"{prefix}.{name}.txt"))
    return sorted(found)


def keyword_rows(dialect: str) -> list[tuple[str, str]]:
    """(word, class) of every word that any version knows."""
    classes: dict[str, set[str]] = {}
    versions = versions_of(dialect)
    for prefix in versions:
        for line in read_list(DATA / f"{prefix}.keywords.txt"):
            word, word_class = line.split()
            classes.setdefault(word, set()).add(word_class)
    rows = []
    for word, found in classes.items():
        everywhere = all(
            any(line.split()[0] == word for line in read_list(DATA / f"{prefix}.keywords.txt"))
            for prefix in versions
        )
        weakest = max(found, key=CLASSES.index)
        rows.append((word, weakest if everywhere else "unreserved"))
    return sorted(rows)


def volatile_rows(dialect: str) -> list[tuple[str, str, str]]:
    """(name, class, form) of the volatile words of a dialect."""
    rows = []
    for line in read_list(DATA / f"{dialect}.volatile.txt"):
        name, volatility, form = line.split()
        rows.append((name, volatility, form))
    return sorted(rows)


def array(declaration: str, rows: Iterable[str]) -> list[str]:
    """The lines of one C++ array."""
    return [f"constexpr {declaration}[] = {{", *(f"    {row}," for row in rows), "};", ""]


def table_text() -> str:
    """The C++ table of all lists."""
    lines = ["// Made by tools/regenerate_words.py from core/syntax/data. Do not edit.", ""]
    for dialect in DIALECTS:
        name = dialect.capitalize()
        keywords = (f'{{"{w}", WordClass::{c}}}' for w, c in keyword_rows(dialect))
        lines += array(f"Keyword k{name}Keywords", keywords)
        volatile = (
            f'{{"{n}", Volatility::{c}, VolatileForm::{f}}}' for n, c, f in volatile_rows(dialect)
        )
        lines += array(f"VolatileWord k{name}Volatile", volatile)
        functions = (f'"{word}"' for word in in_every_version(dialect, "functions"))
        lines += array(f"std::string_view k{name}Functions", functions)
        known = (f'"{word}"' for word in in_any_version(dialect, "functions", "table_functions"))
        lines += array(f"std::string_view k{name}KnownFunctions", known)
        pure = (f'"{w}"' for w in sorted(read_list(DATA / f"{dialect}.pure_table_functions.txt")))
        lines += array(f"std::string_view k{name}PureTableFunctions", pure)
    return "\n".join(lines).rstrip() + "\n"


def write_lists(prefix: str, lists: Lists) -> None:
    """Writes the lists of one engine version."""
    for name, lines in lists.items():
        path = DATA / f"{prefix}.{name}.txt"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        print(f"{path.relative_to(ROOT)}: {len(lines)}")


def main() -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", action="store_true", help="write the C++ table only")
    arguments = parser.parse_args()
    engines: dict[str, Callable[[], tuple[str, Lists]]] = {
        "duckdb": duckdb_lists,
        "pyspark": spark_lists,
    }
    for module, make in engines.items():
        if not arguments.table and importlib.util.find_spec(module) is not None:
            write_lists(*make())
    TABLE.write_text(table_text(), encoding="utf-8")
    print(TABLE.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
