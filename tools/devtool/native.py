"""Builds the C++ core and puts its Python module where dbt_hodor imports it.

In:  the CMake presets, an environment with cmake and ninja.
Out: build/<preset>/, and for the preset dev python/dbt_hodor/_core*.so.
Never: configures again when neither the options nor the tools changed (ninja sees the rest).
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from devtool.environment import Environment
from devtool.process import ROOT, Failed, run, run_quietly, say

GOOGLETEST = Path("/usr/src/googletest")
_JOBS = str(min(os.cpu_count() or 1, 8))


def build(
    environment: Environment, preset: str, *targets: str, tests: bool = True, compiler: str = ""
) -> Path:
    """Brings build/<preset> up to date and returns it. `tests`: GoogleTest is needed; `compiler`: another
    one than the machine's own."""
    if tests:
        require_googletest()
    folder = ROOT / "build" / preset
    _configure(environment, preset, folder, compiler)
    command: list[str | Path] = [environment.bin / "ninja", "-C", folder, "-j", _JOBS]
    output = run_quietly(
        [*command, *targets],
        env=environment.variables(),
        advice="The compiler's words are above; g++ 12 or newer and make are needed.",
    )
    if "no work to do" not in output:
        say(f"built {preset}")
    return folder


def build_module(environment: Environment, *, everything: bool) -> Path:
    """The preset dev: only the Python module, or tests and tools too. Returns the build folder."""
    folder = build(environment, "dev", *([] if everything else ["_core"]), tests=everything)
    _place_module(folder)
    return folder


def run_core_tests(environment: Environment, folder: Path, *arguments: str) -> None:
    """ctest on a build folder; the output of a test is shown only when it fails."""
    run(
        [environment.bin / "ctest", "--test-dir", folder, "-j", _JOBS, "--output-on-failure"]
        + ["--no-tests=error", *arguments],
        env=environment.variables(),
    )


def clang() -> str:
    """The newest clang++ of the machine. Raises Failed when there is none."""
    names = ["clang++", *(f"clang++-{version}" for version in range(22, 13, -1))]
    for name in names:
        if found := shutil.which(name):
            return found
    raise Failed(
        "clang++ with libFuzzer is needed (Debian: apt-get install clang libclang-rt-14-dev)."
    )


def require_googletest() -> None:
    """GoogleTest's sources: a prebuilt one would not fit our flags."""
    if _has_googletest():
        return
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        say("installing the package googletest")
        env = {"DEBIAN_FRONTEND": "noninteractive"}
        run_quietly(["apt-get", "update", "-q"], env=env)
        run_quietly(
            ["apt-get", "install", "-q", "-y", "--no-install-recommends", "googletest"], env=env
        )
    if not _has_googletest():
        raise Failed(
            f"GoogleTest's sources are not in {GOOGLETEST}. Install them "
            "(Debian and Ubuntu: sudo apt-get install googletest) and run this again."
        )


def _has_googletest() -> bool:
    return (GOOGLETEST / "googletest" / "src" / "gtest-all.cc").is_file()


def _configure(environment: Environment, preset: str, folder: Path, compiler: str) -> None:
    if shutil.which("g++") is None and shutil.which("c++") is None:
        raise Failed("a C++20 compiler is needed (Debian and Ubuntu: apt-get install g++).")
    command = [
        str(environment.bin / "cmake"),
        *("--preset", preset),
        f"-DCMAKE_MAKE_PROGRAM={environment.bin / 'ninja'}",
        f"-DPython_EXECUTABLE={environment.python}",
    ]
    if compiler:
        command.append(f"-DCMAKE_CXX_COMPILER={compiler}")
    if not _has_googletest():
        command.append("-DHODOR_TESTS=OFF")
    stamp = folder / ".hodor-configured"
    wanted = "\n".join([*command, (ROOT / "CMakePresets.json").read_text()])
    if (folder / "build.ninja").is_file() and stamp.is_file() and stamp.read_text() == wanted:
        return
    (folder / "CMakeCache.txt").unlink(missing_ok=True)
    found = run_quietly([environment.python, "-m", "nanobind", "--cmake_dir"]).strip()
    run_quietly([*command, f"-Dnanobind_DIR={found}"], env=environment.variables())
    stamp.write_text(wanted)


def _place_module(folder: Path) -> None:
    """Copies the module and its stub beside the Python sources, and only when they changed."""
    built = [path for pattern in ("_core*.so", "_core*.pyd") for path in folder.rglob(pattern)]
    if len(built) != 1:
        raise Failed(f"expected one Python module in {folder}, found {len(built)}.")
    package = ROOT / "python" / "dbt_hodor"
    for stub in folder.rglob("_core.pyi"):
        # An older one belongs to a module that was built before.
        is_of_module = stub.stat().st_mtime >= built[0].stat().st_mtime
        if is_of_module and stub.read_bytes() != (package / stub.name).read_bytes():
            shutil.copy2(stub, package / stub.name)
    target = package / built[0].name
    if target.is_file() and target.read_bytes() == built[0].read_bytes():
        return
    for stale in package.glob("_core*.so"):
        stale.unlink()
    # A new file each time: a process that has the old one mapped must not see it change.
    waiting = target.with_suffix(".new")
    shutil.copy2(built[0], waiting)
    waiting.replace(target)
