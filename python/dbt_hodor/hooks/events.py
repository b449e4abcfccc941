"""The log line of a reused node.

In:  a runner, its result and the plan.
Out: dbt's model-result event with another text; its class name stays, dbt finds the schema by it.
Never: formats anything for another place than dbt's log.
"""

from __future__ import annotations

from typing import Any

from dbt.events import types
from dbt.task import group_lookup
from dbt_common.events.base_types import EventLevel
from dbt_common.events.format import format_fancy_output_line
from dbt_common.events.functions import fire_event
from dbt_common.ui import green


class LogModelResult(types.LogModelResult):
    """`REUSED table main.orders (no_new_data, last build …)`."""

    def message(self) -> str:
        return format_fancy_output_line(
            msg=f"REUSED {self.description}",
            status=green(self.status),
            index=self.index,
            total=self.total,
            execution_time=self.execution_time,
        )


def fire_reused_line(runner: Any, result: Any, plan: Any) -> None:
    """Says that a node was reused and why."""
    node = runner.node
    what = str(node.config.materialized)
    fire_event(
        LogModelResult(
            description=f"{what} {runner.get_node_representation()} ({plan.sentence})",
            status="REUSED",
            index=runner.node_index,
            total=runner.num_nodes,
            execution_time=result.execution_time,
            node_info=node.node_info,
            group=group_lookup.get(node.unique_id),
        ),
        level=EventLevel.INFO,
    )
