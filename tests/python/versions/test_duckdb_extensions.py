"""DuckLake, Delta, Iceberg, SQLite and Postgres, with the extension packages of DuckDB 1.5.5.

Goal: what is scanned is scanned whole; what is not scanned (the lakes) is proven by its catalog or log.
Method: real databases; a Postgres server of the test's own where its binaries are installed.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from lake_tables import DeltaTable, IcebergTable

from dbt_hodor.versions import duckdb_delta
from dbt_hodor.versions.duckdb import DuckDBProvider
from dbt_hodor.versions.duckdb_ducklake import LakeTable, Snapshot, last_touch

extensions = pytest.mark.extensions


def relation(provider: Any, parts: tuple[str, ...]) -> Any:
    """What stands under one name."""
    return provider.relations([parts])[parts]


def load(connection: Any, name: str) -> None:
    """Loads an extension from its package; without the package the test fails, and says so."""
    spec = importlib.util.find_spec(f"duckdb_extension_{name}")
    assert spec is not None, f"the package duckdb-extension-{name} is not installed"
    assert spec.submodule_search_locations is not None
    place = Path(next(iter(spec.submodule_search_locations)))
    file = place / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"
    connection.execute(f"LOAD '{file}'")


@pytest.fixture
def engine() -> Iterator[Any]:
    connection = duckdb.connect(config={"threads": "2"})
    yield connection
    connection.close()


def read(engine: Any, *parts: str) -> Any:
    provider = DuckDBProvider(engine.cursor, ":memory:")
    answer = provider.versions([parts])[parts]
    provider.close()
    return answer


def data_of(token: Any) -> str:
    assert isinstance(token, str), token
    return token.split(";")[1]


@pytest.fixture
def lake(engine: Any, tmp_path: Path) -> Any:
    load(engine, "ducklake")
    engine.execute(
        f"ATTACH 'ducklake:{tmp_path / 'meta.ducklake'}' AS lake (DATA_PATH '{tmp_path / 'data'}')"
    )
    engine.execute("CREATE TABLE lake.t AS SELECT 1 AS a, 'x' AS b")
    engine.execute("CREATE TABLE lake.other AS SELECT 1 AS a")
    return engine


CHANGES = [
    "INSERT INTO lake.t VALUES (2, 'y')",
    "INSERT INTO lake.t SELECT range, 'many' FROM range(10000)",
    "DELETE FROM lake.t WHERE a = 1",
    "UPDATE lake.t SET b = 'z'",
    "ALTER TABLE lake.t ADD COLUMN c INTEGER",
    "ALTER TABLE lake.t RENAME COLUMN b TO c",
    "DROP TABLE lake.t; CREATE TABLE lake.t AS SELECT 1 AS a, 'x' AS b",
    "CREATE OR REPLACE TABLE lake.t AS SELECT 2 AS a, 'x' AS b",
    "BEGIN; INSERT INTO lake.t VALUES (2, 'y'); INSERT INTO lake.other VALUES (2); COMMIT",
]


@extensions
@pytest.mark.parametrize("change", CHANGES)
def test_ducklake_changes_are_seen_without_a_scan(lake: Any, change: str) -> None:
    before = read(lake, "lake", "main", "t")
    assert data_of(before).startswith("ducklake:")
    assert read(lake, "lake", "main", "t") == before
    lake.execute(change)
    after = read(lake, "lake", "main", "t")
    assert data_of(after).startswith("ducklake:")
    assert after != before


@extensions
def test_ducklake_tables_are_apart(lake: Any) -> None:
    before = read(lake, "lake", "main", "t")
    lake.execute("INSERT INTO lake.other VALUES (2); CREATE VIEW lake.v AS SELECT a FROM lake.t")
    lake.execute(
        "CREATE SCHEMA lake.s; CREATE TABLE lake.s.t AS SELECT 7 AS a; DROP TABLE lake.s.t"
    )
    assert read(lake, "lake", "main", "t") == before
    assert read(lake, "lake", "main", "v").startswith("1;;;")
    provider = DuckDBProvider(lake.cursor, ":memory:")
    assert not provider.is_exclusive("lake")
    assert not provider.is_in_memory("lake")
    assert relation(provider, ("lake", "main", "t")).type == "table"
    assert relation(provider, ("lake", "main", "v")).type == "view"
    provider.close()


@extensions
def test_ducklake_is_scanned_when_the_proof_has_expired(lake: Any) -> None:
    lake.execute("INSERT INTO lake.t VALUES (2, 'y')")
    for number in range(3):
        lake.execute(f"INSERT INTO lake.other VALUES ({number})")
    assert data_of(read(lake, "lake", "main", "t")).startswith("ducklake:")
    newest = lake.execute("SELECT max(snapshot_id) FROM ducklake_snapshots('lake')").fetchone()[0]
    lake.execute(f"CALL ducklake_expire_snapshots('lake', versions => [{newest - 1}])")
    scanned = read(lake, "lake", "main", "t")
    assert data_of(scanned).split(":")[0] == "2"
    assert data_of(read(lake, "lake", "main", "other")).startswith("ducklake:")
    lake.execute("UPDATE lake.t SET b = 'q' WHERE a = 2")
    assert data_of(read(lake, "lake", "main", "t")) != data_of(scanned)


def _snapshot(number: int, **changes: list[str]) -> Snapshot:
    return Snapshot(number, number * 1000, changes)


@pytest.mark.parametrize(
    ("snapshots", "expected"),
    [
        ([_snapshot(3, tables_inserted_into=["1"])], 3),
        ([_snapshot(3, tables_inserted_into=["2"]), _snapshot(2, inlined_delete=["1"])], 2),
        ([_snapshot(3, tables_inserted_into=["11"]), _snapshot(2), _snapshot(1)], 1),
        ([_snapshot(3), _snapshot(1)], None),
        ([_snapshot(3), _snapshot(2)], None),
        ([_snapshot(3, something_new=["9"]), _snapshot(2), _snapshot(1)], 3),
        ([_snapshot(3, views_created=["1"]), _snapshot(2, tables_altered=["1"])], 2),
        ([_snapshot(3, tables_created=["1"]), _snapshot(2, tables_dropped=["1"])], 2),
        ([], None),
    ],
)  # fmt: skip
def test_last_touch(snapshots: list[Snapshot], expected: int | None) -> None:
    found = last_touch(snapshots, LakeTable(1, "uuid", 1))
    assert (None if found is None else found.id) == expected


@extensions
def test_sqlite(engine: Any, tmp_path: Path) -> None:
    load(engine, "sqlite_scanner")
    engine.execute(f"ATTACH '{tmp_path / 'a.sqlite'}' AS lite (TYPE sqlite)")
    engine.execute("CREATE TABLE lite.t (a INTEGER, b VARCHAR, c DOUBLE, d BLOB)")
    seen = {read(engine, "lite", "main", "t")}
    for change in (
        "INSERT INTO lite.t VALUES (1, 'x', 1.5, 'a'), (2, NULL, NULL, NULL)",
        "UPDATE lite.t SET b = 'y' WHERE a = 1",
        "DELETE FROM lite.t WHERE a = 1",
        "ALTER TABLE lite.t ADD COLUMN e INTEGER",
        "ALTER TABLE lite.t RENAME COLUMN b TO bb",
    ):
        engine.execute(change)
        token = read(engine, "lite", "main", "t")
        assert isinstance(token, str), token
        assert token == read(engine, "lite", "main", "t")
        seen.add(token)
    assert len(seen) == 6
    provider = DuckDBProvider(engine.cursor, ":memory:")
    assert not provider.is_exclusive("lite")
    assert not provider.is_in_memory("lite")
    assert {r.parts for r in provider.listing(["lite"]).relations} == {("lite", "main", "t")}
    provider.close()


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: Any) -> Iterator[str]:
    """A server that only this test uses, run by a user that it accepts."""
    assert shutil.which("initdb"), "the Postgres server's programs are not on the PATH"
    place = tmp_path_factory.mktemp("postgres")
    user: dict[str, Any] = {}
    if os.getuid() == 0:  # Postgres refuses to run as root
        nobody = pwd.getpwnam("nobody")
        os.chown(place, nobody.pw_uid, nobody.pw_gid)
        user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        for parent in list(place.parents)[:2]:
            parent.chmod(0o755)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data = place / "data"

    def run(*command: str) -> None:
        subprocess.run(command, check=True, capture_output=True, timeout=120, cwd="/", **user)

    run("initdb", "-D", str(data), "-U", "hodor", "-A", "trust", "--no-sync", "-E", "UTF8")
    options = f"-p {port} -k {place} -c listen_addresses=127.0.0.1 -c fsync=off"
    run("pg_ctl", "-D", str(data), "-w", "-l", str(place / "log"), "-o", options, "start")
    yield f"host=127.0.0.1 port={port} user=hodor dbname=postgres"
    run("pg_ctl", "-D", str(data), "-w", "-m", "immediate", "stop")


@extensions
def test_postgres(engine: Any, postgres: str) -> None:
    load(engine, "postgres_scanner")
    engine.execute(f"ATTACH '{postgres}' AS pg (TYPE postgres)")
    engine.execute(
        "CREATE TABLE pg.public.t (a INTEGER, b VARCHAR, c DOUBLE, d TIMESTAMPTZ, e INTEGER[], f UUID)"
    )
    seen = {read(engine, "pg", "public", "t")}
    for change in (
        "INSERT INTO pg.public.t VALUES (1, 'x', '0.0', now(), [1, 2], uuid()), (2, NULL, 2, NULL, [], NULL)",
        "UPDATE pg.public.t SET c = '-0.0'::DOUBLE WHERE a = 1",
        "UPDATE pg.public.t SET e = NULL WHERE a = 2",
        "DELETE FROM pg.public.t WHERE a = 1",
        "ALTER TABLE pg.public.t ADD COLUMN g INTEGER",
        "CALL postgres_execute('pg', 'ALTER TABLE t ALTER COLUMN a TYPE BIGINT')",
    ):
        engine.execute(change)
        engine.execute("CALL pg_clear_cache()")
        token = read(engine, "pg", "public", "t")
        assert isinstance(token, str), token
        assert data_of(token) == data_of(read(engine, "pg", "public", "t"))
        seen.add(token)
    assert len(seen) == 7
    engine.execute("CALL postgres_execute('pg', 'CREATE VIEW v AS SELECT a FROM t')")
    engine.execute("CALL pg_clear_cache()")
    provider = DuckDBProvider(engine.cursor, ":memory:")
    assert not provider.is_exclusive("pg")
    assert ("pg", "public", "t") in {r.parts for r in provider.listing(["pg"]).relations}
    # DuckDB shows a Postgres view as a table, and reads it as one: it is scanned, which is as good.
    answer = provider.versions([("pg", "public", "v")])[("pg", "public", "v")]
    assert isinstance(answer, str)
    provider.close()


@extensions
def test_one_unreachable_database_is_said(engine: Any, postgres: str, tmp_path: Path) -> None:
    load(engine, "sqlite_scanner")
    engine.execute(f"ATTACH '{tmp_path / 'b.sqlite'}' AS lite (TYPE sqlite)")
    engine.execute("CREATE TABLE lite.t (a INTEGER)")
    engine.execute("CREATE TABLE own AS SELECT 1 AS a")
    (tmp_path / "b.sqlite").write_bytes(b"no database any more" * 500)
    assert isinstance(read(engine, "lite", "main", "t"), Exception)
    assert isinstance(read(engine, "memory", "main", "own"), str)


# -- Delta and Iceberg ------------------------------------------------------------------------------


def rows(engine: Any, source: str) -> list[tuple[Any, ...]]:
    return sorted(engine.execute(f"FROM {source}").fetchall())


def by_folder(engine: Any, place: Path, function: str) -> str:
    provider = DuckDBProvider(engine.cursor, ":memory:")
    found = provider.file_version(str(place), function)
    provider.close()
    assert found is not None
    return found


@pytest.fixture
def delta(engine: Any, tmp_path: Path) -> DeltaTable:
    load(engine, "delta")
    return DeltaTable(tmp_path / "t")


@extensions
def test_delta_by_folder_is_the_version_that_is_read(engine: Any, delta: DeltaTable) -> None:
    source = f"delta_scan('{delta.folder}')"
    seen = [by_folder(engine, delta.folder, "delta_scan")]
    assert rows(engine, source) == [(1,)]
    delta.commit(rows=[2])
    seen.append(by_folder(engine, delta.folder, "delta_scan"))
    assert rows(engine, source) == [(1,), (2,)]
    delta.checkpoint()
    delta.commit(rows=[3])
    (delta.log / f"{0:020}.json").unlink()
    seen.append(by_folder(engine, delta.folder, "delta_scan"))
    assert rows(engine, source) == [(1,), (2,), (3,)]
    gone = delta.files.pop()
    delta.commit({"remove": {"path": gone["path"], "dataChange": True}})  # RESTORE
    seen.append(by_folder(engine, delta.folder, "delta_scan"))
    assert rows(engine, source) == [(1,), (2,)]
    (delta.folder / gone["path"]).unlink()  # VACUUM
    assert by_folder(engine, delta.folder, "delta_scan") == seen[-1]
    assert rows(engine, source) == [(1,), (2,)]
    delta.columns.append("b")
    delta.commit(delta.meta())
    seen.append(by_folder(engine, delta.folder, "delta_scan"))
    assert rows(engine, source) == [(1, None), (2, None)]
    shutil.rmtree(delta.folder)
    again = DeltaTable(delta.folder, delta.id)
    for row in (2, 3, 4, 5):
        again.commit(rows=[row])
    seen.append(by_folder(engine, delta.folder, "delta_scan"))
    assert again.version == delta.version
    assert len(set(seen)) == 6


@extensions
def test_attached_delta_needs_no_scan(
    engine: Any, delta: DeltaTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.execute(f"ATTACH '{delta.folder}' AS x (TYPE delta)")
    scanned = read(engine, "x", "main", "x")
    assert data_of(scanned).startswith("1:")  # the log is younger than this process
    monkeypatch.setattr(duckdb_delta, "_process_start_s", lambda: time.time() + 60)
    before = read(engine, "x", "main", "x")
    assert data_of(before).startswith(f"delta:{delta.id}@0@")
    delta.commit(rows=[2])
    after = read(engine, "x", "main", "x")
    assert data_of(after).startswith(f"delta:{delta.id}@1@")
    assert rows(engine, "x") == [(1,), (2,)]
    delta.columns.append("b")
    delta.commit(delta.meta())
    evolved = read(engine, "x", "main", "x")
    assert evolved.split(";")[3] != after.split(";")[3]
    provider = DuckDBProvider(engine.cursor, ":memory:")
    assert not provider.is_exclusive("x")
    assert not provider.is_in_memory("x")
    assert {r.parts for r in provider.listing(["x"]).relations} == {("x", "main", "x")}
    provider.close()
    (delta.log / f"{1:020}.json").unlink()
    assert not str(read(engine, "x", "main", "x")).startswith("1;delta:")


@extensions
@pytest.mark.parametrize("option", ["VERSION 0", "PIN_SNAPSHOT", "PUSHDOWN_FILTERS 'none'"])
def test_attached_delta_with_options_is_scanned(
    engine: Any, delta: DeltaTable, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.setattr(duckdb_delta, "_process_start_s", lambda: time.time() + 60)
    engine.execute(f"ATTACH '{delta.folder}' AS x (TYPE delta, {option})")
    before = read(engine, "x", "main", "x")
    assert data_of(before).startswith("1:")
    delta.commit(rows=[2])
    after = read(engine, "x", "main", "x")
    assert (after == before) == (rows(engine, "x") == [(1,)])


@extensions
def test_attached_delta_that_was_made_anew_is_read_as_the_engine_reads_it(
    engine: Any, delta: DeltaTable
) -> None:
    """Under the engine's first look: another table of as many commits, with other columns."""
    engine.execute(f"ATTACH '{delta.folder}' AS x (TYPE delta)")
    before = read(engine, "x", "main", "x")
    shutil.rmtree(delta.folder)
    again = DeltaTable(delta.folder)
    (again.log / f"{0:020}.json").unlink()
    again.version, again.columns = -1, ["a", "b"]
    again.commit(again.meta(), rows=[5])
    after = read(engine, "x", "main", "x")
    assert not data_of(after).startswith("delta:")
    assert after != before


