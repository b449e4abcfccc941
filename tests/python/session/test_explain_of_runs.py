"""`dbt-hodor explain` and `doctor` on what real runs recorded, run from another folder.

Goal: a person learns what changed: configuration old → new, CTEs and columns, versions, the chain.
Method: dbt runs in a toy project; the command with --project-dir and --profiles-dir.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from dbt_hodor.cli.main import main
from dbt_hodor.store.duckdb import DuckDBStore

T = """{{ config(materialized='table', my_key='%s') }}
with base as (select id, %s as v from {{ ref('stg') }}),
kept as (select id, v from base)
select id, %s from kept
"""


@pytest.fixture
def command(toy, tmp_path, monkeypatch, capsys):
    """Runs the command outside the project; its exit code and what it printed."""
    monkeypatch.setenv("COLUMNS", "100")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    def call(name: str, *arguments: str) -> tuple[int, str]:
        monkeypatch.chdir(elsewhere)
        capsys.readouterr()
        where = ["--project-dir", str(toy.root), "--profiles-dir", str(toy.root)]
        code = main([name, *arguments, *where])
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return call


@pytest.fixture
def changed(toy):
    """A project of which one model, one configuration and one source changed since its first run."""
    toy.sql("create table raw_t as select 1 as id")
    toy.write("models/t.sql", T % ("a", "v", "v"))
    toy.write("models/more.yml", "sources: [{name: main, schema: main, tables: [{name: raw_t}]}]\n")
    table = "{{ config(materialized='table') }} "
    toy.write("models/r.sql", table + "select id from {{ source('main', 'raw_t') }}")
    toy.write("models/r2.sql", table + "select id from {{ ref('r') }}")
    toy.write("models/k.sql", "{{ config(materialized='table', my_key='a') }} select 1 as x")
    toy.dbt("build")
    toy.write("models/t.sql", T % ("a", "upper(v)", "v, 1 as n"))
    toy.write("models/k.sql", "{{ config(materialized='table', my_key='b') }} select 1 as x")
    toy.sql("insert into raw_t values (2)")
    toy.dbt("build")
    return toy


def test_text_names_what_changed(changed, command):
    code, out = command("explain", "-s", "t", "-s", "k", "-s", "r2")
    assert code == 0
    for words in (
        "CTE base changed",
        "output column n is new",
        "config my_key: a → b",
        "model.r was built: new_upstream_data",
        "toy.main.raw_t: it has other rows (1 rows #",
        "→ 2 rows #",
    ):
        assert words in out
    assert "CTE kept" not in out, "its own text is what it was"
    code, out = command("explain")
    assert code == 0
    seed = next(line for line in out.splitlines() if "seed s " in line)
    assert seed.startswith("reused  no_new_data")


def test_json_has_the_same(changed, command):
    code, out = command("explain", "--json")
    assert code == 0
    nodes = {node["unique_id"]: node for node in json.loads(out)["nodes"]}
    t, k, r2 = (nodes[f"model.toy.{name}"] for name in ("t", "k", "r2"))
    assert t["reason"] == "code_changed"
    assert t["ctes"] == {"changed": ["base"], "added": [], "removed": []}
    assert t["columns"]["added"] == ["n"]
    assert k["config"] == [{"name": "my_key", "last": "a", "now": "b"}]
    assert [cause["what"] for cause in r2["chain"][:2]] == ["model.r2", "model.r"]
    assert "toy.main.raw_t" in r2["chain"][2]["what"]
    versions = {change["name"]: change for change in nodes["model.toy.r"]["upstreams"]}
    assert versions["toy.main.raw_t"]["last"] != versions["toy.main.raw_t"]["now"]
    assert None not in versions["toy.main.raw_t"].values()
    assert nodes["seed.toy.s"]["action"] == "reuse"


def test_an_older_invocation_can_be_asked_for(changed, command):
    rows = changed.sql(
        "select invocation_id from hodor_state order by recorded_at_ms limit 1",
        path=".hodor/state.duckdb",
    )
    code, out = command("explain", "--invocation", rows[0][0], "--json")
    assert code == 0
    assert {node["reason"] for node in json.loads(out)["nodes"]} == {"no_history"}


def test_vars_and_target_choose_what_is_shown(changed, command):
    assert command("explain", "--target", "nowhere")[0] == 2
    code, out = command("explain", "--vars", "{hodor_path: none/state.duckdb}")
    assert code == 3
    assert "no state file" in out
    code, out = command("doctor", "--json", "--vars", "{hodor_mode: 'off'}")
    mode = next(f for f in json.loads(out)["findings"] if f["check"] == "mode")
    assert (code, mode["state"]) == (1, "bad")
    assert "from --vars" in mode["text"]


def test_doctor_on_a_sound_a_locked_and_a_damaged_store(changed, command):
    def store(out: str) -> dict:
        found = json.loads(out)["findings"]
        return next(finding for finding in found if finding["check"] == "store")

    code, out = command("doctor", "--json")
    assert (code, store(out)["state"]) == (0, "ok")
    path = changed.root / ".hodor/state.duckdb"
    holder = subprocess.Popen(
        [sys.executable, "-c", "import sys, duckdb; c = duckdb.connect(sys.argv[1]); print(1, flush=True);"
         " sys.stdin.read()", str(path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    holder.stdout.readline()
    try:
        code, out = command("doctor", "--json")
        assert (code, store(out)["state"]) == (1, "bad")
        assert "in use by another process" in store(out)["text"]
        assert command("explain")[0] == 3
        assert command("prune", "--yes")[0] == 3
    finally:
        holder.communicate()
    path.write_bytes(b"no database" * 500)
    code, out = command("doctor", "--json")
    assert (code, store(out)["state"]) == (1, "bad")
    assert "damaged" in store(out)["text"]
    assert path.read_bytes()[:2] == b"no", "looking sets nothing aside"
    path.unlink()
    path.mkdir()
    code, out = command("doctor", "--json")
    assert (code, store(out)["state"]) == (1, "bad")


def test_doctor_on_another_adapter(toy, command, monkeypatch):
    from dbt_hodor.cli import doctor
    from dbt_hodor.cli.project import load

    def elsewhere(options):
        from dataclasses import replace

        return replace(load(options), adapter_type="postgres")

    monkeypatch.setattr(doctor.projects, "load", elsewhere)
    code, out = command("doctor")
    assert code == 1
    assert "postgres is not supported" in out
    assert out.splitlines()[-1].startswith("Next: ")


def test_prune_outside_the_project(changed, command):
    changed.sql(
        "update hodor_state set recorded_at_ms = 1 where reason = 'no_history'",
        path=".hodor/state.duckdb",
    )
    count = changed.sql(
        "select count(*) from hodor_state where recorded_at_ms = 1", path=".hodor/state.duckdb"
    )[0][0]
    code, out = command("prune")
    assert code == 0
    assert f"{count} records of toy/dev" in out
    assert command("prune", "--yes")[0] == 0
    store = DuckDBStore(str(changed.root / ".hodor/state.duckdb"), read_only=True)
    assert store.prune("toy", "dev", 2, False) == 0
    store.close()
