"""Every symbol of dbt that hodor uses, with its parameters, against the installed dbt.

Goal: a dbt-core release that renames or changes one of them fails here, not in a user's run.
Method: hodor's source is searched for imports from dbt; the committed list must hold all of them and
the methods we wrap or call; each must exist with the committed parameters.
HODOR_UPDATE_SIGNATURES=1 rewrites the list: read the difference.
"""

from __future__ import annotations

import ast
import enum
import importlib
import inspect
import json
import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[3] / "python/dbt_hodor"
COMMITTED = PACKAGE / "hooks/signatures.json"

# Methods and attributes beyond the imported names.
MEMBERS = [
    "dbt.adapters.base.connections:BaseConnectionManager.get_if_exists",
    "dbt.adapters.base.connections:BaseConnectionManager.get_thread_connection",
    "dbt.adapters.base.impl:BaseAdapter.behavior",
    "dbt.adapters.base.impl:BaseAdapter.type",
    "dbt.adapters.contracts.connection:Connection",
    "dbt.adapters.duckdb.connections:DuckDBConnectionManager.env",
    "dbt.adapters.duckdb.credentials:DuckDBCredentials",
    "dbt.adapters.duckdb.environments.local:LocalEnvironment.handle",
    "dbt.adapters.sql.impl:SQLAdapter.execute",
    "dbt.artifacts.schemas.run:RunResult.from_node",
    "dbt.cli.requires:set_up_plugin_manager",
    "dbt.config.renderer:ProfileRenderer.render_data",
    "dbt.config.runtime:RuntimeConfig.project_target_path",
    "dbt.config.runtime:RuntimeConfig.load_dependencies",
    "dbt.config.runtime:RuntimeConfig.to_target_dict",
    "dbt.config.project:VarProvider.vars_for",
    "dbt.config.runtime:RuntimeConfig.get_macro_search_order",
    "dbt.adapters.events.types:SQLQuery",
    "dbt.task.compile:CompileRunner.compile",
    "dbt_common.events.event_manager:EventManager",
    "dbt.contracts.graph.manifest:Manifest.find_materialization_macro_by_name",
    "dbt.contracts.graph.manifest:Manifest.merge_from_artifact",
    "dbt.contracts.graph.manifest:ManifestStateCheck",
    # Their fields are what we read of a node.
    "dbt.artifacts.resources:Hook",
    "dbt.artifacts.resources:TestMetadata",
    "dbt.contracts.graph.model_config:ModelConfig",
    "dbt.contracts.graph.model_config:TestConfig",
    "dbt.contracts.graph.nodes:GenericTestNode",
    "dbt.contracts.graph.nodes:ModelNode",
    "dbt.contracts.graph.nodes:SeedNode",
    "dbt.contracts.graph.nodes:SourceDefinition",
    "dbt.contracts.project:ProjectFlags.project_only_flags",
    "dbt.parser.manifest:ManifestLoader.build_manifest_state_check",
    "dbt.plugins.manager:PluginManager.from_modules",
    "dbt.plugins.manager:dbtPlugin.initialize",
    "dbt.task.base:BaseRunner.from_run_result",
    "dbt.task.base:BaseRunner.run_with_hooks",
    "dbt.task.base:BaseRunner.safe_run",
    "dbt.task.build:BuildTask.before_run",
    "dbt.task.build:BuildTask.get_runner_type",
    "dbt.task.function:FunctionRunner.after_execute",
    "dbt.task.run:MicrobatchModelRunner.execute",
    "dbt.task.run:ModelRunner.after_execute",
    "dbt.task.run:ModelRunner.execute",
    "dbt.task.run:ModelRunner.get_node_representation",
    "dbt.task.run:ModelRunner.print_result_line",
    "dbt.task.run:RunTask.before_run",
    "dbt.task.run:RunTask.execute_nodes",
    "dbt.task.run:RunTask.execute_with_hooks",
    "dbt.task.run:RunTask.get_runner_type",
    "dbt.task.seed:SeedRunner.print_result_line",
    "dbt.task.seed:SeedTask.get_runner_type",
    "dbt.task.snapshot:SnapshotRunner.print_result_line",
    "dbt.task.snapshot:SnapshotTask.get_runner_type",
    "dbt.task.test:TestRunner.after_execute",
    "dbt.task.test:TestRunner.build_test_run_result",
    "dbt.task.test:TestRunner.describe_node_name",
    "dbt.task.test:TestRunner.execute",
    "dbt.task.test:TestRunner.execute_data_test",
    "dbt.task.test:TestRunner.print_result_line",
    "dbt.task.test:TestTask.get_runner_type",
    "dbt_common.contracts.config.base:BaseConfig.update_from",
]


def imported_names() -> list[str]:
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                root = (node.module or "").split(".")[0]
                if root in ("dbt", "dbt_common"):
                    found.update(f"{node.module}:{alias.name}" for alias in node.names)
            elif isinstance(node, ast.Import):
                found.update(
                    f"{alias.name}:" for alias in node.names if alias.name.split(".")[0] == "dbt"
                )
    return sorted(found)


def described(symbol: str) -> str:
    """Parameters of a callable without annotations, whose text differs between Pythons."""
    module, _, path = symbol.partition(":")
    value = importlib.import_module(module)
    for name in filter(None, path.split(".")):
        if inspect.ismodule(value) and not hasattr(value, name):
            value = importlib.import_module(f"{value.__name__}.{name}")
        else:
            value = getattr(value, name)
    if inspect.ismodule(value):
        return "module"
    if inspect.isclass(value) and issubclass(value, enum.Enum):
        return f"one of {', '.join(member.name for member in value)}"
    if not callable(value):
        return type(value).__name__
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return "callable"
    shown = [
        {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(item.kind.name, "")
        + item.name
        + ("" if item.default is inspect.Parameter.empty else "=")
        for item in parameters
    ]
    return f"({', '.join(shown)})"


def test_the_list_is_complete_and_matches_the_installed_dbt():
    wanted = sorted({*imported_names(), *MEMBERS})
    now = {symbol: described(symbol) for symbol in wanted}
    if os.environ.get("HODOR_UPDATE_SIGNATURES"):
        COMMITTED.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n")
    assert json.loads(COMMITTED.read_text()) == now


def test_only_the_hook_modules_import_dbt():
    allowed = {"plugin.py", "starting.py"}  # the plugin base class; flags before anything is loaded
    for path in PACKAGE.rglob("*.py"):
        if path.parent.name in ("hooks", "cli") or path.name in allowed:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [a.name for a in node.names] if isinstance(node, ast.Import) else []
            assert not any(name.split(".")[0] in ("dbt", "dbt_common") for name in names), path
