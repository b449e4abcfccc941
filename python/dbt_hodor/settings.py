"""Every setting of hodor in one table; parsing, documentation and tests are made from it.

In:  the ``hodor_*`` keys of the profile's target, of ``--vars`` and ``HODOR_*`` variables; a node's
     ``state:`` block and ``meta.hodor``.
Out: ``RunSettings``, ``NodeSettings``, and the warnings that an invalid value deserves.
Never: reads files, dbt or the environment by itself: the caller passes what it read.

Precedence: environment variable > ``--vars`` > profile > default. An invalid mode or store turns
hodor off (``off_because``), because guessing what a person meant could skip or keep data; any other
invalid value is replaced by its default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dbt_hodor import setting_values as values


@dataclass(frozen=True)
class Setting:
    """One row of the table. ``default`` is already parsed; None means that hodor works it out."""

    name: str
    default: Any
    parse: values.Parser
    accepted: str
    help: str
    where: str = "run"
    """``run``: profile, --vars and environment; ``state``: node config; ``meta``: meta.hodor."""
    invalid_turns_off: bool = False
    aliases: tuple[str, ...] = ()

    @property
    def env(self) -> str:
        """The environment variable, for settings of the run."""
        return self.name.upper() if self.where == "run" else ""

    @property
    def attribute(self) -> str:
        """The field of RunSettings or NodeSettings."""
        return self.name.removeprefix("hodor_")


DEFAULT_LAG_MS = 45 * 60 * 1000

SETTINGS: tuple[Setting, ...] = (
    Setting("hodor_mode", "shadow", values.mode, "off, shadow, on",
            "off: plain dbt. shadow: decide and record, but build everything. on: reuse.",
            invalid_turns_off=True),
    Setting("hodor_store", None, values.store, ", ".join(values.STORES),
            "Where records are kept. Default: the store that belongs to the adapter.",
            invalid_turns_off=True),
    Setting("hodor_database", None, values.name_part, "letters, digits, _ and -",
            "Database of the record table, for stores inside a warehouse."),
    Setting("hodor_schema", "main", values.name_part, "letters, digits, _ and -",
            "Schema of the record table. The store `delta` has no default: without it hodor is off."),
    Setting("hodor_table", "hodor_state", values.name_part, "letters, digits, _ and -",
            "Name of the record table."),
    Setting("hodor_path", ".hodor/state.duckdb", values.path, "a file path",
            "The state file, from the project's root. It must not be the warehouse file."),
    Setting("hodor_metadata_threads", 8, values.integer_between(1, 64), "1 to 64",
            "How many reads of data versions may run at once. DuckDB, which reads in parallel by itself, "
            "gets two at most."),
    Setting("hodor_compute", None, values.plain_text, "a name on one line",
            "Name of a compute of the profile that runs hodor's own statements. Databricks only; default: "
            "the target's own."),
    Setting("hodor_statement_timeout", 120_000, values.duration_ms,
            "0s, 45m, 4h, 1d, 1w, whole seconds, or {count, period}",
            "How long hodor waits for one of its own statements. What did not answer is unknown. "
            "Databricks only."),
    Setting("hodor_lookback_days", 90, values.integer_between(1, 3650), "1 to 3650",
            "Records older than this do not count; such a node builds once."),
    Setting("hodor_reused_status", "reused", values.reused_status, "reused, success",
            "Status of a reused node in run_results.json, for tools that do not know `reused`."),
    Setting("hodor_trust_loaded_at", False, values.boolean, "true, false",
            "A source's loaded_at_field may prove that nothing changed. Deletes and updates that "
            "do not move it are then not seen."),
    Setting("hodor_rebuild_on_runtime", False, values.boolean, "true, false",
            "Build once after any change of the engine's version, patch releases included."),
    Setting("lag_tolerance", DEFAULT_LAG_MS, values.duration_ms,
            "0s, 45m, 4h, 1d, 1w, whole seconds, or {count, period}",
            "A build younger than this is reused although inputs have new data. "
            "Default for snapshots and tests: 0.", "state"),
    Setting("require_fresh_data_from", "any", values.any_or_all, "any, all",
            "Build when any, or only when all direct inputs have new data.", "state"),
    Setting("compare_unrendered_code", False, values.boolean, "true, false",
            "Reuse when either the rendered or the unrendered code is unchanged.", "state"),
    Setting("execute_hooks_on_any_reuse", False, values.boolean, "true, false",
            "Run the node's pre- and post-hooks although it is reused.", "state",
            aliases=("execute_hooks_on_reuse",)),
    Setting("evaluate_volatile_sql", None, values.optional_boolean, "auto, true, false",
            "Which volatile functions count: those that decide rows or values, all, or none.",
            "state"),
    Setting("pre_clone", None, values.anything, "accepted and ignored",
            "A dbt State setting that hodor does not use.", "state"),
    Setting("version", None, lambda value: values.one_of(str(value).strip().lower(),
                                                         ("none", "loaded_at")),
            "none, loaded_at",
            "none: never scan this node or source, its version is unknown. loaded_at: trust "
            "the source's loaded_at_field.", "meta"),
)  # fmt: skip


@dataclass
class RunSettings:
    """The settings of one run. Fields as in SETTINGS without ``hodor_``."""

    mode: str = "shadow"
    store: str | None = None
    database: str | None = None
    schema: str = "main"
    table: str = "hodor_state"
    path: str = ".hodor/state.duckdb"
    metadata_threads: int = 8
    compute: str | None = None
    statement_timeout: int = 120_000
    lookback_days: int = 90
    reused_status: str = "reused"
    trust_loaded_at: bool = False
    rebuild_on_runtime: bool = False
    sources: dict[str, str] = field(default_factory=dict)
    """Field -> where its value was found, for those that are not at their default."""
    warnings: list[str] = field(default_factory=list)
    off_because: str | None = None
    """Set when an invalid value turns hodor off: the sentence for the user."""


@dataclass(frozen=True)
class NodeSettings:
    """A node's ``state:`` block. ``lag_tolerance`` in milliseconds."""

    lag_tolerance: int = DEFAULT_LAG_MS
    require_fresh_data_from: str = "any"
    compare_unrendered_code: bool = False
    execute_hooks_on_any_reuse: bool = False
    evaluate_volatile_sql: bool | None = None


