"""Which writes a node's statements make to its own table, by the kind of commit that each leaves.

In:  the statements that dbt ran for a node, in their order; the node's relation.
Out: the names of writes for `DeltaHistory.are_ours`, and whether the table was begun anew.
Never: guesses: a statement that is not known by its first words makes the answer None.

A table may be made under another name and renamed: its commits come with it, so writes are kept by
name until the end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_PART = r"(?:`(?:[^`]|``)+`|[\w-]+)"
_NAME = rf"({_PART}(?:\s*\.\s*{_PART}){{0,3}})"
_SPACE = re.compile(r"\s+|--[^\n]*(?:\n|$)|/\*.*?\*/", re.DOTALL)


def _pattern(text: str) -> re.Pattern[str]:
    spaced = text.replace(" ", r"\s+").replace("NAME", _NAME)
    return re.compile(spaced, re.IGNORECASE)


_WRITES = (
    (_pattern(r"create (?:or replace )?table (?:if not exists )?NAME"), "create"),
    (_pattern(r"insert (?:into|overwrite) (?:table )?NAME"), "write"),
    (_pattern(r"merge (?:with schema evolution )?into NAME"), "merge"),
    (_pattern(r"delete from NAME"), "delete"),
    (_pattern(r"update NAME"), "update"),
    (_pattern(r"truncate table NAME"), "truncate"),
    (_pattern(r"alter table NAME (?:add|drop|rename|replace) columns?\b"), "columns"),
    (_pattern(r"alter table NAME (?:alter|change)\b"), "change_column"),
)
_COLUMN_COMMENT = _pattern(r"comment on column NAME")
_DROP = _pattern(r"drop table (?:if exists )?NAME")
_RENAME = _pattern(r"alter table NAME rename to NAME")
_NO_WRITE = re.compile(
    r"(?:select|with|show|describe|desc|explain|use|set|grant|revoke|optimize|vacuum|analyze|comment\s+on"
    r"\s+(?:table|view|schema|catalog)|create\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+)?view|drop\s+view"
    r"|alter\s+view|create\s+schema|refresh|unset\s+tag"
    rf"|alter\s+table\s+{_NAME}\s+(?:set|unset|cluster\s+by|add\s+constraint|drop\s+constraint|owner))\b",
    re.IGNORECASE,
)


@dataclass
class _Table:
    writes: list[str] = field(default_factory=list)
    is_new: bool = False
    """What stood under this name before is gone."""


def _key(name: str) -> str:
    parts = re.findall(_PART, name)
    return ".".join(part.strip("`").replace("``", "`").lower() for part in parts)


class _Follower:
    """Walks through the statements of one node."""

    def __init__(self) -> None:
        self.tables: dict[str, _Table] = {}

    def table(self, name: str) -> _Table:
        return self.tables.setdefault(_key(name), _Table())

    def follow(self, sql: str) -> bool:
        """Whether the statement was understood."""
        start = 0
        while found := _SPACE.match(sql, start):
            start = found.end()
        text = sql[start:]
        renamed = _RENAME.match(text)
        if renamed:
            moved = self.tables.pop(_key(renamed.group(1)), _Table())
            moved.is_new = True
            self.tables[_key(renamed.group(2))] = moved
            return True
        dropped = _DROP.match(text)
        if dropped:
            self.tables[_key(dropped.group(1))] = _Table(is_new=True)
            return True
        commented = _COLUMN_COMMENT.match(text)
        if commented:
            table = _key(commented.group(1)).rsplit(".", 1)[0]
            self.tables.setdefault(table, _Table()).writes.append("change_column")
            return True
        if _NO_WRITE.match(text):
            return True
        for pattern, write in _WRITES:
            matched = pattern.match(text)
            if matched:
                self.table(matched.group(1)).writes.append(write)
                return True
        return not text


def writes_of(statements: Sequence[str], relation: Sequence[str]) -> tuple[list[str], bool] | None:
    """(writes to this relation, whether its history begins with them); None when not all of the
    statements are understood."""
    follower = _Follower()
    for sql in statements:
        if not follower.follow(sql):
            return None
    names = {".".join(part.lower() for part in relation[-count:]) for count in (2, 3)}
    found = [table for key, table in follower.tables.items() if key in names]
    if len(found) != 1:
        return ([], False) if not found else None
    return found[0].writes, found[0].is_new
