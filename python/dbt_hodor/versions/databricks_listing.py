"""What stands in one catalog: relations, views' definitions, functions, columns, filters and masks.

In:  a runner of statements, the name of a catalog, schemas whose columns are wanted.
Out: a `CatalogListing`; what could not be listed is an error text of it.
Never: takes a relation for missing because a statement failed.

One statement per kind of thing and catalog, all at once. hive_metastore has no information_schema: there
each schema that the project names is listed by SHOW TABLE EXTENDED.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from dbt_hodor.versions.base import ListedFunction, ListedRelation, Parts
from dbt_hodor.versions.databricks_columns import Columns, names_of, of_catalog
from dbt_hodor.versions.databricks_history import quoted_name
from dbt_hodor.versions.databricks_statements import Rows, Statements

HIVE = "hive_metastore"
_VIEWS = frozenset({"VIEW", "METRIC_VIEW", "TEMPORARY"})
_WITH_HISTORY = frozenset({"DELTA"})
_OUTPUT = re.compile(r"^View Query Output Columns: (.*)$", re.M)
_PROVIDER = re.compile(r"^Provider: (\w+)", re.M)


@dataclass
class CatalogListing:
    """One catalog. Keys are (schema, relation) in lower case."""

    relations: list[ListedRelation] = field(default_factory=list)
    functions: list[ListedFunction] = field(default_factory=list)
    columns: dict[tuple[str, str], Columns] = field(default_factory=dict)
    refused: dict[tuple[str, str], str] = field(default_factory=dict)
    """Why a relation has no version."""
    error: str = ""
    functions_error: str = ""


def read(
    statements: Statements, catalog: str, schemas: Sequence[str], names: Sequence[Parts] = ()
) -> CatalogListing:
    """Lists a catalog; with `names` only these relations, and no functions."""
    if catalog.lower() == HIVE:
        wanted = sorted({parts[1] for parts in names}) if names else schemas
        return _hive(statements, wanted)
    queries = _queries(catalog, schemas, names)
    answers = dict(zip(queries, statements.run_all(list(queries.values())), strict=True))
    listing = CatalogListing()
    failed = {kind: str(rows) for kind, rows in answers.items() if isinstance(rows, Exception)}
    rows = {kind: found for kind, found in answers.items() if not isinstance(found, Exception)}
    if "columns" in rows:
        listing.columns = of_catalog(rows["columns"])
    if "relations" in rows:
        _add_relations(listing, catalog, rows["relations"])
    # Without the list of filters and masks any table may have one.
    listing.error = failed.get("relations") or failed.get("filters") or ""
    for schema, relation, what in rows.get("filters", []):
        listing.refused[schema.lower(), relation.lower()] = f"it has a {what}"
    if "functions" in failed:
        listing.functions_error = failed["functions"]
    for row in rows.get("functions", []):
        listing.functions.append(_function(catalog, row))
    return listing


def _queries(catalog: str, schemas: Sequence[str], names: Sequence[Parts]) -> dict[str, str]:
    info = f"{quoted_name([catalog])}.information_schema"
    of_names = names_of([[part.lower() for part in parts[1:]] for parts in names])
    these = f" AND (t.table_schema, t.table_name) IN ({of_names})" if names else ""
    queries = {
        "relations": "SELECT t.table_schema, t.table_name, t.table_type, t.data_source_format, "
        f"v.view_definition FROM {info}.tables t LEFT JOIN {info}.views v "
        "ON v.table_schema = t.table_schema AND v.table_name = t.table_name "
        f"WHERE t.table_schema <> 'information_schema'{these}",
        "filters": f"SELECT table_schema, table_name, 'row filter' FROM {info}.row_filters UNION ALL "
        f"SELECT table_schema, table_name, 'column mask' FROM {info}.column_masks",
    }
    if names or schemas:
        where = these or f" AND t.table_schema IN ({names_of([[s.lower()] for s in schemas])})"
        queries["columns"] = (
            "SELECT table_schema, table_name, column_name, full_data_type, is_nullable "
            f"FROM {info}.columns t WHERE true{where} "
            "ORDER BY table_schema, table_name, ordinal_position"
        )
    if not names:
        # Names and defaults of parameters are as much of a function as its body.
        queries["functions"] = (
            "SELECT r.routine_schema, r.routine_name, r.data_type, r.routine_body, "
            "r.routine_definition, p.parameters "
            f"FROM {info}.routines r LEFT JOIN (SELECT specific_schema, specific_name, "
            "to_json(array_sort(collect_list(struct(ordinal_position, parameter_name, "
            "full_data_type, parameter_default)))) AS parameters "
            f"FROM {info}.parameters GROUP BY specific_schema, specific_name) p "
            "ON p.specific_schema = r.specific_schema AND p.specific_name = r.specific_name "
            "WHERE r.routine_schema <> 'information_schema'"
        )
    return queries


def _add_relations(listing: CatalogListing, catalog: str, rows: Rows) -> None:
    for schema, relation, kind, form, definition in rows:
        parts, key = (catalog, schema, relation), (schema.lower(), relation.lower())
        if str(kind).upper() in _VIEWS:
            known = listing.columns.get(key)
            text = view_ddl(definition, known.columns if known else ())
            listing.relations.append(ListedRelation(parts, "view", text))
            continue
        listing.relations.append(ListedRelation(parts, "table", ""))
        if str(form or "").upper() not in _WITH_HISTORY:
            listing.refused[key] = f"a table of the kind {kind} {form or ''}".rstrip()


def view_ddl(definition: str | None, columns: Iterable[Sequence[str]]) -> str:
    """A definition in the shape that `definitions.query_of_view` reads. The names of a view's columns
    may be given apart from its query, so they are part of what is compared."""
    if not definition:
        return ""  # not readable for us: nobody knows what it reads
    names = hashlib.sha256(repr([column[0] for column in columns]).encode()).hexdigest()
    return f"CREATE VIEW v AS {definition}\n-- columns {names}"


def _function(catalog: str, row: Sequence[str | None]) -> ListedFunction:
    schema, name, data_type, body, definition, parameters = (str(cell or "") for cell in row)
    is_table = data_type.upper() in ("TABLE", "TABLE_TYPE")
    # What is no SQL has no text that could be analysed, and is opaque.
    text = ""
    if body.upper() == "SQL" and definition:
        signature = hashlib.sha256(f"{data_type}\n{parameters}".encode()).hexdigest()
        text = f"{definition}\n-- signature {signature}"
    return ListedFunction(name, (catalog, schema, name), text, is_table)


def _hive(statements: Statements, schemas: Sequence[str]) -> CatalogListing:
    listing = CatalogListing()
    texts = [f"SHOW TABLE EXTENDED IN {quoted_name([HIVE, schema])} LIKE '*'" for schema in schemas]
    for schema, rows in zip(schemas, statements.run_all(texts), strict=True):
        if isinstance(rows, Exception):
            if "SCHEMA_NOT_FOUND" not in str(rows):
                listing.error = str(rows)
            continue
        for _, relation, is_temporary, information in rows:
            if not is_temporary:
                _add_hive(listing, (HIVE, schema, relation), str(information))
    return listing


def _add_hive(listing: CatalogListing, parts: Parts, information: str) -> None:
    key = (parts[1].lower(), parts[2].lower())
    if re.search(r"^Type: VIEW\s*$", information, re.M):
        query, names = _view_text(information), _OUTPUT.findall(information)
        listing.relations.append(ListedRelation(parts, "view", view_ddl(query, [names])))
        return
    listing.relations.append(ListedRelation(parts, "table", ""))
    provider = _PROVIDER.search(information)
    if provider is None or provider.group(1).lower() != "delta":
        listing.refused[key] = "a table of hive_metastore that is not Delta"


def _view_text(information: str) -> str | None:
    """A view's query; None unless it is certain where it ends."""
    pieces = information.split("\nView Text: ")
    if len(pieces) != 2:
        return None
    pieces = pieces[1].split("\nView Original Text: ")
    if len(pieces) != 2 or not pieces[1].startswith(pieces[0]):
        return None
    return pieces[0].strip()
