"""What besides its SQL decides what a build of a node yields: the preimage of the configuration hash.

In:  a node, its macros, its hooks' code hashes, the environment of the warehouse.
Out: one flat mapping of named values; the core digests it, and per key for `explain`.
Never: drops a key that is not listed by name: unknown configuration counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from dbt_hodor import _core
from dbt_hodor.macros import MacroUse

IGNORED_KEYS = frozenset(
    {
        "databricks_compute",
        "incremental_apply_config_changes",
        "tags",
        "meta",
        "docs",
        "state",
        "enabled",
        "persist_docs",  # being switched counts, see below
        "pre_hook",  # counted as canonical SQL, see `hooks`
        "post_hook",
        "pre-hook",
        "post-hook",
        "sql_header",  # likewise
        "latest_version_pointer",  # counted as what it creates
    }
)
_NOT_COUNTED = IGNORED_KEYS | {"_extra"}
_SPACES = re.compile(r"\s+")
_NAMING_TYPE = re.compile(r"['\"]|struct|row|union|enum|map|tuple", re.IGNORECASE)
"""Types with labels or field names, whose case and blanks count."""
_UNREAD_COLUMN_KEYS = frozenset(
    {"name", "description", "meta", "tags", "docs", "config", "doc_blocks", "granularity"}
)


_AS_IS = frozenset({type(None), bool, int, float, str, bytes})


_field_names: dict[type, tuple[str, ...]] = {}
"""Of the dataclasses met so far: `fields()` takes longer than to read them."""

_enumerations: set[type] = set()


def plain(value: Any) -> Any:
    """A value of the kinds that the core digests; other objects by their type and text."""
    kind = type(value)
    if kind in _AS_IS:
        return value
    # The usual kinds first: to ask an abstract class takes ten times as long.
    if kind is dict:
        return {str(key): plain(item) for key, item in value.items()}
    if kind is list:
        return [plain(item) for item in value]
    if kind in _field_names:
        return _plain_dataclass(value, _field_names[kind])
    if kind in _enumerations:
        return plain(value.value)
    return _plain_other(value)


def _plain_other(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        # Enum members that are strings must not hash by their class.
        if isinstance(value, Enum):
            _enumerations.add(type(value))
            return plain(value.value)
        return str(value) if isinstance(value, str) else value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted(str(item) for item in value)
    if isinstance(value, Enum):
        return plain(value.value)
    if is_dataclass(value):
        names = tuple(field.name for field in fields(value))
        if not isinstance(value, type):
            _field_names[type(value)] = names
        return _plain_dataclass(value, names)
    if hasattr(value, "isoformat"):
        return {"time": value.isoformat()}
    return {"type": type(value).__name__, "text": str(value)}


def _plain_dataclass(value: Any, names: tuple[str, ...]) -> dict[str, Any]:
    shown = {name: plain(getattr(value, name)) for name in names}
    extra = getattr(value, "_extra", None)
    return {**shown, **plain(extra)} if extra else shown


def config_values(node: Any, use: MacroUse) -> dict[str, Any]:
    """The node's own part: its config without what cannot change the data, columns, constraints.
    Values are as dbt has them: `config_digest`, or `plain` for all else."""
    # Not to_dict(): it costs as much as everything else that hodor does for a node.
    settings = node.config.__dict__
    values = {k: v for k, v in settings.items() if v is not None and k not in _NOT_COUNTED}
    extra = settings.get("_extra")
    if extra:
        values.update((k, v) for k, v in extra.items() if v is not None and k not in IGNORED_KEYS)
    persisted = getattr(node.config, "persist_docs", None)
    switched = {key: True for key, value in persisted.items() if value} if persisted else None
    if switched:
        values["persist_docs"] = switched
    columns = _column_values(node.columns.values(), use.mentions) if node.columns else None
    if columns:
        values["columns"] = columns
    constraints = getattr(node, "constraints", None)
    if constraints:
        values["model_constraints"] = plain(constraints)
    if use.mentions:
        values.update(_mentioned_values(node, use.mentions))
    if use.project:
        _add_key_orders(values)
    return values


_OWN_ORDER = frozenset({"columns", "model_constraints"})  # mappings made above, always alike


def _add_key_orders(values: dict[str, Any]) -> None:
    """A digest takes mappings for sets of keys, and a macro of the project can loop over one."""
    orders = {
        key: order
        for key, value in values.items()
        if key not in _OWN_ORDER and (order := _key_order(value))
    }
    if orders:
        values["order of keys"] = orders


def _key_order(value: Any) -> list[Any] | None:
    if isinstance(value, Mapping):
        inner = [_key_order(item) for item in value.values()]
        return [[str(key) for key in value], inner] if len(value) > 1 or any(inner) else None
    if isinstance(value, (list, tuple)):
        inner = [_key_order(item) for item in value]
        return inner if any(inner) else None
    return None


def config_digest(values: Mapping[str, Any]) -> str:
    """Digest of all that `config_values` gave and whatever was added: that of their plain form."""
    return _core.digest("config", values, plain)


def _mentioned_values(node: Any, mentions: frozenset[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name in ("meta", "tags", "docs"):
        if name in mentions:
            values[f"mentioned {name}"] = [
                plain(getattr(node.config, name, None)),
                plain(getattr(node, name, None)),
            ]
    if "model" in mentions:
        names = ("name", "original_file_path", "fqn", "package_name", "group", "version")
        values["mentioned model"] = [plain(getattr(node, name, None)) for name in names]
        latest = getattr(node, "latest_version", None)
        if latest is not None:
            values["mentioned latest version"] = plain(latest)
    if "description" in mentions:
        values["mentioned description"] = str(getattr(node, "description", ""))
    return values


def _column_values(columns: Iterable[Any], mentions: frozenset[str]) -> list[Any]:
    """Columns in the order written, which is that of a contract; those without content left out. A
    macro that takes them from `model` may show them whole, with what counts for nobody else."""
    unread = frozenset() if "columns" in mentions else _UNREAD_COLUMN_KEYS - mentions
    found: list[Any] = []
    for column in columns:
        shown: dict[str, Any] = {}
        settings = dict(column.__dict__)
        settings.update(settings.pop("_extra", None) or {})
        for key, value in settings.items():
            if key in unread:
                continue
            if value is None or value == [] or value == {}:
                continue
            if key == "data_type" and not _NAMING_TYPE.search(str(value)):
                value = _SPACES.sub("", str(value)).lower()
            shown[key] = plain(value)
        if shown:
            found.append([column.name, shown])
    return found


def macro_values(use: MacroUse, variables: Mapping[str, Any], target: Mapping[str, Any],
                 environment: Mapping[str, str]) -> dict[str, Any]:  # fmt: skip
    """The macros' part: texts, and the values of what they read by a literal name."""
    values: dict[str, Any] = {f"macro {uid}": digest for uid, digest in use.project.items()}
    values["internal macros"] = use.internal
    if use.all_vars:
        values["vars"] = plain(dict(variables))
    else:
        for name in sorted(use.vars):
            values[f"var {name}"] = [name in variables, plain(variables.get(name))]
    for name in sorted(use.env_vars):
        values[f"env_var {name}"] = [name in environment, environment.get(name)]
    if use.all_target:
        values["target"] = plain(dict(target))
    for name in sorted(use.target_keys):
        if name in target:
            values[f"target.{name}"] = plain(target[name])
    if use.project:
        _add_key_orders(values)
    return values


def pointer_value(node: Any, enabled_by_default: bool) -> dict[str, Any] | None:
    """What the node's version pointer would be: a view that is made for the latest version only."""
    if getattr(node, "version", None) is None:
        return None
    pointer = getattr(node.config, "latest_version_pointer", None)
    enabled = getattr(pointer, "enabled", None)
    if not (enabled_by_default if enabled is None else enabled):
        return None
    return {
        "is_latest_version": bool(getattr(node, "is_latest_version", False)),
        "alias": plain(getattr(pointer, "alias", None)),
    }
