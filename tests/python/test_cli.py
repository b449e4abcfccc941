"""The command line against a store with known records: golden texts, JSON, exit codes.

The golden files are tests/golden/cli/*.txt; HODOR_GOLDEN_UPDATE=1 writes them anew.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dbt_hodor import _core
from dbt_hodor.cli import wording
from dbt_hodor.cli.explain import Explainer
from dbt_hodor.cli.main import main
from dbt_hodor.store.base import Row
from dbt_hodor.store.duckdb import DuckDBStore

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "cli"
UPDATE = os.environ.get("HODOR_GOLDEN_UPDATE") == "1"

PROJECT = "name: shop\nversion: '1.0'\nprofile: shop\n"
PROFILES = """shop:
  target: dev
  outputs:
    dev: {type: duckdb, path: shop.duckdb, hodor_mode: "on"}
    prod: {type: duckdb, path: prod.duckdb}
    other: {type: duckdb, path: x.duckdb, hodor_path: x.duckdb}
"""
# 2026-11-02 04:12 UTC and a day later.
FIRST_MS = 1_793_592_720_000
SECOND_MS = FIRST_MS + 86_400_000

Run = Callable[..., tuple[int, str, str]]


def row(name: str, at_ms: int, **changes: Any) -> Row:
    """A table that was built for the first time; `changes` replaces columns."""
    kind = changes.pop("kind", "model")
    columns: dict[str, Any] = {
        "record_id": f"{name}-{at_ms}",
        "invocation_id": "first" if at_ms == FIRST_MS else "second",
        "recorded_at_ms": at_ms,
        "project_name": "shop",
        "target_name": "dev",
        "node_key": f"shop.marts.{name}",
        "unique_id": f"{kind}.shop.{name}",
        "resource_type": kind,
        "mode": "on",
        "decision": "build",
        "reason": "no_history",
        "action": "build",
        "status": "success",
        "text_hash": "a" * 64,
        "code_hash": "b" * 64,
        "unrendered_hash": None,
        "config_hash": "c" * 64,
        "hash_version": _core.HASH_VERSION,
        "sql_facts": None,
        "data_version": "1;100:123456789;;s1",
        "data_changed_at_ms": None,
        "built_at_ms": at_ms,
        "upstreams": _core.encode_upstreams([]),
        "test_result": None,
        "hodor_version": "0.1.0",
        "detail": json.dumps({"v": 1}),
    }
    return Row(**(columns | changes))


def inputs(**tokens: str | None) -> str:
    return _core.encode_upstreams([(f"shop.{k}".replace("__", "."), v) for k, v in tokens.items()])


def detail(**values: Any) -> str:
    return json.dumps({"v": 1, **values})


def records() -> list[Row]:
    """Two invocations: customers was edited, what reads it follows, orders is reused."""
    code = {"ctes": {"base": "1", "joined": "2"}, "columns": {"id": "3", "name": "4"},
            "clauses": {"from": "6", "where": "7"}, "body": "5"}  # fmt: skip
    edited = {"ctes": {"base": "1", "all": "9"}, "columns": {"id": "3", "name": "8"},
              "clauses": {"from": "6", "where": "0", "group by": "1"}, "body": "4"}  # fmt: skip
    old = "1;100:123456789;;s1"
    new = "1;90:987654321;;s1"
    wider = "1;90:555555555;;s2"
    reused = {"decision": "reuse", "action": "reuse", "status": "reused", "built_at_ms": None,
              "data_version": None}  # fmt: skip
    source = {"raw__orders": "1;500:42424242;;s1"}
    return [
        row("customers", FIRST_MS, upstreams=inputs(raw__people=old), detail=detail(**code)),
        row("orders", FIRST_MS, upstreams=inputs(**source)),
        row("value", FIRST_MS, upstreams=inputs(marts__customers=old, marts__orders=old)),
        row("sizes", FIRST_MS, detail=detail(config={"materialized": ["1", "table"]})),
        row("not_null_value_id", FIRST_MS, kind="test", status="pass",
            unique_id="test.shop.not_null_value_id.abc", node_key="test.shop.not_null_value_id.abc#1",
            upstreams=inputs(marts__value=old), test_result="{}"),
        row("customers", SECOND_MS, reason="code_changed", code_hash="d" * 64,
            upstreams=inputs(raw__people=old), data_version=new, detail=detail(**edited)),
        row("orders", SECOND_MS, reason="no_new_data", upstreams=inputs(**source), **reused),
        row("value", SECOND_MS, reason="new_upstream_data",
            upstreams=inputs(marts__customers=new, marts__orders=old),
            detail=detail(changed=["shop.marts.customers"]), data_version=wider),
        row("sizes", SECOND_MS, reason="config_changed", config_hash="e" * 64,
            detail=detail(config={"materialized": ["2", "view"], "tags": ["1", "[a]"]})),
        row("not_null_value_id", SECOND_MS, kind="test", reason="new_upstream_data", status="pass",
            unique_id="test.shop.not_null_value_id.abc", node_key="test.shop.not_null_value_id.abc#1",
            upstreams=inputs(marts__value=wider), detail=detail(changed=["shop.marts.value"])),
        row("files", SECOND_MS, reason="unknown_upstream",
            upstreams=_core.encode_upstreams([("file:read_csv:data/*.csv", None)]),
            detail=detail(changed=["file:read_csv:data/*.csv"])),
    ]  # fmt: skip


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "dbt_project.yml").write_text(PROJECT)
    (tmp_path / "profiles.yml").write_text(PROFILES)
    monkeypatch.chdir(tmp_path)
    for name in [n for n in os.environ if n.startswith(("HODOR_", "DBT_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.fixture
def recorded(project: Path) -> Path:
    store = DuckDBStore(str(project / ".hodor" / "state.duckdb"))
    store.append(records())
    store.close()
    return project


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(list(arguments))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def check_golden(name: str, text: str) -> None:
    path = GOLDEN / f"{name}.txt"
    if UPDATE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert path.is_file(), f"no golden file {path.name}; ./dev golden --update writes it"
    assert text == path.read_text()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("explain", []),
        ("explain_first", ["--invocation", "first"]),
        ("explain_value", ["-s", "value"]),
        ("explain_value_verbose", ["-s", "shop.marts.value", "-v"]),
        ("explain_customers", ["-s", "model.shop.customers"]),
        ("explain_sizes_and_files", ["-s", "sizes", "-s", "file*"]),
        ("explain_orders", ["-s", "orders"]),
        ("explain_test", ["-s", "not_null_value_id"]),
    ],
)
def test_golden_text(run: Run, recorded: Path, name: str, arguments: list[str]) -> None:
    code, out, err = run("explain", *arguments)
    assert (code, err) == (0, "")
    check_golden(name, out)


def test_golden_narrow(run: Run, recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    _, out, _ = run("explain")
    assert max(map(len, out.splitlines())) <= 60
    check_golden("explain_narrow", out)


def test_json_is_the_same_data(run: Run, recorded: Path) -> None:
    code, out, _ = run("explain", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["schema_version"] == 1
    assert found["invocation_id"] == "second"
    by_id = {node["unique_id"]: node for node in found["nodes"]}
    value = by_id["model.shop.value"]
    assert value["reason"] == "new_upstream_data"
    assert value["last_build_ms"] == FIRST_MS
    assert value["changed"] == ["shop.marts.customers"]
    assert value["chain"][1]["what"] == "model.customers"
    assert by_id["model.shop.customers"]["columns"] == {
        "changed": ["name"], "added": [], "removed": [],
    }  # fmt: skip
    assert by_id["model.shop.sizes"]["config"] == [
        {"name": "materialized", "last": "table", "now": "view"},
        {"name": "tags", "last": None, "now": "[a]"},
    ]


def test_exit_codes(run: Run, project: Path) -> None:
    assert run("explain")[0] == 3, "no state file yet"
    DuckDBStore(str(project / ".hodor" / "state.duckdb")).append(records())
    assert run("explain")[0] == 0
    assert run("explain", "-s", "nowhere")[0] == 1
    assert run("explain", "--invocation", "nowhere")[0] == 1
    assert run("explain", "--target", "prod")[0] == 1, "nothing recorded there"
    assert run("explain", "--target", "nowhere")[0] == 2
    assert run("explain", "--no-such-option")[0] == 2
    assert run("explain", "--project-dir", "/nowhere")[0] == 2
    (project / ".hodor" / "state.duckdb").write_bytes(b"not a database" * 100)
    assert run("explain")[0] == 3
    assert (project / ".hodor" / "state.duckdb").read_bytes()[:3] == b"not", (
        "reading changes nothing"
    )


def test_no_color_and_color(run: Run, recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dbt_hodor.cli import main as module

    colors: list[bool | None] = []
    monkeypatch.setattr(module.click, "echo", lambda text="", color=None, **_: colors.append(color))
    monkeypatch.setenv("NO_COLOR", "1")
    run("explain")
    monkeypatch.delenv("NO_COLOR")
    run("explain")
    assert set(colors[: len(colors) // 2]) == {False}
    assert set(colors[len(colors) // 2 :]) == {None}, "click decides by the terminal"


def test_prune_counts_then_deletes(run: Run, recorded: Path) -> None:
    count = len(records())
    code, out, _ = run("prune", "--older-than", "1", "--vars", "{}")
    # The records are from the day before "now" at the earliest, or older when this test is.
    assert code == 0
    told = int(out.split()[0])
    assert "would be deleted" in out
    _, out, _ = run("prune", "--older-than", "1", "--yes")
    assert f"{told} record" in out
    store = DuckDBStore(str(recorded / ".hodor" / "state.duckdb"))
    assert store.prune("shop", "dev", 2**62, False) == count - told
    store.close()


def test_prune_leaves_other_targets_alone(run: Run, recorded: Path) -> None:
    store = DuckDBStore(str(recorded / ".hodor" / "state.duckdb"))
    store.append([row("elsewhere", 1, target_name="prod")])
    run("prune", "--yes")
    assert store.prune("shop", "prod", 2**62, False) == 1
    store.close()


def test_ddl_creates_the_table(run: Run, project: Path) -> None:
    import duckdb

    code, out, _ = run("ddl")
    assert code == 0
    assert not (project / ".hodor").exists(), "printing creates nothing"
    connection = duckdb.connect()
    for statement in out.split(";\n"):
        if statement.strip():
            connection.execute(statement)
    names = [r[0] for r in connection.execute("describe hodor_state").fetchall()]
    assert names == list(Row._fields)


def finding(out: str, check: str) -> dict[str, str]:
    return next(f for f in json.loads(out)["findings"] if f["check"] == check)


def test_doctor_before_and_after_the_first_run(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = run("doctor", "--json")
    assert code == 0
    assert finding(out, "plugin")["state"] == "ok"
    assert finding(out, "store")["state"] == "note"
    assert not (project / ".hodor").exists()
    store = DuckDBStore(str(project / ".hodor" / "state.duckdb"))
    store.append(records())
    store.close()
    _, out, _ = run("doctor", "--json")
    assert finding(out, "store")["state"] == "ok"
    assert "6 nodes recorded" in finding(out, "store")["text"]
    monkeypatch.setenv("COLUMNS", "60")
    _, out, _ = run("doctor")
    following = out[out.index("Next: nothing") :].splitlines()
    assert max(map(len, following)) <= 60


@pytest.mark.parametrize(
    ("arguments", "variables", "check", "state", "code"),
    [
        ([], {"HODOR_MODE": "off"}, "mode", "bad", 1),
        ([], {"HODOR_MODE": "sometimes"}, "mode", "bad", 1),
        ([], {"HODOR_MODE": "shadow"}, "mode", "note", 0),
        (["--vars", "{hodor_mode: shadow}"], {}, "mode", "note", 0),
        ([], {"HODOR_LOOKBACK_DAYS": "none"}, "settings", "note", 0),
        (["--target", "other"], {}, "store", "bad", 1),
        (["--project-dir", "/nowhere"], {}, "project", "bad", 1),
        ([], {"HODOR_STORE": "sqlite"}, "mode", "bad", 1),
        ([], {"HODOR_SCHEMA": "a b"}, "settings", "note", 0),
    ],
)
def test_doctor_names_what_is_wrong(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch,
    arguments: list[str], variables: dict[str, str], check: str, state: str, code: int,
) -> None:  # fmt: skip
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found, out, _ = run("doctor", "--json", *arguments)
    assert finding(out, check)["state"] == state
    assert found == code


def test_damaged_details_cost_only_themselves(run: Run, project: Path) -> None:
    store = DuckDBStore(str(project / ".hodor" / "state.duckdb"))
    store.append(
        [
            row("customers", FIRST_MS, detail="{", upstreams="no JSON"),
            row("customers", SECOND_MS, detail="[1]", reason="from_the_future", upstreams="{]"),
            row("orders", SECOND_MS, detail=None, upstreams=None),
        ]
    )
    store.close()
    code, out, _ = run("explain", "-s", "*")
    assert code == 0
    assert "a reason of another version" in out


def test_what_a_node_does_is_named(run: Run, project: Path) -> None:
    """Two reasons say little by themselves: which kind of node, which hook."""
    store = DuckDBStore(str(project / ".hodor" / "state.duckdb"))
    why = detail(why="a hook writes shop.ops.log")
    store.append([row("customers", FIRST_MS, reason="hook_writes", detail=why)])
    store.close()
    code, out, _ = run("explain", "-s", "customers")
    assert code == 0
    assert "a hook writes shop.ops.log" in " ".join(out.split())


@pytest.mark.parametrize(
    ("token", "text"),
    [
        ("1;delta:0f3c@3@1796069365842@62f5;;", "delta 3"),
        ("1;ducklake:0f3c@7@1796069365842;;s", "ducklake 7"),
        ("1;iceberg:0f3c@11@1796069365842@0@62f5;;", "iceberg 11"),
        ("1;3:42424242;5;s", "3 rows #42424242"),
    ],
)
def test_versions_in_short(token: str, text: str) -> None:
    assert wording.version(token) == text


def test_other_rows_are_no_other_columns() -> None:
    """A view's record holds whole versions of what it reads, and it follows the columns only."""
    key = "schema:db.main.people"

    def told(columns_before: str, columns_now: str) -> list[bool]:
        before, now = (
            json.dumps({key: _core.version_token(data, "o", columns)})
            for data, columns in (("3:5", columns_before), ("4:9", columns_now))
        )
        last = row("v", FIRST_MS, upstreams=before)
        explained = Explainer([row("v", SECOND_MS, upstreams=now)], [last]).explain(
            row("v", SECOND_MS, upstreams=now)
        )
        return [change.differs for change in explained.upstreams]

    assert told("cols", "cols") == [False]
    assert told("cols", "more") == [True]
