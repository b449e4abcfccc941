"""From a compiled node to a decision: gathers what the core compares, and asks it.

In:  a node that dbt has compiled; the run's context.
Out: a Plan.
Never: reuses by itself: the core's `decide` is the only place that says reuse. Exceptions leave from
here to the session, which builds.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime, timezone
from functools import lru_cache
from typing import Any

from dbt_hodor import _core
from dbt_hodor.config_facts import (
    config_digest,
    config_values,
    macro_values,
    plain,
    pointer_value,
)
from dbt_hodor.context import RunContext
from dbt_hodor.hooks import rendering
from dbt_hodor.inputs import Inputs
from dbt_hodor.macros import names_in, reachable_texts
from dbt_hodor.manifest import classify, expected_type
from dbt_hodor.node_text import Effects, fragments, test_sql
from dbt_hodor.plan import Plan, recorded
from dbt_hodor.settling import columns_are_own, keeps_earlier_state, settles
from dbt_hodor.stamps import counted_classes


class Decider:
    """Decides nodes of one run; safe to use from several threads."""

    def __init__(self, context: RunContext) -> None:
        self._run = context

    def plan(self, node: Any) -> Plan:
        """The decision for one compiled node. Raises when anything cannot be found out."""
        run = self._run
        plan = self._begin(node)
        if self._is_readable(plan):
            self._read_text(plan)
            self._hash_config(plan)
            self._read_inputs(plan, run.inputs, run.has_open_transaction())
            self._read_target(plan, run.warehouse)
        else:
            # No SQL to look into, but children want to know when it changes.
            text = getattr(node, "compiled_code", None) or getattr(node, "raw_code", None) or ""
            plan.code_hash = run.reader.text_hash(text, ())
        self._decide(plan)
        return plan

    def plan_as_recorded(self, node: Any, inputs: Inputs, warehouse: Any) -> Plan | None:
        """What `plan` would give if the node were compiled to the recorded text, outside a
        transaction; `is_as_recorded` asks both later. None for a node whose plan depends on more
        than that. `inputs`, `warehouse`: those of the run, or what stands in for them."""
        plan = self._begin(node)
        if plan.row is None or plan.kind in ("seed", "snapshot") or plan.unsupported:
            return None  # Python models are not supported, so there will be SQL
        if rendering.raw_hooks(node) or _header_of(node):
            return None
        if plan.settings.compare_unrendered_code:
            return None
        plan.text_hash = plan.row.text_hash
        plan.fragments = fragments(node, plan.kind)
        if not self._take_recorded(plan, has_texts=False):
            return None
        self._hash_config(plan)
        self._read_inputs(plan, inputs, in_transaction=False)
        self._read_target(plan, warehouse)
        self._decide(plan)
        return plan

    def is_as_recorded(self, plan: Plan) -> bool:
        """Whether the node was compiled to the recorded text, and no transaction is open."""
        run, node = self._run, plan.node
        if not node.compiled_code or run.has_open_transaction():
            return False
        sql = test_sql(node) if plan.kind == "test" else node.compiled_code
        return run.reader.text_hash(sql, plan.fragments) == plan.text_hash

    def plan_of_error(self, node: Any) -> Plan:
        """What can be said about a node that could not be decided: it builds, without hashes."""
        plan = Plan(node=node, node_key=self._run.index.node_key(node))
        plan.kind = classify(node, self._run.adapter_type)[0]
        plan.started_ms = self._run.now_ms()
        plan.parts = self._run.index.parts.get(node.unique_id)
        plan.key = self._run.index.keys.get(node.unique_id)
        return plan

    # -- who it is ------------------------------------------------------------------------------

    def _begin(self, node: Any) -> Plan:
        run = self._run
        kind, unsupported = classify(node, run.adapter_type)
        plan = Plan(node=node, node_key=run.index.node_key(node), kind=kind)
        plan.started_ms = run.now_ms()
        plan.macro_use = run.macros.used_by_materialization(
            str(node.config.materialized), node.package_name
        )
        plan.unsupported = unsupported or self._never_reused(plan)
        plan.settings = run.settings_of(node)
        plan.parts = run.index.parts.get(node.unique_id)
        plan.key = run.index.keys.get(node.unique_id)
        plan.row = run.records.row(plan.node_key)
        plan.full_refresh = run.is_full_refresh(node)
        return plan

    def _never_reused(self, plan: Plan) -> str:
        run, node = self._run, plan.node
        if plan.kind == "seed" and getattr(run.flags, "SHOW", False):
            return "seeds that are shown"
        if node.database and run.is_in_memory(node.database):
            return "relations of an in-memory database"
        if plan.kind == "view" and run.has_open_transaction():
            return "views whose compilation leaves a transaction open"
        if run.makes_pointer(node):
            return "latest versions with a version pointer"
        use = plan.macro_use
        if use.run_dependent:
            plan.writes_unseen = True
            return f"nodes that run the macro {use.run_dependent} ({use.doubt})"
        if use.calls and not run.warehouse.are_builtin(use.calls):
            return "nodes that run a macro which may call a function of the user"
        plan.overridden = use.overrides
        if use.unknown_env_var:
            return "nodes whose macros read an environment variable by a computed name"
        return ""

    def _is_readable(self, plan: Plan) -> bool:
        if plan.kind == "seed":
            return True
        return str(getattr(plan.node, "language", "sql")) == "sql" and bool(
            getattr(plan.node, "compiled_code", None)
        )

    # -- what it says ---------------------------------------------------------------------------

    def _read_text(self, plan: Plan) -> None:
        run, node = self._run, plan.node
        if plan.kind == "seed":
            plan.text_hash = plan.code_hash = run.seed_hash(node)
            plan.facts = _core.Facts(exact=True)
            sql = ""
        else:
            sql = test_sql(node) if plan.kind == "test" else node.compiled_code
        hooks = rendering.hooks_of(node, run)
        if hooks is None:
            plan.effects.forbids_reuse = "a hook may act when it is rendered"
            plan.effects.opaque = True
            hooks = []
        texts = [hook.sql for hook in hooks]
        header = _header_of(node)
        if header:
            texts.append(str(header))
        pieces = plan.fragments = fragments(node, plan.kind)
        extras = [*texts, *pieces]
        if plan.settings.execute_hooks_on_any_reuse:
            plan.hooks_to_run = [hook.sql for hook in hooks]
        if plan.kind != "seed":
            plan.text_hash = run.reader.text_hash(sql, extras)
        elif extras:
            plan.text_hash = run.reader.text_hash(f"{plan.code_hash}", extras)
        if not self._take_recorded(plan, bool(texts)):
            self._analyse(plan, sql, texts, pieces)
        for target in plan.effects.writes:
            # By the last part alone: a partial name may mean any relation of that name. Asked
            # anew each time, since a reader may have come since the hook was analysed.
            if run.index.is_named(target[-1]) or run.records.is_read(target[-1]):
                plan.effects.forbids_reuse = f"a hook writes {'.'.join(target)}"
        if hooks and plan.settings.execute_hooks_on_any_reuse and plan.effects.writes_own:
            plan.effects.forbids_reuse = "a hook that runs on reuse writes the node's own relation"

    def _take_recorded(self, plan: Plan, has_texts: bool) -> bool:
        """The fast path: an equal text has equal facts."""
        row = plan.row
        if row is None or row.hash_version != _core.HASH_VERSION or not row.code_hash:
            return False
        if row.text_hash != plan.text_hash or plan.effects.opaque:
            return False
        facts = self._run.records.facts(row)
        if facts is None:
            # Damaged facts spoil the whole record, for whoever asks next too.
            plan.row = self._run.records.row(plan.node_key)
            return False
        if has_texts:
            try:
                plan.effects = Effects.from_json(self._run.records.detail(row)["hooks"])
            except (KeyError, TypeError):
                return False
        plan.facts, plan.code_hash = facts, row.code_hash
        return True

    def _analyse(self, plan: Plan, sql: str, texts: list[str], pieces: list[str]) -> None:
        run = self._run
        own = None if plan.kind == "test" else plan.parts
        all_facts = []
        if plan.kind == "seed":
            all_facts.append(_core.Facts(exact=True))
        else:
            analysis = run.reader.query(sql, own)
            plan.code_hash, plan.code_parts = analysis.code_hash, list(analysis.parts)
            if analysis.tier == "canonical":
                plan.assumes = analysis.assumes
                self._compare_as_written(plan, sql, own)
            all_facts.append(analysis.facts)
        for piece in pieces:
            # Only what it reads and calls: a condition names columns of two relations.
            all_facts.append(run.reader.query(f"select ({piece})", own).facts)
        if texts:
            effects, facts = run.reader.effects(texts, own)
            if plan.effects.opaque:
                effects.opaque, effects.forbids_reuse = True, plan.effects.forbids_reuse
            plan.effects = effects
            all_facts += facts
        plan.facts = all_facts[0] if len(all_facts) == 1 else _core.Facts.merge(all_facts)

    def _compare_as_written(self, plan: Plan, sql: str, own: Sequence[str] | None) -> None:
        """Takes the hash of the tokens for the plan where the canonical one would not do: when the record
        has that of the tokens, or when an equal hash of another text does not mean the same query,
        because not all that either form takes for granted holds now."""
        run, row = self._run, plan.row
        if row is None or row.text_hash == plan.text_hash:
            return
        recorded = run.records.detail(row).get("assumes")
        if row.code_hash != plan.code_hash:
            if recorded is not None:
                return
            written = run.reader.query(sql, own, True).code_hash
            if written == row.code_hash:
                plan.code_hash, plan.assumes = written, None
            return
        assumed = {*(plan.assumes or ()), *map(tuple, recorded or ())}
        if recorded is None or not all(run.warehouse.lacks(*pair) for pair in assumed):
            plan.code_hash, plan.assumes = run.reader.query(sql, own, True).code_hash, None

    # -- how it is configured -------------------------------------------------------------------

    def _hash_config(self, plan: Plan) -> None:
        run, node = self._run, plan.node
        use = plan.macro_use
        values = config_values(node, use)
        values["shared"] = run.shared_digest(node, use)
        set_earlier = run.session_differences()
        if set_earlier:
            values["set earlier in the session"] = set_earlier
        if plan.effects.code:
            values["hooks"] = [plan.effects.code, *rendering.places(node)]
            for hook in rendering.raw_hooks(node):
                values.update(self._hook_values(hook, node))
        if plan.kind == "test":
            stores = node.config.store_failures
            values["stores failures"] = bool(run.flags.STORE_FAILURES if stores is None else stores)
        if "sql" in use.mentions:
            values["shown text"] = plan.text_hash
        pointer = pointer_value(node, run.pointers_by_default)
        if pointer is not None:
            values["version pointer"] = pointer
        plan.config_preimage = values
        plan.config_hash = config_digest(values)
        if plan.settings.compare_unrendered_code:
            plan.unrendered_hash = self._unrendered(node)

    def _hook_values(self, raw: str, node: Any) -> dict[str, Any]:
        use = self._run.macros.used_by_text(raw)
        values = macro_values(use, self._run.vars_of(node), self._run.target, os.environ)
        values.pop("internal macros", None)
        return values

    def _unrendered(self, node: Any) -> str | None:
        run = self._run
        macros = reachable_texts(run.manifest, node.raw_code)
        text = "\n".join((node.raw_code, *macros.values()))
        use = names_in(text)
        values = macro_values(use, run.vars_of(node), run.target, os.environ)
        if use.unknown_env_var:
            return None
        return _core.digest(
            "unrendered",
            {
                "code": node.raw_code,
                "macros": {uid: _core.digest("macro", macros[uid]) for uid in sorted(macros)},
                "values": values,
                "config": plain(getattr(node, "unrendered_config", None) or {}),
            },
        )

    # -- what it reads and what stands there ------------------------------------------------------

    def _read_inputs(self, plan: Plan, inputs: Inputs, in_transaction: bool) -> None:
        run = self._run
        stamps = counted_classes(plan.node, plan.kind, plan.facts, plan.settings, run.stamp_readers)
        # Without a record there is nothing to compare: what was just built need not be read yet.
        may_wait = plan.row is None and not in_transaction
        plan.upstreams, plan.definitions = inputs.of(
            plan.node, plan.kind, plan.facts, plan.settings, stamps, in_transaction,
            plan.awaited if may_wait else None,
        )  # fmt: skip
        plan.keeps_earlier_state = plan.macro_use.reads_this or keeps_earlier_state(
            plan.kind, plan.facts
        )

    def _read_target(self, plan: Plan, warehouse: Any) -> None:
        run, node = self._run, plan.node
        expected = expected_type(plan.kind)
        if plan.kind == "test":
            stored = run.stores_failures_as(node)
            if stored is None:
                plan.existence = "present"
                return
            expected = stored
        if plan.parts is None or plan.key is None:
            return
        plan.existence = warehouse.existence(plan.parts, expected)
        if plan.existence != "present":
            return
        if expected == "view":
            plan.target = warehouse.definition_of(plan.parts)
        elif plan.row is not None or plan.keeps_earlier_state or run.tells_writers:
            # Where histories tell writers, what stood there before tells theirs from ours.
            plan.target = warehouse.version(plan.key)

    # -- the decision ---------------------------------------------------------------------------

    def _decide(self, plan: Plan) -> None:
        run, row = self._run, plan.row
        record = None
        if row is not None:
            record = run.records.decoded(row, self._exempt_keys(plan))
        if plan.kind == "test" and row is not None:
            plan.test_result = run.records.test_result(row)
            if plan.test_result is None:
                record = None
        self._ask(plan, record, order_sensitive=True)
        if plan.changed and not run.sees_order(plan):
            # Only then may it be the order alone that differs: who sees it takes long to find out.
            self._ask(plan, record, order_sensitive=False)
        plan.reuses = plan.action == "reuse" and run.settings.mode == "on"
        if run.tells_writers:
            # From here on these are compared as what was recorded.
            plan.target = recorded(plan.target)
            plan.upstreams = [
                (key, group, kind, recorded(token)) for key, group, kind, token in plan.upstreams
            ]
        if plan.keeps_earlier_state and not plan.reuses:
            run.sees_order(
                plan
            )  # its record says so, when what it reads may be other things already
        plan.sentence = self._sentence(plan)

    def _ask(self, plan: Plan, record: Any, *, order_sensitive: bool) -> None:
        run, facts = self._run, plan.facts
        plan.action, plan.reason, plan.changed = _core.decide(
            kind=plan.kind,
            supported=not plan.unsupported and facts is not None,
            full_refresh=plan.full_refresh,
            hook_writes=bool(plan.effects.forbids_reuse),
            star=facts is None or facts.star,
            order_sensitive=order_sensitive,
            keeps_earlier_state=plan.keeps_earlier_state,
            settles_by_proof=record is not None and self._settles(plan),
            existence=plan.existence,
            text_hash=plan.text_hash,
            code_hash=plan.code_hash,
            unrendered_hash=plan.unrendered_hash,
            config_hash=plan.config_hash,
            target=plan.target,
            upstreams=plan.upstreams,
            record=record,
            lag_tolerance_ms=plan.settings.lag_tolerance,
            require_fresh_data_from=plan.settings.require_fresh_data_from,
            compare_unrendered_code=plan.settings.compare_unrendered_code,
            now_ms=plan.started_ms,
            stores_failures=plan.kind == "test" and run.stores_failures_as(plan.node) is not None,
        )  # fmt: skip

    def _settles(self, plan: Plan) -> bool:
        run, row = self._run, plan.row
        if not plan.keeps_earlier_state or plan.effects.writes_own or row is None:
            return False
        if plan.overridden:
            return False
        if '"fixpoint": true' in (row.detail or ""):
            return False  # rule 8b (a) holds: no proof is needed
        if plan.kind in ("incremental", "snapshot"):
            full = run.records.detail(row).get("full")
            source = run.text_sources.of(plan.node)
            if not columns_are_own(full, source, plan.config_hash, plan.upstreams):
                return False
        return settles(
            plan.node, plan.kind, plan.facts, plan.target, run.adapter_type,
            run.test_outcomes,
        )  # fmt: skip

    @staticmethod
    def _exempt_keys(plan: Plan) -> list[str]:
        """Recorded inputs that no longer count: left by a stamp, or by another setting."""
        if plan.facts is None:
            return []
        if plan.settings.evaluate_volatile_sql is False:
            return ["volatile:always", "volatile:date", "volatile:session"]
        calls = [call for call in plan.facts.volatile_calls if call.use == "stamp"]
        if not calls:
            return []
        now = {key for key, _, _, _ in plan.upstreams}
        return sorted({f"volatile:{call.volatile_class}" for call in calls} - now)

    def _sentence(self, plan: Plan) -> str:
        reason = plan.reason
        if reason == "unsupported" and plan.unsupported:
            reason = f"unsupported: {plan.unsupported}"
        elif reason == "hook_writes":
            reason = f"hook_writes: {plan.effects.forbids_reuse}"
        if plan.action == "build":
            return reason
        built = plan.row.built_at_ms if plan.row else None
        when = shown_time(None if built is None else built // 60_000)
        if self._run.settings.mode != "on":
            return f"shadow, could reuse: {reason}"
        if plan.kind == "test":
            return f"replayed, ran {when}, {reason}"
        return f"{reason}, last build {when}"


def _header_of(node: Any) -> Any:
    extra = getattr(node.config, "_extra", None)
    has_one = "sql_header" in node.config.__dict__ or bool(extra and "sql_header" in extra)
    return node.config.get("sql_header") if has_one else None


@lru_cache(maxsize=1024)
def shown_time(epoch_minutes: int | None) -> str:
    """UTC to the minute, as log lines show it."""
    if epoch_minutes is None:
        return "at an unknown time"
    moment = datetime.fromtimestamp(epoch_minutes * 60, timezone.utc)
    return moment.strftime("%Y-%m-%d %H:%M UTC")
