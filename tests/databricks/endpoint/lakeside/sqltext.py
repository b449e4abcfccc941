"""Turn Databricks SQL into SQL that open-source Spark + Delta runs.

Names are rewritten token by token, so string literals stay as they are; comments are dropped.
The other rewrites match a whole statement, in the shapes dbt-databricks writes. A statement that
matches none of them goes to Spark unchanged, and Spark reports its own error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""(?P<space>\s+|--[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)
      | (?P<string>[rR]?'(?:[^'\\]|\\.|'')*'|[rR]?"(?:[^"\\]|\\.|"")*")
      | (?P<quoted>`(?:[^`]|``)*`)
      | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<other>\d+\w*|.)""",
    re.VERBOSE | re.DOTALL,
)
SESSION_CATALOG = "spark_catalog"
INFO = "__info_"  # prefix of the temp views that stand for information_schema


@dataclass
class Token:
    kind: str
    text: str

    @property
    def name(self) -> str:
        """The identifier this token names, in lower case; empty for other tokens."""
        if self.kind == "quoted":
            return self.text[1:-1].replace("``", "`").lower()
        return self.text.lower() if self.kind == "word" else ""


@dataclass
class Rewritten:
    sql: str
    info_views: set[str] = field(default_factory=set)  # information_schema views it reads
    histories: dict[str, str] = field(default_factory=dict)  # temp view: DESCRIBE HISTORY text


def tokens(sql: str) -> list[Token]:
    return [Token(m.lastgroup or "other", m.group()) for m in _TOKEN.finditer(sql)]


def significant(toks: list[Token]) -> list[Token]:
    return [t for t in toks if t.kind != "space"]


def _chain(toks: list[Token], i: int) -> list[int]:
    """Positions of the parts of a dotted name that starts at token i."""
    parts = [i]
    while i + 2 < len(toks) and toks[i + 1].text == "." and toks[i + 2].name:
        i += 2
        parts.append(i)
    return parts


# Statements in which a one- or two-part name can start with a catalog.
_NAMESPACE_VERBS = {"show", "use", "create", "drop", "describe", "desc", "alter", "comment"}
_NAMESPACE_WORDS = {
    "in",
    "from",
    "catalog",
    "schema",
    "schemas",
    "database",
    "databases",
    "exists",
    "namespace",
    "use",
}


def rewrite_names(sql: str, catalogs: set[str]) -> Rewritten:
    """Map catalog names to Spark's session catalog and information_schema to temp views."""
    toks = tokens(sql)
    solid = significant(toks)
    out = Rewritten("")
    i = 0
    verb = solid[0].name if solid else ""
    kind = next(
        (
            t.name
            for t in solid[1:6]
            if t.name
            in (
                "schema",
                "schemas",
                "database",
                "databases",
                "catalog",
                "table",
                "tables",
                "view",
                "views",
            )
        ),
        "",
    )
    while i < len(solid):
        if not solid[i].name or (i and solid[i - 1].text == "."):
            i += 1
            continue
        parts = _chain(solid, i)
        names = [solid[p].name for p in parts]
        if len(parts) >= 3 and names[1] == "information_schema":
            view = names[2]
            out.info_views.add(view)
            solid[parts[0]].text = INFO + view
            for p in range(parts[0] + 1, parts[2] + 1):
                solid[p].text = ""
        elif names[0] in catalogs:
            short_ok = (
                verb in _NAMESPACE_VERBS
                and i
                and solid[i - 1].name in _NAMESPACE_WORDS
                and (verb in ("show", "use") or kind in ("schema", "database", "catalog"))
            )
            if (
                len(parts) == 3
                and i > 1
                and (solid[i - 2].name, solid[i - 1].name) == ("rename", "to")
            ):
                for p in range(parts[0], parts[1]):  # RENAME TO takes no catalog
                    solid[p].text = ""
            elif len(parts) >= 3 or short_ok:
                solid[parts[0]].text = SESSION_CATALOG
        i = parts[-1] + 1
    out.sql = _HISTORY_SUBQUERY.sub(
        lambda m: _history_view(out, m.group(1)), "".join(t.text for t in toks)
    )
    return out


def _history_view(out: Rewritten, describe: str) -> str:
    name = f"__history_{len(out.histories)}"
    out.histories[name] = describe
    return name


