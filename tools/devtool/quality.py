"""Formatting and linting: one list of tools, run to check or to mend.

In:  the tracked and new (not ignored) files of the work tree.
Out: `Failed` when a file is not as the tools want it.
Never: looks at behaviour.
"""

from __future__ import annotations

from pathlib import Path

from devtool.environment import Environment
from devtool.process import ROOT, run, run_quietly

_CPP = (".cpp", ".hpp")


def verify(environment: Environment) -> None:
    """Raises `Failed` after printing what is not formatted or linted."""
    run([environment.bin / "ruff", "format", "--check", "--quiet", *_python_roots()])
    run([environment.bin / "ruff", "check", "--quiet", *_python_roots()])
    if sources := _cpp_sources():
        run([environment.bin / "clang-format", "--dry-run", "--Werror", *sources])


def apply(environment: Environment) -> None:
    """Formats in place."""
    run([environment.bin / "ruff", "check", "--fix", "--quiet", *_python_roots()])
    run([environment.bin / "ruff", "format", "--quiet", *_python_roots()])
    if sources := _cpp_sources():
        run([environment.bin / "clang-format", "-i", *sources])


def source_files() -> list[Path]:
    """Every file of the repository that is tracked or waits to be, in a fixed order."""
    listed = run_quietly(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"])
    paths = (ROOT / name for name in sorted(set(listed.split("\0"))) if name)
    return [path for path in paths if path.is_file()]


def _cpp_sources() -> list[Path]:
    return [path for path in source_files() if path.suffix in _CPP]


def _python_roots() -> list[str]:
    return ["dev", "python", "tests", "tools"]
