"""The state file under faults, as whole dbt runs meet them: a warning, and builds go on.

Goal: whatever happens to the file, dbt's outcome is its own, and a person is told once.
Method: real dbt processes; files that are locked, full, newer or not readable for real.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from dbt_hodor import recording
from dbt_hodor.counters import Counters

STATE = ".hodor/state.duckdb"

HOLDER = "import sys, duckdb; c = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"


def warnings(toy) -> list[str]:
    """Our sentences about the file, in the order in which they were said."""
    lines = toy.output.splitlines()
    return [line for line in lines if "hodor: " in line and ("state" in line or "record" in line)
            and "mode on" not in line]  # fmt: skip


def held(path) -> subprocess.Popen:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout.readline() == "open\n"
    return process


def test_two_processes_with_their_own_warehouses_record_into_one_file(toy, tmp_path):
    """At the same time; afterwards each finds its own records and reuses everything."""
    other = type(toy)(tmp_path / "other")
    other.profile({"hodor_mode": "on"}, path="other.duckdb")
    shared = str(tmp_path / "shared" / "state.duckdb")
    for round_ in range(2):
        running = []
        for project in (toy, other):
            # Longer than a flush: the two take turns at the file while both are under way.
            project.write(
                "models/pause.py",
                "def model(dbt, session):\n    import time\n    dbt.ref('stg')\n    time.sleep(3)\n"
                "    return session.sql('select 1 as x')\n",
            )
            running.append(
                subprocess.Popen(
                    [sys.executable, "-m", "dbt.cli.main", "--no-use-colors", "build"],
                    cwd=project.root,
                    env=project.environment(HODOR_PATH=shared),
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
            )
        for project, process in zip((toy, other), running, strict=True):
            project.output, _ = process.communicate(timeout=200)
            assert process.returncode == 0, project.output
            assert warnings(project) == []
            kept = {name: action for name, action in project.actions.items() if name != "pause"}
            wanted = {"build"} if round_ == 0 else {"reuse", "replay"}
            assert set(kept.values()) == wanted, (round_, kept)
    rows = toy.sql("select node_key, count(*) from hodor_state group by all", path=shared)
    assert dict(rows)["toy.main.t"] == dict(rows)["other.main.t"] == 2


def test_a_lock_from_the_beginning_is_said_once(settled):
    holder = held(settled.root / STATE)
    settled.forget_run()
    try:
        settled.child("build")
    finally:
        holder.communicate()
    assert len(warnings(settled)) == 1
    assert "off for this run" in settled.output
    assert "in use by another process" in settled.output
    assert not settled.has_run()
    settled.child("build")
    assert settled.actions["t"] == "reuse"


def test_a_lock_that_comes_during_the_run_costs_the_records_only(settled):
    settled.write("seeds/s.csv", "id,v\n1,a\n2,b\n3,c\n")
    settled.output = settled.python(
        f"""
        import subprocess, sys
        from dbt_hodor import opening
        original = opening.open_session
        holders = []
        def then_locked(*arguments):
            session = original(*arguments)
            holders.append(subprocess.Popen([sys.executable, "-c", {HOLDER!r}, {STATE!r}],
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
            assert holders[0].stdout.readline() == "open\\n"
            return session
        opening.open_session = then_locked
        from dbt.cli.main import dbtRunner
        result = dbtRunner().invoke(["--no-use-colors", "build"])
        holders[0].communicate()
        assert result.success, result.exception
        """
    )
    assert len(warnings(settled)) == 1, settled.output
    assert "4 records could not be written" in settled.output
    assert "those nodes build next time" in settled.output
    assert settled.actions["t"] == "build"
    assert settled.sql("select count(*) from t") == [(3,)]
    settled.dbt("build")
    assert settled.reasons["s"] == "code_changed"
    settled.dbt("build")
    assert set(settled.actions.values()) == {"reuse", "replay"}


FULL_DISK = """
    import resource, signal
    from dbt.cli.main import dbtRunner
    from dbt_hodor import recording
    from dbt_hodor.store.duckdb import DuckDBStore

    append = DuckDBStore.append

    def append_to_a_full_disk(store, rows):
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
        try:
            append(store, rows)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    DuckDBStore.append = append_to_a_full_disk
    recording.FLUSH_SECONDS = 600  # so that the one flush comes when nothing else writes
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    result = dbtRunner().invoke(["--no-use-colors", "build", "--full-refresh"])
    assert result.success, result.exception
"""


def test_a_full_disk_costs_the_records_only(settled):
    """The limit on a file's size stands for the disk."""
    settled.output = settled.python(FULL_DISK)
    assert set(settled.actions.values()) == {"build"}
    assert len(warnings(settled)) == 1, settled.output
    assert "4 records could not be written" in settled.output
    assert [name for name in os.listdir(settled.root / ".hodor") if "corrupt" in name] == []
    settled.dbt("build")
    assert settled.actions["t"] == "reuse"


def test_a_disk_with_room_for_the_log_only_loses_nothing(settled):
    """The state file is at the limit that stands for the disk; its log and the warehouse are not."""
    settled.sql(
        "insert into hodor_state by name select 'filler' as project_name, "
        "string_agg(md5(i::varchar), '') as detail from range(200_000) t(i)",
        path=STATE,
    )
    assert os.path.getsize(settled.root / STATE) > 5_000_000
    limited = """
        import resource, signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, 4_000_000))
        from dbt.cli.main import dbtRunner
        result = dbtRunner().invoke({})
        assert result.success, result.exception
        """
    log = settled.root / f"{STATE}.wal"
    for arguments, action in ((["build", "--full-refresh"], "build"), (["build"], "reuse")):
        settled.output = settled.python(limited.format(["--no-use-colors", *arguments]))
        assert settled.actions["t"] == action
        assert warnings(settled) == []
        assert log.exists()
    settled.dbt("build")
    assert set(settled.actions.values()) == {"reuse", "replay"}
    assert not log.exists()


def test_a_newer_file_is_left_alone_and_everything_builds(settled):
    settled.sql("update hodor_state_meta set value = '999'", path=STATE)
    before = (settled.root / STATE).read_bytes()
    settled.forget_run()
    settled.dbt("build")
    assert len(warnings(settled)) == 1
    assert "written by a newer version and is left alone" in settled.output
    assert "REUSED=0" in settled.output
    assert not settled.has_run()
    assert (settled.root / STATE).read_bytes() == before


def test_an_older_file_is_migrated(settled):
    settled.sql("drop table hodor_state_meta", path=STATE)
    settled.dbt("build")
    assert warnings(settled) == []
    assert set(settled.actions.values()) == {"reuse", "replay"}


@pytest.mark.parametrize(
    "damage",
    [
        "alter table hodor_state alter action type integer[] using null",
        "alter table hodor_state alter recorded_at_ms type varchar using 'no number'",
        "drop table hodor_state; create view hodor_state as select 1 as a",
    ],
)
def test_records_that_cannot_be_read_build_everything(settled, damage):
    settled.sql(damage, path=STATE)
    settled.dbt("build")
    assert "records cannot be read, so everything builds" in settled.output
    assert set(settled.actions.values()) == {"build"}
    assert set(settled.reasons.values()) == {"no_history"}


def test_a_damaged_record_is_said_and_costs_its_node_only(settled):
    settled.sql(
        "update hodor_state set upstreams = '{broken' where unique_id = 'model.toy.t'", path=STATE
    )
    settled.dbt("build")
    assert settled.output.count("the record of toy.main.t cannot be read") == 1
    built = {name for name, action in settled.actions.items() if action == "build"}
    assert built == {"t"}


def test_records_are_flushed_by_count(monkeypatch):
    seen, done = [], threading.Event()

    def append(rows):
        seen.append(len(rows))
        done.set()

    monkeypatch.setattr(recording, "FLUSH_SECONDS", 3600)
    store = SimpleNamespace(append=append, notices=[], close=lambda: None)
    writer = recording.RecordWriter(store, Counters(), lambda text: None)
    writer.start()
    for number in range(recording.FLUSH_COUNT - 1):
        writer.add(number)
    assert not done.wait(0.3), "a batch that is not full waits"
    writer.add(199)
    assert done.wait(10)
    writer.add(200)
    writer.stop()
    assert seen == [recording.FLUSH_COUNT, 1], "the rest goes at the end"
