"""Looks whether hodor takes part in a project's dbt runs, and says what to do next.

In:  the project's options.
Out: a report: one line per check, advice, and whether all is well.
Never: runs dbt, writes a record, or creates a state file.
"""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click

from dbt_hodor import __version__, adapters
from dbt_hodor.cli import project as projects
from dbt_hodor.cli.project import Options, Project, ProjectNotLoaded
from dbt_hodor.cli.stores import duckdb_store, open_store, store_name
from dbt_hodor.store.base import StoreUnavailable, StoreUnreadable

# Adapters whose data hodor can version. Elsewhere it is off.
ADAPTERS = adapters.NAMES
_PACKAGES = ("dbt-core", "dbt-adapters", "dbt-duckdb", "duckdb", "dbt-databricks")
_MARKS = {"ok": ("ok", "green"), "note": ("note", "cyan"), "bad": ("BAD", "red")}


@dataclass(frozen=True)
class Finding:
    """One check. `state`: ok, note (works, but look at it) or bad (hodor does not take part)."""

    check: str
    state: str
    text: str
    advice: str = ""


@dataclass
class Report:
    """All findings, in the order in which a person would look."""

    findings: list[Finding] = field(default_factory=list)

    @property
    def healthy(self) -> bool:
        return all(finding.state != "bad" for finding in self.findings)

    def add(self, check: str, state: str, text: str, advice: str = "") -> None:
        """Adds one finding."""
        self.findings.append(Finding(check, state, text, advice))

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"healthy": self.healthy, "findings": [asdict(f) for f in self.findings]}

    def lines(self, width: int) -> list[str]:
        """One line per finding, its advice below it, and at the end what to do next."""
        column = max(len(finding.check) for finding in self.findings)
        found = []
        for finding in self.findings:
            mark, color = _MARKS[finding.state]
            prefix = f"{click.style(f'{mark:<4}', fg=color)}  {finding.check:<{column}}  "
            found += _hanging(prefix, finding.text, column + 8, width)
            if finding.advice and finding.state != "ok":
                found += _hanging(" " * (column + 8), finding.advice, column + 8, width)
        return [*found, "", *_hanging("Next: ", _next_step(self), len("Next: "), width)]


def _hanging(prefix: str, text: str, indent: int, width: int) -> list[str]:
    import textwrap

    body = textwrap.wrap(text, max(20, width - indent), break_long_words=False) or [""]
    return [prefix + body[0], *(" " * indent + line for line in body[1:])]


def _next_step(report: Report) -> str:
    for state in ("bad", "note"):
        for finding in report.findings:
            if finding.state == state and finding.advice:
                return finding.advice
    return "nothing. dbt build reuses what has not changed; dbt-hodor explain says why."


def examine(options: Options) -> Report:
    """Runs all checks that the ones before them leave room for."""
    report = Report()
    _check_versions(report)
    _check_core(report)
    _check_plugin(report)
    try:
        project = projects.load(options)
    except ProjectNotLoaded as error:
        report.add("project", "bad", " ".join(str(error).split()), "Run this in a dbt project.")
        return report
    report.add("project", "ok", f"{project.name}, target {project.target}, in {project.root}")
    _check_adapter(report, project)
    _check_mode(report, project)
    if project.adapter_type in ADAPTERS:
        _check_store(report, project)
    return report


def _check_versions(report: Report) -> None:
    found = [f"dbt-hodor {__version__}", f"Python {platform.python_version()}"]
    for package in _PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    report.add("versions", "ok", ", ".join(found))


def _check_core(report: Report) -> None:
    try:
        from dbt_hodor import _core

        report.add("core", "ok", f"loaded, hash version {_core.HASH_VERSION}")
    except ImportError as error:
        report.add(
            "core",
            "bad",
            f"the compiled core does not load: {error}",
            "Reinstall dbt-hodor for this Python: pip install --force-reinstall dbt-hodor",
        )


