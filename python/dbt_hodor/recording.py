"""Turns what happened to a node into a row for the store, and gets rows there.

In:  a Plan, dbt's result, the relation as it stands afterwards.
Out: rows, written by count, by time and at the end, from one background thread.
Never: fails a node: a row that cannot be made or written only costs a later build.
"""

from __future__ import annotations

import itertools
import json
import threading
import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dbt_hodor import __version__, _core
from dbt_hodor.config_facts import plain
from dbt_hodor.context import RunContext
from dbt_hodor.counters import OWN, STORE, Counters
from dbt_hodor.inputs import code_mark
from dbt_hodor.manifest import resource_of
from dbt_hodor.plan import Plan, recorded
from dbt_hodor.records import DETAIL_VERSION
from dbt_hodor.settling import full_build
from dbt_hodor.store.base import Row

FLUSH_COUNT = 200
FLUSH_SECONDS = 2.0

_NOTHING_CHANGED = json.dumps({"v": DETAIL_VERSION, "changed": []})


class RowMaker:
    """Rows of one run."""

    def __init__(self, run: RunContext) -> None:
        self._run = run
        # One random half for the run, then a count: a random id for each row takes longer than all
        # else about it.
        self._id_start, self._id_end = str(uuid.uuid4())[:24], itertools.count()
        self._shared_details: dict[str, dict[str, list[str]]] = {}
        self._shown: dict[tuple[str, str], list[str]] = {}

    def reused(self, plan: Plan) -> Row:
        """A reuse: what was compared, without what its build recorded already."""
        changed = {"v": DETAIL_VERSION, "changed": plan.changed}
        return self._row(
            plan, action="reuse", status="reused", built_at_ms=None, data_version=None,
            sql_facts=None, detail=json.dumps(changed) if plan.changed else _NOTHING_CHANGED,
            test_result=plan.test_result, at_ms=plan.started_ms,
        )  # fmt: skip

    def built(self, plan: Plan, status: str, seconds: float, after: str | None) -> Row:
        """A build. `after`: token of the node's own relation once it was done, None if unknown."""
        facts = plan.facts
        return self._row(
            plan, action="build", status=status, built_at_ms=plan.started_ms,
            data_version=recorded(after),
            sql_facts=None if facts is None else facts.encode(),
            detail=json.dumps(self._detail(plan, seconds, after)), test_result=plan.test_result,
            at_ms=self._run.now_ms(),
        )  # fmt: skip

    def _row(
        self, plan: Plan, *, action: str, status: str, built_at_ms: int | None,
        data_version: str | None, sql_facts: str | None, detail: str,
        test_result: dict[str, Any] | None, at_ms: int,
    ) -> Row:  # fmt: skip
        run, node = self._run, plan.node
        redact = run.redactor
        upstreams = list({key: token for key, _, _, token in plan.upstreams}.items())
        # In the order of the columns: twenty-six names would take longer than their values.
        return Row(
            f"{self._id_start}{next(self._id_end):012x}",
            run.invocation_id,
            at_ms,
            run.dbt.project_name,
            run.dbt.target_name,
            plan.node_key,
            node.unique_id,
            resource_of(node),
            run.settings.mode,
            plan.action,
            plan.reason,
            action,
            status,
            plan.text_hash,
            plan.code_hash,
            plan.unrendered_hash,
            plan.config_hash,
            _core.HASH_VERSION,
            redact.optional(sql_facts),
            data_version,
            None,
            built_at_ms,
            redact.text(_core.encode_upstreams(upstreams)),
            None if test_result is None else json.dumps(test_result),
            __version__,
            redact.text(detail),
        )

    def _detail(self, plan: Plan, seconds: float, after: str | None) -> dict[str, Any]:
        # The order matters: `v` and `code_mark` are read without parsing the rest, and a run loads
        # nothing from `config` on.
        detail: dict[str, Any] = {
            "v": DETAIL_VERSION,
            "code_mark": code_mark(plan.code_hash, plan.upstreams),
            "fixpoint": self._is_fixpoint(plan, after),
            "execution_s": round(seconds, 3),
            "changed": plan.changed,
        }
        why = plan.unsupported or plan.effects.forbids_reuse
        if why and plan.reason in ("unsupported", "hook_writes"):
            detail["why"] = why
        source = None
        if getattr(plan.node, "raw_code", None):
            sources, adds = self._run.text_sources, plan.existence == "present"
            source = sources.of(plan.node)
            detail["source"] = sources.in_mode(plan.node, adds and not plan.full_refresh)
        if plan.kind in ("incremental", "snapshot") and source and after is not None:
            full = self._full_build(plan, source, after)
            if full is not None:
                detail["full"] = full
        detail.update(_code_detail(self._parts_of(plan)))
        detail["assumes"] = self._assumes(plan)
        if plan.effects.code:
            detail["hooks"] = plan.effects.as_json()
        views = self._view_facts(plan)
        if views:
            detail["views"] = views
        if plan.config_preimage is not None:
            detail["config"] = self._config_detail(plan)
        return detail

    def _is_fixpoint(self, plan: Plan, after: str | None) -> bool:
        """Whether this build ran over its own earlier result and left it as it was."""
        if plan.full_refresh or not plan.keeps_earlier_state or plan.existence != "present":
            return False
        sensitivity = "rows_and_order" if self._run.sees_order(plan) else "rows"
        return _core.compare_versions(after, plan.target, sensitivity) == "same"

    def _full_build(self, plan: Plan, source: str, after: str) -> dict[str, Any] | None:
        """The full build that gave the relation its columns; None when that is not certain."""
        anew = plan.full_refresh and plan.kind != "snapshot"  # dbt never drops a snapshot
        if anew or plan.existence in ("missing", "other_type"):
            return full_build(source, plan.config_hash, plan.upstreams)
        row = plan.row
        if row is None or plan.existence != "present":
            return None
        # Carried on only while the columns are those that the earlier builds left.
        for now, then in ((plan.target, row.data_version), (after, plan.target)):
            if _core.compare_versions(now, then, "schema_only") != "same":
                return None
        earlier = self._run.records.detail(row).get("full")
        return earlier if isinstance(earlier, dict) else None

    def _config_detail(self, plan: Plan) -> dict[str, list[str]]:
        """Per key a short digest and a value that people may see."""
        run = self._run
        own = dict(plan.config_preimage or {})
        digest = own.pop("shared", None) or run.shared_digest(plan.node, plan.macro_use)
        shared = self._shared_details.get(digest)
        if shared is None:
            # Most of it, and the same for all nodes of a kind.
            shared = self._shown_values(run.shared_values(plan.node, plan.macro_use))
            self._shared_details[digest] = shared
        return self._shown_values(own) | shared

    def _shown_values(self, values: dict[str, Any]) -> dict[str, list[str]]:
        shown: dict[str, list[str]] = {}
        values = plain(values)
        for key, digest in _core.digest_parts("config", values).items():
            known = self._shown.get((key, digest))
            if known is None:
                text = _shown_config(self._run.redactor, key, values[key])
                known = self._shown[key, digest] = [digest[:16], text]
            shown[key] = known
        return shown

    def _parts_of(self, plan: Plan) -> Sequence[tuple[str, str, str]]:
        """Hashes of CTEs and columns: from this run's analysis, else those of the equal text."""
        if plan.code_parts or plan.row is None or plan.row.code_hash != plan.code_hash:
            return plan.code_parts
        recorded = self._run.records.detail(plan.row)
        parts = [("cte", name, digest) for name, digest in recorded.get("ctes", {}).items()]
        parts += [("column", name, digest) for name, digest in recorded.get("columns", {}).items()]
        parts += [("clause", name, digest) for name, digest in recorded.get("clauses", {}).items()]
        if "body" in recorded:
            parts.append(("body", "", recorded["body"]))
        return parts

    def _assumes(self, plan: Plan) -> Sequence[Sequence[str]] | None:
        """Of this run's analysis, else those of the equal text; None where they are not known."""
        row = plan.row
        if plan.code_parts or row is None or row.code_hash != plan.code_hash:
            return plan.assumes
        return self._run.records.detail(row).get("assumes")

    def _view_facts(self, plan: Plan) -> dict[str, str]:
        """Facts of the definitions behind this node, so that no later run parses them again."""
        known = self._run.warehouse.definition_facts
        wanted = list(plan.definitions)
        if plan.kind == "view" and plan.parts is not None:
            wanted.append(self._run.warehouse.definition_hash_of(plan.parts) or "")
        return {digest: known[digest] for digest in wanted if digest in known}


