"""The stand-in for a Databricks workspace: its environment, its jars, and the tests that need it.

In:  tests/databricks/endpoint (requirements.txt, pom.xml), Java 17, Maven.
Out: .venv-endpoint, build/endpoint/jars, and pytest's own output.
Never: leaves the endpoint running: the tests start and stop it.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from devtool import environment, native
from devtool.process import ROOT, Failed, run, run_quietly, say

FOLDER = ROOT / "tests" / "databricks" / "endpoint"
# Its bounds on what dbt itself needs leave out the newest versions, which are pinned for dbt-duckdb.
_PINS = ("dbt-core==1.12.5", "dbt-databricks==1.12.7")
_JARS = ROOT / "build" / "endpoint" / "jars"


def databricks(arguments: list[str]) -> None:
    """Runs tests/databricks, or with `measure` the script that measures what commits did."""
    endpoint = environment.ensure_plain(".venv-endpoint", FOLDER / "requirements.txt")
    jars = _ensure_jars()
    if arguments[:1] == ["measure"]:
        _measure(endpoint, jars)
        return
    native.build_module(environment.ensure(), everything=False)
    python = environment.ensure(
        ".venv-databricks", groups=("dev", "databricks"), packages=_PINS, pinned=False
    )
    variables = {
        "HODOR_ENDPOINT_PYTHON": str(endpoint.python),
        "HODOR_ENDPOINT_JARS": str(jars),
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    }
    command: list[str | Path] = [python.python, "-m", "pytest", "-q", "-m", "databricks"]
    named = any(text.startswith("tests") for text in arguments)
    paths = [] if named else ["tests/databricks"]
    run([*command, *paths, *arguments], env=python.variables() | variables)


def _ensure_jars() -> Path:
    """The two jars of Delta that PySpark does not bring."""
    stamp, wanted = _JARS / ".pom", (FOLDER / "pom.xml").read_text()
    if stamp.is_file() and stamp.read_text() == wanted:
        return _JARS
    for program in ("java", "mvn"):
        if shutil.which(program) is None:
            raise Failed(
                f"{program} is needed (Debian: apt install openjdk-17-jre-headless maven)."
            )
    shutil.rmtree(_JARS, ignore_errors=True)
    say("fetching the jars of Delta")
    run_quietly(
        ["mvn", "-q", "-B", "-f", FOLDER / "pom.xml", "dependency:copy-dependencies"]
        + [f"-DoutputDirectory={_JARS}"],
        advice="Maven must reach its index.",
    )
    stamp.write_text(wanted)
    return _JARS


def _measure(endpoint: environment.Environment, jars: Path) -> None:
    data = ROOT / "build" / "endpoint" / "measured"
    shutil.rmtree(data, ignore_errors=True)
    run(
        [endpoint.python, ROOT / "tests" / "databricks" / "measure_history.py"]
        + ["--data", data, "--jars", jars],
        env=endpoint.variables() | {"PYTHONPATH": str(FOLDER), "HOME": os.environ.get("HOME", "")},
        cwd=ROOT / "build" / "endpoint",
    )
