"""What stands in the databases: relations, user macros and types, engine functions, databases.

In:  a cursor.
Out: plain data for ``Listing``.
Never: calls an unreadable part empty; never gives a macro a definition that hides part of it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dbt_hodor.versions.base import ListedFunction, ListedRelation, Listing, Parts
from dbt_hodor.versions.duckdb_builtins import BY_NAME, builtin_names
from dbt_hodor.versions.duckdb_shapes import key_of, quoted_name, text_literal

_PROBES = (
    "1",
    "'x'",
    "1.5::DOUBLE",
    "DATE '2000-01-01'",
    "TIMESTAMP '2000-01-01'",
    "true",
    "['x']",
)
"""Arguments to try a macro with, until one binds. Not NULL: the binder drops what meets a NULL."""


@dataclass(frozen=True)
class Database:
    """One row of ``duckdb_databases()``. ``path``: empty for memory."""

    name: str
    type: str
    path: str
    read_only: bool
    internal: bool


def read_databases(cursor: Any) -> dict[str, Database]:
    """By lower-case name."""
    rows = cursor.execute(
        "SELECT database_name, type, path, readonly, internal FROM duckdb_databases()"
    ).fetchall()
    return {
        name.lower(): Database(name, kind, path or "", bool(read_only), bool(internal))
        for name, kind, path, read_only, internal in rows
    }


def read_relations(cursor: Any, databases: Iterable[str], listing: Listing) -> None:
    """Tables and views of every attached database into ``listing``: a text may name any of them. A
    failure is an error of every wanted database, because one query reads them all."""
    wanted = {database.lower() for database in databases}
    queries = (
        ("table", "SELECT database_name, schema_name, table_name, '' FROM duckdb_tables()"),
        ("view", "SELECT database_name, schema_name, view_name, sql FROM duckdb_views()"),
    )
    try:
        for kind, query in queries:
            for database, schema, name, sql in cursor.execute(
                query + " WHERE NOT internal AND NOT temporary"
            ).fetchall():
                listing.relations.append(ListedRelation((database, schema, name), kind, sql or ""))
    except Exception as error:  # noqa: BLE001 - the engine's words go into the listing
        listing.relations.clear()
        listing.errors.update({database: str(error) for database in wanted})


def read_views(cursor: Any) -> dict[Parts, ListedRelation]:
    """All user views by lower-case parts."""
    rows = cursor.execute(
        "SELECT database_name, schema_name, view_name, sql FROM duckdb_views() "
        "WHERE NOT internal AND NOT temporary"
    ).fetchall()
    return {
        key_of((database, schema, name)): ListedRelation(
            (database, schema, name), "view", sql or ""
        )
        for database, schema, name, sql in rows
    }


def read_functions(cursor: Any) -> tuple[list[ListedFunction], list[str]]:
    """User macros with all their overloads and user types; names of the engine's own functions."""
    internal: list[tuple[Any, Any]] = []
    overloads: dict[tuple[str, str, str], list[list[Any]]] = {}
    rows = cursor.execute(
        # Only a user's functions have more than a name to show; leaving the rest out halves the cost.
        "WITH every AS MATERIALIZED (SELECT * FROM duckdb_functions()) "
        f"SELECT NULL, NULL, name, NULL, NULL, NULL, digest, NULL FROM ({BY_NAME.format(source='every')}) "
        "UNION ALL SELECT database_name, schema_name, function_name, function_type, "
        "parameters, parameter_types, macro_definition, varargs FROM every WHERE NOT internal"
    ).fetchall()
    for database, schema, name, kind, parameters, types, definition, varargs in rows:
        if kind is None:
            internal.append((name, definition))
            continue
        overloads.setdefault((database, schema, name), []).append(
            [kind, list(parameters or ()), list(types or ()), definition, varargs]
        )
    functions = [_function(cursor, parts, forms) for parts, forms in sorted(overloads.items())]
    return functions + _read_types(cursor), builtin_names(internal)


