"""Finds the dbt project that the command stands in, with dbt's own loaders.

In:  --project-dir, --profiles-dir, --profile, --target and --vars, all optional as for dbt.
Out: names of project and target, the adapter's type, hodor's settings as a run would see them.
Never: opens a connection to the warehouse by itself, parses models, or loads the plugin.
"""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbt_hodor.settings import RunSettings, resolve_run_settings


class ProjectNotLoaded(Exception):
    """dbt cannot load the project or the profile: its words, and what may help."""


@dataclass(frozen=True)
class Options:
    """What the user gave on the command line; None: as dbt itself chooses."""

    project_dir: str | None = None
    profiles_dir: str | None = None
    profile: str | None = None
    target: str | None = None
    vars: str | None = None


@dataclass(frozen=True)
class Project:
    """One project and target. `root` is where a run takes relative paths from."""

    root: Path
    name: str
    target: str
    adapter_type: str
    credentials: Any
    settings: RunSettings
    loaded: Any = None
    """What dbt's loaders gave: (project, profile, flags)."""


def load(options: Options) -> Project:
    """Loads both files. Raises ProjectNotLoaded."""
    try:
        return _load(options)
    except Exception as error:  # dbt raises many kinds; each ends the command
        text = str(error).strip() or type(error).__name__
        raise ProjectNotLoaded(
            f"dbt cannot load the project: {text}\n"
            "Run this inside a dbt project, or give --project-dir and --profiles-dir."
        ) from error


def _load(options: Options) -> Project:
    # dbt takes seconds to import: only when a command needs it.
    from dbt.cli.flags import Flags
    from dbt.cli.main import cli
    from dbt.config.runtime import load_profile, load_project
    from dbt.flags import set_flags

    from dbt_hodor.hooks.profile import read_hodor_keys

    # dbt's own parsing of arguments and variables, so that all of them mean what they mean to dbt.
    parent = cli.make_context("dbt", ["run"])
    flags = Flags(cli.commands["run"].make_context("run", _arguments(options), parent=parent), None)
    set_flags(flags)
    root = Path(flags.PROJECT_DIR).resolve()
    with _inside(root):
        cli_vars = dict(flags.VARS or {})
        profile = load_profile(str(root), cli_vars, flags.PROFILE, flags.TARGET)
        project = load_project(str(root), False, profile, cli_vars)
        keys = Namespace(
            profile_name=profile.profile_name, target_name=profile.target_name, cli_vars=cli_vars
        )
        given = read_hodor_keys(keys)
    return Project(
        root=root,
        name=project.project_name,
        target=profile.target_name,
        adapter_type=profile.credentials.type,
        credentials=profile.credentials,
        settings=resolve_run_settings(given, cli_vars, os.environ),
        loaded=(project, profile, flags),
    )


def adapter_of(project: Project) -> Any:
    """dbt's adapter of the project, which opens connections when it is asked to."""
    from dbt.adapters.factory import get_adapter, register_adapter
    from dbt.config.runtime import RuntimeConfig
    from dbt.mp_context import get_mp_context
    from dbt_common.events.base_types import EventLevel

    config = RuntimeConfig.from_parts(*project.loaded)
    # Quietly: what a command prints may be JSON.
    register_adapter(config, get_mp_context(), EventLevel.DEBUG)
    return get_adapter(config)


def _arguments(options: Options) -> list[str]:
    given = {
        "--project-dir": options.project_dir,
        "--profiles-dir": options.profiles_dir,
        "--profile": options.profile,
        "--target": options.target,
        "--vars": options.vars,
    }
    return [part for name, value in given.items() if value is not None for part in (name, value)]


@contextmanager
def _inside(root: Path) -> Iterator[None]:
    """Relative paths of a profile are taken from the project's root, as in a run."""
    before = Path.cwd()
    os.chdir(root)
    try:
        yield
    finally:
        os.chdir(before)
