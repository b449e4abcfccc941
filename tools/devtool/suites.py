"""The test suites behind ./dev: what belongs to each, and in which environment it runs.

In:  an environment with the core built.
Out: the runners' own output; `Failed` when one is not green.
Never: skips a suite silently: what cannot run here says so in one line, or fails.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from zipfile import ZipFile

from devtool import environment, native
from devtool.environment import Environment
from devtool.process import ROOT, Failed, run, run_quietly, say

# Versions of Python that the package supports, besides the one that runs ./dev.
_OTHER_PYTHONS = ("3.10", "3.12", "3.13")
_OLD_DUCKDB = "duckdb==1.5.5"
_OTHER_PARSERS = {
    "sqlglot": ("sqlglot==30.30.0",),
    "sqlglotc": ("sqlglot==30.30.0", "sqlglotc==30.30.0"),
    "polyglot": ("polyglot-sql==0.13.4",),
}
_MUTATED_QUERIES = "400"
_KEPT = "0.99"  # the goal is 0.995
_FUZZ_SECONDS = 20
_LEAST_COVERAGE = "0.85"
_MUTANT_SHARES = 8
_MODEL_SEQUENCES = "2000"
_ORDINARY = "not slow and not benchmark and not extensions and not databricks"
_TWINS = ("tests/e2e", "tests/model")
_TWINS_LEFT_OUT = tuple(f"--ignore={folder}" for folder in _TWINS)


def pytest(python: Environment, *arguments: str) -> None:
    """Runs pytest in an environment, from the repository's root."""
    run([python.python, "-m", "pytest", "-q", *arguments], env=python.variables())


def everything(python: Environment) -> None:
    """All Python tests but those that have a command of their own."""
    fast(python)
    scenarios(python, [])
    # Alone: it adds up over all its sequences.
    pytest(python, "-m", _ORDINARY, "tests/model")


def fast(python: Environment) -> None:
    """The Python tests that take seconds: all but the ones that run whole projects twice."""
    pytest(python, "-n", "2", "-m", _ORDINARY, *_TWINS_LEFT_OUT, "tests")


def scenarios(python: Environment, arguments: list[str]) -> None:
    """The end-to-end scenarios."""
    pytest(python, "-n", "2", "-m", _ORDINARY, *(arguments or ["tests/e2e"]))


def model(python: Environment, arguments: list[str]) -> None:
    """The long model test: `arguments` may begin with the number of sequences."""
    count = arguments.pop(0) if arguments[:1] and arguments[0].isdigit() else _MODEL_SEQUENCES
    run(
        [python.python, "-m", "pytest", "-q", "tests/model/test_model.py", *arguments],
        env=python.variables() | {"HODOR_MODEL_SEQUENCES": count},
    )


def extensions(arguments: list[str]) -> None:
    """Tests marked `extensions`, in an environment with duckdb 1.5.5 and its extension packages."""
    python = environment.ensure(
        ".venv-extensions", groups=("dev", "extensions"), packages=(_OLD_DUCKDB,)
    )
    native.build_module(environment.ensure(), everything=False)
    pytest(python, "-m", "extensions", *arguments)


def matrix(arguments: list[str]) -> None:
    """Tests wheels on each other Python that pyenv offers. `arguments`: only these versions. On 3.10 it
    is with the oldest DuckDB that is supported; 3.13 gets the wheel of 3.12, as its users will."""
    stable: Path | None = None
    for version in arguments or _OTHER_PYTHONS:
        path = _pyenv_python(version)
        if path is None:
            say(f"matrix: no Python {version} in pyenv, not tested here")
            continue
        packages = (_OLD_DUCKDB,) if version == "3.10" else ()
        python = environment.ensure(
            f".venv-{version}", python=str(path), packages=packages, editable=False
        )
        wheel = stable or build_wheel(python, ROOT / "build" / "wheels" / version)
        if "abi3" in wheel.name:
            stable = wheel
        environment.install_wheel(python, wheel)
        say(f"matrix: Python {version}, {wheel.name} {' '.join(packages)}".rstrip())
        # Units and a smoke: whole sessions inside dbt are tested on the Python that runs ./dev.
        pytest(python, "-n", "2", "-m", _ORDINARY, "tests/python", "--ignore=tests/python/session")
        pytest(python, "-n", "2", "-m", "smoke", "tests/e2e")


