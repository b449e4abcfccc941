"""What a run did, as `target/hodor_run.json` and as the summary in the log.

In:  plans and results of all nodes, counters.
Out: one JSON document, written atomically; a few sentences.
Never: fails a run; never shows a secret.
"""

from __future__ import annotations

import itertools
import json
import os
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from dbt_hodor import _core
from dbt_hodor.context import RunContext
from dbt_hodor.counters import OWN, STORE, VERSIONS
from dbt_hodor.manifest import resource_of
from dbt_hodor.plan import Plan

SCHEMA_VERSION = 1
FILE_NAME = "hodor_run.json"
_NODES_AT_A_TIME = 50


class _Tally:
    """Sums over the nodes of a run."""

    def __init__(self, unreadable: Iterable[str]) -> None:
        self.saved_s = 0.0
        self.could_reuse = 0
        self.waiting = dict.fromkeys(unreadable, 0)
        """Table without a version -> how many nodes were built because of it."""
        self._actions: Counter[str] = Counter()
        self._failed = 0

    def add(self, node: dict[str, Any], saved_s: float) -> None:
        """Counts one entry of the artefact."""
        self.saved_s += saved_s
        self.could_reuse += node["decision"] == "reuse"
        self._actions[node["action"]] += 1
        self._failed += node["status"] in ("error", "runtime error")
        if self.waiting and node["action"] == "build":
            for table in {e["table"] for e in node["upstreams"] if e["now"] is None}:
                if table in self.waiting:
                    self.waiting[table] += 1

    def counts(self) -> dict[str, int]:
        """By what happened."""
        actions = self._actions
        return {
            "nodes": actions.total(),
            "reused": actions["reuse"],
            "replayed": actions["replay"],
            "built": actions["build"] - self._failed,
            "skipped": actions["skip"],
            "errors": self._failed,
        }


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
        self._plans[plan.node.unique_id] = plan
        if plan.reuses:
            return
        with self._lock:
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

    def write(self, results: Iterable[Any], unreadable: dict[str, str]) -> dict[str, Any]:
        """Writes the artefact; returns it without its nodes, for the summary.

        `results`: dbt's node results; `unreadable`: table -> engine's words. Nodes are turned into
        text a few at a time: a document of thousands of dicts would set off a collection of all
        that dbt holds."""
        run = self._run
        tally = _Tally(unreadable)
        nodes = (result for result in results if _is_node(result))
        texts = list(self._texts(nodes, tally))
        document: dict[str, Any] = {
            "schema_version": SCHEMA_VERSION,
            "invocation_id": run.invocation_id,
            "command": run.dbt.command,
            "mode": run.settings.mode,
        }
        rest = {
            "totals": {
                **tally.counts(),
                "hodor_errors": self._errors,
                "contradicted": len(self._contradicted),
                "seconds_not_spent": round(tally.saved_s, 3),
                "seconds_on_versions": round(run.counters.wall_s(VERSIONS), 3),
                "cpu_ms": self._cpu_ms(),
                "parser_calls": run.counters.counted("parser_calls"),
            },
            "unreadable_tables": [
                {"table": table, "error": words, "nodes_built": tally.waiting[table]}
                for table, words in sorted(unreadable.items())
            ],
        }
        head, end = json.dumps(document)[:-1], json.dumps(rest)[1:]
        self._replace_file([f'{head}, "nodes": [', ", ".join(texts), f"], {end}"])
        return document | rest | {"could_reuse": tally.could_reuse}

    def _texts(self, results: Iterator[Any], tally: _Tally) -> Iterator[str]:
        """JSON of the nodes, without the brackets of their list."""
        while some := list(itertools.islice(results, _NODES_AT_A_TIME)):
            nodes = []
            for result in some:
                node = self._node(result)
                tally.add(node, self._saved(node))
                nodes.append(node)
            yield json.dumps(nodes)[1:-1]

    def _cpu_ms(self) -> dict[str, float]:
        counters = self._run.counters
        cpu_s = {name: counters.cpu_s(name) for name in (OWN, VERSIONS, STORE)}
        # The reads themselves run on threads of the cache.
        cpu_s[VERSIONS] += self._run.warehouse.cache.counters.cpu_s
        return {name: round(value * 1000, 3) for name, value in cpu_s.items()}

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
                "resource_type": resource_of(result.node), "decision": None, "reason": None,
                "action": "skip" if status == "skipped" else "build", "status": status,
                "last_build": None, "changed": [], "upstreams": [],
            }  # fmt: skip
        action = "build"
        if plan.reuses:
            action = "replay" if plan.kind == "test" else "reuse"
        return {
            "unique_id": unique_id,
            "node_key": plan.node_key,
            "resource_type": resource_of(result.node),
            "decision": plan.action,
            "reason": plan.reason,
            "action": action,
            "status": status,
            "last_build": None if plan.row is None else plan.row.built_at_ms,
            "changed": plan.changed,
            "upstreams": _upstreams(plan),
        }

    def _replace_file(self, texts: Iterable[str]) -> None:
        """In one step, so that a reader never sees half of it."""
        folder = self._run.dbt.target_path
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, FILE_NAME)
        temporary = f"{path}.{os.getpid()}.tmp"
        with open(temporary, "w", encoding="utf-8") as file:
            file.writelines(map(self._run.redactor.text, texts))
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
            lines.append(
                f"{document['could_reuse']} of {totals['nodes']} nodes could be reused, all were built "
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
    return node is not None and resource_of(node) != "operation"


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
