"""information_schema and DESCRIBE ... AS JSON, built from Spark's session catalog."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

TABLES = (
    "table_catalog string, table_schema string, table_name string, table_type string, "
    "is_insertable_into string, commit_action string, table_owner string, comment string, "
    "created timestamp, created_by string, last_altered timestamp, last_altered_by string, "
    "data_source_format string, storage_path string"
)
VIEWS = (
    "table_catalog string, table_schema string, table_name string, view_definition string, "
    "check_option string, is_updatable string, is_insertable_into string"
)
COLUMNS = (
    "table_catalog string, table_schema string, table_name string, column_name string, "
    "ordinal_position int, column_default string, is_nullable string, "
    "full_data_type string, data_type string, comment string"
)
SCHEMATA = "catalog_name string, schema_name string, schema_owner string, comment string"
_KEY = "catalog_name string, schema_name string, table_name string"
_TKEY = "table_catalog string, table_schema string, table_name string"
_RKEY = (
    "specific_catalog string, specific_schema string, specific_name string, "
    "routine_catalog string, routine_schema string, routine_name string"
)
_CKEY = "constraint_catalog string, constraint_schema string, constraint_name string"
EMPTY = {
    "table_tags": f"{_KEY}, tag_name string, tag_value string",
    "column_tags": f"{_KEY}, column_name string, tag_name string, tag_value string",
    "column_masks": f"{_TKEY}, column_name string, mask_name string, using_columns string",
    "row_filters": f"{_TKEY}, filter_name string, target_columns string",
    "table_constraints": f"{_CKEY}, {_TKEY}, constraint_type string",
    "routines": f"{_RKEY}, data_type string, routine_body string, routine_definition string",
    "parameters": f"{_RKEY}, parameter_name string, ordinal_position int, full_data_type string, "
    "parameter_default string",
    "key_column_usage": f"{_CKEY}, {_TKEY}, column_name string, ordinal_position int",
    "referential_constraints": f"{_CKEY}, unique_constraint_catalog string, "
    "unique_constraint_schema string, unique_constraint_name string",
}


def _option(value: Any) -> Any:
    return value.get() if value.isDefined() else None


def _stamp(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, timezone.utc)


class Catalog:
    """What Unity Catalog would answer about the tables of the session catalog."""

    def __init__(self, spark: Any, name: str) -> None:
        self._spark = spark
        self.name = name
        self._view_texts: dict[tuple[str, str], str] = {}

    def note_view(self, parts: list[str], query: str) -> None:
        """Keeps a view's query as it was written: Spark has it with other names of catalogs."""
        if len(parts) >= 2:
            self._view_texts[parts[-2], parts[-1]] = query

    def _text_of(self, db: str, name: str, meta: Any) -> str | None:
        return self._view_texts.get((db.lower(), name.lower())) or _option(meta.viewText())

    def _jcatalog(self) -> Any:
        return self._spark._jsparkSession.sessionState().catalog()

    def schemas(self) -> list[str]:
        found = self._jcatalog().listDatabases()
        return [found.apply(i) for i in range(found.size())]

    def entries(self, schema: str | None = None) -> Iterator[tuple[str, str, Any]]:
        jcat = self._jcatalog()
        for db in self.schemas() if schema is None else [schema]:
            idents = jcat.listTables(db, "*", False)  # False: no temp views
            for i in range(idents.size()):
                ident = idents.apply(i)
                try:
                    yield db, ident.table(), jcat.getTableMetadata(ident)
                except Exception:
                    continue

    def _rows(self, view: str) -> tuple[list[tuple], str]:
        if view in EMPTY:
            return [], EMPTY[view]
        if view == "schemata":
            return [(self.name, s, "local", None) for s in self.schemas()], SCHEMATA
        rows: list[tuple] = []
        for db, name, meta in self.entries():
            is_view = meta.tableType().name() == "VIEW"
            if view == "tables":
                created = _stamp(meta.createTime())
                rows.append(
                    (
                        self.name,
                        db,
                        name,
                        "VIEW" if is_view else meta.tableType().name(),
                        "YES",
                        "PRESERVE",
                        "local",
                        _option(meta.comment()),
                        created,
                        "local",
                        created,
                        "local",
                        None if is_view else (_option(meta.provider()) or "").upper(),
                        None if is_view else meta.location().toString(),
                    )
                )
            elif view == "views" and is_view:
                text = self._text_of(db, name, meta)
                rows.append((self.name, db, name, text, "NONE", "NO", "NO"))
            elif view == "columns":
                for pos, f in enumerate(self._schema(db, name).fields):
                    kind = f.dataType.simpleString()
                    rows.append(
                        (
                            self.name,
                            db,
                            name,
                            f.name,
                            pos,
                            None,
                            "YES" if f.nullable else "NO",
                            kind,
                            kind.upper(),
                            f.metadata.get("comment"),
                        )
                    )
        return rows, {"tables": TABLES, "views": VIEWS, "columns": COLUMNS}[view]

    def _schema(self, db: str, name: str) -> Any:
        return self._spark.table(f"spark_catalog.`{db}`.`{name}`").schema

    def publish(self, session: Any, view: str, prefix: str) -> None:
        """Make the information_schema view a temp view of literals: no Spark job is needed."""
        rows, schema = self._rows(view)
        columns = [part.strip().split(" ") for part in schema.split(",")]
        names = ", ".join(f"`{name}`" for name, _ in columns)
        casts = ", ".join(f"CAST(`{name}` AS {kind}) AS `{name}`" for name, kind in columns)
        values = ", ".join("(" + ", ".join(map(_literal, row)) + ")" for row in rows)
        where = "" if rows else " WHERE false"
        values = values or "(" + ", ".join("NULL" for _ in columns) + ")"
        session.sql(
            f"CREATE OR REPLACE TEMPORARY VIEW {prefix}{view} AS "
            f"SELECT {casts} FROM VALUES {values} AS t({names}){where}"
        )

    def describe_json(self, session: Any, parts: list[str]) -> str:
        """DESCRIBE TABLE EXTENDED ... AS JSON: open-source Spark has it for v1 tables only."""
        if len(parts) == 1:  # a temp view of this session
            return json.dumps(
                {
                    "table_name": parts[0],
                    "type": "VIEW",
                    "is_temporary": True,
                    "columns": _json_columns(session.table(f"`{parts[0]}`").schema),
                }
            )
        db, name = parts[-2:]
        meta = self._jcatalog().getTableMetadata(
            self._spark._jvm.org.apache.spark.sql.catalyst.TableIdentifier(
                name, self._spark._jvm.scala.Option.apply(db)
            )
        )
        is_view = meta.tableType().name() == "VIEW"
        out: dict[str, Any] = {
            "table_name": name,
            "catalog_name": self.name,
            "namespace": [db],
            "schema_name": db,
            "columns": _json_columns(self._schema(db, name)),
            "owner": "local",
            "created_time": _stamp(meta.createTime()).isoformat(),
            "type": "VIEW" if is_view else meta.tableType().name(),
            "table_properties": {},
            "partition_columns": [],
        }
        if comment := _option(meta.comment()):
            out["comment"] = comment
        if is_view:
            out["view_text"] = self._text_of(db, name, meta)
        else:
            detail = self._spark.sql(f"DESCRIBE DETAIL spark_catalog.`{db}`.`{name}`").first()
            out |= {
                "provider": "delta",
                "location": detail["location"],
                "comment": detail["description"] or out.get("comment"),
                "table_properties": dict(detail["properties"]),
                "partition_columns": list(detail["partitionColumns"]),
                "clustering_information": [[c] for c in detail["clusteringColumns"]],
            }
        return json.dumps({k: v for k, v in out.items() if v is not None})


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, datetime):
        return f"TIMESTAMP'{value.isoformat()}'"
    return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"


