"""What a run did, as `target/hodor_run.json` and as the summary in the log.

In:  plans and results of all nodes, counters.
Out: one JSON document, written atomically; a few sentences.
Never: fails a run; never shows a secret.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable
from typing import Any

from dbt_hodor import _core
from dbt_hodor.context import RunContext
from dbt_hodor.counters import OWN, STORE, VERSIONS
from dbt_hodor.plan import Plan

SCHEMA_VERSION = 1
FILE_NAME = "hodor_run.json"


class RunReport:
    """Filled while a run goes; nodes may be added from any thread."""

    def __init__(self, run: RunContext) -> None:
        self._run = run
        self._lock = threading.Lock()
        self._plans: dict[str, Plan] = {}
        self._errors = 0
        self._saved_s = 0.0
        self._unsupported: dict[str, int] = {}
        self._contradicted: list[str] = []

    def decided(self, plan: Plan) -> None:
        """A node got its decision."""
        with self._lock:
            self._plans[plan.node.unique_id] = plan
            if plan.reason == "hodor_error":
                self._errors += 1
            if plan.unsupported:
                count = self._unsupported.get(plan.unsupported, 0)
                self._unsupported[plan.unsupported] = count + 1

    def contradicted(self, plan: Plan) -> None:
        """A build in shadow mode gave another result than a reuse would have kept."""
        with self._lock:
            self._contradicted.append(plan.node.unique_id)

    def unsupported(self) -> dict[str, int]:
        """Kinds of nodes that are never reused, with how many this run met."""
        with self._lock:
            return dict(self._unsupported)

    def document(self, results: Iterable[Any], unreadable: dict[str, str]) -> dict[str, Any]:
        """The artefact. `results`: dbt's node results; `unreadable`: table -> engine's words."""
        run = self._run
        nodes = [self._node(result) for result in results if _is_node(result)]
        counts = _counts(nodes)
        counters = run.counters
        because = {
            table: sum(self._waited_for(node, table) for node in nodes) for table in unreadable
        }
        return {
            "schema_version": SCHEMA_VERSION,
            "invocation_id": run.invocation_id,
            "command": run.dbt.command,
            "mode": run.settings.mode,
            "nodes": nodes,
            "totals": {
                **counts,
                "hodor_errors": self._errors,
                "contradicted": len(self._contradicted),
                "seconds_not_spent": round(sum(self._saved(node) for node in nodes), 3),
                "seconds_on_versions": round(counters.total(f"{VERSIONS} wall"), 3),
                "cpu_ms": self._cpu_ms(),
                "parser_calls": int(counters.total("parser_calls")),
            },
            "unreadable_tables": [
                {"table": table, "error": words, "nodes_built": because[table]}
                for table, words in sorted(unreadable.items())
            ],
        }

    def _cpu_ms(self) -> dict[str, float]:
        counters = self._run.counters
        cpu_s = {name: counters.total(name) for name in (OWN, VERSIONS, STORE)}
        # The reads themselves run on threads of the cache.
        cpu_s[VERSIONS] += self._run.warehouse.cache.counters.cpu_s
        return {name: round(value * 1000, 3) for name, value in cpu_s.items()}

    @staticmethod
    def _waited_for(node: dict[str, Any], table: str) -> bool:
        return node["action"] == "build" and any(
            entry["table"] == table and entry["now"] is None for entry in node["upstreams"]
        )

    def _saved(self, node: dict[str, Any]) -> float:
        if node["action"] not in ("reuse", "replay"):
            return 0.0
        plan = self._plans[node["unique_id"]]
        seconds = 0.0 if plan.row is None else self._execution_s(plan)
        return max(0.0, seconds)

    def _execution_s(self, plan: Plan) -> float:
        detail = (plan.row.detail if plan.row else None) or ""
        # A search, not a parse: this runs for every reused node.
        start = detail.find('"execution_s": ')
        if start < 0:
            return 0.0
        text = detail[start + 15 : start + 35].split(",", 1)[0].rstrip("}")
        try:
            return float(text)
        except ValueError:
            return 0.0

    def _node(self, result: Any) -> dict[str, Any]:
        unique_id = result.node.unique_id
        plan = self._plans.get(unique_id)
        status = str(getattr(result.status, "value", result.status))
        if plan is None:
            return {
                "unique_id": unique_id, "node_key": None,
                "resource_type": str(result.node.resource_type), "decision": None, "reason": None,
                "action": "skip" if status == "skipped" else "build", "status": status,
                "last_build": None, "changed": [], "upstreams": [],
            }  # fmt: skip
        action = "build"
        if plan.reuses:
            action = "replay" if plan.kind == "test" else "reuse"
        return {
            "unique_id": unique_id,
            "node_key": plan.node_key,
            "resource_type": str(result.node.resource_type),
            "decision": plan.action,
            "reason": plan.reason,
            "action": action,
            "status": status,
            "last_build": None if plan.row is None else plan.row.built_at_ms,
            "changed": plan.changed,
            "upstreams": _upstreams(plan),
        }

    def write(self, document: dict[str, Any]) -> None:
        """Replaces the artefact in one step, so that a reader never sees half of it."""
        folder = self._run.dbt.target_path
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, FILE_NAME)
        temporary = f"{path}.{os.getpid()}.tmp"
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(self._run.redactor.text(json.dumps(document)))
        os.replace(temporary, path)

    def sentences(self, document: dict[str, Any]) -> list[str]:
        """The summary."""
        totals, lines = document["totals"], []
        errors = f", {self._errors} fail-open errors" if self._errors else ""
        if self._run.settings.mode == "on":
            lines.append(
                f"{totals['reused']} reused, {totals['replayed']} tests replayed, "
                f"{totals['built']} built, {totals['errors']} errors{errors}; "
                f"{totals['seconds_not_spent']:.1f} s not spent, "
                f"{totals['seconds_on_versions']:.1f} s on data versions"
            )
        else:
            could = sum(node["decision"] == "reuse" for node in document["nodes"])
            lines.append(
                f"{could} of {totals['nodes']} nodes could be reused, all were built "
                f"(shadow mode){errors}; to reuse, set hodor_mode: on in the profile's target "
                "or HODOR_MODE=on"
            )
        if self._contradicted:
            lines.append(
                f"reusing {', '.join(sorted(self._contradicted)[:5])} would have kept other results "
                f"({len(self._contradicted)} nodes): please report this before you switch reuse on"
            )
        lines += [
            f"the version of {entry['table']} could not be read ({entry['error']}); "
            f"{entry['nodes_built']} nodes were built because of it"
            for entry in document["unreadable_tables"]
        ]
        return lines


def _is_node(result: Any) -> bool:
    node = getattr(result, "node", None)
    return node is not None and str(node.resource_type) != "operation"


def _counts(nodes: list[dict[str, Any]]) -> dict[str, int]:
    actions = [node["action"] for node in nodes]
    failed = [node for node in nodes if node["status"] in ("error", "runtime error")]
    return {
        "nodes": len(nodes),
        "reused": actions.count("reuse"),
        "replayed": actions.count("replay"),
        "built": actions.count("build") - len(failed),
        "skipped": actions.count("skip"),
        "errors": len(failed),
    }


def _upstreams(plan: Plan) -> list[dict[str, Any]]:
    last: dict[str, str | None] = {}
    if plan.row is not None and plan.row.upstreams:
        try:
            last = _core.decode_upstreams(plan.row.upstreams)
        except ValueError:
            last = {}
    now = {key: token for key, _, _, token in plan.upstreams}
    return [
        {"table": key, "last": last.get(key), "now": now.get(key)} for key in sorted({*now, *last})
    ]
