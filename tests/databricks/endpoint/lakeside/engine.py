"""Sessions and statement execution on one local Spark with Delta Lake."""

from __future__ import annotations

import re
import threading
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import (
    DataType,
    DayTimeIntervalType,
    StringType,
    StructType,
    VariantType,
    YearMonthIntervalType,
)

from lakeside import sqltext
from lakeside.catalog import Catalog

_DESCRIBE_JSON = re.compile(r"DESC(?:RIBE)?\s+(?:TABLE\s+)?EXTENDED\s+(\S+)\s+AS\s+JSON", re.I)
_USE_CATALOG = re.compile(r"(?:USE|SET)\s+CATALOG\s+\S+", re.I)
_COLUMNS_OF = re.compile(r"\{columns:([^}]+)\}")


def build_spark(
    warehouse: Path,
    jars: list[Path],
    cores: int,
    memory: str,
    dbr_version: str,
    conf: dict[str, str],
) -> SparkSession:
    builder = SparkSession.builder.master(f"local[{cores}]").appName("lakeside")
    settings = {
        "spark.jars": ",".join(str(j) for j in jars),
        "spark.driver.memory": memory,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.sources.default": "delta",
        "spark.sql.warehouse.dir": str(warehouse),
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "1",
        "spark.databricks.delta.snapshotPartitions": "1",
        # Databricks records a commit for a write of no rows; open-source Delta skips it by default.
        "spark.databricks.delta.skipRecordingEmptyCommits": "false",
        "spark.databricks.delta.retentionDurationCheck.enabled": "false",
        # What dbt-databricks reads on a cluster http_path to choose its SQL.
        "spark.databricks.clusterUsageTags.sparkVersion": dbr_version,
        **conf,
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


@dataclass
class Session:
    ident: bytes
    spark: SparkSession


class Engine:
    def __init__(self, spark: SparkSession, catalog: str, log: Any = None) -> None:
        self.spark = spark
        self.catalog = Catalog(spark, catalog)
        self.catalogs = {catalog.lower(), "hive_metastore", "system"}
        self._sessions: dict[bytes, Session] = {}
        self._lock = threading.Lock()
        self._log = log

    def open(self, schema: str | None, conf: dict[str, str]) -> Session:
        session = Session(uuid.uuid4().bytes, self.spark.newSession())
        for key, value in conf.items():
            if key.startswith("spark.") and "thriftserver" not in key:
                session.spark.conf.set(key, value)
        session.spark.sql(
            "CREATE TEMPORARY FUNCTION current_version() "
            "RETURNS STRUCT<dbr_version: STRING, dbsql_version: STRING> "
            "RETURN named_struct('dbr_version', 'local', 'dbsql_version', 'local')"
        )
        # Databricks accepts a default schema that does not exist yet.
        if schema and schema.lower() in self.catalog.schemas():
            session.spark.sql(f"USE spark_catalog.`{schema}`")
        with self._lock:
            self._sessions[session.ident] = session
        return session

    def get(self, ident: bytes) -> Session:
        with self._lock:
            return self._sessions[ident]

    def close(self, ident: bytes) -> None:
        with self._lock:
            self._sessions.pop(ident, None)

    def execute(self, session: Session, sql: str) -> tuple[pa.Table, StructType]:
        """The rows of one statement as Arrow, and the Spark schema behind them."""
        start = time.monotonic()
        error = ""
        try:
            return self._execute(session, sql)
        except Exception as exc:
            error = str(exc).split("\n", 1)[0]
            raise
        finally:
            if self._log:
                self._log(sql, round((time.monotonic() - start) * 1000), error)

    def _execute(self, session: Session, sql: str) -> tuple[pa.Table, StructType]:
        result: tuple[pa.Table, StructType] = (pa.table({}), StructType([]))
        made_view = sqltext.view_text(sql)
        for statement in sqltext.statements(sql):
            if _USE_CATALOG.fullmatch(statement):
                continue
            found = sqltext.rewrite_names(statement, self.catalogs)
            if match := _DESCRIBE_JSON.fullmatch(found.sql):
                parts = [t.name for t in sqltext.tokens(match.group(1)) if t.name]
                text = self.catalog.describe_json(session.spark, parts)
                result = (
                    pa.table({"json_metadata": [text]}),
                    StructType().add("json_metadata", StringType()),
                )
                continue
            for view in found.info_views:
                self.catalog.publish(session.spark, view, sqltext.INFO)
            for name, describe in found.histories.items():
                session.spark.sql(describe).createOrReplaceTempView(name)
            text = _COLUMNS_OF.sub(
                lambda m: ", ".join(f"`{c}`" for c in session.spark.table(m.group(1)).columns),
                found.sql,
            )
            frame = session.spark.sql(self._with_literals(session.spark, text))
            if made_view is not None:
                self.catalog.note_view(*made_view)
            if not frame.columns:
                continue
            frame = _texts(frame, _NO_ARROW)
            try:
                table = frame.toArrow()
            except pa.ArrowException:
                # OPTIMIZE puts nulls in struct fields it declares as not null. A command has
                # already run by now, so this only converts its rows again.
                frame = _texts(frame, (StructType,))
                table = frame.toArrow()
            result = (table, frame.schema)
        return result

    def _with_literals(self, spark: SparkSession, sql: str) -> str:
        """Two statements open-source Delta rejects, with the subquery's rows put in as literals.

        Each stays one commit with the operation name of the original kind of statement.
        """
        if m := sqltext.DELETE_IN.fullmatch(sql):  # Delta has no subquery in DELETE
            frame = spark.sql(m["source"])
            rows = [
                ", ".join(
                    _literal(v, f.dataType) for v, f in zip(row, frame.schema.fields, strict=True)
                )
                for row in frame.distinct().collect()
            ]
            if m["key"].startswith("("):
                rows = [f"({row})" for row in rows]
            return (
                f"{m['head']}({', '.join(rows)}){m['tail']}"
                if rows
                else "SELECT 0L AS num_affected_rows"
            )
        if m := sqltext.REPLACE_ON.fullmatch(sql):  # Spark 4.1 has REPLACE WHERE only
            pairs = sqltext.key_pairs(m["on"])
            frame = spark.sql(
                f"SELECT DISTINCT {', '.join(s for _, s in pairs)} FROM ({m['source']})"
            )
            where = " OR ".join(
                "("
                + " AND ".join(
                    f"{target} <=> {_literal(v, f.dataType)}"
                    for (target, _), v, f in zip(pairs, row, frame.schema.fields, strict=True)
                )
                + ")"
                for row in frame.collect()
            )
            replace = f"REPLACE WHERE {where} " if where else ""
            return f"INSERT INTO {m['table']} {replace}{m['source']}"
        return sql


def _literal(value: Any, kind: DataType) -> str:
    text = (
        "NULL"
        if value is None
        else "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"
    )
    return f"CAST({text} AS {kind.simpleString()})"


_NO_ARROW = (DayTimeIntervalType, YearMonthIntervalType, VariantType)


def _texts(frame: DataFrame, kinds: tuple[type[DataType], ...]) -> DataFrame:
    """The frame with its columns of these types cast to string, by position."""
    if not any(isinstance(f.dataType, kinds) for f in frame.schema.fields):
        return frame
    names = frame.columns
    frame = frame.toDF(*(f"c{i}" for i in range(len(names))))
    return frame.select(
        [
            (
                frame[f"c{i}"].cast("string") if isinstance(f.dataType, kinds) else frame[f"c{i}"]
            ).alias(name)
            for i, (f, name) in enumerate(zip(frame.schema.fields, names, strict=True))
        ]
    )
