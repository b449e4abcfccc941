"""The commands `dbt-hodor sql`: what hodor makes of SQL texts, without a project.

In:  files ("-": standard input), or lines of JSON; a dialect.
Out: canonical texts, facts, hashes, what differs between two texts; the exit codes of docs/sql.md.
Never: loads dbt, connects to a warehouse, or runs SQL.
"""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import click

from dbt_hodor import _core

SAME, DIFFERENT, FAILED = 0, 1, 2
_CHUNK_BYTES = 4 << 20
_NO_IDS = _core.RelationIds([])

Columns = dict[str, list[str]]


class Problem(click.ClickException):
    """A file that cannot be read, or arguments that do not fit: exit code 2."""

    exit_code = FAILED


class _Line(NamedTuple):
    """One line of JSON: what is asked for, or what is wrong with it."""

    identity: Any
    sql: str
    columns: Columns | None
    error: str


@click.group()
def sql() -> None:
    """Show what hodor makes of SQL texts: no project is needed. FILE may be - for standard input."""


_dialect = click.option(
    "--dialect",
    type=click.Choice(["duckdb", "databricks"]),
    default="duckdb",
    show_default=True,
    help="The engine that the text is for.",
)
_files = click.argument("files", nargs=-1, required=True, metavar="FILE...")


@sql.command()
@_files
@_dialect
def canonical(files: tuple[str, ...], dialect: str) -> None:
    """Print each text in its canonical form: it runs and gives the same result.

    Above each of several texts stands the name of its file, in a comment. What the text takes for
    granted of tables whose columns are not known is said on standard error.
    """
    for name in files:
        found = _analysis(_read(name), dialect)
        if len(files) > 1:
            click.echo(f"-- {name}")
        click.echo(found.text)
        if found.tier != "canonical":
            click.echo(f"{name}: not understood as a whole, so it is as written", err=True)
        for relation, column in found.assumes:
            click.echo(f"{name}: right while {relation} has no column {column}", err=True)


@sql.command()
@_files
@_dialect
@click.option("--json", "as_json", is_flag=True, help="One object a line, for programs.")
def facts(files: tuple[str, ...], dialect: str, as_json: bool) -> None:
    """Print what each text reads, calls and depends on."""
    for name in files:
        found = _analysis(_read(name), dialect)
        if as_json:
            known = {"exact": found.facts.exact, "output_columns": found.facts.output_columns}
            click.echo(json.dumps({"file": name} | _fields(found) | known))
            continue
        if len(files) > 1:
            click.echo(name)
        for line in _fact_lines(found):
            click.echo(line)


@sql.command(name="hash")
@click.argument("files", nargs=-1, metavar="FILE...")
@_dialect
@click.option("--jsonl", is_flag=True, help="Lines of JSON on standard input, one answer each.")
def hash_(files: tuple[str, ...], dialect: str, jsonl: bool) -> None:
    """Print hash, tier and name of each file; with --jsonl answer lines {"id", "sql"}."""
    if jsonl == bool(files):
        raise Problem("give files, or --jsonl and lines on standard input")
    if jsonl:
        _answer_lines(sys.stdin.buffer, dialect)
        return
    for name in files:
        found = _analysis(_read(name), dialect)
        click.echo(f"{found.code_hash}  {found.tier}  {name}")


@sql.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@_dialect
@click.pass_context
def diff(context: click.Context, first: str, second: str, dialect: str) -> None:
    """Say whether A and B are the same query and, if not, which parts differ.

    Exit code 0: the same; 1: not the same; 2: a file cannot be read.
    """
    texts = _read(first), _read(second)
    one, other = (_analysis(text, dialect) for text in texts)
    if one.code_hash == other.code_hash:
        click.echo("same query")
        # The same bytes are the same query whatever the tables are.
        assumes = {*one.assumes, *other.assumes} if texts[0] != texts[1] else ()
        for relation, column in sorted(assumes):
            click.echo(f"  while {relation} has no column {column}")
        context.exit(SAME)
    click.echo("different queries")
    for line in differences(one, other):
        click.echo(line)
    context.exit(DIFFERENT)


