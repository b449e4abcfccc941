"""What `doctor` and `explain` say when something is in the way, and what to do about it."""

# ruff: noqa: F811 - fixtures of another module are arguments here

from __future__ import annotations

import os
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_cli import Run, finding, project, recorded, run  # noqa: F401 - fixtures

import dbt_hodor


def advice(out: str) -> str:
    return " ".join(out[out.index("Next: ") :].split())


def test_doctor_when_dbt_does_not_find_the_plugin(
    run: Run,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Importable from where it lies, but not on the path that dbt looks through."""
    original = pkgutil.iter_modules

    def others(*arguments: Any, **options: Any) -> Iterator[Any]:
        return (one for one in original(*arguments, **options) if one.name != "dbt_hodor")

    monkeypatch.setattr(pkgutil, "iter_modules", others)
    code, out, _ = run("doctor", "--json")
    assert code == 1
    assert finding(out, "plugin")["state"] == "bad"
    assert "not on it" in finding(out, "plugin")["text"]
    _, out, _ = run("doctor")
    assert "Install dbt-hodor where dbt is installed" in advice(out)


def test_doctor_when_the_plugin_does_not_load(
    run: Run,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(name: str) -> Any:
        raise ImportError(f"no {name} in this build")

    monkeypatch.delitem(dbt_hodor.__dict__, "plugins", raising=False)
    monkeypatch.setattr(dbt_hodor, "__getattr__", broken)
    code, out, _ = run("doctor", "--json")
    assert code == 1
    assert finding(out, "plugin")["state"] == "bad"
    assert "no plugins in this build" in finding(out, "plugin")["text"]
    _, out, _ = run("doctor")
    assert "Reinstall dbt-hodor" in advice(out)


@pytest.mark.parametrize("path", ["/proc/self/state.duckdb", "/proc/nowhere/deep/state.duckdb"])
def test_doctor_when_the_store_cannot_be_made(
    run: Run,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
) -> None:
    original = os.access

    def access(place: Any, mode: int, **options: Any) -> bool:
        # Root may write nearly everywhere, for all that this says.
        return not str(place).startswith("/proc") and original(place, mode, **options)

    monkeypatch.setattr(os, "access", access)
    monkeypatch.setenv("HODOR_PATH", path)
    code, out, _ = run("doctor", "--json")
    assert finding(out, "store")["state"] == "bad"
    assert "is not writable" in finding(out, "store")["text"]
    assert code == 1
    _, out, _ = run("doctor")
    assert "Choose another hodor_path" in advice(out)


def test_doctor_when_the_state_file_cannot_be_written(
    run: Run,
    recorded: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from dbt_hodor.store.base import StoreUnavailable
    from dbt_hodor.store.duckdb import DuckDBStore

    def refused(self: DuckDBStore) -> None:
        raise StoreUnavailable(f"hodor_path {self.path}: Permission denied")

    monkeypatch.setattr(DuckDBStore, "check_writable", refused)
    code, out, _ = run("doctor", "--json")
    assert finding(out, "store")["state"] == "bad"
    assert "Permission denied" in finding(out, "store")["text"]
    assert code == 1


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("-s", "nowhere"), 1, ("recorded no node 'nowhere'", "leave -s out to see its nodes")),
        (("-s", "val", "-s", "nowhere"), 1, ("recorded no node 'val nowhere'",)),
        (("--invocation", "nowhere"), 1, ("invocation nowhere recorded nothing for shop/dev",)),
        (("--target", "prod"), 1, ("nothing is recorded for shop/prod", "Run dbt build first")),
        (("-s", "nowhere", "--json"), 1, ("recorded no node",)),
    ],
)
def test_explain_says_what_to_try_when_nothing_matches(
    run: Run,
    recorded: Path,
    arguments: tuple[str, ...],
    code: int,
    said: tuple[str, ...],
) -> None:
    found, out, err = run("explain", *arguments)
    assert out == ""
    for text in said:
        assert text in " ".join(err.split())
    assert found == code
