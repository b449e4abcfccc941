"""The DuckDB state file under faults: cut, overwritten, locked, full, older, newer, killed.

Goal: a fault costs builds, never a run and never a good file. Method: real files, real processes;
after each fault the store must either give back what was written or say what it did, and work on.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dbt_hodor.store.base import Row, StoreUnavailable, StoreUnreadable
from dbt_hodor.store.duckdb import DuckDBStore
from dbt_hodor.store.duckdb_schema import SCHEMA_VERSION

from .conftest import record

ROWS = [record(number, detail="x" * 3000) for number in range(120)]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: Any) -> Path:
    path = tmp_path_factory.mktemp("sound") / "state.duckdb"
    store = DuckDBStore(str(path))
    for start in range(0, len(ROWS), 40):
        store.append(ROWS[start : start + 40])
    store.close()
    assert path.stat().st_size > 3 * 4096
    return path


@pytest.fixture
def path(sound: Path, tmp_path: Path) -> Path:
    shutil.copy(sound, tmp_path / "state.duckdb")
    return tmp_path / "state.duckdb"


def set_aside(path: Path) -> list[Path]:
    return sorted(path.parent.glob("state.duckdb.corrupt-*"))


def works_on(path: Path) -> None:
    """Whatever was there: the next calls succeed, and nothing was lost without a word."""
    store = DuckDBStore(str(path))
    found = store.load_latest("shop", "dev", 0)
    if set_aside(path):
        assert store.notices
        assert "set aside" in store.notices[0]
    else:
        assert not store.notices
        assert set(found) == set(ROWS)
    store.append([record(999)])
    assert record(999) in store.load_latest("shop", "dev", 0)
    store.close()
    again = DuckDBStore(str(path))
    assert record(999) in again.load_latest("shop", "dev", 0)
    assert not again.notices
    again.close()


def _cuts() -> list[float]:
    return [0, 1, 11, 12, 20, 100, 4095, 4096, 4097, 8192, 12287, 12288, 12289, 20_000, 262_144,
            274_431, 274_432, 274_433, 0.6, 0.7, 0.8, 0.9, 0.99, -1]  # fmt: skip


@pytest.mark.parametrize("cut", _cuts())
def test_truncated(path: Path, cut: float) -> None:
    size = path.stat().st_size
    length = size + int(cut) if cut < 0 else int(size * cut) if 0 < cut < 1 else int(cut)
    before = path.read_bytes()[:length]
    path.write_bytes(before)
    works_on(path)
    for aside in set_aside(path):
        assert aside.read_bytes() == before


@pytest.mark.parametrize("seed", range(20))
def test_overwritten(path: Path, seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray(path.read_bytes())
    start = chance.randrange(len(data) - 600)
    for place in range(start, start + chance.choice([1, 8, 500])):
        data[place] ^= chance.randrange(1, 256)
    path.write_bytes(bytes(data))
    works_on(path)


@pytest.mark.parametrize("content", [b"", b"x", b"hello world " * 2000, b"\0" * 300_000])
def test_not_a_database(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    works_on(path)
    assert [aside.read_bytes() for aside in set_aside(path)] == [content]


def test_files_set_aside_in_one_second_keep_their_own_names(path: Path) -> None:
    for content in (b"one", b"two", b"three"):
        path.write_bytes(content)
        DuckDBStore(str(path)).load_latest("shop", "dev", 0)
    assert sorted(aside.read_bytes() for aside in set_aside(path)) == [b"one", b"three", b"two"]


def test_a_reader_sets_nothing_aside(path: Path) -> None:
    path.write_bytes(b"garbage" * 1000)
    with pytest.raises(StoreUnavailable, match="damaged"):
        DuckDBStore(str(path), read_only=True).load_latest("shop", "dev", 0)
    assert path.read_bytes() == b"garbage" * 1000
    assert not set_aside(path)


def _checksum(block: bytes) -> int:
    """DuckDB's block checksum, for blocks of whole words."""
    result = 5381
    for (word,) in struct.iter_unpack("<Q", block):
        result ^= (word * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    return result


def test_a_newer_storage_version_is_left_alone(path: Path) -> None:
    data = bytearray(path.read_bytes())
    block = data[8:4096]
    assert struct.unpack("<Q", data[:8])[0] == _checksum(bytes(block))
    block[4:12] = struct.pack("<Q", 9_999)
    data[:8] = struct.pack("<Q", _checksum(bytes(block)))
    data[8:4096] = block
    path.write_bytes(bytes(data))
    for read_only in (False, True):
        store = DuckDBStore(str(path), read_only=read_only)
        with pytest.raises(StoreUnavailable, match="newer version and is left alone"):
            store.load_latest("shop", "dev", 0)
    with pytest.raises(StoreUnavailable, match="upgrade"):
        DuckDBStore(str(path)).append([record(999)])
    assert path.read_bytes() == bytes(data)
    assert not set_aside(path)


def _edit(path: Path, *statements: str) -> None:
    connection = duckdb.connect(str(path))
    for statement in statements:
        connection.execute(statement)
    connection.close()


def test_a_newer_schema_is_left_alone(path: Path) -> None:
    _edit(path, f"UPDATE hodor_state_meta SET value = '{SCHEMA_VERSION + 1}'")
    before = path.read_bytes()
    store = DuckDBStore(str(path))
    for call in (
        lambda: store.load_latest("shop", "dev", 0),
        lambda: store.append([record(999)]),
        lambda: store.prune("shop", "dev", 10**15, True),
    ):
        with pytest.raises(StoreUnavailable, match="newer version"):
            call()
    store.close()
    assert path.read_bytes() == before


def test_the_first_schema_is_migrated(tmp_path: Path) -> None:
    """Records from before the meta table and `detail`."""
    path = tmp_path / "state.duckdb"
    columns = [c for c in Row._fields if c != "detail"]
    bigint = {"recorded_at_ms", "hash_version", "data_changed_at_ms", "built_at_ms"}
    types = ", ".join(f"{c} {'BIGINT' if c in bigint else 'VARCHAR'}" for c in columns)
    _edit(path, f"CREATE TABLE hodor_state ({types})")
    connection = duckdb.connect(str(path))
    marks = ", ".join("?" * len(columns))
    connection.execute(f"INSERT INTO hodor_state VALUES ({marks})", list(record(1)[:-1]))
    connection.close()
    store = DuckDBStore(str(path))
    assert store.load_latest("shop", "dev", 0) == [record(1, detail=None)]
    store.append([record(2)])
    assert len(store.invocation("shop", "dev", None)) == 2
    store.close()
    version = duckdb.connect(str(path)).execute("SELECT value FROM hodor_state_meta").fetchall()
    assert version == [(str(SCHEMA_VERSION),)]


@pytest.mark.parametrize("column", [c for c in Row._fields if c.endswith(("hash", "ms", "detail"))])
def test_a_missing_column_is_added(path: Path, column: str) -> None:
    _edit(path, f"ALTER TABLE hodor_state DROP COLUMN {column}")
    store = DuckDBStore(str(path))
    store.append([record(999)])
    rows = {row.record_id: row for row in store.load_latest("shop", "dev", -1)}
    assert rows["record-999"] == record(999)
    if column != "recorded_at_ms":
        assert rows["record-1"] == ROWS[1]._replace(**{column: None})


def test_other_columns_do_not_hurt(path: Path) -> None:
    _edit(path, "ALTER TABLE hodor_state ADD COLUMN of_somebody VARCHAR")
    works_on(path)


@pytest.mark.parametrize(
    "statements",
    [
        ["DROP TABLE hodor_state", "CREATE VIEW hodor_state AS SELECT 1 AS a"],
        ["DROP TABLE hodor_state", "CREATE TABLE hodor_state (record_id INTEGER[])"],
        ["UPDATE hodor_state_meta SET value = 'no number'"],
        ["ALTER TABLE hodor_state ALTER action TYPE INTEGER[] USING NULL"],
    ],
)
def test_tables_that_are_not_ours_are_said(path: Path, statements: list[str]) -> None:
    _edit(path, *statements)
    store = DuckDBStore(str(path))
    with pytest.raises((StoreUnreadable, StoreUnavailable), match=r"state\.duckdb"):
        _load_and_append(store)
    assert not set_aside(path)


def _load_and_append(store: DuckDBStore) -> None:
    store.load_latest("shop", "dev", 0)
    store.append([record(999)])


# -- other processes ------------------------------------------------------------------------------

HELD = """
    import sys, time, duckdb
    connection = duckdb.connect(sys.argv[1])
    print("open", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def child(code: str, *arguments: str, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        **options,
    )


def test_a_lock_is_waited_for(path: Path) -> None:
    holder = child(HELD, str(path), "1")
    assert holder.stdout is not None
    assert holder.stdout.readline() == "open\n"
    store = DuckDBStore(str(path), lock_wait_s=20)
    store.append([record(999)])
    assert len(store.load_latest("shop", "dev", 0)) == len(ROWS) + 1
    holder.wait()


def test_a_lock_that_stays_is_said(path: Path) -> None:
    holder = child(HELD, str(path), "60")
    assert holder.stdout is not None
    assert holder.stdout.readline() == "open\n"
    store = DuckDBStore(str(path), lock_wait_s=0.3)
    before = time.monotonic()
    for call in (
        lambda: store.append([record(999)]),
        lambda: store.load_latest("shop", "dev", 0),
        lambda: DuckDBStore(str(path), read_only=True, lock_wait_s=0.1).load_latest("a", "b", 0),
    ):
        with pytest.raises(StoreUnavailable, match="in use by another process"):
            call()
    assert time.monotonic() - before < 10
    holder.kill()
    holder.wait()
    works_on(path)


RECORDS = """
    import sys, time
    sys.path[:0] = sys.argv[4].split(":")
    from dbt_hodor.store.duckdb import DuckDBStore
    from store_contract.conftest import record
    import duckdb
    warehouse = duckdb.connect(sys.argv[2])  # the same module, another file, in the same process
    warehouse.execute("CREATE OR REPLACE TABLE t AS SELECT 1 AS a")
    store = DuckDBStore(sys.argv[1], lock_wait_s=30)
    for flush in range(12):
        first = int(sys.argv[3]) + flush * 10
        store.append([record(n, invocation_id=sys.argv[3]) for n in range(first, first + 10)])
        time.sleep(0.01)
    warehouse.execute("INSERT INTO t VALUES (2)")
    print(warehouse.execute("SELECT count(*) FROM t").fetchone()[0])
"""


def test_two_processes_record_into_one_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "state.duckdb"
    tests = Path(__file__).resolve().parents[1]
    paths = ":".join([str(tests), *[entry for entry in sys.path if entry]])
    running = [
        child(RECORDS, str(path), str(tmp_path / f"w{n}.duckdb"), str(n * 1000), paths)
        for n in range(3)
    ]
    for process in running:
        out, err = process.communicate(timeout=120)
        assert out == "2\n", err
    store = DuckDBStore(str(path))
    for number in range(3):
        assert len(store.invocation("shop", "dev", str(number * 1000))) == 120
    assert not store.notices


def test_a_file_that_another_process_began_meanwhile_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine that finds no file begins one, and drops the log that is beside it."""
    path, link = tmp_path / "state.duckdb", os.link

    def linked_too_late(source: str, target: str) -> None:
        monkeypatch.setattr(os, "link", link)
        faster = DuckDBStore(str(path))
        faster.append([record(1)])
        link(source, target)

    monkeypatch.setattr(os, "link", linked_too_late)
    store = DuckDBStore(str(path))
    store.append([record(2)])
    assert {row.record_id for row in store.load_latest("shop", "dev", 0)} == {
        record(1).record_id,
        record(2).record_id,
    }
    store.close()
    assert [entry.name for entry in tmp_path.iterdir()] == ["state.duckdb"]


def test_without_links_a_file_is_begun_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    store = DuckDBStore(str(tmp_path / "state.duckdb"))
    store.append([record(1)])
    assert store.load_latest("shop", "dev", 0) == [record(1)]
    store.close()
    assert [entry.name for entry in tmp_path.iterdir()] == ["state.duckdb"]


KILLED = """
    import sys, duckdb
    connection = duckdb.connect()
    connection.execute(f"ATTACH '{sys.argv[1]}' AS s (STORAGE_VERSION 'v1.0.0')")
    connection.execute("UPDATE s.hodor_state SET reason = 'before the kill'")
    print("written", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("damage", [False, True])
def test_killed_while_the_file_was_open(path: Path, damage: bool) -> None:
    process = child(KILLED, str(path), stdin=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == "written\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    log = Path(f"{path}.wal")
    assert log.exists()
    if damage:
        log.write_bytes(log.read_bytes()[:-200] + b"\xff" * 100)
    store = DuckDBStore(str(path))
    rows = store.load_latest("shop", "dev", 0)
    if not damage:
        assert {row.reason for row in rows} == {"before the kill"}
        assert not store.notices
    store.append([record(999)])
    assert record(999) in store.load_latest("shop", "dev", 0)


def test_a_reader_sees_what_a_killed_writer_committed(path: Path) -> None:
    process = child(KILLED, str(path), stdin=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.wait()
    store = DuckDBStore(str(path), read_only=True)
    assert {row.reason for row in store.load_latest("shop", "dev", 0)} == {"before the kill"}


def test_closing_folds_the_log(path: Path) -> None:
    store, log = DuckDBStore(str(path)), Path(f"{path}.wal")
    store.append([record(999)])
    assert log.exists()
    store.close()
    assert not log.exists()
    assert record(999) in DuckDBStore(str(path), read_only=True).load_latest("shop", "dev", 0)


def test_a_long_log_is_folded_on_the_way(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading it costs with each flush."""
    monkeypatch.setattr("dbt_hodor.store.duckdb._LONG_LOG_BYTES", 20_000)
    store, log = DuckDBStore(str(path), lock_wait_s=0.1), Path(f"{path}.wal")
    sizes = []
    for number in range(1000, 1009):
        store.append([record(number, detail="y" * 5000)])
        sizes.append(log.stat().st_size if log.exists() else 0)
    assert sizes.count(0) >= 2
    assert max(sizes) < 26_000
    rows = {row.record_id for row in store.load_latest("shop", "dev", 0)}
    assert {record(number).record_id for number in range(1000, 1009)} <= rows


def test_a_long_log_that_cannot_be_folded_is_left_in_peace(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dbt_hodor.store.duckdb._LONG_LOG_BYTES", 20_000)
    monkeypatch.setattr("dbt_hodor.store.duckdb._FOLD_LOG", "CHECKPOINT not_there")
    tried = []
    fold = DuckDBStore._fold
    monkeypatch.setattr(DuckDBStore, "_fold", lambda self, c: (tried.append(1), fold(self, c)))
    store = DuckDBStore(str(path))
    store.load_latest("shop", "dev", 0)
    for number in range(1000, 1012):
        store.append([record(number, detail="y" * 5000)])
    assert len(tried) == 1
    store.close()
    assert len(tried) == 1
    rows = {row.record_id for row in store.load_latest("shop", "dev", 0)}
    assert {record(number).record_id for number in range(1000, 1012)} <= rows


def test_a_log_that_cannot_be_folded_at_the_start_is_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    DuckDBStore(str(path)).append([record(999)])
    monkeypatch.setattr("dbt_hodor.store.duckdb._FOLD_LOG", "CHECKPOINT not_there")
    store = DuckDBStore(str(path))
    assert record(999) in store.load_latest("shop", "dev", 0)
    store.append([record(1000)])
    assert record(1000) in store.load_latest("shop", "dev", 0)
    assert not set_aside(path)


def test_nothing_is_folded_on_a_disk_without_room(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, log = DuckDBStore(str(path)), Path(f"{path}.wal")
    store.append([record(999)])
    usage = shutil.disk_usage(path.parent)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1 << 20))
    store.close()
    assert log.exists()
    assert record(999) in DuckDBStore(str(path)).load_latest("shop", "dev", 0)


def test_a_log_that_nobody_folded_is_folded_by_the_next(path: Path) -> None:
    left = DuckDBStore(str(path))
    left.append([record(999)])
    log = Path(f"{path}.wal")
    assert log.exists()
    rows = DuckDBStore(str(path)).load_latest("shop", "dev", 0)
    assert record(999) in rows
    assert not log.exists()
    left.append([record(1000)])
    assert record(1000) in DuckDBStore(str(path)).load_latest("shop", "dev", 0)


def test_a_log_that_cannot_be_folded_stays(path: Path) -> None:
    store, log = DuckDBStore(str(path), lock_wait_s=0.1), Path(f"{path}.wal")
    store.append([record(999)])
    holder = child(HELD, str(path), "60")
    assert holder.stdout is not None
    holder.stdout.readline()
    store.close()
    assert log.exists()
    holder.kill()
    holder.wait()
    assert record(999) in DuckDBStore(str(path)).load_latest("shop", "dev", 0)
    assert not log.exists()


@pytest.mark.parametrize("cut", [1, 40, 400, 4000, 9000])
def test_a_log_without_its_end_loses_its_end_only(path: Path, cut: int) -> None:
    """What a machine leaves that stopped in the middle of a flush."""
    left = DuckDBStore(str(path))
    for number in range(1000, 1004):
        left.append([record(number, detail="y" * 3000)])
    log = Path(f"{path}.wal")
    log.write_bytes(log.read_bytes()[:-cut])
    store = DuckDBStore(str(path))
    found = {row.record_id for row in store.load_latest("shop", "dev", 0)}
    assert not store.notices
    assert {row.record_id for row in ROWS} <= found
    kept = [record(number).record_id in found for number in range(1000, 1004)]
    assert kept == sorted(kept, reverse=True)
    assert not kept[-1]
    assert kept[0]


# -- places that cannot be written ----------------------------------------------------------------


def test_a_path_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    store = DuckDBStore(str(tmp_path / "file" / "state.duckdb"))
    with pytest.raises(StoreUnavailable, match="cannot be used"):
        store.append([record(1)])


def test_a_path_that_is_a_directory(tmp_path: Path) -> None:
    (tmp_path / "state.duckdb").mkdir()
    with pytest.raises(StoreUnavailable, match=r"state\.duckdb"):
        DuckDBStore(str(tmp_path / "state.duckdb")).load_latest("shop", "dev", 0)
    assert (tmp_path / "state.duckdb").is_dir()


LIMITED = """
    import os, resource, signal, sys
    sys.path[:0] = sys.argv[3].split(":")
    from dbt_hodor.store.duckdb import DuckDBStore
    from dbt_hodor.store.base import StoreUnavailable
    from store_contract.conftest import record
    import duckdb  # while the place can still be read
    if sys.argv[2] == "full":
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        size = os.path.getsize(sys.argv[1]) if os.path.exists(sys.argv[1]) else 0
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20_000, size + 20_000))
    else:
        if os.getuid() == 0:
            os.setuid(65534)
    store = DuckDBStore(sys.argv[1])
    try:
        store.append([record(n, detail=str(n) * 100_000) for n in range(5000, 5100)])
        print("written")
    except StoreUnavailable as error:
        print("unavailable:", error)
    print("aside:", [n for n in os.listdir(os.path.dirname(sys.argv[1])) if "corrupt" in n])
"""


def _limited(path: Path, how: str) -> str:
    tests = Path(__file__).resolve().parents[1]
    paths = ":".join([str(tests), *[entry for entry in sys.path if entry]])
    out, err = child(LIMITED, str(path), how, paths).communicate(timeout=120)
    assert "aside: []" in out, out + err
    return out


def test_a_full_disk_is_said_and_the_file_survives(path: Path) -> None:
    assert "unavailable:" in _limited(path, "full")
    works_on(path)
    assert not set_aside(path)


def test_a_place_without_rights_is_said(path: Path) -> None:
    for place in (path.parent, path):
        place.chmod(0o555)
    for place in path.parents[1:]:
        if place == Path(tempfile.gettempdir()):
            break
        place.chmod(0o755)  # so that another user gets as far as the place itself
    assert "unavailable:" in _limited(path, "read-only")
    path.parent.chmod(0o755)
    path.chmod(0o644)
    works_on(path)


def test_a_reader_creates_nothing(tmp_path: Path) -> None:
    path = tmp_path / "none" / "state.duckdb"
    with pytest.raises(StoreUnavailable, match="no state file"):
        DuckDBStore(str(path), read_only=True).load_latest("shop", "dev", 0)
    assert not path.parent.exists()


def test_a_file_deleted_in_between_is_begun_anew(path: Path) -> None:
    store = DuckDBStore(str(path))
    store.append([record(999)])
    path.unlink()
    store.append([record(1000)])
    assert store.load_latest("shop", "dev", 0) == [record(1000)]


def test_the_package_is_imported_late() -> None:
    code = "import sys, dbt_hodor.store.duckdb; print('duckdb' in sys.modules)"
    process = child(code)
    assert process.communicate(timeout=60)[0] == "False\n"


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(StoreUnavailable, match="not installed"):
        DuckDBStore(str(tmp_path / "state.duckdb")).load_latest("shop", "dev", 0)


def test_every_supported_engine_reads_it(sound: Path) -> None:
    """The header says a storage version that engines since 1.0 read."""
    assert struct.unpack("<Q", sound.read_bytes()[12:20])[0] == 64
