"""One dbt run: decides each node, notes what ran, records, reports. The fail-open boundary.

In:  calls of our runners and task wrappers.
Out: plans, rows, the artefact.
Never: raises into dbt. Whatever goes wrong in here for a node means that the node builds.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from dbt_hodor import _core
from dbt_hodor.ahead import Ahead
from dbt_hodor.context import RunContext
from dbt_hodor.counters import OWN
from dbt_hodor.deciding import Decider
from dbt_hodor.hooks import messages, statements
from dbt_hodor.hooks.runners import RunnerClasses
from dbt_hodor.inputs import code_mark
from dbt_hodor.just_built import Built, JustBuilt, writes_elsewhere
from dbt_hodor.manifest import parts_of, resource_of
from dbt_hodor.node_text import Effects
from dbt_hodor.plan import Plan
from dbt_hodor.prefetching import Prefetcher
from dbt_hodor.recording import RecordWriter, RowMaker
from dbt_hodor.records import PARTIAL
from dbt_hodor.report import RunReport

_GOOD = frozenset({"success", "pass", "warn", "fail"})


class Session:
    """The state of one run. Methods are called from dbt's threads; none of them raises."""

    def __init__(self, run: RunContext, writer: RecordWriter, prefetcher: Prefetcher) -> None:
        self.settings = run.settings
        self.notes_statements = run.tells_writers
        """Whether what dbt runs to build a node matters later."""
        self._runners = RunnerClasses(self)
        self._stop_listening = statements.listen()
        self._run = run
        self._decider = Decider(run)
        self._ahead = Ahead(run, self._decider)
        self._rows = RowMaker(run)
        self._writer = writer
        self._prefetcher = prefetcher
        self._report = RunReport(run)
        self._running: dict[str, Plan] = {}
        self._just_built = JustBuilt(run.warehouse, self._built, run.compiling_may_write)
        writer.before_flush = self._look
        self._lock = threading.Lock()
        self._done = False
        self._faults: set[str] = set()
        self._wrote_while_compiling: set[str] = set()
        self._blind = False
        """What stands in the warehouse is not known any more, and could not be forgotten."""

    # -- the boundary ---------------------------------------------------------------------------

    def _guarded(
        self, what: str, work: Callable[..., Any], *arguments: Any, node: Any = None
    ) -> Any:
        """Runs our own code. An exception is said once per cause and yields None. `node`: whom the
        work is about, for that sentence."""
        try:
            charged = self._run.counters.of_thread()
            outer = charged.change_to(OWN)
            try:
                return work(*arguments)
            finally:
                charged.change_to(outer)
        except Exception as error:  # noqa: BLE001 - the one place where hodor fails open
            self._say_fault(what if node is None else f"{what} {_name(node)}", error)
            return None

    def _say_fault(self, what: str, error: Exception) -> None:
        try:
            cause = f"{what} failed: {type(error).__name__}: {error}"
            with self._lock:
                first = cause not in self._faults
                self._faults.add(cause)
            if first:
                messages.warn(self._run.redactor.text(f"{cause}; dbt builds as usual"))
            else:
                messages.debug(self._run.redactor.text(cause))
        except Exception as second:  # noqa: BLE001 - without what it may show of secrets
            messages.warn(f"{what} failed ({type(second).__name__}); dbt builds as usual")

    def tried(self, what: str, work: Callable[..., Any], *arguments: Any) -> bool:
        """Whether something of ours was done; if not, it was said. Its time is not counted here: a
        log line is dbt's work, and takes longer than all of ours for a node."""
        try:
            work(*arguments)
        except Exception as error:  # noqa: BLE001 - as in `_guarded`
            self._say_fault(what, error)
            return False
        return True

    def class_for(self, chosen: type) -> type:
        """Our subclass of dbt's runner class."""
        found: type | None = self._runners.known.get(chosen)
        if found is not None:
            return found
        found = self._guarded("a runner", lambda: self._runners.class_for(chosen))
        if found is None:
            self._blind = True  # nobody will hear of what it writes
        return found or chosen

    def lose_sight(self) -> None:
        """Something was written and not seen: nothing known before may be compared any more."""
        if self._guarded("forgetting", lambda: self._run.warehouse.forget_everything() or True):
            return
        self._blind = True

    def expect(self, nodes: list[Any]) -> None:
        """The selected nodes, in the order in which dbt will run them."""
        self._ahead.expect(nodes)

    # -- before a node --------------------------------------------------------------------------

    def compiled(self, node: Any, statements: list[str]) -> None:
        """Compiling a node ran statements: what they wrote is looked at again."""
        if not statements:
            return
        done = self._guarded("reading statements of", self._note_statements, statements, node=node)
        if done is None:
            self.lose_sight()
        if done is not False:
            # It may be committed only when the node is done.
            self._wrote_while_compiling.add(node.unique_id)

    def _note_statements(self, statements: list[str]) -> bool:
        """Whether one of them may have written."""
        effects = Effects()
        for sql in statements:
            self._run.reader.note(sql, effects)
        if effects.opaque or effects.writes:
            self._run.warehouse.forget_everything()
        elif effects.session:
            self._run.warehouse.forget_session()
        return effects.opaque or bool(effects.writes)

    def decide(self, node: Any, manifest: Any) -> Plan:
        """The plan of a compiled node; after any trouble one that builds."""
        del manifest  # dbt hands over the one that the run began with
        plan = self._guarded("deciding", self._decide, node, node=node)
        if plan is None:
            plan = self._plan_of_error(node)
            self._guarded("reporting a decision", self._report.decided, plan)
        if not plan.reuses:
            with self._lock:
                self._running[node.unique_id] = plan
        if (not plan.reuses or plan.hooks_to_run) and not self._guarded(
            "noting", self._begins, node, plan, node=node
        ):
            self._blind = True  # it may write what another node has just built
        return plan

    def _begins(self, node: Any, plan: Plan) -> bool:
        own = self._run.writes_only_itself(node)
        self._just_built.begins(node.unique_id, writes_elsewhere(plan, own))
        return True

    def _decide(self, node: Any) -> Plan:
        if self._blind:
            raise RuntimeError("it is not known what an earlier node wrote")
        plan = self._ahead.take(node) or self._decider.plan(node)
        self._report.decided(plan)
        return plan

    def _plan_of_error(self, node: Any) -> Plan:
        plan = self._guarded("naming", self._decider.plan_of_error, node, node=node)
        if plan is None:
            plan = Plan(node=node, node_key=node.unique_id)
        # What its hooks do is not known.
        plan.effects.opaque = True
        plan.sentence = plan.reason
        return plan

    # -- after a node ---------------------------------------------------------------------------

    def executed(self, node: Any, plan: Plan | None, result: Any) -> None:
        """A node is done: what it wrote is looked at again, and what happened is recorded."""
        acted = node.unique_id in self._wrote_while_compiling
        if plan is not None and plan.reuses and not plan.hooks_to_run and not acted:
            self._guarded("recording", self._note_reuse, plan, result, node=node)
            return
        with self._lock:
            self._running.pop(node.unique_id, None)
        if not self._guarded("recording", self._ended, node, plan, result, node=node):
            self.lose_sight()

    def _ended(self, node: Any, plan: Plan | None, result: Any) -> bool:
        try:
            self._note(node, plan, result)
        finally:
            self._just_built.ended(node.unique_id)
        if node.unique_id in self._wrote_while_compiling:
            self._run.warehouse.forget_everything()
        return True

    def _note_reuse(self, plan: Plan, result: Any) -> None:
        if _status(result) != "error":
            self._writer.add_later(partial(self._rows.reused, plan))
        if plan.facts is not None:
            plan.forget_texts()

    def _mark(self, plan: Plan) -> None:
        if plan.key is None or plan.kind in ("test", "view"):
            return
        mark = self._guarded("marking", lambda: (code_mark(plan.code_hash, plan.upstreams),))
        built = mark and self.tried("marking", self._run.marks.built, plan.key, mark[0])
        self._blind = self._blind or not built  # readers would compare with an older mark

    def _note(self, node: Any, plan: Plan | None, result: Any) -> None:
        if plan is not None and plan.reuses:
            if plan.hooks_to_run:
                self._after_hooks(plan)
            self._note_reuse(plan, result)
            return
        resource = resource_of(node)
        if resource == "unit_test":
            return
        status, seconds = _status(result), float(result.execution_time or 0.0)
        if plan is not None and status in _GOOD and self._waits(node, plan, status, seconds):
            return
        self._reread(node, plan)
        if plan is None or resource == "function":
            return
        self._mark(plan)
        self._record_build(plan, status, seconds)

    def _waits(self, node: Any, plan: Plan, status: str, seconds: float) -> bool:
        """Whether the look at what was built, and its record, come with those of other nodes."""
        own = self._run.writes_only_itself(node)
        if str(node.config.materialized) == "external" or writes_elsewhere(plan, own):
            return False
        if plan.parts is None or not self._just_built.may_wait(plan):
            return False
        self._mark(plan)
        self._just_built.add(Built(plan, plan.parts, status, seconds))
        return True

    def _built(self, built: Built, after: str | None) -> None:
        """The relation of a build that waited was looked at."""
        plan = built.plan
        self._guarded(
            "recording", self._record, plan, built.status, built.seconds, after, node=plan.node
        )

    def _look(self) -> None:
        self._guarded("looking at what was built", self._just_built.look)

    def _reread(self, node: Any, plan: Plan | None) -> None:
        """Every executed node may have changed its relation, its hooks or its files others."""
        run = self._run
        resource = resource_of(node)
        if resource == "function":
            self._just_built.look()  # it wrote no relation, but the listing is made anew
        unknown_text = not run.writes_only_itself(node)
        acts_alone = plan is not None and plan.writes_unseen
        if resource == "function" or acts_alone or (resource != "test" and unknown_text):
            run.warehouse.forget_everything()
            return
        if plan is not None and plan.effects.opaque:
            run.warehouse.forget_everything()
            return
        if str(node.config.materialized) == "external":
            run.warehouse.forget_files()
        if plan is not None:
            self._after_hooks(plan)
        parts = parts_of(node)
        if parts is not None and (resource != "test" or run.stores_failures_as(node)):
            run.warehouse.reread(parts)

    def _after_hooks(self, plan: Plan) -> None:
        run = self._run
        if plan.effects.session:
            run.warehouse.forget_session()
        for target in plan.effects.writes:
            if len(target) == 3:
                run.warehouse.reread(target)
            else:
                # A partial name may mean several relations.
                run.warehouse.forget_everything()
        if plan.hooks_to_run and plan.effects.opaque:
            run.warehouse.forget_everything()

    def _record_build(self, plan: Plan, status: str, seconds: float) -> None:
        good = status in _GOOD
        after = self._version_after(plan) if good else None
        self._just_built.resolve(plan)
        if not good and self._may_have_left_something(plan):
            status = PARTIAL
        self._record(plan, status, seconds, after)

    def _record(self, plan: Plan, status: str, seconds: float, after: str | None) -> None:
        reusable = plan.reason in ("no_new_data", "view_unchanged")
        if status in _GOOD and reusable and _contradicts(plan, after):
            self._report.contradicted(plan)
        self._writer.add(self._rows.built(plan, status, seconds, after))
        plan.forget_texts()

    def _version_after(self, plan: Plan) -> str | None:
        """Token of the relation that was just built, when it can only be our work."""
        run = self._run
        if plan.parts is None or plan.key is None:
            return None
        stored = run.stores_failures_as(plan.node) if plan.kind == "test" else None
        if plan.kind == "test" and stored is None:
            return None
        shared = not run.warehouse.provider.is_exclusive(plan.parts[0])
        if shared and not run.tells_writers:
            return None  # somebody else may have written between our build and this look
        is_view = plan.kind == "view" or stored == "view"
        token = (
            run.warehouse.definition_of(plan.parts) if is_view else run.warehouse.version(plan.key)
        )
        return None if shared and not self._only_we_wrote(plan, is_view) else token

    def _only_we_wrote(self, plan: Plan, is_view: bool) -> bool:
        """Whether what stands there after a build is that build's work alone."""
        provider: Any = self._run.warehouse.provider
        if is_view:
            return bool(provider.is_our_view(plan.parts, str(plan.node.compiled_code or "")))
        was_there = plan.existence == "present"
        return bool(provider.is_ours(plan.parts, plan.target, plan.statements, was_there))

    def _may_have_left_something(self, plan: Plan) -> bool:
        """Whether a failed node may have committed a part of its work: then its older record, made
        when all of it was done, must not be reused from."""
        if not self._run.adapter.has_transactions:
            return True
        config = plan.node.config
        hooks = [
            *(getattr(config, "pre_hook", None) or ()),
            *(getattr(config, "post_hook", None) or ()),
        ]
        outside = any(not hook.transaction for hook in hooks)
        credentials = self._run.config.credentials
        return (
            outside or plan.effects.opaque or bool(getattr(credentials, "disable_transactions", 0))
        )

    # -- the end --------------------------------------------------------------------------------

    def nodes_done(self) -> None:
        """No node runs any more: everything known is written, interrupted nodes included."""
        self._guarded("ending the read-ahead", self._prefetcher.stop)
        self._look()
        with self._lock:
            interrupted = list(self._running.values())
        for plan in interrupted:
            self._guarded(
                "recording",
                lambda plan=plan: self._writer.add(self._rows.built(plan, PARTIAL, 0.0, None)),
                node=plan.node,
            )
            with self._lock:  # one by one: a second signal may end this
                self._running.pop(plan.node.unique_id, None)
        self._guarded("writing records", self._writer.stop)

    def finish(self, results: list[Any]) -> None:
        """Writes the artefact and says the summary; safe to call in any state, acts once."""
        with self._lock:
            if self._done:
                return
            self._done = True
        self.nodes_done()
        self._guarded("the report", self._say, results)
        for close in (
            self._stop_listening,
            self._run.warehouse.close,
            self._writer.close,
            self._run.counters.stop_watching,
        ):
            self._guarded("closing", close)

    def _say(self, results: list[Any]) -> None:
        unreadable = {
            ".".join(parts): self._run.redactor.text(str(error))
            for parts, error in self._run.warehouse.unreadable().items()
        }
        document = self._report.write(results, unreadable)
        for kind, count in sorted(self._report.unsupported().items()):
            messages.warn(f"{count} nodes always build: {kind} are not reused")
        for sentence in self._report.sentences(document):
            messages.info(self._run.redactor.text(sentence))


def _name(node: Any) -> str:
    return str(getattr(node, "name", "a node"))


def _status(result: Any) -> str:
    return str(getattr(result.status, "value", result.status))


def _contradicts(plan: Plan, after: str | None) -> bool:
    """Whether a build in shadow mode shows that the decision to reuse was wrong."""
    if plan.kind == "test":
        before = plan.row.test_result if plan.row else None
        return before is not None and json.loads(before) != plan.test_result
    return bool(_core.compare_versions(after, plan.target, "rows") == "changed")
