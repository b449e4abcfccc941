"""Delta and Iceberg tables written by hand: a few JSON, Parquet and Avro files.

Goal: any log, also one that no writer would leave, without a writer's package.
Method: each change is one commit; the data files are written by DuckDB.
"""

from __future__ import annotations

import json
import time
import uuid
from pathlib import Path
from typing import Any

import duckdb


class DeltaTable:
    """A table of one column `a`. `rows` of a commit replace or join what is there."""

    def __init__(self, folder: Path, table_id: str | None = None) -> None:
        self.folder, self.log = folder, folder / "_delta_log"
        self.id = table_id or str(uuid.uuid4())
        self.version = -1
        self.files: list[dict[str, Any]] = []
        self.columns = ["a"]
        self.log.mkdir(parents=True)
        self.commit(self.meta(), rows=[1])

    def protocol(self) -> dict[str, Any]:
        return {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}

    def meta(self) -> dict[str, Any]:
        fields = [
            {"name": name, "type": "long", "nullable": True, "metadata": {}}
            for name in self.columns
        ]
        schema = json.dumps({"type": "struct", "fields": fields})
        return {
            "metaData": {
                "id": self.id, "format": {"provider": "parquet", "options": {}},
                "schemaString": schema, "partitionColumns": [], "configuration": {},
                "createdTime": 0,
            }
        }  # fmt: skip

    def data_file(self, rows: list[int], name: str | None = None) -> dict[str, Any]:
        path = self.folder / (name or f"part-{uuid.uuid4()}.parquet")
        values = ", ".join(f"({row})" for row in rows)
        duckdb.sql(f"SELECT a::BIGINT AS a FROM (VALUES {values}) t(a)").write_parquet(str(path))
        size = path.stat().st_size
        return {
            "path": path.name, "size": size, "partitionValues": {}, "modificationTime": 0,
            "dataChange": True,
        }  # fmt: skip

    def commit(
        self, *actions: dict[str, Any], rows: list[int] = (), overwrite: bool = False,
        time_ms: int | None = None,
    ) -> None:  # fmt: skip
        self.version += 1
        stamp = int(time.time() * 1000) if time_ms is None else time_ms
        lines: list[dict[str, Any]] = [{"commitInfo": {"timestamp": stamp, "operation": "WRITE"}}]
        lines += [self.protocol()] if self.version == 0 else []
        lines += actions
        if overwrite:
            lines += [
                {"remove": {"path": f["path"], "dataChange": True, "deletionTimestamp": stamp}}
                for f in self.files
            ]
            self.files = []
        if rows:
            self.files.append(self.data_file(rows))
            lines.append({"add": self.files[-1]})
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (self.log / f"{self.version:020}.json").write_text(text)

    def checkpoint(self, parts: str = "") -> Path:
        """At the newest version; everything in one file."""
        rows = [self.protocol(), self.meta(), *({"add": file} for file in self.files)]
        source = self.folder / "checkpoint.ndjson"
        source.write_text("".join(json.dumps(row) + "\n" for row in rows))
        path = self.log / f"{self.version:020}.checkpoint{parts}.parquet"
        text = "MAP(VARCHAR, VARCHAR)"
        columns = {
            "protocol": "STRUCT(minReaderVersion INTEGER, minWriterVersion INTEGER)",
            "metaData": "STRUCT(id VARCHAR, format STRUCT(provider VARCHAR, "
            f"options {text}), schemaString VARCHAR, partitionColumns VARCHAR[], "
            f"configuration {text}, createdTime BIGINT)",
            "add": f"STRUCT(path VARCHAR, partitionValues {text}, size BIGINT, "
            "modificationTime BIGINT, dataChange BOOLEAN)",
            "remove": "STRUCT(path VARCHAR, deletionTimestamp BIGINT, dataChange BOOLEAN)",
        }
        duckdb.read_json(str(source), format="newline_delimited", columns=columns).write_parquet(
            str(path)
        )
        source.unlink()
        return path


def _zigzag(number: int) -> bytes:
    number = (number << 1) ^ (number >> 63)
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def _text(value: str | bytes) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _zigzag(len(data)) + data


def _write_avro(path: Path, schema: dict[str, Any], meta: dict[str, str], record: bytes) -> None:
    """An Avro file of one record."""
    entries = {"avro.schema": json.dumps(schema), "avro.codec": "null", **meta}
    head = b"".join(_text(key) + _text(value) for key, value in entries.items())
    sync = b"0123456789abcdef"
    block = _zigzag(1) + _text(record) + sync
    path.write_bytes(b"Obj\x01" + _zigzag(len(entries)) + head + b"\0" + sync + block)


