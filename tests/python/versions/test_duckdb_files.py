"""Versions of files: all matches, all their bytes, and nothing that cannot be vouched for."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dbt_hodor.versions.duckdb import DuckDBProvider
from dbt_hodor.versions.duckdb_files import FileVersions


@pytest.fixture
def version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Versions as a run of their own would read them, with `tmp_path` as current directory."""
    monkeypatch.chdir(tmp_path)
    engine = duckdb.connect()

    def read(pattern: str, function: str = "read_csv") -> str | None:
        provider = DuckDBProvider(engine.cursor, ":memory:")
        found = provider.file_version(pattern, function)
        provider.close()
        return found

    yield read
    engine.close()


Version = Callable[..., Any]


def test_every_change_is_seen(version: Version, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")
    before = version("a.csv")
    assert before == version("a.csv")
    status = path.stat()
    path.write_text("a\n2\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_mtime_ns == status.st_mtime_ns  # same size, time and inode: the content
    assert version("a.csv") not in {before, None}
    path.write_text("a\n1\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    assert version("a.csv") not in {before, None}


def test_the_set_of_matches_counts(version: Version, tmp_path: Path) -> None:
    (tmp_path / "d" / "x=1").mkdir(parents=True)
    (tmp_path / "d" / "x=2").mkdir()
    (tmp_path / "d" / "x=1" / "p.csv").write_text("a\n1\n")
    one = version("d/**/*.csv")
    (tmp_path / "d" / "x=2" / "p.csv").write_text("a\n1\n")
    two = version("d/**/*.csv")
    assert one is not None
    assert two not in {one, None}
    assert version("d/*/p.csv") == two  # the same files by another pattern
    (tmp_path / "d" / "x=1" / "p.csv").rename(tmp_path / "d" / "x=1" / "q.csv")
    assert version("d/**/*.csv") not in {one, two, None}
    (tmp_path / "d" / "x=2" / "p.csv").unlink()
    assert version("d/**/*.csv") not in {one, two, None}


@pytest.mark.parametrize("name", ["a b.csv", "é.csv", "x'y.csv", 'x"y.csv', "x;y.csv", "x.csv.gz"])
def test_odd_names(version: Version, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("a\n")
    assert version(name) is not None
    assert version(str(tmp_path / name)) is not None


@pytest.mark.parametrize(
    "pattern",
    ["s3://b/x.csv", "http://h/x.csv", "https://h/x.csv", "gcs://b/x", "az://c/x", "hf://d/x",
     "abfss://x/y", "custom://x", "azure://a", "md:db", "missing.csv", "none/*.csv", "", "dir"],
)  # fmt: skip
def test_unknown(version: Version, tmp_path: Path, pattern: str) -> None:
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir" / "a.csv").write_text("a\n")
    assert version(pattern) is None


@pytest.mark.parametrize(
    "function", ["delta_scan", "iceberg_scan", "sqlite_scan", "read_xlsx", "st_read"]
)
def test_functions_that_read_more_than_the_file(
    version: Version, tmp_path: Path, function: str
) -> None:
    (tmp_path / "a.csv").write_text("a\n")
    assert version("a.csv", function) is None


@pytest.mark.parametrize("function", ["", "read_parquet", "READ_CSV_AUTO", "read_text", "glob"])
def test_functions_on_the_list(version: Version, tmp_path: Path, function: str) -> None:
    (tmp_path / "a.csv").write_text("a\n")
    assert version("a.csv", function) is not None


def test_pipes_are_not_read(version: Version, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    assert version("pipe.csv") is None


def test_a_link_counts_by_what_it_leads_to(version: Version, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n")
    (tmp_path / "b.csv").write_text("a\n2\n")
    (tmp_path / "link.csv").symlink_to("a.csv")
    before = version("link.csv")
    (tmp_path / "link.csv").unlink()
    (tmp_path / "link.csv").symlink_to("b.csv")
    assert version("link.csv") not in {before, None}


def test_a_search_path_makes_relative_names_unknown(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("a\n")
    engine = duckdb.connect()
    engine.execute("SET file_search_path = '/elsewhere'")
    files = FileVersions()
    assert files.version(engine, "a.csv", "read_csv") is None
    assert files.version(engine, str(tmp_path / "a.csv"), "read_csv") is not None


def test_contents_are_hashed_once_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dbt_hodor.versions import duckdb_files

    hashed: list[str] = []
    original = duckdb_files._content_hash
    monkeypatch.setattr(
        duckdb_files, "_content_hash", lambda path: hashed.append(path) or original(path)
    )
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")
    engine, files = duckdb.connect(), FileVersions()
    first = files.version(engine, str(path), "")
    assert files.version(engine, str(path), "") == first
    assert len(hashed) == 1
    path.write_text("a\n22\n")
    assert files.version(engine, str(path), "") != first
    assert len(hashed) == 2


def test_a_file_that_changes_while_it_is_read_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dbt_hodor.versions import duckdb_files

    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")
    original = duckdb_files._content_hash

    def slow(name: str) -> str:
        found = original(name)
        path.write_text("a\n1\n2\n")
        return found

    monkeypatch.setattr(duckdb_files, "_content_hash", slow)
    assert FileVersions().version(duckdb.connect(), str(path), "") is None