@extensions
def test_iceberg_by_folder_is_the_version_that_is_read(engine: Any, tmp_path: Path) -> None:
    for name in ("avro", "iceberg"):
        load(engine, name)
    table = IcebergTable(tmp_path / "t")
    source = f"iceberg_scan('{table.folder}')"
    seen = []
    for snapshot, values in ((11, [1, 2]), (12, [3])):
        table.commit(values, snapshot)
        seen.append(by_folder(engine, table.folder, "iceberg_scan"))
        assert rows(engine, source) == [(value,) for value in values]
    table.write(**{"current-snapshot-id": 11})  # rollback
    seen.append(by_folder(engine, table.folder, "iceberg_scan"))
    assert rows(engine, source) == [(1,), (2,)]
    table.write(**{"schemas": [table.schema(0, "a"), table.schema(1, "b")], "current-schema-id": 1})
    seen.append(by_folder(engine, table.folder, "iceberg_scan"))
    assert engine.execute(f"FROM {source}").description[0][0] == "b"
    assert len(set(seen)) == 4


@extensions
def test_iceberg_hints_lead_where_the_engine_goes(engine: Any, tmp_path: Path) -> None:
    for name in ("avro", "iceberg"):
        load(engine, name)
    table = IcebergTable(tmp_path / "t")
    table.commit([1], 11)
    table.commit([2], 12)
    source = f"iceberg_scan('{table.folder}')"
    shutil.copy(table.place / "v1.metadata.json", table.place / "2.metadata.json")
    assert rows(engine, source) == [(2,)]
    assert "@12@" in by_folder(engine, table.folder, "iceberg_scan")
    (table.place / "v2.metadata.json").rename(table.place / "v9.metadata.json")
    assert rows(engine, source) == [(1,)]
    assert "@11@" in by_folder(engine, table.folder, "iceberg_scan")
    file = table.place / "v9.metadata.json"
    assert rows(engine, f"iceberg_scan('{file}')") == [(2,)]
    assert "@12@" in by_folder(engine, file, "iceberg_scan")
    table.hint("v9\n")  # taken as it is
    with pytest.raises(duckdb.Error):
        rows(engine, source)
