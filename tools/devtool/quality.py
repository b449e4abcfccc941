"""Formatting and linting: one list of tools, run to check or to mend.

In:  the tracked and new (not ignored) files of the work tree.
Out: `Failed` when a file is not as the tools want it.
Never: looks at behaviour.
"""

from __future__ import annotations

import shutil
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
    """Every file of the repository that is tracked or waits to be, in a fixed order. Where there is no
    git (a bare machine with a copy of the sources), everything but what ./dev and dbt make."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        listed = run_quietly(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        )
        paths = [ROOT / name for name in listed.split("\0") if name]
    else:
        paths = [path for path in ROOT.rglob("*") if not _is_made(path.relative_to(ROOT))]
    return [path for path in sorted(set(paths)) if path.is_file()]


def _is_made(path: Path) -> bool:
    made = {"build", "dist", "bench-results", "target", "logs", "__pycache__", ".hodor"}
    caches = (".venv", ".pytest_cache", ".ruff_cache")
    return path.suffix == ".so" or any(
        part in made or part.startswith(caches) for part in path.parts
    )


def _cpp_sources() -> list[Path]:
    return [path for path in source_files() if path.suffix in _CPP]


def _python_roots() -> list[str]:
    return ["dev", "python", "tests", "tools"]