def _check_plugin(report: Report) -> None:
    import pkgutil

    import dbt_hodor

    names = {name for _, name, _ in pkgutil.iter_modules()}
    if "dbt_hodor" not in names:
        where = Path(dbt_hodor.__file__ or "").parent
        report.add(
            "plugin",
            "bad",
            f"dbt finds plugins on its module path, and {where} is not on it",
            f"Install dbt-hodor where dbt is installed: {sys.prefix}",
        )
        return
    try:
        plugins = dbt_hodor.plugins
    except Exception as error:  # noqa: BLE001 - whatever it was, dbt would meet it too
        report.add(
            "plugin", "bad", f"dbt cannot load the plugin: {error!r}", "Reinstall dbt-hodor."
        )
        return
    report.add("plugin", "ok", f"dbt loads it ({len(plugins)} plugin class) from this Python")
    if _dbt_state_is_there(names):
        report.add(
            "dbt State",
            "note",
            "dbt_state is installed too; in a run where it is active, hodor stands aside",
            "Uninstall dbt-state, or leave it switched off.",
        )


def _dbt_state_is_there(names: set[str]) -> bool:
    disabled = any(
        os.environ.get(name) for name in ("RUN_CACHE_DISABLED", "DBT_RUN_CACHE_DISABLED")
    )
    return "dbt_state" in names and not disabled


def _check_adapter(report: Report, project: Project) -> None:
    if project.adapter_type in ADAPTERS:
        report.add("adapter", "ok", project.adapter_type)
        return
    report.add(
        "adapter",
        "bad",
        f"{project.adapter_type} is not supported: hodor is off and dbt builds as usual",
        f"Supported: {', '.join(ADAPTERS)}.",
    )


def _check_mode(report: Report, project: Project) -> None:
    settings = project.settings
    for warning in settings.warnings:
        report.add("settings", "note", warning, "Correct or remove it.")
    if settings.off_because:
        report.add("mode", "bad", settings.off_because, "Correct the value.")
    elif settings.mode == "off":
        report.add(
            "mode",
            "bad",
            f"off ({_mode_origin(project)}): dbt builds as if hodor were not installed",
            "Set hodor_mode: shadow or hodor_mode: on in the target of profiles.yml.",
        )
    elif settings.mode == "shadow":
        report.add(
            "mode",
            "note",
            f"shadow ({_mode_origin(project)}): it decides and records, and dbt builds everything",
            "To reuse, set hodor_mode: on in the target of profiles.yml, or HODOR_MODE=on.",
        )
    else:
        report.add("mode", "ok", f"on ({_mode_origin(project)})")


def _mode_origin(project: Project) -> str:
    source = project.settings.sources.get("mode")
    return "the default" if source is None else f"from {source}"


def _check_store(report: Report, project: Project) -> None:
    try:
        name = store_name(project)
        if name == "delta":
            _check_table(report, open_store(project))
            return
        store = duckdb_store(project, read_only=True)
    except (StoreUnavailable, ValueError) as error:
        report.add("store", "bad", str(error), "Correct hodor_store, hodor_schema or hodor_table.")
        return
    path = Path(store.path)
    warehouse = getattr(project.credentials, "path", None)
    if warehouse and (project.root / str(warehouse)).resolve() == path.resolve():
        report.add(
            "store",
            "bad",
            f"{path} is the warehouse file itself",
            "Choose another hodor_path.",
        )
        return
    if not path.exists():
        _check_new_store(report, name, path)
        return
    try:
        count = len(store.load_latest(project.name, project.target, 0))
        duckdb_store(project, read_only=False).check_writable()
    except (StoreUnavailable, StoreUnreadable) as error:
        report.add("store", "bad", str(error), "Close what has it open, or set the file aside.")
        return
    text = f"{name}, {path}: readable and writable, {count} nodes recorded for this target"
    if count:
        report.add("store", "ok", text)
    else:
        report.add("store", "note", text, "Run dbt build: the first run builds and records.")


def _check_table(report: Report, store: Any) -> None:
    report.add(
        "store",
        "note",
        f"delta, {store.name}: not looked at",
        "Run dbt-hodor explain to read it, dbt-hodor ddl for what creates it.",
    )


def _check_new_store(report: Report, name: str, path: Path) -> None:
    folder = next(parent for parent in path.parents if parent.exists())
    if os.access(folder, os.W_OK):
        report.add(
            "store",
            "note",
            f"{name}, {path}: not there yet, the first run makes it",
            "Run dbt build: the first run builds and records.",
        )
    else:
        report.add(
            "store",
            "bad",
            f"{name}, {path}: not there, and {folder} is not writable",
            "Choose another hodor_path.",
        )
