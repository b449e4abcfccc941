"""How a run ends: records and the artefact survive errors, --fail-fast, Ctrl+C and SIGTERM."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest


def chain(toy) -> None:
    """One quick model, then one that takes long."""
    toy.write("models/quick.sql", "{{ config(materialized='table') }} select 1 as x")
    toy.write(
        "models/slow.sql",
        "{{ config(materialized='table') }}\n-- depends_on: {{ ref('quick') }}\n"
        "select count(*) as n from range(3000000) a, range(3000000) b where a.range + b.range = -1",
    )


def cpu_s(pid: int) -> float:
    """What a process has used, in seconds: unlike a clock's, they do not pass while it stands still."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def interrupted(toy, number: int, again: int | None = None) -> subprocess.Popen:
    process = subprocess.Popen(
        [sys.executable, "-m", "dbt.cli.main", "--no-use-colors", "run", "--select", "quick", "slow"],
        cwd=toy.root, env=toy.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        # A shell's background job, which the tests may run in, ignores Ctrl+C and hands that on.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    seen = []
    for line in process.stdout:
        seen.append(line)
        if "START sql table model main.slow" in line:
            break
    # Until its statement runs: dbt cancels what runs, and what has not begun then runs to its end.
    begun_s = cpu_s(process.pid)
    while cpu_s(process.pid) < begun_s + 3:
        time.sleep(0.05)
    os.kill(process.pid, number)
    if again is not None:
        time.sleep(0.02)
        os.kill(process.pid, again)
    try:
        rest, _ = process.communicate(timeout=120 if again is None else 20)
    except subprocess.TimeoutExpired:
        # A second signal can end dbt's own cancelling; DuckDB then waits for its statement, whether
        # hodor is there or not, and a person kills it.
        process.kill()
        rest, _ = process.communicate(timeout=60)
        assert again is not None, rest
    toy.output = "".join(seen) + rest
    return process


def assert_recorded(toy) -> None:
    document = toy.run
    assert {node["unique_id"]: node["status"] for node in document["nodes"]}[
        "model.toy.quick"
    ] == "success"
    toy.write(
        "models/slow.sql",
        "{{ config(materialized='table') }} select 1 as n from {{ ref('quick') }}",
    )
    toy.dbt("run", "--select", "quick", "slow")
    assert toy.actions == {"quick": "reuse", "slow": "build"}


def test_sigterm_flushes_and_ends_with_the_signal(toy):
    chain(toy)
    toy.dbt("parse")
    process = interrupted(toy, signal.SIGTERM)
    assert process.returncode == -signal.SIGTERM, toy.output
    assert_recorded(toy)


def test_ctrl_c_flushes(toy):
    chain(toy)
    toy.dbt("parse")
    process = interrupted(toy, signal.SIGINT)
    assert process.returncode != 0
    assert_recorded(toy)


@pytest.mark.parametrize("again", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_leaves_sound_records(toy, again):
    """What was to be written may be lost; what is there is whole, and the next run is right."""
    chain(toy)
    toy.dbt("parse")
    process = interrupted(toy, signal.SIGINT, again)
    assert process.returncode != 0
    if toy.has_run():
        assert toy.run["schema_version"] == 1
    toy.write(
        "models/slow.sql",
        "{{ config(materialized='table') }} select 1 as n from {{ ref('quick') }}",
    )
    toy.dbt("run", "--select", "quick", "slow")
    assert toy.actions["slow"] == "build"
    assert toy.sql("select n from slow") == [(1,)]


def test_kill_keeps_what_was_written_by_time(toy):
    chain(toy)
    toy.dbt("parse")
    process = subprocess.Popen(
        [sys.executable, "-m", "dbt.cli.main", "run", "--select", "quick", "slow"],
        cwd=toy.root, env=toy.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    for line in process.stdout:
        if "START sql table model main.slow" in line:
            break
    time.sleep(4)
    process.kill()
    process.communicate(timeout=60)
    rows = toy.sql("select unique_id, status from hodor_state", path=".hodor/state.duckdb")
    assert ("model.toy.quick", "success") in rows


def test_an_error_leaves_records_and_the_artefact(toy):
    toy.write("models/bad.sql", "{{ config(materialized='table') }} select * from nowhere")
    toy.write("models/child.sql", "select * from {{ ref('bad') }}")
    toy.dbt("build", success=False)
    actions, statuses = (
        toy.actions,
        {n["unique_id"].split(".")[2]: n["status"] for n in toy.run["nodes"]},
    )
    assert actions["t"] == "build"
    assert statuses["bad"] == "error"
    assert (actions["child"], statuses["child"]) == ("skip", "skipped")
    assert toy.run["totals"]["errors"] == 1
    toy.dbt("build", success=False)
    assert toy.actions["t"] == "reuse"
    assert toy.reasons["bad"] == "no_history"


def test_a_compile_error_is_no_build(toy):
    toy.write("models/bad.sql", "select {{ undefined_macro() }}")
    toy.write(
        "macros/undefined_macro.sql",
        "{% macro undefined_macro() %}{% if execute %}"
        "{{ exceptions.raise_compiler_error('no') }}{% endif %}1{% endmacro %}",
    )
    toy.dbt("build", success=False)
    assert toy.actions["t"] == "build"
    toy.dbt("build", success=False)
    assert toy.actions["t"] == "reuse"


def test_fail_fast_writes_the_artefact(toy):
    toy.write("models/a_bad.sql", "{{ config(materialized='table') }} select * from nowhere")
    toy.dbt("build", "--fail-fast", "--threads", "1", success=False)
    assert toy.has_run()
    assert len(toy.run["nodes"]) == 5


def test_a_failing_on_run_start_hook_is_survived(toy):
    project = (toy.root / "dbt_project.yml").read_text()
    toy.write("dbt_project.yml", project + "on-run-start: ['select * from nowhere']\n")
    toy.dbt("build", success=False)
    assert set(toy.actions.values()) == {"skip"}, "the artefact of this run, not of one before"
    assert (toy.run["totals"]["skipped"], toy.run["totals"]["built"]) == (4, 0)
    toy.write("dbt_project.yml", project)
    toy.dbt("build")
    assert toy.actions["t"] == "build"


def test_a_fault_of_ours_builds_and_is_said_once(settled):
    output = settled.python(
        """
        from dbt_hodor import deciding
        def broken(self, *_):
            raise ZeroDivisionError("planted")
        deciding.Decider._read_inputs = broken
        from dbt.cli.main import dbtRunner
        assert dbtRunner().invoke(["build"]).success
        """
    )
    assert "planted" in output
    assert set(settled.reasons.values()) == {"hodor_error"}
    assert "4 fail-open errors" in output
    settled.dbt("build")
    assert settled.reasons["t"] == "code_changed"
    settled.dbt("build")
    assert settled.actions["t"] == "reuse"


def test_an_unwritable_artefact_does_not_fail_the_run(settled):
    settled.forget_run()
    (settled.root / "target/hodor_run.json").mkdir()
    settled.dbt("build")
    assert "the report failed" in settled.output


def test_the_artefact_has_the_documented_keys(settled):
    settled.dbt("build")
    document = json.loads((settled.root / "target/hodor_run.json").read_text())
    assert set(document) == {
        "schema_version", "invocation_id", "command", "mode", "nodes", "totals", "unreadable_tables",
    }  # fmt: skip
    for node in document["nodes"]:
        assert set(node) == {
            "unique_id", "node_key", "resource_type", "decision", "reason", "action", "status",
            "last_build", "changed", "upstreams",
        }  # fmt: skip
        for upstream in node["upstreams"]:
            assert set(upstream) == {"table", "last", "now"}
            assert upstream["last"] == upstream["now"]
    assert document["totals"]["parser_calls"] == 0


def test_a_steady_run_lists_the_warehouse_once(settled):
    """Existence, type and definitions of all nodes come from one listing."""
    output = settled.python(
        """
        from dbt_hodor.versions.duckdb import DuckDBProvider
        asked = []
        for name in ("listing", "relations"):
            def counting(self, *given, _name=name, _original=getattr(DuckDBProvider, name)):
                asked.append(_name)
                return _original(self, *given)
            setattr(DuckDBProvider, name, counting)
        from dbt.cli.main import dbtRunner
        assert dbtRunner().invoke(["build"]).success
        print("asked", asked)
        """
    )
    assert "asked ['listing']" in output
    assert set(settled.actions.values()) == {"reuse", "replay"}


def test_our_warnings_are_no_errors_with_warn_error(toy):
    """dbt makes an error of every event of that level, whoever fires it."""
    toy.write("models/x.sql", "{{ config(materialized='external') }} select 1 as x")
    toy.dbt("--warn-error", "build")
    assert "1 nodes always build" in toy.output
