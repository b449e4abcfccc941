"""The word lists against the installed engine, and the C++ table against the lists."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load_script() -> ModuleType:
    """tools/regenerate_words.py as a module."""
    path = ROOT / "tools" / "regenerate_words.py"
    spec = importlib.util.spec_from_file_location("regenerate_words", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


words = load_script()


def known(dialect: str, name: str) -> set[str]:
    """Lines that any version of a dialect's engine has in list `name`."""
    lines: set[str] = set()
    for prefix in words.versions_of(dialect):
        lines |= set(words.read_list(words.DATA / f"{prefix}.{name}.txt"))
    return lines


def test_table_is_made_from_the_lists() -> None:
    assert words.TABLE.read_text(encoding="utf-8") == words.table_text()


@pytest.mark.parametrize("dialect", words.DIALECTS)
def test_lists_are_sorted_and_lower_case(dialect: str) -> None:
    for path in words.DATA.glob(f"{dialect}*.txt"):
        lines = words.read_list(path)
        assert lines == sorted(set(lines)), path.name
        if not path.name.endswith("settled.txt"):
            assert all(line == line.lower() for line in lines), path.name


def test_installed_duckdb_knows_no_other_words() -> None:
    prefix, lists = words.duckdb_lists()
    for name, lines in lists.items():
        if name == "functions":  # user macros and extensions may add some
            lines = [line for line in lines if not line.startswith("_")]
        missing = set(lines) - known("duckdb", name)
        assert not missing, f"{prefix} {name}: run tools/regenerate_words.py"


def test_a_known_version_has_not_changed() -> None:
    prefix, lists = words.duckdb_lists()
    if prefix not in words.versions_of("duckdb"):
        pytest.fail(f"no lists of {prefix}: run tools/regenerate_words.py")
    assert set(lists["keywords"]) == set(words.read_list(words.DATA / f"{prefix}.keywords.txt"))


def test_every_reserved_word_is_reserved_by_all_versions() -> None:
    reserved = {
        word for word, word_class in words.keyword_rows("duckdb") if word_class == "reserved"
    }
    for prefix in words.versions_of("duckdb"):
        lines = words.read_list(words.DATA / f"{prefix}.keywords.txt")
        assert reserved <= {line.split()[0] for line in lines if line.endswith(" reserved")}


def test_functions_that_the_engine_calls_unstable_are_accounted_for() -> None:
    volatile = {name for name, _, _ in words.volatile_rows("duckdb")}
    settled = {line.split()[0] for line in words.read_list(words.DATA / "duckdb.settled.txt")}
    missing = set(words.unstable_duckdb_functions()) - volatile - settled
    assert not missing, "volatile or settled? core/syntax/data/README.md"


def test_macros_that_read_catalogs_are_volatile() -> None:
    volatile = {name for name, _, _ in words.volatile_rows("duckdb")}
    assert {"pg_get_viewdef"} <= set(words.catalog_macros()) <= volatile


@pytest.mark.parametrize("dialect", words.DIALECTS)
def test_pure_table_functions_exist_and_are_not_volatile(dialect: str) -> None:
    pure = set(words.read_list(words.DATA / f"{dialect}.pure_table_functions.txt"))
    assert pure <= known(dialect, "table_functions")
    assert not pure & {name for name, _, _ in words.volatile_rows(dialect)}


def test_bare_words_of_duckdb_need_no_parentheses() -> None:
    import duckdb

    connection = duckdb.connect()
    for name, _, form in words.volatile_rows("duckdb"):
        accepted = True
        try:
            connection.execute(f"select {name}")
        except duckdb.Error:
            accepted = False
        assert accepted <= (form == "bare"), f"{name} is a bare word"
    for word, _ in words.keyword_rows("duckdb"):
        try:
            connection.execute(f"select {word}")
        except duckdb.Error:
            continue
        is_literal = word in ("true", "false", "null", "default")
        volatile = {name for name, _, _ in words.volatile_rows("duckdb")}
        assert is_literal or word in volatile, f"{word} has a value without an input"
    connection.close()
