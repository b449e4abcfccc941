"""Versions of Delta and Iceberg tables from their own records.

Goal: whatever changes what is read changes the version; whatever is not plain has none.
Method: tables written by hand, so that logs can be rewritten; no extension is needed. That DuckDB
reads what we take for the newest version is in test_duckdb_extensions.py.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from lake_tables import DeltaTable, IcebergTable

from dbt_hodor.versions import duckdb_delta
from dbt_hodor.versions.duckdb import DuckDBProvider


@pytest.fixture
def version() -> Any:
    engine = duckdb.connect()

    def read(place: Path | str, function: str) -> str | None:
        provider = DuckDBProvider(engine.cursor, ":memory:")
        found = provider.file_version(str(place), function)
        provider.close()
        return found

    yield read
    engine.close()


Version = Callable[..., Any]


def _replace(path: Path, old: str, new: str) -> None:
    """Other bytes of the same length and time, as an editor of logs could leave them."""
    status, text = path.stat(), path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


# -- Delta ------------------------------------------------------------------------------------------


@pytest.fixture
def delta(tmp_path: Path) -> DeltaTable:
    table = DeltaTable(tmp_path / "t")
    table.commit(rows=[2])
    table.commit(rows=[3])
    return table


def _new_schema(table: DeltaTable) -> None:
    table.columns.append("b")
    table.commit(table.meta())


def _restore(table: DeltaTable) -> None:
    """Back to version 1: the file of version 2 goes, and no file comes."""
    table.commit({"remove": {"path": table.files.pop()["path"], "dataChange": True}})


def _again_under_the_same_id(table: DeltaTable) -> None:
    """The same log over the same names, written anew, with other rows in the files."""
    logs = {path.name: path.read_text() for path in sorted(table.log.iterdir())}
    shutil.rmtree(table.folder)
    table.log.mkdir(parents=True)
    for name, text in logs.items():
        (table.log / name).write_text(text)
    for file in table.files:
        table.data_file([7], file["path"])


def _again(table: DeltaTable) -> None:
    shutil.rmtree(table.folder)
    other = DeltaTable(table.folder)
    other.commit(rows=[2])
    other.commit(rows=[3])


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.commit(rows=[4]),
        lambda table: table.commit(rows=[1, 2, 3], overwrite=True),
        lambda table: table.commit(rows=[], overwrite=True),
        _new_schema,
        _restore,
        _again,
        _again_under_the_same_id,
        lambda table: _replace(table.log / f"{2:020}.json", '"WRITE"', '"MERGE"'),
        lambda table: _replace(table.log / f"{1:020}.json", '"WRITE"', '"MERGE"'),
    ],
)  # fmt: skip
def test_delta_changes(version: Version, delta: DeltaTable, change: Any) -> None:
    before = version(delta.folder, "delta_scan")
    assert before.startswith(f"1;delta:{delta.id}@2@"), before
    assert version(f"{delta.folder}/", "delta_scan") is not None
    change(delta)
    assert version(delta.folder, "delta_scan") not in {before, None}


def test_delta_two_commits_in_one_millisecond(version: Version, tmp_path: Path) -> None:
    table = DeltaTable(tmp_path / "t")
    seen = set()
    for row in range(3):
        table.commit(rows=[row], overwrite=True, time_ms=1000)
        seen.add(version(table.folder, "delta_scan"))
    assert len(seen) == 3
    assert None not in seen


def test_delta_maintenance_changes_nothing(version: Version, delta: DeltaTable) -> None:
    gone = [file["path"] for file in delta.files]
    delta.commit(rows=[9], overwrite=True)
    before = version(delta.folder, "delta_scan")
    for path in gone:
        (delta.folder / path).unlink()  # what VACUUM does
    (delta.log / ".hidden.crc").write_text("x")
    (delta.log / f"{delta.version:020}.crc").write_text("{}")
    (delta.log / "_commit_1.json.tmp").write_text("{}")
    assert version(delta.folder, "delta_scan") == before


def test_delta_checkpoints(version: Version, delta: DeltaTable) -> None:
    checkpoint = delta.checkpoint()
    delta.commit(rows=[4])
    before = version(delta.folder, "delta_scan")
    assert before.startswith(f"1;delta:{delta.id}@3@"), before
    for number in range(3):  # log cleanup
        (delta.log / f"{number:020}.json").unlink()
    (delta.log / "_last_checkpoint").write_text('{"version":2,"size":5}')
    assert version(delta.folder, "delta_scan") == before
    status = checkpoint.stat()
    delta.files[0] = delta.data_file([8])
    delta.version -= 1
    delta.checkpoint()  # another history under the same name
    os.utime(checkpoint, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert version(delta.folder, "delta_scan") not in {before, None}
    checkpoint.unlink()
    assert version(delta.folder, "delta_scan") is None


def test_delta_checkpoint_in_parts(version: Version, delta: DeltaTable) -> None:
    without = version(delta.folder, "delta_scan")
    first = delta.checkpoint(f".{1:010}.{2:010}")
    assert version(delta.folder, "delta_scan") == without  # one part is no checkpoint
    empty = f"SELECT * FROM read_parquet('{first}') LIMIT 0"
    second = str(first).replace(f".{1:010}.", f".{2:010}.")
    duckdb.sql(empty).write_parquet(second)
    for number in range(2):
        (delta.log / f"{number:020}.json").unlink()
    assert version(delta.folder, "delta_scan") not in {without, None}
    delta.checkpoint()
    assert version(delta.folder, "delta_scan") is None  # two of one version


def _add(name: str, text: str = "{}") -> Callable[[DeltaTable], Any]:
    return lambda table: (table.log / name).write_text(text)


@pytest.mark.parametrize(
    "change",
    [
        lambda table: (table.log / f"{1:020}.json").unlink(),
        lambda table: (table.log / f"{0:020}.json").unlink(),
        lambda table: shutil.rmtree(table.log),
        lambda table: [path.unlink() for path in table.log.iterdir()],
        lambda table: (table.log / f"{2:020}.json").write_text('{"metaData": '),
        lambda table: (table.log / f"{2:020}.json").write_text('{"metaData": {"id": "a;b"}}'),
        lambda table: (table.log / f"{2:020}.json").write_text('{"metaData": {"id": null}}'),
        lambda table: (table.log / f"{0:020}.json").write_text('{"add": {}}'),
        lambda table: (table.log / "_staged_commits").mkdir(),
        lambda table: (table.log / "_sidecars").mkdir(),
        _add(f"{2:020}.checkpoint.0f3c4a8e-0000-4000-8000-000000000000.parquet"),
        _add(f"{2:020}.checkpoint.0f3c4a8e-0000-4000-8000-000000000000.json"),
        _add(f"{0:020}.{2:020}.compacted.json"),
        _add(f"{2:020}.checkpoint.parquet", "no parquet"),
        _add(f"{5:020}.checkpoint.parquet"),
        _add(f"{3:020}.json",
             '{"protocol": {"minReaderVersion": 3, "readerFeatures": ["catalogManaged"]}}'),
        _add("3.json"),
    ],
)  # fmt: skip
def test_delta_unknown(version: Version, delta: DeltaTable, change: Any) -> None:
    assert version(delta.folder, "delta_scan") is not None
    change(delta)
    assert version(delta.folder, "delta_scan") is None


@pytest.mark.parametrize(
    "place",
    [
        "s3://b/t",
        "file:///t",
        "~/t",
        "t*",
        "t?",
        "t[1]",
        "a%20b",
        "a#b",
        "",
        "az://c/t",
        "x:y",
        "t\n",
    ],
)
@pytest.mark.parametrize("function", ["delta_scan", "iceberg_scan"])
def test_places_that_may_mean_something_else(
    version: Version, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, function: str
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        DeltaTable(tmp_path / place / "d")
        shutil.copytree(tmp_path / place / "d", tmp_path / place, dirs_exist_ok=True)
        shutil.copytree(_iceberg(tmp_path / "i").folder, tmp_path / place, dirs_exist_ok=True)
    except OSError:
        pass
    assert version(place, function) is None


def test_relative_places(version: Version, delta: DeltaTable, monkeypatch: Any) -> None:
    whole = version(delta.folder, "delta_scan")
    monkeypatch.chdir(delta.folder.parent)
    for place in ("t", "./t", "t/", "../" + delta.folder.parent.name + "/t"):
        found = version(place, "delta_scan")
        assert found is not None
        assert found.split("@")[:3] == whole.split("@")[:3]


def test_delta_log_is_as_at_start(delta: DeltaTable, tmp_path: Path, monkeypatch: Any) -> None:
    start_s = duckdb_delta._process_start_s()
    assert abs(start_s - duckdb_delta._process_start_s()) < 0.05
    assert not duckdb_delta._is_as_at_start(str(delta.folder))
    later_s = os.stat(delta.log).st_ctime + 60
    monkeypatch.setattr(duckdb_delta, "_process_start_s", lambda: later_s)
    assert duckdb_delta._is_as_at_start(str(delta.folder))
    (tmp_path / "link").symlink_to(delta.folder)
    assert not duckdb_delta._is_as_at_start(str(tmp_path / "link"))


# -- Iceberg ----------------------------------------------------------------------------------------


def _iceberg(folder: Path) -> IcebergTable:
    table = IcebergTable(folder)
    table.commit([1], 11)
    table.commit([1, 2], 12, time_ms=1)  # both in one millisecond
    return table


@pytest.fixture
def iceberg(tmp_path: Path) -> IcebergTable:
    return _iceberg(tmp_path / "t")


def _iceberg_again(table: IcebergTable, table_uuid: str | None = None) -> None:
    shutil.rmtree(table.folder)
    other = IcebergTable(table.folder, table_uuid)
    other.commit([5], 11)
    other.commit([5, 6], 12)


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.commit([1, 2], 13, time_ms=1),
        lambda table: table.write(**{"current-snapshot-id": 11}),
        lambda table: table.write(
            **{"schemas": [table.schema(0, "a"), table.schema(1, "b")], "current-schema-id": 1}
        ),
        lambda table: table.write(schemas=[table.schema(0, "b")]),
        lambda table: table.write(properties={"schema.name-mapping.default": "[]"}),
        lambda table: table.write(**{"something-new": 1}),
        _iceberg_again,
        lambda table: _iceberg_again(table, table.metadata["table-uuid"]),
        lambda table: _replace(table.place / "v2.metadata.json", '"overwrite"', '"overwrote"'),
        lambda table: table.hint("1"),
    ],
)  # fmt: skip
def test_iceberg_changes(version: Version, iceberg: IcebergTable, change: Any) -> None:
    before = version(iceberg.folder, "iceberg_scan")
    assert before.startswith(f"1;iceberg:{iceberg.metadata['table-uuid']}@12@1@0@"), before
    assert version(iceberg.folder, "iceberg_scan") == before
    change(iceberg)
    assert version(iceberg.folder, "iceberg_scan") not in {before, None}


def test_iceberg_maintenance_changes_nothing(version: Version, iceberg: IcebergTable) -> None:
    before = version(iceberg.folder, "iceberg_scan")
    iceberg.write(
        snapshots=iceberg.metadata["snapshots"][1:],
        refs={"old": {"snapshot-id": 11, "type": "tag"}},
        statistics=[{"snapshot-id": 12}],
        **{"last-updated-ms": 9, "snapshot-log": [], "metadata-log": [{"timestamp-ms": 1}]},
    )
    (iceberg.place / "snap-11.avro").unlink()
    assert version(iceberg.folder, "iceberg_scan") == before


def test_iceberg_follows_the_hint(version: Version, iceberg: IcebergTable) -> None:
    newest = version(iceberg.folder, "iceberg_scan")
    shutil.copy(iceberg.place / "v1.metadata.json", iceberg.place / "2.metadata.json")
    assert version(iceberg.folder, "iceberg_scan") == newest  # the name with a v is first
    (iceberg.place / "v2.metadata.json").rename(iceberg.place / "v9.metadata.json")
    assert version(iceberg.folder, "iceberg_scan") not in {newest, None}
    iceberg.hint("v9")
    assert version(iceberg.folder, "iceberg_scan") == newest
    assert version(iceberg.place / "v9.metadata.json", "iceberg_scan") == newest
    for hint in ("v9\n", " v9", "", "v8", "../metadata/v9", "v9;", "*"):
        iceberg.hint(hint)
        assert version(iceberg.folder, "iceberg_scan") is None
    (iceberg.place / "version-hint.text").unlink()
    assert version(iceberg.folder, "iceberg_scan") is None


@pytest.mark.parametrize(
    "changes",
    [
        {"current-snapshot-id": None},
        {"current-snapshot-id": -1},
        {"current-snapshot-id": 99},
        {"current-snapshot-id": "12"},
        {"table-uuid": "a;b"},
        {"table-uuid": None},
        {"current-schema-id": None},
        {"snapshots": []},
        {"snapshots": [{"snapshot-id": 12, "timestamp-ms": 1, "manifests": ["x"]}]},
        {"snapshots": [{"snapshot-id": 12, "timestamp-ms": 1, "manifest-list": "s3://b/x.avro"}]},
        {"snapshots": [{"snapshot-id": 12, "timestamp-ms": 1, "manifest-list": "metadata/x.avro"}]},
        {"snapshots": [{"snapshot-id": 12, "timestamp-ms": 1, "manifest-list": "/none/x.avro"}]},
    ],
)  # fmt: skip
def test_iceberg_unknown(version: Version, iceberg: IcebergTable, changes: Any) -> None:
    iceberg.write(**changes)
    assert version(iceberg.folder, "iceberg_scan") is None


def test_iceberg_metadata_that_readers_may_read_apart(
    version: Version, iceberg: IcebergTable
) -> None:
    text = json.dumps(iceberg.metadata)
    path = iceberg.place / "v2.metadata.json"
    path.write_text('{"current-snapshot-id": 11, ' + text[1:])
    assert version(iceberg.folder, "iceberg_scan") is None
    path.write_text(text[:-1])
    assert version(iceberg.folder, "iceberg_scan") is None
    (iceberg.place / "v2.gz.metadata.json").write_text(text)
    iceberg.hint("2.gz")
    assert version(iceberg.folder, "iceberg_scan") is None