def _record(name: str, fields: list[tuple[int, str, Any]]) -> dict[str, Any]:
    return {
        "type": "record", "name": name,
        "fields": [{"name": n, "type": t, "field-id": i} for i, n, t in fields],
    }  # fmt: skip


_LIST = _record(
    "manifest_file",
    [(500, "manifest_path", "string"), (501, "manifest_length", "long"),
     (502, "partition_spec_id", "int"), (517, "content", "int"), (515, "sequence_number", "long"),
     (516, "min_sequence_number", "long"), (503, "added_snapshot_id", "long"),
     (504, "added_files_count", "int"), (505, "existing_files_count", "int"),
     (506, "deleted_files_count", "int"), (512, "added_rows_count", "long"),
     (513, "existing_rows_count", "long"), (514, "deleted_rows_count", "long")],
)  # fmt: skip
_ENTRY = _record(
    "manifest_entry",
    [(0, "status", "int"), (1, "snapshot_id", "long"), (3, "sequence_number", "long"),
     (4, "file_sequence_number", "long"),
     (2, "data_file", _record("r2", [
         (134, "content", "int"), (100, "file_path", "string"), (101, "file_format", "string"),
         (102, "partition", _record("r102", [])), (103, "record_count", "long"),
         (104, "file_size_in_bytes", "long")]))],
)  # fmt: skip


class IcebergTable:
    """A table of one column `a`; each commit replaces its rows."""

    def __init__(self, folder: Path, table_uuid: str | None = None) -> None:
        self.folder, self.place = folder, folder / "metadata"
        self.place.mkdir(parents=True)
        self.metadata: dict[str, Any] = {
            "format-version": 2, "table-uuid": table_uuid or str(uuid.uuid4()),
            "location": str(folder), "last-sequence-number": 0, "last-updated-ms": 0,
            "last-column-id": 1, "current-schema-id": 0, "schemas": [self.schema(0, "a")],
            "default-spec-id": 0, "partition-specs": [{"spec-id": 0, "fields": []}],
            "last-partition-id": 999, "default-sort-order-id": 0,
            "sort-orders": [{"order-id": 0, "fields": []}], "properties": {}, "snapshots": [],
        }  # fmt: skip
        self.version = 0

    @staticmethod
    def schema(schema_id: int, name: str) -> dict[str, Any]:
        field = {"id": 1, "name": name, "required": False, "type": "long"}
        return {"type": "struct", "schema-id": schema_id, "fields": [field]}

    def commit(self, rows: list[int], snapshot_id: int, time_ms: int = 1) -> None:
        """A new snapshot and its metadata file, with the hint."""
        sequence = len(self.metadata["snapshots"]) + 1
        data = self.folder / f"data-{snapshot_id}.parquet"
        values = ", ".join(f"({row})" for row in rows)
        duckdb.sql(f"SELECT a::BIGINT AS a FROM (VALUES {values}) t(a)").write_parquet(
            str(data), field_ids={"a": 1}
        )
        manifest = self.place / f"manifest-{snapshot_id}.avro"
        numbers = [1, snapshot_id, sequence, sequence, 0]
        entry = b"".join(map(_zigzag, numbers)) + _text(str(data)) + _text("PARQUET")
        entry += _zigzag(len(rows)) + _zigzag(data.stat().st_size)
        meta = {"schema": json.dumps(self.metadata["schemas"][0]), "partition-spec": "[]",
                "partition-spec-id": "0", "format-version": "2", "content": "data"}  # fmt: skip
        _write_avro(manifest, _ENTRY, meta, entry)
        numbers = [manifest.stat().st_size, 0, 0, sequence, sequence, snapshot_id, 1, 0, 0]
        numbers += [len(rows), 0, 0]
        manifests = self.place / f"snap-{snapshot_id}.avro"
        line = _text(str(manifest)) + b"".join(map(_zigzag, numbers))
        _write_avro(manifests, _LIST, {"format-version": "2"}, line)
        self.metadata["snapshots"].append(
            {"snapshot-id": snapshot_id, "sequence-number": sequence, "timestamp-ms": time_ms,
             "manifest-list": str(manifests), "summary": {"operation": "overwrite"},
             "schema-id": 0}
        )  # fmt: skip
        self.metadata["last-sequence-number"] = sequence
        self.write(**{"current-snapshot-id": snapshot_id})

    def write(self, **changes: Any) -> Path:
        """The next metadata file, with these fields changed."""
        self.version += 1
        self.metadata.update(changes)
        path = self.place / f"v{self.version}.metadata.json"
        path.write_text(json.dumps(self.metadata))
        self.hint(str(self.version))
        return path

    def hint(self, text: str) -> None:
        (self.place / "version-hint.text").write_text(text)
