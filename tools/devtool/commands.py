"""The commands of ./dev: each one function, its help the first line of its docstring.

In:  the arguments after ./dev.
Out: an exit code; 0 only when everything that the command stands for is as it should be.
Never: knows how an environment or the core is built (environment.py, native.py).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable

from devtool import endpoint, environment, native, quality, suites
from devtool.process import ROOT, Failed, run, say

Arguments = list[str]


def setup(arguments: Arguments) -> None:
    """Set up what is missing: environment, packages, core, tests and tools."""
    native.build_module(environment.ensure(), everything=True)


def build(arguments: Arguments) -> None:
    """Build the core and its Python module only."""
    native.build_module(environment.ensure(), everything=False)


def test(arguments: Arguments) -> None:
    """Run all tests of the core and of DuckDB; `test core [ctest…]` or `test [pytest…]`: some."""
    python = environment.ensure()
    folder = native.build_module(python, everything=True)
    if arguments[:1] == ["core"]:
        native.run_core_tests(python, folder, *arguments[1:])
    elif arguments:
        suites.pytest(python, *arguments)
    else:
        native.run_core_tests(python, folder)
        suites.everything(python)


def check(arguments: Arguments) -> None:
    """Format, lint, repository rules and the fast tests: before each commit."""
    python = environment.ensure()
    quality.verify(python)
    folder = native.build_module(python, everything=True)
    native.run_core_tests(python, folder)
    suites.fast(python)


def lint(arguments: Arguments) -> None:
    """Check formatting and lint only."""
    quality.verify(environment.ensure())


def fmt(arguments: Arguments) -> None:
    """Format all C++ and Python sources, and mend what ruff can mend."""
    quality.apply(environment.ensure())


def demo(arguments: Arguments) -> None:
    """Show the main job on a small shop: build, reuse, new data, edit, explain."""
    python = environment.ensure()
    native.build_module(python, everything=False)
    run([python.python, ROOT / "tools" / "demo.py", *arguments], env=python.variables())


def bench(arguments: Arguments) -> None:
    """Measure what hodor costs a run (tests/bench/run.py --help); `bench units`: versions and records;
    `bench metadata`: versions on a warehouse that takes its time; `bench sql`: the core against other
    parsers."""
    python = environment.ensure()
    native.build_module(python, everything=False)
    if arguments[:1] == ["sql"]:
        suites.bench_sql(python, arguments[1:])
        return
    scripts = {"units": "versions.py", "metadata": "metadata.py"}
    known = scripts.get(arguments[0]) if arguments else None
    script, rest = (known, arguments[1:]) if known else ("run.py", arguments)
    run([python.python, ROOT / "tests" / "bench" / script, *rest], env=python.variables())


def scenarios(arguments: Arguments) -> None:
    """Run the end-to-end scenarios, each against its twin."""
    python = environment.ensure()
    native.build_module(python, everything=False)
    suites.scenarios(python, arguments)


def model(arguments: Arguments) -> None:
    """Run the model test at length: random projects and edits against the twin."""
    python = environment.ensure()
    native.build_module(python, everything=False)
    suites.model(python, arguments)


def extensions(arguments: Arguments) -> None:
    """Test DuckLake, Delta, Iceberg, attached SQLite and Postgres, with duckdb 1.5.5."""
    suites.extensions(arguments)


def databricks(arguments: Arguments) -> None:
    """Test Databricks on a stand-in for a workspace: Spark and Delta on this machine (Java 17);
    `databricks measure`: write what Delta's commits did, anew."""
    endpoint.databricks(arguments)


def matrix(arguments: Arguments) -> None:
    """Test the wheels on the other Pythons that pyenv offers, and duckdb 1.5.5."""
    suites.matrix(arguments)


def sanitize(arguments: Arguments) -> None:
    """Run the core's tests under ASan, UBSan and the checked standard library."""
    python = environment.ensure()
    folder = native.build(python, "asan")
    native.run_core_tests(python, folder, *arguments)


