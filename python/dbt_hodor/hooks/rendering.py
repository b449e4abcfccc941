"""Renders a node's hooks as dbt would, where rendering is certain to have no effect.

In:  a node and the run.
Out: the SQL of its hooks in the order dbt runs them; None when rendering itself may act.
Never: renders a hook that may run a statement: it would run once for us and once for dbt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from dbt.clients.jinja import get_rendered
from dbt.context.providers import generate_runtime_model_context

_THIS = re.compile(r"\{\{ *this *\}\}")
_ONLY_THIS = re.compile(r"(?:[^{]|\{\{ *this *\}\})*")


@dataclass(frozen=True)
class RenderedHook:
    """One hook: its SQL and whether dbt runs it inside the node's transaction."""

    sql: str
    transaction: bool
    when: str
    """`pre` or `post`."""


def raw_hooks(node: Any) -> list[str]:
    """The hooks' templates."""
    config = node.config
    hooks = [
        *(getattr(config, "pre_hook", None) or ()),
        *(getattr(config, "post_hook", None) or ()),
    ]
    return [hook.sql for hook in hooks]


def places(node: Any) -> list[str]:
    """When each hook runs, and whether there is a header: the same text may do other things there."""
    config = node.config
    found = [
        f"{when} {'inside' if hook.transaction else 'outside'}"
        for when in ("pre", "post")
        for hook in getattr(config, f"{when}_hook", None) or ()
    ]
    return [*found, "header"] if config.get("sql_header") else found


def hooks_of(node: Any, run: Any) -> list[RenderedHook] | None:
    """Rendered hooks without the blank ones."""
    config = node.config
    given = [("pre", hook) for hook in getattr(config, "pre_hook", None) or ()]
    given += [("post", hook) for hook in getattr(config, "post_hook", None) or ()]
    if not given:
        return []
    context: dict[str, Any] | None = None
    rendered: list[RenderedHook] = []
    for when, hook in given:
        sql = hook.sql
        if "{{" in sql or "{%" in sql or "{#" in sql:
            if _ONLY_THIS.fullmatch(sql) and node.relation_name:
                # Most hooks: a context costs more than all else that we do for a node.
                sql = _THIS.sub(lambda _: node.relation_name, sql)
            elif run.macros.used_by_text(sql).acts:
                return None
            else:
                if context is None:
                    context = generate_runtime_model_context(node, run.config, run.manifest)
                sql = get_rendered(sql, context, node)
        if sql.strip():
            rendered.append(RenderedHook(sql.strip(), hook.transaction, when))
    return rendered
