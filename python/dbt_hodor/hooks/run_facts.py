"""What dbt knows about this invocation, as plain values.

In:  a dbt task and its adapter.
Out: RunFacts.
Never: asks the warehouse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import dbt.tracking
from dbt.adapters.factory import get_adapter_package_names
from dbt.contracts.project import ProjectFlags
from dbt.flags import get_flags
from dbt_common.invocation import get_invocation_id


@dataclass
class RunFacts:
    """One invocation. `target`: what `{{ target }}` shows to macros."""

    config: Any
    flags: Any
    manifest: Any
    adapter: Any
    adapter_type: str
    command: str
    project_name: str
    project_root: str
    target_name: str
    target_path: str
    invocation_id: str
    run_values: list[tuple[str, str]]
    internal_packages: set[str]
    target: Mapping[str, Any]
    behaviour_flags: dict[str, Any]
    profile_settings: dict[str, Any]
    engine_version: str = ""
    """Of the warehouse's engine, patch level included; set by whoever opens it."""
    statements: Any = None
    """What runs hodor's own statements, where provider and store share it."""

    def vars_of(self, node: Any) -> dict[str, Any]:
        """Project, package and command-line variables as the node's package sees them."""
        config = self.config
        merged: dict[str, Any] = {}
        projects = [config]
        if node.package_name != config.project_name:
            dependency = config.load_dependencies().get(node.package_name)
            projects = [config] if dependency is None else [dependency, config]
        for project in projects:
            merged.update(project.vars.vars_for(node, config.credentials.type))
        merged.update(config.cli_vars)
        return merged

    def has_open_transaction(self) -> bool:
        """Whether this thread's connection has begun a transaction."""
        connection = self.adapter.connections.get_if_exists()
        return connection is not None and bool(connection.transaction_open)


def read(task: Any, adapter: Any) -> RunFacts:
    """The facts of a task's invocation."""
    config, flags = task.config, get_flags()
    invocation_id = get_invocation_id()
    started_at = str(getattr(dbt.tracking.active_user, "run_started_at", "") or "")
    run_values = [(invocation_id, "invocation_id")]
    if started_at:
        run_values.append((started_at, "run_started_at"))
    return RunFacts(
        config=config,
        flags=flags,
        manifest=task.manifest,
        adapter=adapter,
        adapter_type=adapter.type(),
        command=str(flags.WHICH),
        project_name=config.project_name,
        project_root=str(config.project_root),
        target_name=config.target_name,
        target_path=str(config.project_target_path),
        invocation_id=invocation_id,
        run_values=run_values,
        internal_packages=set(get_adapter_package_names(adapter.type())),
        target=dict(config.to_target_dict()),
        behaviour_flags=_behaviour_flags(flags, adapter),
        profile_settings=_profile_settings(config.credentials),
    )


def _behaviour_flags(flags: Any, adapter: Any) -> dict[str, Any]:
    found = {name: getattr(flags, name, None) for name in ProjectFlags().project_only_flags}
    for flag in getattr(adapter, "_behavior_flags", None) or ():
        name = flag["name"]
        found[f"adapter {name}"] = bool(getattr(adapter.behavior, name).no_warn)
    return found


def _profile_settings(credentials: Any) -> dict[str, Any]:
    # These may hold secrets: they go into digests only.
    names = ("settings", "session_properties", "config_options", "extensions")
    return {name: getattr(credentials, name, None) for name in names}
