"""Words for single things: inputs, versions, times.

In:  input keys and version tokens of records.
Out: short texts for people.
Never: compares versions; what is the same was decided by the core.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING

from dbt_hodor import _core

if TYPE_CHECKING:
    from dbt_hodor.cli.explain import Change

_SHOWN_DIGITS = 8
_LAKES = ("delta", "ducklake", "iceberg")
_KINDS = {
    "view": "definition of view {}",
    "code": "code of {}",
    "schema": "columns of {}",
    "function": "definition of function {}",
    "file": "file {}",
    "volatile": "volatile value: {}",
    "opaque": "{} (cannot be versioned)",
}


def input_name(key: str) -> str:
    """An input as a person would call it."""
    kind, separator, rest = key.partition(":")
    if separator and kind in _KINDS:
        # A file's key is function:pattern; the function is empty for a name in FROM.
        rest = rest.partition(":")[2] if kind == "file" else rest
        return _KINDS[kind].format(rest)
    return key


def input_change(change: Change) -> str:
    """One sentence about an input that differs."""
    name = input_name(change.name)
    if change.now is None and change.last is None:
        return f"{name}: its version is unknown"
    if change.now is None:
        return f"{name}: its version is unknown, or it is not read any more"
    if change.last is None:
        return f"{name}: not an input of the last build, or unknown then"
    what = what_differs(change)
    render = _columns if change.name.startswith("schema:") else version
    return f"{name}: {what} ({render(change.last)} → {render(change.now)})"


def config_change(change: Change) -> str:
    """A configuration key with both values as they may be shown."""
    last, now = ("(not set)" if value is None else value for value in (change.last, change.now))
    if last == now:
        return f"{change.name}: differs in what is not shown ({now})"
    return f"{change.name}: {last} → {now}"


def what_differs(change: Change) -> str:
    """Columns, data or order: the first that differs."""
    if change.name.split(":", 1)[0] in _KINDS:
        return "changed"
    try:
        for sensitivity, word in (
            ("schema_only", "its columns changed"),
            ("rows", "it has other rows"),
            ("rows_and_order", "its rows are in another order"),
        ):
            if _core.compare_versions(change.now, change.last, sensitivity) == "changed":
                return word
    except ValueError:
        pass
    return "changed"


def version(token: str | None) -> str:
    """A version token in short: the number of rows where the token holds it, and a few digits. This is
    for people only; equal texts do not mean equal versions."""
    if token is None:
        return "unknown"
    parts = token.split(";")
    data = parts[1] if len(parts) == 4 else token
    count, separator, total = data.partition(":")
    if separator and count.isdigit():
        return f"{int(count):,} rows #{total.lstrip('-')[-_SHOWN_DIGITS:]}"
    if count in _LAKES and "@" in total:
        return f"{count} {total.split('@')[1]}"
    text = data or (parts[3] if len(parts) == 4 else token)
    return f"#{text[:_SHOWN_DIGITS]}"


def _columns(token: str) -> str:
    """The part of a version that is about columns, in short."""
    return f"#{token.rpartition(';')[2][:_SHOWN_DIGITS]}"


def short_hash(value: str | None) -> str:
    """The beginning of a hash."""
    return "-" if value is None else value[:_SHOWN_DIGITS]


def moment(ms: int | None) -> str:
    """UTC, to the minute."""
    if ms is None:
        return "never"
    return datetime.fromtimestamp(ms / 1000, tz=timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