def _shown_config(redact: Any, key: str, value: Any) -> str:
    if key.startswith("environment profile"):
        return "(not shown)"
    return redact.shown(key.removeprefix("env_var ").removeprefix("var "), value)


def _code_detail(parts: Iterable[tuple[str, str, str]]) -> dict[str, Any]:
    detail: dict[str, Any] = {"ctes": {}, "columns": {}, "clauses": {}}
    for kind, name, digest in parts:
        if kind == "body":
            detail["body"] = digest[:16]
        else:
            detail[f"{kind}s"][name] = digest[:16]
    return detail


class RecordWriter:
    """Collects rows and appends them in the background. `stop` writes what is left."""

    def __init__(self, store: Any, counters: Counters, warn: Callable[[str], None]) -> None:
        self._store = store
        self._counters = counters
        self._warn = warn
        self._rows: list[Row] = []
        self._unmade: list[Callable[[], Row]] = []
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._wake = threading.Event()
        self._stopping = False
        self._failure = ""
        self.before_flush: Callable[[], None] = lambda: None
        """Makes the rows that are still waited for; called in the background thread."""
        self._thread = threading.Thread(target=self._loop, name="hodor-records", daemon=True)

    def start(self) -> None:
        """Begins to write in the background."""
        self._thread.start()

    def add(self, row: Row) -> None:
        """Queues a row; a full batch wakes the writer."""
        with self._lock:
            self._rows.append(row)
            self._wake_if_full()

    def add_later(self, make: Callable[[], Row]) -> None:
        """Queues what makes a row: many of them one after the other take a fraction of the time."""
        with self._lock:
            self._unmade.append(make)
            self._wake_if_full()

    def _wake_if_full(self) -> None:
        if len(self._rows) + len(self._unmade) >= FLUSH_COUNT:
            self._wake.set()

    def _loop(self) -> None:
        while not self._stopping:
            self._wake.wait(FLUSH_SECONDS)
            self._wake.clear()
            self.before_flush()
            self.flush()

    def flush(self) -> None:
        """Appends everything queued in one call."""
        with self._writing:
            with self._lock:
                rows, self._rows = self._rows, []
                unmade, self._unmade = self._unmade, []
            with self._counters.spent_on(OWN):
                rows += self._made(unmade)
            if not rows:
                return
            try:
                with self._counters.spent_on(STORE):
                    self._store.append(rows)
            except Exception as error:  # noqa: BLE001 - a lost record costs a build, no more
                self._failure = str(error)
                with self._lock:
                    self._rows = rows + self._rows  # tried again with the next flush

    def _made(self, unmade: list[Callable[[], Row]]) -> list[Row]:
        rows: list[Row] = []
        for make in unmade:
            try:
                rows.append(make())
            except Exception as error:  # noqa: BLE001 - costs what this record would tell
                self._warn(f"a record could not be made ({type(error).__name__}: {error})")
        return rows

    def stop(self) -> None:
        """Ends the thread after a last flush. May be called more than once."""
        self._end_thread()
        if self._thread.ident is not None:
            self._thread.join(timeout=30)
        self.flush()
        with self._lock:
            lost, self._rows = len(self._rows), []
        if lost:
            self._warn(
                f"{lost} records could not be written ({self._failure}); "
                "those nodes build next time"
            )
        for notice in self._store.notices:
            self._warn(notice)
        self._store.notices.clear()

    def close(self) -> None:
        """Gives the store back. Nothing may be added afterwards."""
        self._end_thread()
        with self._counters.spent_on(STORE):
            self._store.close()

    def _end_thread(self) -> None:
        self._stopping = True
        self._wake.set()
