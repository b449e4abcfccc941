"""Makes the Python environments that ./dev works in.

In:  pyproject.toml (what is needed), tools/devtool/pins.txt (which versions), a Python.
Out: a directory with that Python, the packages, `dbt_hodor` from python/ and the script dbt-hodor.
Never: installs anything when neither file changed since the environment was made.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from devtool.process import ROOT, Failed, run_quietly, say

UV = "uv==0.13.9"
PINS = ROOT / "tools" / "devtool" / "pins.txt"
_STAMP = ".hodor-stamp"
_BIN = "Scripts" if os.name == "nt" else "bin"
_SCRIPT = """#!{python}
import sys

from dbt_hodor.cli.main import main

sys.exit(main())
"""


@dataclass(frozen=True)
class Environment:
    """One virtual environment; `bin` holds its programs."""

    path: Path

    @property
    def bin(self) -> Path:
        return self.path / _BIN

    @property
    def python(self) -> Path:
        return self.bin / "python"

    def variables(self) -> dict[str, str]:
        """Environment variables under which its programs find each other."""
        return {"PATH": f"{self.bin}{os.pathsep}{os.environ.get('PATH', '')}"}


def ensure(
    name: str = ".venv",
    *,
    python: str = sys.executable,
    groups: Sequence[str] = ("dev",),
    packages: Sequence[str] = (),
    editable: bool = True,
    pinned: bool = True,
) -> Environment:
    """The environment of that name, made or brought up to date. `packages`: extra requirements that
    replace a pin; `editable`: whether python/ of the work tree is importable in it; `pinned`: whether
    the other pins hold, which are those of another adapter."""
    environment = Environment(ROOT / name)
    wanted = _fingerprint(python, groups, packages, editable)
    stamp = environment.path / _STAMP
    if stamp.is_file() and stamp.read_text() == wanted and environment.python.exists():
        return environment
    uv = _bootstrap()
    if environment.path.exists():
        shutil.rmtree(environment.path)
    say(f"setting up {name} (once, or after a change of dependencies)")
    run_quietly([uv, "venv", "--quiet", "--python", python, environment.path])
    _install(uv, environment, groups, packages, pinned)
    if editable:
        _link_work_tree(environment)
    stamp.write_text(wanted)
    return environment


def ensure_plain(name: str, requirements: Path) -> Environment:
    """An environment with exactly what a requirements file lists, and nothing of this package."""
    environment = Environment(ROOT / name)
    stamp = environment.path / _STAMP
    wanted = f"{UV} {sys.executable} {requirements.read_text()}"
    if stamp.is_file() and stamp.read_text() == wanted and environment.python.exists():
        return environment
    uv = _bootstrap()
    if environment.path.exists():
        shutil.rmtree(environment.path)
    say(f"setting up {name} (once, or after a change of {requirements.name})")
    run_quietly([uv, "venv", "--quiet", "--python", sys.executable, environment.path])
    run_quietly(
        [uv, "pip", "install", "--quiet", "--python", environment.python, "-r", requirements],
        advice="A package index must be reachable.",
    )
    stamp.write_text(wanted)
    return environment


def install_wheel(environment: Environment, wheel: Path) -> None:
    """Installs our own wheel; what it needs is already there."""
    run_quietly(
        [_bootstrap(), "pip", "install", "--quiet", "--python", environment.python]
        + ["--no-deps", "--reinstall", wheel]
    )


def resolve_pins() -> None:
    """Writes pins.txt anew: the newest versions that pyproject.toml allows."""
    header = [line for line in PINS.read_text().splitlines() if line.startswith("#")]
    text = run_quietly(
        [_bootstrap(), "pip", "compile", "--quiet", "--universal", "--upgrade"]
        + ["--python-version", "3.10", "pyproject.toml", "--extra", "duckdb", "--group", "dev"]
        + ["--no-annotate", "--no-header"]
    )
    PINS.write_text("\n".join([*header, text]))


def _bootstrap() -> Path:
    """uv, in an environment of its own: the system's pip may refuse to install anything."""
    boot = Environment(ROOT / ".venv-boot")
    uv = boot.bin / "uv"
    stamp = boot.path / _STAMP
    if stamp.is_file() and stamp.read_text() == UV and uv.exists():
        return uv
    say("fetching uv")
    run_quietly(
        [sys.executable, "-m", "venv", "--clear", boot.path],
        advice="Python's venv module is needed (Debian: apt install python3-venv).",
    )
    run_quietly(
        [boot.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", UV],
        advice="A package index must be reachable.",
    )
    stamp.write_text(UV)
    return uv


def _install(
    uv: Path,
    environment: Environment,
    groups: Sequence[str],
    packages: Sequence[str],
    pinned: bool,
) -> None:
    replaced = {_package_name(package) for package in packages}
    pins = [line for line in _pin_lines() if _package_name(line) not in replaced]
    constraints = environment.path / "constraints.txt"
    constraints.write_text("\n".join(pins if pinned else ()) + "\n")
    command: list[str | Path] = [uv, "pip", "install", "--quiet", "--python", environment.python]
    command += ["--constraint", constraints, "-r", "pyproject.toml", "--extra", "duckdb"]
    for group in groups:
        command += ["--group", group]
    run_quietly(command + list(packages), advice="A package index must be reachable.")


def _link_work_tree(environment: Environment) -> None:
    """A plain path file instead of an editable install: that one would cost 40 ms at each start."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(run_quietly([environment.python, "-c", code]).strip())
    (packages / "dbt_hodor.pth").write_text(f"{ROOT / 'python'}\n")
    script = environment.bin / "dbt-hodor"
    script.write_text(_SCRIPT.format(python=environment.python))
    script.chmod(0o755)


def _pin_lines() -> list[str]:
    lines = (line.strip() for line in PINS.read_text().splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _package_name(requirement: str) -> str:
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    if match is None:
        raise Failed(f"not a requirement: {requirement!r}")
    return match.group().lower().replace("_", "-")


def _fingerprint(
    python: str, groups: Sequence[str], packages: Sequence[str], editable: bool
) -> str:
    """Names what an environment is made from; another text means it must be made again."""
    digest = hashlib.sha256()
    for part in (_dependency_lines(), "\n".join(_pin_lines()), python, ",".join(groups)):
        digest.update(f"{len(part)}:{part}".encode())
    digest.update(repr((list(packages), editable, str(ROOT), UV)).encode())
    return digest.hexdigest()


def _dependency_lines() -> str:
    """The parts of pyproject.toml that say what is installed. No TOML parser before Python 3.11."""
    wanted = False
    lines = []
    for line in (ROOT / "pyproject.toml").read_text().splitlines():
        if line.startswith("["):
            wanted = line in (
                "[project]",
                "[project.optional-dependencies]",
                "[dependency-groups]",
                "[tool.uv]",
            )
        if wanted and not line.lstrip().startswith("#"):
            lines.append(line)
    return "\n".join(lines)
