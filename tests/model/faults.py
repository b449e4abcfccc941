"""Deliberate bugs: each makes hodor forget one thing, and must be found by the suite.

In:  the name of a fault. Out: the process's hodor with that fault, until ``plant([])``.
Never: edits a file. A fault replaces one attribute of the Python layer, or one function of the core
       as Python sees it; the C++ core has a mutation suite of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

Patch = tuple[Any, str, Any]
"""Where, which attribute, the faulty replacement."""


class Fault(NamedTuple):
    patches: Callable[[], Iterable[Patch]]
    scenario: str
    """A directed scenario that must fail with it."""
    edits: tuple[str, ...]
    """Random edits that should provoke it (model/edits.py). None: random worlds have nothing that it
    could spoil."""
    words: tuple[str, ...]
    """Of which one should stand in the project."""


FAULTS: dict[str, Fault] = {}
_undo: list[Patch] = []


def fault(
    scenario: str, *edits: str, words: tuple[str, ...] = ("",)
) -> Callable[[Callable[[], Iterable[Patch]]], Callable[..., Any]]:
    def add(patches: Callable[[], Iterable[Patch]]) -> Callable[..., Any]:
        FAULTS[patches.__name__] = Fault(patches, scenario, edits, words)
        return patches

    return add


def plant(names: list[str]) -> None:
    """Removes the planted faults, and plants others."""
    while _undo:
        owner, attribute, original = _undo.pop()
        setattr(owner, attribute, original)
    for name in names:
        for owner, attribute, replacement in FAULTS[name].patches():
            _undo.append((owner, attribute, owner.__dict__[attribute]))
            setattr(owner, attribute, replacement)


def after(owner: Any, name: str, change: Callable[..., Any]) -> Patch:
    """``change(result, *arguments)`` is what the function returns from now on."""
    original = owner.__dict__[name]

    def faulty(*arguments: Any, **keywords: Any) -> Any:
        return change(original(*arguments, **keywords), *arguments)

    return owner, name, faulty


def recorded(plan: Any) -> list[tuple[str, str, str, str | None]]:
    """The inputs of the record, as if they were those of now."""
    from dbt_hodor import _core

    return [
        (key, key, "data", token)
        for key, token in _core.decode_upstreams(plan.row.upstreams).items()
    ]


def decider() -> Any:
    from dbt_hodor.deciding import Decider

    return Decider


@fault("s120_targets.rows_inserted", "relation: insert", "relation: delete")
def target_is_not_compared() -> Iterable[Patch]:
    def change(result: Any, self: Any, plan: Any, *_: Any) -> None:
        if plan.row is not None and plan.existence == "present":
            plan.target = plan.row.data_version

    yield after(decider(), "_read_target", change)


@fault(
    "s200_inputs.int_to_bigint", "source column retyped", "integer type", "source column renamed"
)
def schema_part_is_skipped() -> Iterable[Patch]:
    from dbt_hodor.versions import duckdb

    original = duckdb.token
    yield (
        duckdb,
        "token",
        lambda data, order, schema: original(data, order, "same" if schema else ""),
    )


@fault("s120_targets.other_checkout", "source update", "constant", "macro", "seed rows")
def data_part_is_the_count() -> Iterable[Patch]:
    from dbt_hodor.versions import duckdb

    original = duckdb.token
    yield (
        duckdb,
        "token",
        lambda data, order, schema: original(data.split(":")[0], "0" if order else "", schema),
    )


@fault(
    "s100_seeds.rows_reordered",
    "source reordered",
    "seed reordered",
    words=(
        "string_agg(",
        "1e15",
        " limit ",
    ),
)
def order_is_ignored() -> Iterable[Patch]:
    from dbt_hodor.context import RunContext

    yield RunContext, "sees_order", lambda self, plan: False


@fault(
    "s240_views.views_over_views",
    "source insert",
    "source delete",
    "source update",
    words=("materialized='view'",),
)
def views_are_not_transitive() -> Iterable[Patch]:
    from dbt_hodor.warehouse import Warehouse

    yield after(
        Warehouse,
        "trace",
        lambda found, *_: [entry for entry in found if entry[0] != "table" or entry[1] == entry[2]],
    )


@fault(
    "s240_views.replaced_by_hand_child_selected",
    "view: replaced",
    "shape",
    "function of the user replaced",
    words=(
        "plus_k(",
        "top_n(",
    ),
)
def definitions_of_views_are_ignored() -> Iterable[Patch]:
    from dbt_hodor.warehouse import Warehouse

    yield after(
        Warehouse,
        "trace",
        lambda found, *_: [
            (kind, key, group, "same" if kind == "view" else text)
            for kind, key, group, text in found
        ],
    )


@fault(
    "s240_views.explicit_columns_over_a_retyped_table",
    "source column retyped",
    "integer type",
    words=("materialized='view'",),
)
def columns_under_views_are_ignored() -> Iterable[Patch]:
    from dbt_hodor.inputs import Inputs

    yield after(
        Inputs,
        "of",
        lambda found, self, node, kind, *_: ([], found[1]) if kind == "view" else found,
    )


@fault(
    "s240_views.select_star_views",
    "source column renamed",
    "source column retyped",
    words=("select * from",),
)
def stars_are_ignored() -> Iterable[Patch]:
    from dbt_hodor import _core

    original = _core.decide
    yield _core, "decide", lambda **facts: original(**{**facts, "star": False})


@fault("s100_seeds.row_added", "seed rows", "constant", "file rows")
def versions_survive_a_rebuild() -> Iterable[Patch]:
    from dbt_hodor.versions.cache import VersionCache

    yield VersionCache, "invalidate", lambda self, parts, views=(): None
    yield VersionCache, "invalidate_all", lambda self: None


@fault("s300_incrementals.python_model_upstream", "constant", "seed rows", words=("def model(",))
def python_models_are_not_read_again() -> Iterable[Patch]:
    from dbt_hodor.session import Session

    original = Session._reread

    def faulty(self: Any, node: Any, plan: Any) -> None:
        if str(node.language) != "python":
            original(self, node, plan)

    yield Session, "_reread", faulty


@fault("s220_sources.opted_out_of_versions")
def unknown_equals_itself() -> Iterable[Patch]:
    from dbt_hodor import _core
    from dbt_hodor.inputs import Inputs

    token = _core.version_token("unknown", "", "")
    yield after(
        Inputs,
        "of",
        lambda found, *_: (
            [(k, g, what, t if t is not None else token) for k, g, what, t in found[0]],
            found[1],
        ),
    )


@fault("s400_volatile.always_volatile_logic")
def volatile_values_are_nothing() -> Iterable[Patch]:
    from dbt_hodor.inputs import Inputs

    yield after(
        Inputs,
        "of",
        lambda found, *_: ([u for u in found[0] if not u[0].startswith("volatile:")], found[1]),
    )


@fault(
    "s200_inputs.ephemeral_parent",
    "constant",
    "shape",
    "integer type",
    words=("materialized='ephemeral'",),
)
def edits_of_ephemerals_are_ignored() -> Iterable[Patch]:
    def change(result: Any, self: Any, plan: Any, *_: Any) -> None:
        if "__dbt__cte__" in str(getattr(plan.node, "compiled_code", "")) and plan.row is not None:
            plan.text_hash, plan.code_hash = plan.row.text_hash, plan.row.code_hash

    yield after(decider(), "_read_text", change)


@fault("s200_inputs.struct_field_case")
def code_is_folded_to_lower_case() -> Iterable[Patch]:
    from dbt_hodor.node_text import TextReader

    text_hash, query = TextReader.text_hash, TextReader.query
    yield TextReader, "text_hash", lambda self, sql, more: text_hash(self, sql.lower(), more)
    yield TextReader, "query", lambda self, sql, own: query(self, sql.lower(), own)


@fault(
    "s120_targets.column_renamed", "relation: rename column", "relation: retype", "relation: insert"
)
def target_and_schema_are_ignored() -> Iterable[Patch]:
    yield from target_is_not_compared()
    yield from schema_part_is_skipped()


@fault("s520_hooks.harmless_hook_edited", "hook", "override of dbt's macro")
def configuration_is_constant() -> Iterable[Patch]:
    yield after(
        decider(), "_hash_config", lambda _, self, plan: setattr(plan, "config_hash", "0" * 64)
    )


@fault("s500_tests.replayed", "seed rows", "source insert", "constant")
def tests_ignore_their_inputs() -> Iterable[Patch]:
    def change(result: Any, self: Any, plan: Any, *_: Any) -> None:
        if plan.kind == "test" and plan.row is not None:
            plan.upstreams = recorded(plan)

    yield after(decider(), "_read_inputs", change)


@fault(
    "s300_incrementals.append_changes_on_every_run",
    "cosmetic",
    "description",
    "constant",
    words=("incremental_strategy='append'",),
)
def unsettled_nodes_are_reused() -> Iterable[Patch]:
    yield after(
        decider(),
        "_read_inputs",
        lambda _, self, plan, *more: setattr(plan, "keeps_earlier_state", False),
    )


@fault("s220_sources.files", "file rows", words=("read_csv",))
def files_never_change() -> Iterable[Patch]:
    from dbt_hodor import _core
    from dbt_hodor.warehouse import Warehouse

    token = _core.version_token("file", "", "")
    yield Warehouse, "file_version", lambda self, pattern, function: token


@fault("s100_seeds.row_added", "seed rows")
def seeds_have_one_hash() -> Iterable[Patch]:
    from dbt_hodor import _core

    yield _core, "seed_hash", lambda *arguments: "1" * 64


@fault("s120_targets.dropped", "relation: drop", "view: dropped")
def existence_is_assumed() -> Iterable[Patch]:
    from dbt_hodor.warehouse import Warehouse

    yield Warehouse, "existence", lambda self, parts, expected: "present"
    yield from target_is_not_compared()


@fault("s120_targets.replaced_by_a_view", "relation: becomes a view")
def type_of_the_target_is_ignored() -> Iterable[Patch]:
    from dbt_hodor.warehouse import Warehouse

    yield after(
        Warehouse, "existence", lambda found, *_: "present" if found == "other_type" else found
    )


@fault(
    "s520_hooks.hook_reads_a_table",
    "source update",
    "source insert",
    "source delete",
    words=("'') from raw.t1)",),
)
def hooks_are_ignored() -> Iterable[Patch]:
    from dbt_hodor.hooks import rendering

    yield rendering, "hooks_of", lambda node, run: []


@fault("s200_inputs.parent_code_beats_lag")
def code_of_parents_is_ignored() -> Iterable[Patch]:
    from dbt_hodor.inputs import Inputs

    yield after(
        Inputs, "of", lambda found, *_: ([u for u in found[0] if u[2] != "parent_code"], found[1])
    )


@fault("s200_inputs.input_set_changes")
def vanished_inputs_are_forgotten() -> Iterable[Patch]:
    def change(result: Any, self: Any, plan: Any, *_: Any) -> None:
        if plan.row is not None:
            kept = {key for key, *_ in recorded(plan)}
            plan.upstreams = [u for u in plan.upstreams if u[0] in kept] or recorded(plan)

    yield after(decider(), "_read_inputs", change)


@fault("s520_hooks.strategy_macro_overridden", "override of dbt's macro")
def overridden_macros_are_ignored() -> Iterable[Patch]:
    from dbt_hodor.macros import Macros

    yield Macros, "_find_overrides", lambda self: frozenset()


@fault(
    "s400_volatile.user_macro_that_reads_a_table",
    "function of the user replaced",
    words=(
        "plus_k(",
        "top_n(",
    ),
)
def user_functions_are_builtins() -> Iterable[Patch]:
    from dbt_hodor.warehouse import Warehouse

    yield Warehouse, "_put_function", lambda self, function: None


@fault("s520_hooks.on_run_start_writes_a_source", "source insert", "file rows", "seed rows")
def versions_are_those_of_the_record() -> Iterable[Patch]:
    """As if they had been read before the hooks ran."""

    def change(result: Any, self: Any, plan: Any, *_: Any) -> None:
        if plan.row is not None:
            plan.upstreams = recorded(plan)

    yield after(decider(), "_read_inputs", change)


def decided_with(**other: Any) -> Iterable[Patch]:
    """The core is told something else than what is so."""
    from dbt_hodor import _core

    original = _core.decide
    yield _core, "decide", lambda **facts: original(**{**facts, **other})


@fault("s520_hooks.hook_writes_another_model", "description", "cosmetic", words=("select 900, 'h",))
def writing_hooks_are_not_run() -> Iterable[Patch]:
    yield from decided_with(hook_writes=False)


@fault(
    "s140_selection.full_refresh",
    "constant",
    "source insert",
    "source delete",
    words=("--full-refresh",),
)
def full_refresh_is_ignored() -> Iterable[Patch]:
    yield from decided_with(full_refresh=False)


@fault("s200_inputs.struct_field_case", "constant", "shape", "integer type")
def edited_code_is_ignored() -> Iterable[Patch]:
    def change(result: Any, self: Any, plan: Any, *_: Any) -> None:
        if plan.row is not None:
            plan.text_hash, plan.code_hash = plan.row.text_hash, plan.row.code_hash

    yield after(decider(), "_read_text", change)


@fault("s120_targets.rows_inserted", "source update", "source insert", "relation: insert")
def data_versions_are_constant() -> Iterable[Patch]:
    from dbt_hodor.versions import duckdb

    original = duckdb.token
    yield duckdb, "token", lambda data, order, schema: original("0", "0", "same")