def _json_columns(schema: Any) -> list[dict[str, Any]]:
    return [
        {
            "name": f.name,
            "type": _json_type(json.loads(f.dataType.json())),
            "nullable": f.nullable,
            **({"comment": f.metadata["comment"]} if "comment" in f.metadata else {}),
        }
        for f in schema.fields
    ]


def _json_type(kind: Any) -> dict[str, Any]:
    """Spark's schema JSON in the shape DESCRIBE ... AS JSON uses for types."""
    if isinstance(kind, str):
        name, _, args = kind.partition("(")
        out: dict[str, Any] = {
            "name": {
                "integer": "int",
                "long": "bigint",
                "short": "smallint",
                "byte": "tinyint",
                "timestamp": "timestamp_ltz",
            }.get(name, name)
        }
        if name == "decimal":
            precision, scale = args.rstrip(")").split(",")
            out |= {"precision": int(precision), "scale": int(scale)}
        elif args:
            out["length"] = int(args.rstrip(")"))
        return out
    name = kind["type"]
    if name == "array":
        return {
            "name": "array",
            "element_type": _json_type(kind["elementType"]),
            "element_nullable": kind["containsNull"],
        }
    if name == "map":
        return {
            "name": "map",
            "key_type": _json_type(kind["keyType"]),
            "value_type": _json_type(kind["valueType"]),
            "value_nullable": kind["valueContainsNull"],
        }
    return {
        "name": "struct",
        "fields": [
            {"name": f["name"], "type": _json_type(f["type"]), "nullable": f["nullable"]}
            for f in kind["fields"]
        ],
    }
