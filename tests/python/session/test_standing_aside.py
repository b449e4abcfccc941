"""What hodor does not take part in, in whole dbt runs: another parser, another adapter, no place to write.

Goal: dbt builds as if hodor were not there, and a person is told once.
Method: stand-ins that do what dbt's own parser and adapter do, under other names.
"""

from __future__ import annotations

import pytest

SAID = "hodor: off for this run"


def test_the_v2_parser_turns_hodor_off(settled):
    """The parser itself is another program; what it would yield is parsed by dbt here."""
    settled.forget_run()
    output = settled.python(
        """
        from dbt.cli.main import dbtRunner
        from dbt.parser import v2
        from dbt.parser.manifest import parse_manifest
        def parse(config, write, write_json):
            return parse_manifest(config, False, write, write_json, [])
        v2.parse_with_v2 = parse
        result = dbtRunner().invoke(["--no-use-colors", "--use-v2-parser", "build"])
        assert result.success, result.exception
        """
    )
    assert output.count(SAID) == 1
    assert "--use-v2-parser" in output
    assert "REUSED=0" in output
    assert not settled.has_run()
    settled.dbt("build")
    assert settled.actions["t"] == "reuse"


ADAPTER = """
from pathlib import Path

from dbt.adapters.base import AdapterPlugin
from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.adapters.duckdb.credentials import DuckDBCredentials
from dbt.adapters.duckdb.impl import DuckDBAdapter


class OtherCredentials(DuckDBCredentials):
    @property
    def type(self):
        return "other"


class OtherConnections(DuckDBConnectionManager):
    TYPE = "other"


class OtherAdapter(DuckDBAdapter):
    ConnectionManager = OtherConnections


Plugin = AdapterPlugin(
    adapter=OtherAdapter,
    credentials=OtherCredentials,
    include_path=str(Path(__file__).parent / "include"),
    dependencies=["duckdb"],
)
"""


def test_another_adapter_turns_hodor_off(toy, tmp_path):
    """DuckDB under another name: nothing is decided, nothing recorded. In a folder of its own: no other
    run could read its parse cache."""
    toy = type(toy)(tmp_path / "other")
    place = "plugin_path/dbt/adapters/other"
    toy.write(f"{place}/__init__.py", ADAPTER)
    toy.write(f"{place}/__version__.py", "version = '1.0.0'\n")
    toy.write(f"{place}/include/dbt_project.yml", "name: dbt_other\nversion: '1.0'\n")
    toy.profile({"hodor_mode": "on"}, type="other")
    paths = f"{toy.environment()['PYTHONPATH']}:{toy.root / 'plugin_path'}"
    for _ in range(2):
        toy.child("build", PYTHONPATH=paths)
        assert toy.output.count(SAID) == 1, toy.output
        assert "the adapter other is not supported" in toy.output
        assert "REUSED=0" in toy.output
    assert not toy.has_run()
    assert not (toy.root / ".hodor").exists()


@pytest.mark.parametrize("place", ["/proc/self", "/proc/nowhere"])
def test_a_place_that_takes_no_file_is_said_once(settled, place):
    """Whether it is there or not; root may write everywhere else."""
    settled.forget_run()
    settled.dbt("build", HODOR_PATH=f"{place}/state.duckdb")
    said = [line for line in settled.output.splitlines() if "hodor" in line]
    assert len(said) == 1, said
    assert f"{place}/state.duckdb" in said[0]
    assert not settled.has_run()
    settled.dbt("build")
    assert settled.actions["t"] == "reuse"
