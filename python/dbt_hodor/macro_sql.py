"""What the SQL in a macro's text names and calls, by its words: such text is a fragment, no query.

In:  pieces of SQL with their Jinja taken out, or whole macros.
Out: whether a relation or file is named, and which words are values of the moment or calls.
Never: parses; says "nothing" of a word that it does not know to be harmless.
"""

from __future__ import annotations

import re

from dbt_hodor import _core

_NOT_SQL = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|--[^\n]*|/\*.*?\*/", re.DOTALL)
_CTE = re.compile(r"(\w+)\s+as\s*(?:(?:not\s+)?materialized\s*)?\(", re.IGNORECASE)
_TABLE = re.compile(
    r"(?<!distinct\s)\b(?:from|join|using|into|update)\s+"
    r"(?!set\b|lateral\b|by\b|system\.|information_schema\.|duckdb_|(?:unnest|range|generate_series)\()"
    r"(['\"]?\w[\w\"'.]*)|\b(?:read_\w+|\w+_scan|glob|query|query_table)\s*\(",
    re.IGNORECASE,
)
"""A relation or file that the SQL of a macro names itself; the engine's own catalogs left out."""

_WORD = re.compile(r"(?<![\w\x00.\"])[A-Za-z_]\w*")
_CALL = re.compile(r"\b([A-Za-z_]\w*)\s*[(\x00]")
_DOTTED = re.compile(r"\s*\"?\w+\"?(?:\.\"?\w+\"?)+\s*$")
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)


def names_a_dotted(text: str) -> bool:
    """Whether a string literal may be the name of a relation."""
    return bool(_DOTTED.match(text))


def words_of(sql: str) -> set[str]:
    """Words in lower case, without those after a dot."""
    return {word.lower() for word in _WORD.findall(sql)}


def calls_of(sql: str) -> set[str]:
    """Words before a bracket, or before Jinja that may give one."""
    return {word.lower() for word in _CALL.findall(sql)}


def without_comments(sql: str) -> str:
    """The text without its comments."""
    return _COMMENT.sub(" ", sql)


_SAMPLES = frozenset({"sample", "tablesample"})
_volatile: dict[str, bool] = {}


def is_volatile(word: str) -> bool:
    """Whether DuckDB reads a word or a call as a value of the moment."""
    if word in _SAMPLES:
        return True
    known = _volatile.get(word)
    if known is None:
        text = f"select 1 where {word} is null"
        analysis = _core.analyze(text, "duckdb", [], _core.RelationIds([]), None)
        known = _volatile[word] = bool(analysis.facts.volatile_calls)
    return known


def names_a_relation(macro_sql: str) -> bool:
    """Whether the SQL of a macro names a relation or file outside its Jinja."""
    sql = _NOT_SQL.sub(" \x00 ", macro_sql)
    own = {name.lower() for name in _CTE.findall(sql)}
    # Without a name it is a function that reads something.
    return any(name.lower() not in own for name in _TABLE.findall(sql))
