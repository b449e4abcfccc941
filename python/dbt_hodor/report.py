"""What a run did, as `target/hodor_run.json` and as the summary in the log.

In:  plans and results of all nodes, counters.
Out: one JSON document, written atomically; a few sentences.
Never: fails a run; never shows a secret.
"""

from __future__ import annotations

import json
import os
import threading
from collections import Counter
from collections.abc import Iterable
from json.encoder import encode_basestring_ascii as _quoted
from typing import Any

from dbt_hodor import _core
from dbt_hodor.context import RunContext
from dbt_hodor.counters import COLLECTOR, OWN, STORE, VERSIONS
from dbt_hodor.manifest import resource_of
from dbt_hodor.plan import Plan

SCHEMA_VERSION = 1
FILE_NAME = "hodor_run.json"


class _Tally:
    """Sums over the nodes of a run."""

    def __init__(self, unreadable: Iterable[str]) -> None:
        self.saved_s = 0.0
        self.could_reuse = 0
        self.waiting = dict.fromkeys(unreadable, 0)
        """Table without a version -> how many nodes were built because of it."""
        self._actions: Counter[str] = Counter()
        self._failed = 0

    def add(self, plan: Plan | None, action: str, status: str) -> None:
        """Counts one node."""
        self._actions[action] += 1
        self._failed += status in ("error", "runtime error")
        if plan is None:
            return
        self.could_reuse += plan.action == "reuse"
        if plan.reuses:
            self.saved_s += _execution_s(plan)
        elif self.waiting:
            for table in {key for key, _, _, token in plan.upstreams if token is None}:
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

        `results`: dbt's node results; `unreadable`: table -> engine's words. Each node becomes text
        at once: a document of thousands of dicts would set off a collection of all that dbt holds."""
        run = self._run
        tally = _Tally(unreadable)
        texts = [self._text(result, tally) for result in results if _is_node(result)]
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

    def _cpu_ms(self) -> dict[str, float]:
        counters = self._run.counters
        cpu_s = {name: counters.cpu_s(name) for name in (OWN, VERSIONS, STORE, COLLECTOR)}
        # The reads themselves run on threads of the cache.
        cpu_s[VERSIONS] += self._run.warehouse.cache.counters.cpu_s
        return {name: round(value * 1000, 3) for name, value in cpu_s.items()}

    def _text(self, result: Any, tally: _Tally) -> str:
        """One entry of `nodes` as JSON."""
        node = result.node
        plan = self._plans.get(node.unique_id)
        status = str(getattr(result.status, "value", result.status))
        action = "skip" if plan is None and status == "skipped" else "build"
        if plan is not None and plan.reuses:
            action = "replay" if plan.kind == "test" else "reuse"
        tally.add(plan, action, status)
        head = f'{{"unique_id": {_quoted(node.unique_id)}, "node_key": '
        middle = f'"resource_type": "{resource_of(node)}"'
        end = f'"action": "{action}", "status": {_quoted(status)}'
        if plan is None:
            return (
                f'{head}null, {middle}, "decision": null, "reason": null, {end}, '
                '"last_build": null, "changed": [], "upstreams": []}'
            )
        row = plan.row
        upstreams = _core.list_upstreams(None if row is None else row.upstreams, plan.upstreams)
        built = "null" if row is None or row.built_at_ms is None else row.built_at_ms
        return (
            f'{head}{_quoted(plan.node_key)}, {middle}, "decision": "{plan.action}", '
            f'"reason": "{plan.reason}", {end}, "last_build": {built}, '
            f'"changed": {json.dumps(plan.changed) if plan.changed else "[]"}, '
            f'"upstreams": {upstreams}}}'
        )

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


def _execution_s(plan: Plan) -> float:
    """How long dbt says the node's last build took."""
    detail = (plan.row.detail if plan.row else None) or ""
    # A search, not a parse: this runs for every reused node.
    start = detail.find('"execution_s": ')
    if start < 0:
        return 0.0
    text = detail[start + 15 : start + 35].split(",", 1)[0].rstrip("}")
    try:
        return max(0.0, float(text))
    except ValueError:
        return 0.0