def _function(cursor: Any, parts: tuple[str, str, str], forms: list[list[Any]]) -> ListedFunction:
    """The bodies of all overloads as one text that reads what they read; a mark at its end names
    all else that a call depends on."""
    is_table = any(form[0] == "table_macro" for form in forms)
    described: list[Any] = []
    for kind, parameters, types, definition, varargs in forms:
        # Native code (a Python UDF) has no text: nobody can tell whether it is the one of last time.
        defaults = (
            ["native", os.urandom(16).hex()]
            if definition is None
            else _defaults(cursor, parts, kind, parameters)
        )
        described.append([kind, parameters, types, definition, varargs, defaults])
    described.sort(key=repr)
    bodies = [f"({form[3]})" for form in described if form[3] is not None]
    body = (" UNION ALL " if is_table else ", ").join(bodies)
    if is_table and len(bodies) == 1:
        body = str(described[0][3])
    return ListedFunction(parts[2], parts, body + _mark(described), is_table)


def _mark(value: object) -> str:
    """A comment that differs whenever ``value`` does."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return f" /* {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()} */"


def _defaults(
    cursor: Any, parts: tuple[str, str, str], kind: str, parameters: Sequence[str]
) -> list[str]:
    """Default values of a macro's last parameters, which no catalog function prints: the bound plan
    of a call without them has them. A random text when it cannot be settled."""
    plans: list[str] = []
    required = len(parameters)
    while required > 0:
        plan = _plan_of_call(cursor, parts, kind, required - 1, [])
        if plan is None:
            break  # the next parameter has no default, so none before it has
        plans.append(plan)
        required -= 1
    # A default of NULL can make the binder drop another one: leave each out alone as well.
    optional = parameters[required:]
    for omitted in optional if len(optional) > 1 else ():
        named = [name for name in optional if name != omitted]
        plan = _plan_of_call(cursor, parts, kind, required, named)
        plans.append(plan if plan is not None else _never_the_same())
    return plans


def _never_the_same() -> str:
    return "unknown " + os.urandom(16).hex()


def _plan_of_call(
    cursor: Any, parts: tuple[str, str, str], kind: str, given: int, named: Sequence[str]
) -> str | None:
    """The plan of a call with so many arguments, ``None`` when the macro does not take so few."""
    for argument in _PROBES:
        arguments = [argument] * given + [f"{quoted_name([name])} := {argument}" for name in named]
        call = f"{quoted_name(parts)}({', '.join(arguments)})"
        select = f"SELECT {call}" if kind == "macro" else f"SELECT * FROM {call}"
        try:
            text = cursor.execute(f"SELECT json_serialize_plan({text_literal(select)})").fetchone()
            answer = json.loads(text[0])
        except Exception:  # noqa: BLE001 - any doubt makes the macro differ from itself
            break
        if answer.get("error") is False:
            return json.dumps(answer["plans"], sort_keys=True)
        if "does not support the supplied arguments" in str(answer.get("error_message", "")):
            return None
    return _never_the_same()


def _read_types(cursor: Any) -> list[ListedFunction]:
    """User types, in the form of functions: a cast to one is a call of it."""
    rows = cursor.execute(
        "SELECT database_name, schema_name, type_name, logical_type, labels "
        "FROM duckdb_types() WHERE NOT internal"
    ).fetchall()
    types = []
    for database, schema, name, logical, labels in rows:
        try:
            bound = cursor.sql(f"SELECT NULL::{quoted_name((database, schema, name))}").types[0]
            shape = str(bound)
        except Exception:  # noqa: BLE001 - a type that does not bind never equals itself
            shape = f"unreadable_{os.urandom(16).hex()}"
        body = f"CAST(NULL AS {shape})" + _mark(["type", logical, list(labels or ()), shape])
        types.append(ListedFunction(name, (database, schema, name), body, False))
    return types


def is_local_file(database: Database) -> bool:
    """Whether the database is one DuckDB file on this machine."""
    return database.type == "duckdb" and bool(database.path) and ":" not in database.path[:12]


def same_file(left: str, right: str, resolve: Callable[[str], str] = os.path.realpath) -> bool:
    """Whether two paths lead to one file."""
    return resolve(os.path.expanduser(left)) == resolve(os.path.expanduser(right))
