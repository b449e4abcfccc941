"""Which settings of a Databricks session can change what a query returns.

In:  nothing; this is data.
Out: names that cannot matter, and the defaults of those that can.
Never: leaves an unknown setting of SQL out: a name in neither list counts by its value.
"""

from __future__ import annotations

from typing import Any

_OF_SQL = ("spark.sql.", "spark.databricks.sql.", "spark.databricks.delta.")
"""What a cluster tells beside these is about the machine, the user and the job."""

_HARMLESS_PREFIXES = (
    "spark.sql.adaptive.", "spark.sql.autoBroadcast", "spark.sql.catalog", "spark.sql.execution.arrow",
    "spark.sql.extensions", "spark.sql.files.", "spark.sql.hive.", "spark.sql.parquet.",
    "spark.sql.shuffle.", "spark.sql.sources.", "spark.sql.streaming.", "spark.sql.thriftserver",
    "spark.sql.ui.", "spark.sql.warehouse.", "spark.sql.artifact.", "spark.sql.queryExecution",
    "spark.databricks.delta.autoCompact", "spark.databricks.delta.optimize", "spark.databricks.delta.preview",
    "spark.databricks.delta.multiClusterWrites", "spark.databricks.delta.retention",
    "spark.databricks.delta.skipRecording", "spark.databricks.delta.snapshot",
)  # fmt: skip
_HARMLESS = frozenset(
    ["STATEMENT_TIMEOUT", "USE_CACHED_RESULT", "MAX_FILE_PARTITION_BYTES", "QUERY_TAGS",
     "READ_ONLY_EXTERNAL_METASTORE", "spark.sql.session.timeZone", "TIMEZONE"]
)  # fmt: skip
"""The time zone is among them because it is asked for by `current_timezone()`."""

_DEFAULTS = {
    "ANSI_MODE": {"true"},
    "spark.sql.ansi.enabled": {"true"},
    "LEGACY_TIME_PARSER_POLICY": {"exception", "corrected"},
    "ENABLE_PHOTON": {"true"},
}


def counts(name: str, value: Any) -> bool:
    """Whether a setting with this value has to be part of the environment."""
    if name in _HARMLESS or name.startswith(_HARMLESS_PREFIXES):
        return False
    if not (name.startswith(_OF_SQL) or name.isupper()):
        return False
    return str(value).lower() not in _DEFAULTS.get(name, set())