def build_wheel(python: Environment, folder: Path, *, source: bool = False) -> Path:
    """A wheel (and with `source` a source distribution) in that folder; returns the wheel."""
    for stale in folder.glob("*"):
        stale.unlink()
    kinds = ["--wheel", "--sdist"] if source else ["--wheel"]
    uv = ROOT / ".venv-boot" / python.bin.name / "uv"
    run_quietly(
        [uv, "build", "--quiet", *kinds, "--no-build-isolation", "--python", python.python]
        + ["--out-dir", folder],
        env=python.variables(),
    )
    wheels = list(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise Failed(f"expected one wheel in {folder}, found {len(wheels)}.")
    modules = [name for name in ZipFile(wheels[0]).namelist() if "/_core." in name]
    if len(modules) != 2:
        raise Failed(f"a wheel holds the core and its stub, {wheels[0].name} holds {modules}.")
    return wheels[0]


def fuzz(folder: Path, arguments: list[str]) -> None:
    """Each fuzz target for some seconds, from its committed seeds."""
    seconds = arguments[0] if arguments else str(_FUZZ_SECONDS)
    targets = sorted((folder / "tests" / "fuzz").glob("fuzz_*"))
    targets = [path for path in targets if path.is_file() and path.stat().st_mode & 0o111]
    if not targets:
        raise Failed("no fuzz target was built.")
    for target in targets:
        # There it leaves the input that broke something, in crash-<seed>-<number>.
        seeds = ROOT / "tests" / "fuzz" / "seeds"
        run([target, f"-max_total_time={seconds}", seeds], cwd=target.parent)


def fuzz_guided(python: Environment, folder: Path, arguments: list[str]) -> None:
    """Each fuzz target under libFuzzer, which looks for texts that reach new code."""
    given: list[str | Path] = ["--targets", folder / "tests" / "fuzz"]
    if (queries := ROOT.parent / "shared" / "corpus").is_dir():
        given += ["--corpus", queries]
    script = ROOT / "tests" / "fuzz" / "guided.py"
    run([python.python, script, *given, *arguments], env=python.variables())


def coverage(python: Environment, folder: Path, arguments: list[str]) -> None:
    """Lines of the core that pairs, corpus and fuzz targets reach."""
    given: list[str | Path] = ["--build", folder, "--least", _LEAST_COVERAGE]
    if (queries := ROOT.parent / "shared" / "corpus").is_dir():
        given += ["--corpus", queries]
    script = ROOT / "tests" / "corpus" / "coverage.py"
    run([python.python, script, *given, *arguments], env=python.variables())


def mutation(python: Environment, arguments: list[str]) -> None:
    """Planted mistakes in core/decision and core/fingerprint, each of which a test must notice.
    `--sample`: an eighth of them, another one after each commit."""
    env = {}
    tests = "tests/mutation"
    if "--sample" in arguments:
        tests = "tests/mutation/test_mutants.py"
        arguments.remove("--sample")
        commits = int(run_quietly(["git", "rev-list", "--count", "HEAD"]))
        env = {"HODOR_MUTANTS": f"{commits % _MUTANT_SHARES}/{_MUTANT_SHARES}"}
        say(f"mutation: share {env['HODOR_MUTANTS']} of the mutants")
    run(
        [python.python, "-m", "pytest", "-q", "-n", "2", "-m", "slow", "--timeout=1800"]
        + [tests, *arguments],
        env=env,
    )


def corpus(python: Environment, folder: Path, arguments: list[str]) -> None:
    """Real queries are measured, never committed: they lie beside the repository or are absent."""
    beside = ROOT.parent / "shared"
    given: list[str | Path] = ["--tool", folder / "tools" / "hodor-dev" / "hodor-dev"]
    for option in ("corpus", "cases"):
        if (beside / option).is_dir():
            given += [f"--{option}", beside / option]
        else:
            say(f"corpus: no ../shared/{option} here, not measured")
    variables = python.variables()
    run([python.python, ROOT / "tests" / "corpus" / "run.py", *given, *arguments], env=variables)
    queries, mutator = beside / "corpus", beside / "tools" / "mutate.py"
    scripts = ROOT / "tests" / "metamorphic"
    if queries.is_dir():
        texts = ROOT / "tests" / "corpus" / "texts.py"
        run([python.python, texts, "--corpus", queries], env=variables)
        run([python.python, scripts / "mine.py", "--corpus", queries], env=variables)
    if queries.is_dir() and mutator.is_file():
        mutants: list[str | Path] = ["--corpus", queries, "--mutator", mutator]
        mutants += ["--queries", _MUTATED_QUERIES, "--kept", _KEPT]
        run([python.python, scripts / "mutants.py", *mutants], env=variables)


def bench_sql(python: Environment, arguments: list[str]) -> None:
    """The core against the parsers that other tools are built on, each in an environment of its own."""
    given = []
    for name, packages in _OTHER_PARSERS.items():
        other = environment.ensure(f".venv-{name}", groups=(), packages=packages, editable=False)
        given += ["--python", f"{name}={other.python}"]
    run(
        [python.python, ROOT / "tests" / "bench" / "sql.py", *given, *arguments],
        env=python.variables(),
    )


def golden(python: Environment, folder: Path, *, update: bool) -> None:
    """The golden files of the core (ctest) and of the Python side (pytest)."""
    variables = python.variables()
    if update:
        variables |= {"HODOR_GOLDEN_UPDATE": "1", "HODOR_UPDATE_GOLDEN": "1"}
    run(
        [python.bin / "ctest", "--test-dir", folder, "--output-on-failure", "-R", "[Gg]olden"],
        env=variables,
    )
    run([python.python, "-m", "pytest", "-q", "-k", "golden", "tests/python"], env=variables)


def _pyenv_python(version: str) -> Path | None:
    pyenv = shutil.which("pyenv")
    if pyenv is None or sys.version_info[:2] == tuple(map(int, version.split("."))):
        return None
    root = Path(run_quietly([pyenv, "root"]).strip())
    found = sorted(
        (root / "versions").glob(f"{version}.*"),
        key=lambda path: int(path.name.rsplit(".", 1)[1]) if path.name[-1].isdigit() else -1,
    )
    return found[-1] / "bin" / "python" if found else None