def fuzz(arguments: Arguments) -> None:
    """Throw mutated SQL at the core under the sanitizers: `fuzz [--guided] [seconds per target]`."""
    python = environment.ensure()
    if "--guided" in arguments:
        arguments.remove("--guided")
        folder = native.build(python, "libfuzzer", tests=False, compiler=native.clang())
        suites.fuzz_guided(python, folder, arguments)
    else:
        suites.fuzz(native.build(python, "asan"), arguments)


def coverage(arguments: Arguments) -> None:
    """Say which lines of the core the pairs, the corpus and the fuzz targets reach: `coverage [--missed]`."""
    python = environment.ensure()
    suites.coverage(python, native.build(python, "coverage", tests=False), arguments)


def mutation(arguments: Arguments) -> None:
    """Check that the tests notice planted mistakes in the core's decisions and hashes."""
    python = environment.ensure()
    suites.mutation(python, arguments)


def corpus(arguments: Arguments) -> None:
    """Measure the core on the corpus of real queries, when one lies beside the repository."""
    python = environment.ensure()
    folder = native.build_module(python, everything=True)
    suites.corpus(python, folder, arguments)


def golden(arguments: Arguments) -> None:
    """Rewrite the golden files with `golden --update`, then read the diff; without it: check them."""
    python = environment.ensure()
    folder = native.build_module(python, everything=True)
    suites.golden(python, folder, update="--update" in arguments)


def docs(arguments: Arguments) -> None:
    """Write the pages under docs/ that are made from code."""
    python = environment.ensure()
    native.build_module(python, everything=False)
    run([python.python, ROOT / "tools" / "gen_docs.py", *arguments], env=python.variables())


def wheel(arguments: Arguments) -> None:
    """Build the wheel and the source distribution into dist/."""
    python = environment.ensure()
    made = suites.build_wheel(python, ROOT / "dist", source=True)
    print(made.relative_to(ROOT))


def fresh_machine(arguments: Arguments) -> None:
    """Prove ./dev demo and ./dev test in a bare Debian 12 (root only): `fresh-machine [commands]`."""
    run(["bash", ROOT / "tools" / "fresh_machine.sh", *arguments])


def pins(arguments: Arguments) -> None:
    """Resolve the pinned versions anew."""
    environment.resolve_pins()


def clean(arguments: Arguments) -> None:
    """Remove everything that ./dev made."""
    for name in ("build", "dist", *(path.name for path in ROOT.glob(".venv*"))):
        shutil.rmtree(ROOT / name, ignore_errors=True)


def help_(arguments: Arguments) -> None:
    """List the commands."""
    width = max(len(name) for name in COMMANDS)
    print("usage: ./dev COMMAND [ARGUMENTS]\n")
    for name, function in COMMANDS.items():
        print(f"  {name:<{width}}  {(function.__doc__ or '').splitlines()[0]}")


COMMANDS: dict[str, Callable[[Arguments], None]] = {
    "demo": demo,
    "test": test,
    "check": check,
    "lint": lint,
    "fmt": fmt,
    "setup": setup,
    "build": build,
    "scenarios": scenarios,
    "model": model,
    "golden": golden,
    "docs": docs,
    "bench": bench,
    "sanitize": sanitize,
    "fuzz": fuzz,
    "coverage": coverage,
    "mutation": mutation,
    "corpus": corpus,
    "databricks": databricks,
    "extensions": extensions,
    "matrix": matrix,
    "wheel": wheel,
    "fresh-machine": fresh_machine,
    "pins": pins,
    "clean": clean,
    "help": help_,
}


def main(arguments: Arguments) -> int:
    """Runs one command and turns its failure into a sentence and an exit code."""
    name = arguments[0] if arguments else "help"
    function = COMMANDS.get("help" if name in ("-h", "--help") else name)
    if function is None:
        say(f"there is no command {name!r}; ./dev help lists them.")
        return 2
    try:
        function(arguments[1:])
    except Failed as failure:
        say(str(failure))
        return failure.code
    except KeyboardInterrupt:
        say("interrupted")
        return 130
    return 0
