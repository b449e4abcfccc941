"""What stands in a warehouse file, in a form in which two of them can be compared exactly.

In:  a DuckDB file; columns whose values are declared to differ (stamps, random values).
Out: per relation its type, columns, comments, DDL of a table, and rows as a multiset; the
     differences between two such dumps as sentences.
Never: tolerates anything that was not declared. A view that cannot be read is compared by that fact.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

SHOWN_ROWS = 6

Dump = dict[str, dict[str, Any]]


def dump_warehouse(file: Path, exceptions: dict[str, list[str]]) -> Dump:
    """``exceptions``: relation (``schema.name``) or ``*`` -> columns compared only by being null."""
    import duckdb

    if not file.exists():
        return {}
    connection = duckdb.connect(str(file))
    try:
        found = connection.execute(
            """select schema_name, table_name, 'table', sql, comment from duckdb_tables()
               where not internal and database_name = current_database()
               union all
               select schema_name, view_name, 'view', null, comment from duckdb_views()
               where not internal and database_name = current_database() order by 1, 2"""
        ).fetchall()
        comments = connection.execute(
            """select schema_name, table_name, column_name, comment from duckdb_columns()
               where not internal and comment is not null
               and database_name = current_database()"""
        ).fetchall()
        dump: Dump = {}
        for schema, name, kind, ddl, comment in found:
            key = f"{schema}.{name}"
            excepted = {*exceptions.get("*", []), *exceptions.get(key, [])}
            entry = read_relation(connection, schema, name, excepted)
            entry |= {"type": kind, "ddl": ddl, "comment": comment}
            entry["column_comments"] = sorted(c[2:] for c in comments if c[:2] == (schema, name))
            dump[key] = entry
        return dump
    finally:
        connection.close()


def read_relation(connection: Any, schema: str, name: str, excepted: set[str]) -> dict[str, Any]:
    quoted = f'"{schema}"."{name}"'
    try:
        columns = [row[:2] for row in connection.execute(f"describe {quoted}").fetchall()]
        items = [f'"{c}" is null' if c in excepted else f'"{c}"' for c, _ in columns]
        rows = connection.execute(f"select {', '.join(items)} from {quoted}").fetchall()
    except Exception as error:
        return {"unreadable": type(error).__name__, "columns": [], "rows": "", "count": -1}
    texts = sorted(repr(row) for row in rows)
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()
    return {"columns": columns, "rows": digest, "count": len(texts), "shown": texts[:SHOWN_ROWS]}


COMPARED = ("type", "unreadable", "columns", "count", "rows", "ddl", "comment", "column_comments")


def same_relation(left: dict[str, Any] | None, right: dict[str, Any] | None) -> bool:
    if left is None or right is None:
        return left is right
    return all(left.get(part) == right.get(part) for part in COMPARED)


def differences(ours: Dump, twin: Dump, ignored: set[str]) -> list[str]:
    """``ignored``: relations a scenario declares to be stale on purpose (within a tolerance)."""
    found = []
    for key in sorted({*ours, *twin} - ignored):
        left, right = ours.get(key), twin.get(key)
        if left is None or right is None:
            found.append(f"{key}: only {'ours' if right is None else 'the twin'} has it")
            continue
        for part in COMPARED:
            if left.get(part) != right.get(part):
                found.append(f"{key}: {part}: ours {shown(left, part)}, twin {shown(right, part)}")
                break
    return found


def shown(entry: dict[str, Any], part: str) -> str:
    if part in ("rows", "count"):
        return f"{entry.get('count')} rows {entry.get('shown')}"
    return repr(entry.get(part))


def outcomes(results: list[dict[str, Any]]) -> dict[str, tuple[str, Any]]:
    """Status and failures per node. A reused relation counts as the success it stands for."""
    return {
        r["unique_id"]: ("success" if r["status"] == "reused" else r["status"], r["failures"])
        for r in results
    }