_NAME = r"(?:`(?:[^`]|``)*`|\w+)"
_TABLE = rf"{_NAME}(?:\.{_NAME})*"
# (DESCRIBE HISTORY t) as a table reference: Databricks runs it, Spark's grammar does not.
_HISTORY_SUBQUERY = re.compile(
    rf"\(\s*(DESC(?:RIBE)?\s+HISTORY\s+{_TABLE}(?:\s+LIMIT\s+\d+)?)\s*\)", re.I
)
_COMMENT_ON_COLUMN = re.compile(
    rf"COMMENT\s+ON\s+COLUMN\s+({_TABLE})\.({_NAME})\s+IS\s+(.*)", re.I | re.S
)
_BY_NAME_REPLACE = re.compile(
    rf"INSERT\s+INTO\s+(?:TABLE\s+)?({_TABLE})\s+BY\s+NAME\s+REPLACE\s+WHERE\s+(.*?)"
    rf"\s+TABLE\s+({_TABLE})\s*",
    re.I | re.S,
)
REPLACE_ON = re.compile(
    rf"INSERT\s+INTO\s+(?:TABLE\s+)?(?P<table>{_TABLE})\s+AS\s+(?P<target>{_NAME})\s+REPLACE\s+ON"
    rf"\s+\((?P<on>.*)\)\s*\((?P<source>\s*SELECT\b.*)\)\s*AS\s+(?P<alias>{_NAME})\s*",
    re.I | re.S,
)
_KEY_PAIR = re.compile(rf"\s*({_NAME})\.({_NAME})\s*<=>\s*({_NAME})\.({_NAME})\s*", re.I)
DELETE_IN = re.compile(
    rf"(?P<head>DELETE\s+FROM\s+{_TABLE}\s+WHERE\s+(?P<key>{_TABLE}|\([^()]*\))\s+IN\s*)"
    rf"\((?P<source>\s*SELECT\b.*)\)(?P<tail>(?:\s+AND\b.*)?)",
    re.I | re.S,
)
# Unity Catalog metadata that open-source Delta has no place for.
_NO_OP = re.compile(
    rf"ALTER\s+\w+(?:\s+\w+)?\s+{_TABLE}\s+(?:ALTER\s+COLUMN\s+{_NAME}\s+)?(?:UN)?SET\s+TAGS\b.*"
    rf"|(?:UN)?SET\s+TAGS?\s+ON\b.*|GRANT\b.*|REVOKE\b.*"
    rf"|ALTER\s+TABLE\s+{_TABLE}\s+ADD\s+CONSTRAINT\s+{_NAME}\s+(?:PRIMARY|FOREIGN)\s+KEY\b.*",
    re.I | re.S,
)


def view_text(sql: str) -> tuple[list[str], str] | None:
    """The name of the view that a statement makes, and its query exactly as it was written."""
    toks = tokens(sql)
    solid = [i for i, token in enumerate(toks) if token.kind != "space"]
    words = [toks[i].name for i in solid[:8]]
    if not words or words[0] not in ("create", "alter") or "view" not in words[1:4]:
        return None
    at = words.index("view") + 1
    while toks[solid[at]].name in ("if", "not", "exists") and toks[solid[at + 1]].text != ".":
        at += 1
    parts = _chain([toks[i] for i in solid], at)
    depth = 0
    for place in solid[parts[-1] + 1 :]:
        token = toks[place]
        depth += (token.text == "(") - (token.text == ")")
        if token.name == "as" and depth == 0:
            query = "".join(t.text for t in toks[place + 1 :]).strip().rstrip(";").strip()
            return [toks[solid[part]].name for part in parts], query
    return None


def strip_comments(sql: str) -> str:
    return (
        "".join(" " if t.kind == "space" and t.text[0] in "-/" else t.text for t in tokens(sql))
        .strip()
        .rstrip(";")
        .strip()
    )


def statements(sql: str) -> list[str]:
    """Spark statements for one Databricks statement; none for a no-op."""
    sql = strip_comments(sql)
    if _NO_OP.fullmatch(sql):
        return []
    if m := _COMMENT_ON_COLUMN.fullmatch(sql):
        table, column, text = m.groups()
        text = "''" if text.strip().lower() == "null" else text
        return [f"ALTER TABLE {table} ALTER COLUMN {column} COMMENT {text}"]
    if m := _BY_NAME_REPLACE.fullmatch(sql):
        # Spark 4.1 has BY NAME and REPLACE WHERE, but not both in one INSERT.
        table, where, source = m.groups()
        return [
            f"INSERT INTO {table} REPLACE WHERE {where} SELECT {{columns:{table}}} FROM {source}"
        ]
    return [sql]


def key_pairs(on: str) -> list[tuple[str, str]]:
    """(target column, source column) for each `t.a <=> s.b` of a REPLACE ON condition."""
    pairs = []
    for part in re.split(r"\s+AND\s+", on, flags=re.I):
        match = _KEY_PAIR.fullmatch(part)
        if not match:
            raise NotImplementedError(f"REPLACE ON {on}")
        pairs.append((match.group(2), match.group(4)))
    return pairs
