"""Which configuration is SQL: each key that a materialization of dbt or dbt-duckdb reads is accounted for."""

from __future__ import annotations

import re
from pathlib import Path

import dbt.include.duckdb
import dbt.include.global_project

from dbt_hodor.node_text import FRAGMENT_KEYS

_READ = re.compile(r"config\.(?:get|require|persist_\w+)\(\s*['\"](\w+)['\"]")

NAMES_AND_CHOICES = {
    "contract", "csv_read_options", "delimiter", "entry_point", "event_time", "fast", "format",
    "full_refresh", "glue_database", "glue_register", "grants", "incremental_strategy", "indexes",
    "json_read_options", "limit", "location", "materialized", "merge_exclude_columns",
    "merge_update_columns", "on_configuration_change", "on_schema_change", "options", "packages",
    "parameters", "parquet_read_options", "partition_by", "partition_columns", "partitioned_by", "plugin",
    "runtime_version", "snapshot_table_column_names", "sort_by", "sorted_by", "store_failures",
    "store_failures_as", "strategy", "volatility", "expected_rows", "expected_sql",
}  # fmt: skip
"""They count as configuration; none of them can read a table."""

READ_ELSEWHERE = {"sql_header", "fail_calc", "warn_if", "error_if", "where"}
"""A header is read with the hooks, a test's conditions with its query."""


def test_every_key_is_accounted_for() -> None:
    read: set[str] = set()
    for package in (dbt.include.duckdb, dbt.include.global_project):
        for place in package.__path__:
            for path in Path(place).rglob("*.sql"):
                read.update(_READ.findall(path.read_text(encoding="utf-8")))
    assert {"merge_update_set_expressions", "incremental_predicates", "check_cols"} <= read
    assert read - set(FRAGMENT_KEYS) - NAMES_AND_CHOICES - READ_ELSEWHERE == set()
