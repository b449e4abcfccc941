"""Runs the cases of history_cases.jsonl on local Spark with Delta and records what each commit did.

In:  history_cases.jsonl; a folder for the tables, the Delta jars.
Out: history_measured.jsonl: each commit as its history shows it, and the truth beside it: whether the
     rows of versions v-1 and v differ (EXCEPT ALL, both ways) and whether the columns do.
Never: judges a commit by its name or metrics: only what a reader would see counts.

Run in the endpoint's own environment: python measure_history.py --data FOLDER --jars FOLDER
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lakeside.engine import Engine, build_spark

HERE = Path(__file__).resolve().parent
_TABLE = re.compile(r"\b([xh]\.[a-z]\w*)\b")


def frame_writes(spark: Any, folder: Path) -> dict[str, Any]:
    """What only a DataFrame can do, by the name of the case."""
    empty = spark.range(0)

    def write(frame: Any, mode: str, table: str, **options: str) -> None:
        frame.write.format("delta").mode(mode).options(**options).saveAsTable(table)

    def stream() -> None:
        source = str(folder / "stream_source")
        spark.range(2).write.format("delta").save(source)
        write(empty, "errorifexists", "x.st")
        query = spark.readStream.format("delta").load(source).writeStream.format("delta")
        started = query.option("checkpointLocation", str(folder / "checkpoint"))
        started.trigger(availableNow=True).toTable("x.st").awaitTermination()

    def overwrite_by_path() -> None:
        detail = spark.sql("describe detail x.s").first()
        spark.range(0).write.format("delta").mode("overwrite").save(detail["location"])

    wider = empty.selectExpr("id", "'x' as more")
    return {
        "saveAsTable": lambda: write(spark.range(3), "errorifexists", "x.s"),
        "df_append": lambda: write(spark.range(2), "append", "x.s"),
        "df_overwrite": lambda: write(spark.range(2), "overwrite", "x.s"),
        "stream": stream,
        "append_0_rows": lambda: write(empty, "append", "x.s"),
        "append_0_rows_merge_schema": lambda: write(wider, "append", "x.s", mergeSchema="true"),
        "overwrite_0_rows": lambda: write(empty.selectExpr("id", "'x' more"), "overwrite", "x.s"),
        "overwrite_by_path": overwrite_by_path,
    }


_TABLE_OF_WRITE = {"stream": "x.st"}


def history(spark: Any, table: str) -> list[dict[str, Any]]:
    """The commits of a table, newest first; empty when there is no such table."""
    try:
        rows = spark.sql(f"describe history {table}")
        found = rows.selectExpr(
            "version", "unix_millis(timestamp) time_ms", "operation", "operationParameters",
            "operationMetrics",
        ).collect()  # fmt: skip
    except Exception:
        return []
    return [row.asDict(recursive=True) for row in found]


def truth(spark: Any, table: str, version: int) -> dict[str, Any]:
    """Whether rows and columns of a version differ from those of the one before."""
    if version == 0:
        return {"rows_changed": True, "schema_changed": True}
    now = spark.sql(f"select * from {table} version as of {version}")
    then = spark.sql(f"select * from {table} version as of {version - 1}")
    columns = [
        [(f.name, f.dataType.simpleString(), f.nullable) for f in frame.schema.fields]
        for frame in (now, then)
    ]
    answer: dict[str, Any] = {"schema_changed": columns[0] != columns[1], "rows_changed": None}
    if len(columns[0]) == len(columns[1]):
        by_place = [frame.toDF(*(f"c{n}" for n in range(len(columns[0])))) for frame in (now, then)]
        gone, new = (by_place[1].exceptAll(by_place[0]), by_place[0].exceptAll(by_place[1]))
        answer["rows_changed"] = bool(gone.take(1) or new.take(1))
    return answer


def measured(spark: Any, folder: Path, cases: list[dict[str, str]]) -> Iterator[dict[str, Any]]:
    """One record per commit that a case made."""
    writes = frame_writes(spark, folder)
    engine = Engine(spark, "main")
    session = engine.open(None, {})
    for case in cases:
        name = case["case"]
        if "write" in case:
            table = _TABLE_OF_WRITE.get(name, "x.s")
        else:
            found = _TABLE.search(case["sql"])
            table = found.group(1) if found else ""
        if "rename to" in case.get("sql", ""):
            table = case["sql"].rsplit(" ", 1)[-1]
        before = history(spark, table)
        try:
            if "write" in case:
                writes[case["write"]]()
            else:
                engine.execute(session, case["sql"])
        except Exception as error:
            yield {**case, "error": str(error).splitlines()[0][:120]}
        known = {(row["version"], row["time_ms"]) for row in before}
        for row in reversed(history(spark, table)):
            commit = (row["version"], row["time_ms"])
            if commit in known:
                continue
            record = {
                **case, "table": table, "version": row["version"], "time_ms": row["time_ms"],
                "operation": row["operation"], "parameters": row["operationParameters"],
                "metrics": row["operationMetrics"],
            }  # fmt: skip
            try:
                record |= truth(spark, table, row["version"])
            except Exception as error:
                record |= {"rows_changed": None, "unread": str(error).splitlines()[0][:120]}
            yield record


def main() -> None:
    """Measures all cases."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--jars", type=Path, required=True)
    given = options.parse_args()
    jars = sorted(given.jars.resolve().glob("*.jar"))
    spark = build_spark(given.data.resolve(), jars, 2, "1g", "17.3.x-scala2.13", {})
    for schema in ("x", "h"):
        spark.sql(f"create schema if not exists {schema}")
    lines = (HERE / "history_cases.jsonl").read_text().splitlines()
    cases = [json.loads(line) for line in lines]
    with (HERE / "history_measured.jsonl").open("w") as out:
        for record in measured(spark, given.data.resolve(), cases):
            print(json.dumps(record, sort_keys=True), file=out, flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
