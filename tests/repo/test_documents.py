"""What the documents list is what the code has."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import gen_docs  # noqa: E402
from devtool.commands import COMMANDS  # noqa: E402


def test_made_pages_are_up_to_date() -> None:
    assert gen_docs.out_of_date() == [], "run ./dev docs"


def test_every_reason_is_a_row() -> None:
    from dbt_hodor import _core

    page = (ROOT / "docs" / "rules.md").read_text()
    assert re.findall(r"^\| [\w-]+ \| `(\w+)`", page, flags=re.M) == [r[0] for r in _core.REASONS]


def test_exit_codes_are_documented() -> None:
    from dbt_hodor.cli import main

    page = (ROOT / "docs" / "cli.md").read_text()
    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", page, flags=re.M)}
    assert codes == {main.OK, main.NOTHING_FOUND, main.CANNOT_LOAD, main.NO_STORE, 130}


def test_every_option_of_the_command_line_is_documented() -> None:
    from dbt_hodor.cli.main import cli

    page = (ROOT / "docs" / "cli.md").read_text()
    for name, command in cli.commands.items():
        assert f"## {name}" in page
        for parameter in command.params:
            assert any(f"`{option}" in page for option in parameter.opts), parameter.opts


def test_every_command_of_dev_is_documented() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text()
    for name in COMMANDS:
        assert f"`{name}`" in page or f"./dev {name}" in page, name


def test_every_dependency_is_documented_with_its_reason() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text()
    project = (ROOT / "pyproject.toml").read_text()
    quoted = re.findall(r"^(?:dependencies|duckdb|requires) = \[(.*)\]", project, flags=re.M)
    names = {
        re.match(r"[\w-]+", item.strip(' "')).group()  # type: ignore[union-attr]
        for line in quoted
        for item in line.split(",")
        if re.match(r' *"[\w-]', item)
    }
    groups = project.split("[dependency-groups]")[1].split("\n[")[0]
    names |= set(re.findall(r'^  "([\w-]+)', groups, flags=re.M))
    assert names >= {"dbt-core", "dbt-duckdb", "nanobind", "pytest"}
    missing = [name for name in sorted(names) if f"`{name}`" not in page]
    assert missing == []


def test_one_version() -> None:
    from dbt_hodor import __version__

    project = (ROOT / "pyproject.toml").read_text()
    assert f'version = "{__version__}"' in project
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_decision_records_are_indexed() -> None:
    index = (ROOT / "docs" / "decisions" / "README.md").read_text()
    for page in (ROOT / "docs" / "decisions").glob("[0-9]*.md"):
        assert f"({page.name})" in index, page.name
