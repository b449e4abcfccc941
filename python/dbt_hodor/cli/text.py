"""Lays explanations out for a terminal.

In:  explanations; a width in columns.
Out: lines of text with click's styles, which click drops where colours are not wanted.
Never: exceeds the width in a table; long names keep their end, which tells them apart.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import click

from dbt_hodor.cli.explain import Explanation, Parts
from dbt_hodor.cli.wording import (
    config_change,
    input_change,
    input_name,
    moment,
    short_hash,
    version,
)

_GAP = "  "
_LEAST = 16
_MARK = {"reuse": "green", "build": "yellow"}


def overview(explanations: Sequence[Explanation], width: int) -> list[str]:
    """One line per node: what happened, why, to what, and when it was last built."""
    rows = [
        (_action(e), e.reason, f"{e.resource_type} {_name(e)}", moment(e.last_build_ms))
        for e in explanations
    ]
    return table(("what", "reason", "node", "last build"), rows, width)


def table(
    header: Sequence[str], rows: Sequence[Sequence[str]], width: int, flexible: int = 2
) -> list[str]:
    """Columns side by side. The column `flexible` gives way when the width does not suffice."""
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    over = sum(widths) + len(_GAP) * (len(widths) - 1) - width
    if over > widths[flexible] - _LEAST and len(header) > flexible + 1:
        # Not even a short name fits: the last column goes, the rest keeps its meaning.
        return table(header[:-1], [row[:-1] for row in rows], width, flexible)
    if over > 0:
        widths[flexible] = max(_LEAST, widths[flexible] - over)
    lines = [_line(header, widths, flexible)]
    lines.append("-" * min(width, len(lines[0])))
    for row in rows:
        line = _line(row, widths, flexible)
        word = row[0]
        color = "green" if word in ("reused", "replayed") else "yellow"
        lines.append(click.style(line[: widths[0]], fg=color) + line[widths[0] :])
    return lines


def _line(row: Sequence[str], widths: Sequence[int], flexible: int) -> str:
    cells = [
        _keep_end(cell, size) if index == flexible else cell
        for index, (cell, size) in enumerate(zip(row, widths, strict=True))
    ]
    padded = (cell.ljust(size) for cell, size in zip(cells, widths, strict=True))
    return _GAP.join(padded).rstrip()


def _keep_end(text: str, size: int) -> str:
    return text if len(text) <= size else "…" + text[-(size - 1) :]


def details(explanation: Explanation, width: int, *, verbose: bool) -> list[str]:
    """One node in full. `verbose`: also the inputs that did not change, and all hashes."""
    e = explanation
    lines = [
        click.style(f"{e.resource_type} {_name(e)}", bold=True) + f"  {e.node_key}",
        f"  {click.style(_action(e), fg=_MARK.get(e.decision))}: {e.reason}, "
        f"{e.sentence} (rule {e.rule})",
        f"  last build {moment(e.last_build_ms)}; mode {e.mode}; status {e.status}",
    ]
    if e.mode == "shadow" and e.decision == "reuse":
        lines.append("  shadow mode built it; with mode on it would have been reused")
    lines += _chain(e)
    # What caused this build stands in the chain already; here is what else differs.
    if e.config and e.reason != "config_changed":
        lines.append("  configuration")
        lines += [f"    {config_change(c)}" for c in e.config]
    if e.reason != "code_changed":
        lines += _named("CTEs", e.ctes) + _named("output columns", e.columns)
        lines += _named("clauses", e.clauses)
    lines += _inputs(e, verbose)
    lines += _hashes(e, verbose)
    return [part for line in lines for part in wrapped(line, width)]


def wrapped(line: str, width: int) -> list[str]:
    """The line, or several with what goes on indented."""
    if len(click.unstyle(line)) <= width:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return textwrap.wrap(
        line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _chain(e: Explanation) -> list[str]:
    if len(e.chain) < 2:
        return []
    lines = ["  because"]
    for cause in e.chain[1:]:
        reason = f" was built: {cause.reason}" if cause.reason else ""
        lines.append(f"    {'  ' * (cause.depth - 1)}└ {cause.what}{reason}")
    return lines


def _named(what: str, parts: Parts) -> list[str]:
    if not parts:
        return []
    words = (("changed", parts.changed), ("new", parts.added), ("gone", parts.removed))
    return [f"  {what} {word}: {', '.join(names)}" for word, names in words if names]


def _inputs(e: Explanation, verbose: bool) -> list[str]:
    if not e.upstreams:
        return []
    different = [c for c in e.upstreams if c.differs]
    same = [c for c in e.upstreams if not c.differs]
    lines = ["  inputs"] if different or verbose else []
    if e.last_build_ms is None:
        lines += [f"    {input_name(c.name)}: {version(c.now)}" for c in different]
    else:
        lines += [f"    {input_change(c)}" for c in different]
    if verbose:
        lines += [f"    {input_name(c.name)}: unchanged ({version(c.now)})" for c in same]
    elif same:
        lines.append(f"  {len(same)} input{'s' if len(same) > 1 else ''} unchanged")
    return lines


def _hashes(e: Explanation, verbose: bool) -> list[str]:
    if e.last_build_ms is None and not verbose:
        return []
    changes = [c for c in e.hashes if c.now is not None or c.last is not None]
    shown = [c for c in changes if verbose or c.differs]
    lines = ["  hashes"] if shown else []
    for change in shown:
        render = version if change.name == "data_version" else short_hash
        state = f"{render(change.last)} → {render(change.now)}" if change.differs else "unchanged"
        lines.append(f"    {change.name}: {state}")
    if e.hash_version.last is not None and e.hash_version.differs:
        lines.append(
            f"    hash version {e.hash_version.last} → {e.hash_version.now}: this version of hodor "
            "hashes in another way, so everything builds once"
        )
    return lines


def _action(e: Explanation) -> str:
    if e.action == "build":
        return "built"
    return "replayed" if e.resource_type == "test" else "reused"


def _name(e: Explanation) -> str:
    parts = e.unique_id.split(".")
    if e.resource_type == "test":
        return parts[2] if len(parts) > 2 else e.unique_id
    return ".".join(parts[2:]) or e.unique_id
