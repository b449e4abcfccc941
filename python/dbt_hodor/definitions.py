"""The query inside a view's definition as DuckDB prints it.

In:  `CREATE VIEW name (columns) AS query;`
Out: the query, or None when the text has another shape.
Never: guesses: behind a definition that is not understood everything is unknown.
"""

from __future__ import annotations

import re

_NAME = r'(?:"(?:[^"]|"")*"|[^\s".(),;]+)'
_CREATE_VIEW = re.compile(
    r"\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMP(?:ORARY)?\s+)?VIEW\s+(?:IF\s+NOT\s+EXISTS\s+)?"
    rf"{_NAME}(?:\s*\.\s*{_NAME})*\s*(?:\(\s*{_NAME}(?:\s*,\s*{_NAME})*\s*\)\s*)?\bAS\b\s*(.+)",
    re.IGNORECASE | re.DOTALL,
)


def query_of_view(definition: str) -> str | None:
    """The text after `AS`."""
    matched = _CREATE_VIEW.fullmatch(definition)
    return matched.group(1) if matched else None