def resolve_run_settings(
    profile: Mapping[str, Any], cli_vars: Mapping[str, Any], environment: Mapping[str, str]
) -> RunSettings:
    """The settings of a run from its three sources; unknown ``hodor_`` keys are warned about."""
    result = RunSettings()
    rows = {row.name: row for row in SETTINGS if row.where == "run"}
    for row in rows.values():
        value, source = _first_given(row, profile, cli_vars, environment)
        if source is None:
            continue
        try:
            setattr(result, row.attribute, row.parse(value))
            result.sources[row.attribute] = source
        except ValueError as error:
            sentence = f"{source} = {shown(value)!r} is not one of: {error}"
            if row.invalid_turns_off:
                result.off_because = f"{sentence}; hodor is off for this run"
                result.mode = "off"
            else:
                result.warnings.append(f"{sentence}; using {row.default!r}")
    given = [*profile, *cli_vars]
    unknown = sorted({key for key in given if key.startswith("hodor_")} - set(rows))
    result.warnings.extend(f"{key} is not a setting of hodor; ignored" for key in unknown)
    return result


def _first_given(
    row: Setting,
    profile: Mapping[str, Any],
    cli_vars: Mapping[str, Any],
    environment: Mapping[str, str],
) -> tuple[Any, str | None]:
    if environment.get(row.env):
        return environment[row.env], f"environment variable {row.env}"
    if cli_vars.get(row.name) is not None:
        return cli_vars[row.name], f"--vars {row.name}"
    if profile.get(row.name) is not None:
        return profile[row.name], f"profile key {row.name}"
    return None, None


def resolve_node_settings(
    state: object, resource_type: str
) -> tuple[NodeSettings, tuple[str, ...]]:
    """A node's settings and the warnings for what cannot be used, each without the node's name."""
    defaults: dict[str, Any] = {}
    if resource_type in ("snapshot", "test"):
        defaults["lag_tolerance"] = 0
    if state is None:
        return NodeSettings(**defaults), ()
    if not isinstance(state, Mapping):
        return NodeSettings(**defaults), (f"state: {shown(state)!r} is not a mapping; ignored",)
    notes: list[str] = []
    chosen = dict(defaults)
    known = _node_rows()
    for key, value in state.items():
        row = known.get(str(key))
        if row is None:
            notes.append(f"state key {key!r} is not known to hodor; ignored")
        elif row.name == "pre_clone":
            notes.append("state key 'pre_clone' is not supported by hodor; ignored")
        elif value is not None:
            try:
                chosen[row.attribute] = row.parse(value)
            except ValueError as error:
                notes.append(f"state key {key!r} = {shown(value)!r} is not {error}; default used")
    if resource_type == "test":
        chosen["lag_tolerance"] = 0
    return NodeSettings(**chosen), tuple(notes)


_NODE_ROWS: dict[str, Setting] = {}


def _node_rows() -> dict[str, Setting]:
    if not _NODE_ROWS:
        for row in SETTINGS:
            if row.where == "state":
                _NODE_ROWS.update(dict.fromkeys((row.name, *row.aliases), row))
    return _NODE_ROWS


_META_VERSION = next(row for row in SETTINGS if row.where == "meta")


def version_opt_out(meta: object) -> str | None:
    """``none`` or ``loaded_at`` from ``meta: {hodor: {version: …}}``, else None."""
    if not meta or not isinstance(meta, Mapping) or not isinstance(meta.get("hodor"), Mapping):
        return None
    if "version" not in meta["hodor"]:
        return None
    try:
        # YAML reads an unquoted `none` as text but `null` and `~` as None: both mean "no version".
        return str(_META_VERSION.parse(meta["hodor"]["version"]))
    except ValueError:
        return "none"  # whatever was meant: unknown only builds


def meta_complaint(meta: object) -> str | None:
    """What is wrong with ``meta.hodor`` and what that does, for a warning; None when nothing is."""
    if not meta or not isinstance(meta, Mapping) or "hodor" not in meta:
        return None
    given = meta["hodor"]
    if not isinstance(given, Mapping):
        return f"meta.hodor is {shown(given)} and not a mapping with the key version: ignored"
    unknown = sorted(str(key) for key in given if key != "version")
    if unknown:
        return f"meta.hodor has no setting {shown(unknown[0])}: ignored"
    try:
        _META_VERSION.parse(given["version"])
    except ValueError as error:
        return f"meta.hodor.version: {error}; no version is read, so what reads it builds"
    return None


def shown(value: object) -> str:
    """A value as a warning may show it: short and on one line."""
    text = str(value).replace("\n", " ")
    return text if len(text) <= 60 else text[:57] + "..."