def _read(name: str) -> str:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        return data.decode()
    except OSError as error:
        raise Problem(f"{name}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise Problem(f"{name}: not UTF-8 (byte {error.start})") from error


def _analysis(text: str, dialect: str) -> _core.Analysis:
    return _core.analyze(text, dialect, [], _NO_IDS, None, True, None, True)


def _fields(found: _core.Analysis) -> dict[str, Any]:
    """What a line of answers holds beside its id."""
    facts = found.facts
    calls = facts.volatile_calls
    return {
        "code_hash": found.code_hash,
        "assumes": [list(pair) for pair in found.assumes],
        "tier": found.tier,
        "opaque": found.opaque,
        "opaque_tokens": found.opaque_tokens,
        "relations": [relation.parts for relation in facts.relations],
        "paths": facts.paths,
        "files": [file.pattern for file in facts.files],
        "star": facts.star,
        "order_sensitive": facts.order_sensitive,
        "volatile": [
            {"text": call.text, "class": call.volatile_class}
            for call in calls
            if call.use != "stamp"
        ],
        "stamps": [
            {"text": call.text, "class": call.volatile_class, "alias": call.alias}
            for call in calls
            if call.use == "stamp"
        ],
        "functions": facts.functions,
    }


def _fact_lines(found: _core.Analysis) -> Iterator[str]:
    facts = found.facts
    rows: list[tuple[str, list[str]]] = [
        ("tier", [found.tier]),
        ("not understood", [f"{found.opaque_tokens} tokens"] if found.opaque else []),
        ("relations", [".".join(relation.parts) for relation in facts.relations]),
        ("paths", facts.paths),
        ("files", [file.pattern for file in facts.files]),
        ("other inputs", facts.opaque_inputs),
        ("functions", facts.functions),
        ("volatile", [f"{c.text} ({c.volatile_class})" for c in _calls(found, stamps=False)]),
        ("stamps", [f"{c.text} as {c.alias}" for c in _calls(found, stamps=True)]),
        ("output", facts.output_columns),
        ("assumes", [f"{relation} has no {column}" for relation, column in found.assumes]),
        ("star", ["the columns follow an input's"] if facts.star else []),
        ("order", ["the result depends on the order of rows"] if facts.order_sensitive else []),
    ]
    for label, values in rows:
        for number, value in enumerate(values):
            yield f"{label if number == 0 else '':<15} {value}"


def _calls(found: _core.Analysis, *, stamps: bool) -> list[_core.VolatileCall]:
    return [call for call in found.facts.volatile_calls if (call.use == "stamp") == stamps]


def differences(one: _core.Analysis, other: _core.Analysis) -> Iterator[str]:
    """The CTEs, columns and clauses that are new, gone or different, with both texts of each."""
    before, after = _parts(one), _parts(other)
    found = False
    keys = [*before, *(key for key in after if key not in before)]
    for key in sorted(keys, key=lambda key: key[0] == "body"):
        was, now = before.get(key), after.get(key)
        if was == now or (key[0] == "body" and found and _same_text(was, now)):
            continue
        found = True
        state = "is new" if was is None else "is gone" if now is None else "differs"
        yield f"{_label(key)} {state}"
        yield from _quoted("-", was)
        yield from _quoted("+", now)
    if not found:
        yield "in what no part of it shows"
        lines = difflib.unified_diff(
            one.text.splitlines(), other.text.splitlines(), lineterm="", n=1
        )
        yield from (f"  {line}" for line in list(lines)[2:])


def _parts(found: _core.Analysis) -> dict[tuple[str, str, int], tuple[str, str]]:
    """(hash, text) by kind, name and, of one name, number; in the order of the text."""
    parts: dict[tuple[str, str, int], tuple[str, str]] = {}
    for (kind, name, digest), text in zip(found.parts, found.part_texts, strict=True):
        number = sum(known[:2] == (kind, name) for known in parts)
        parts[kind, name, number] = digest, text
    return parts


def _same_text(was: tuple[str, str] | None, now: tuple[str, str] | None) -> bool:
    """The body's hash covers its clauses, which were told by themselves."""
    return was is not None and now is not None and was[1] == now[1]


def _label(key: tuple[str, str, int]) -> str:
    kind, name, number = key
    if kind == "body":
        return "the main query"
    words = {"cte": f"CTE {name}", "column": f"output column {name}", "clause": name}
    return words[kind] + (f" ({number + 1})" if number else "")


def _quoted(mark: str, part: tuple[str, str] | None) -> Iterator[str]:
    for line in part[1].splitlines() if part else ():
        yield f"  {mark} {line}"


def _answer_lines(source: BinaryIO, dialect: str) -> None:
    """Whatever has arrived is answered at once, on all cores."""
    rest = b""
    while chunk := source.read1(_CHUNK_BYTES):  # type: ignore[attr-defined]
        *lines, rest = (rest + chunk).split(b"\n")
        _answer(lines, dialect)
    _answer([rest], dialect)


def _answer(lines: list[bytes], dialect: str) -> None:
    asked = [_parse(line) for line in lines if line.strip()]
    good = [(line.sql, line.columns) for line in asked if not line.error]
    found = iter(_core.analyze_batch(good, dialect))
    answers = [
        {"id": line.identity, "error": line.error}
        if line.error
        else {"id": line.identity} | _fields(next(found))
        for line in asked
    ]
    if answers:
        sys.stdout.write("".join(json.dumps(answer) + "\n" for answer in answers))
        sys.stdout.flush()


def _parse(line: bytes) -> _Line:
    def bad(error: str, identity: Any = None) -> _Line:
        return _Line(identity, "", None, error)

    try:
        given = json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        return bad(f"not JSON: {error}")
    if not isinstance(given, dict):
        return bad("not an object")
    identity, text, columns = given.get("id"), given.get("sql"), given.get("columns")
    if not isinstance(text, str):
        return bad("sql is missing" if "sql" not in given else "sql is not a string", identity)
    names_ok = columns is None or (
        isinstance(columns, dict)
        and all(
            isinstance(names, list) and all(isinstance(name, str) for name in names)
            for names in columns.values()
        )
    )
    if not names_ok:
        return bad("columns is not an object of lists of names", identity)
    known = None
    if columns is not None:
        known = {relation.lower(): names for relation, names in columns.items()}
    if not _is_text(
        [text, *(known or {}), *(n for names in (known or {}).values() for n in names)]
    ):
        return bad("a lone surrogate is no text", identity)
    return _Line(identity, text, known, "")


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON value")


def _is_text(values: list[str]) -> bool:
    try:
        "".join(values).encode()
    except UnicodeEncodeError:
        return False
    return True
