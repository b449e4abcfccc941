"""Random queries, small edits of them, and an engine as the judge of those with one canonical hash.

In:  a seed; a function that executes a text (an installed DuckDB, or any other).
Out: pairs of texts with one hash, both with and without known columns, that give two results: other
     names of columns, types, rows, order of rows, or an error for one of them only.
Never: judges what the engine cannot execute at all; never calls a pair different for its message.

The queries are made to be ambiguous: few names, which are those of tables, columns, fields, aliases
and functions at once. Edits are of two kinds: those that keep the meaning (a consistent rename), and
those that look like them (a rename of all places but one).

    python tests/metamorphic/random_forms.py SEED QUERIES     finds pairs on the installed DuckDB
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import duckdb

from dbt_hodor import _core

COLUMNS: dict[str, dict[str, str]] = {
    "t": {"id": "int", "a": "int", "b": "int", "Mixed": "text", "s": "struct"},
    "u": {"id": "int", "c": "int", "A b": "int", "x": "int"},
    "w": {"a": "int", "c": "int", "t": "int", "u": "int"},
    "k": {"count": "int", "year": "int", "user": "int", "max": "int", "x": "struct", "u": "int"},
    "l": {"id": "int", "arr": "list", "q": "int"},
    "c.f": {"g": "int", "a": "int"},
    "e": {"id": "int", "c": "deep"},
}
SETUP = """
create schema c;
create table t(id int, a int, b int, "Mixed" varchar, s struct(a int, b int, id int, x int));
insert into t values (1, 10, 3, 'm', {a: 1, b: 2, id: 9, x: 5}), (2, 20, 2, 'M', {a: 3, b: 4, id: 8, x: 6}),
  (2, 20, 2, 'M', {a: 3, b: 4, id: 8, x: 6}), (3, null, 1, null, null),
  (null, 5, null, 'z', {a: null, b: 7, id: 7, x: 1}), (4, 1, 20, 'q', {a: 2, b: 2, id: 2, x: 2});
create table u(id int, c int, "A b" int, x int);
insert into u values (1, 7, 1, 3), (2, 8, 2, 10), (2, 9, 3, 20), (5, null, 4, 2), (null, 1, 5, null);
create table w(a int, c int, t int, u int);
insert into w values (10, 7, 1, 2), (20, null, 2, 1), (1, 3, 3, 3), (5, 5, null, 2);
create table k(count int, "year" int, "user" int, "max" int, x struct(a int, b int, id int, x int), u int);
insert into k values (1, 2020, 5, 4, {a: 1, b: 2, id: 3, x: 4}, 2), (2, 2021, 6, 3, {a: 10, b: 20, id: 30, x: 4}, 1),
  (null, null, null, null, null, null);
create table l(id int, arr int[], q int);
insert into l values (1, [1, 2, 3], 4), (2, [], 5), (3, null, 6);
create table c.f(g int, a int);
insert into c.f values (1, 2), (3, 4);
create table e(id int, c struct(f struct(g int), a int));
insert into e values (1, {f: {g: 100}, a: 5}), (2, {f: {g: 200}, a: 6});
"""
KNOWN = {table: list(columns) for table, columns in COLUMNS.items()}
OWNED = {(table, column.lower()) for table, columns in COLUMNS.items() for column in columns}
POOL = ("a", "b", "c", "x", "y", "t", "u", "s", "id", "q", "n", "f", "Mixed", "count", "max", "A", "T", "ID")
FIELDS = ("a", "b", "id", "x")
NO_IDS = _core.RelationIds([])

Outcome = tuple[str, object, tuple[str, ...]]
Execute = Callable[[str], Outcome]


@dataclass
class Named:
    """A source of a FROM, or a CTE: its name, and the kinds of its columns by name."""

    name: str
    columns: dict[str, str]


@dataclass
class Scope:
    sources: list[Named] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    ctes: list[Named] = field(default_factory=list)
    outer: Scope | None = None


def quoted(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_]\w*", name) and name not in ("user",) else f'"{name}"'


class Writer:
    """Writes random queries, of which most are valid."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.subqueries = 0  # that may still be written

    def text(self) -> str:
        self.subqueries = self.random.choice([0, 1, 2, 2])
        return self.query(Scope(), 2)[0]

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def pool(self) -> str:
        return self.random.choice(POOL)

    # -- expressions ------------------------------------------------------------------------------

    def reference(self, scope: Scope, kinds: Sequence[str] = ("int",)) -> str:
        """A column that the scope has, now and then one that it may not have."""
        if self.chance(0.04):
            return self.pool()
        if scope.aliases and self.chance(0.2):
            return self.random.choice(scope.aliases)
        level: Scope = scope
        while level.outer is not None and (not level.sources or self.chance(0.25)):
            level = level.outer
        found = [(s, c, k) for s in level.sources for c, k in s.columns.items() if k in (*kinds, "struct")]
        if not found:
            return "1" if "int" in kinds else "null"
        source, column, kind = self.random.choice(found)
        text = quoted(column)
        owners = [s for s in level.sources for c in s.columns if c.lower() == column.lower()]
        if source.name and (self.chance(0.5) or (len(owners) > 1 and self.chance(0.95))):
            text = f"{source.name}.{text}"
        if kind == "struct" and "struct" not in kinds:
            text += f".{self.random.choice(FIELDS)}"
        return text

    def expr(self, scope: Scope, depth: int = 2) -> str:
        kind = self.random.random()
        if depth == 0 or kind < 0.4:
            return self.reference(scope) if self.chance(0.85) else self.random.choice(["1", "2", "-3", "null"])
        a = self.expr(scope, depth - 1)
        b = self.expr(scope, depth - 1)
        if kind < 0.65:
            return f"{a} {self.random.choice(['+', '-', '*', '%', '//'])} {b}"
        if kind < 0.7:
            return f"({a})"
        if kind < 0.72:
            return self.random.choice([
                f"list_max(list_transform([1, 2], lambda {self.pool()}: {a}))", f"len([{a} for {self.pool()} in [1, 2]])",
                f"length(({self.whole(scope)})::text)", f"length({self.whole(scope)}::text)",
                f"length(alias({self.reference(scope)}))",
            ])  # fmt: skip
        if kind < 0.93 or depth == 1:
            return self.random.choice([
                f"coalesce({a}, {b})", f"abs({a})", f"case when {a} > {b} then {a} else {b} end",
                f"cast({a} as bigint)", f"{self.reference(scope)}::int", f"greatest({a}, {b})", f"-({a})",
                f"({a} = {b})::int",
            ])  # fmt: skip
        return self.subquery(scope)

    def value(self, scope: Scope) -> str:
        """An expression of any type."""
        if self.chance(0.25):
            inside = self.lone_select(scope)
            form = self.random.choice(["array({})", "exists ({})", f"{self.reference(scope)} in ({{}})"])
            return form.replace("{}", inside)
        a, b = self.expr(scope, 1), self.expr(scope, 1)
        return self.random.choice([
            f"struct_pack({self.pool()} := {a})", f"{{'{self.pool()}': {a}}}", f"row({a}, {b})", f"[{a}, {b}]",
            f"struct_pack({self.reference(scope)})", f"({a}, {b})", f"typeof({self.reference(scope, ('struct',))})",
            f"to_json({self.whole(scope)})", self.whole(scope), f"alias({self.reference(scope)})", f"{a} = {b}",
            f"{a} is distinct from {b}", "#1", f"{a} || 'x'", f"{a} is null",
        ])  # fmt: skip

    def whole(self, scope: Scope) -> str:
        names = [source.name for source in scope.sources if source.name]
        return self.random.choice(names) if names else "1"

    def lone_select(self, scope: Scope) -> str:
        """Of one column. There are few in one text, and they are small."""
        if self.subqueries == 0:
            return "select 1"
        self.subqueries -= 1
        return self.select(Scope(ctes=scope.ctes, outer=scope), 0, items=1)[0]

    def subquery(self, scope: Scope) -> str:
        return f"({self.lone_select(scope)} limit 1)"

    def condition(self, scope: Scope) -> str:
        a, b = self.expr(scope, 1), self.expr(scope, 1)
        text = f"{a} {self.random.choice(['=', '<', '>=', '<>', 'is not distinct from'])} {b}"
        if self.chance(0.2):
            inside = self.lone_select(scope)
            text = self.random.choice([f"({inside} limit 1) is not null", f"exists ({inside})", f"{a} in ({inside})"])
        elif self.chance(0.2):
            text = self.random.choice([f"{a} is not null", f"({text})", f"not {text}", f"{text} or {a} > 1"])
        return text

    def aggregate(self, scope: Scope) -> str:
        a = self.expr(scope, 1)
        text = self.random.choice([
            f"max({a})", f"sum({a})", "count(*)", f"count({a})", f"min({a})", f"count(distinct {a})", f"MAX({a})",
            f"list({a} order by {self.reference(scope)})",
        ])  # fmt: skip
        return f"{text} filter (where {self.condition(scope)})" if self.chance(0.1) else text

    def window(self, scope: Scope) -> str:
        inside = [f"order by {self.reference(scope)}, {self.reference(scope)}"]
        if self.chance(0.5):
            inside.insert(0, f"partition by {self.reference(scope)}")
        name = self.random.choice(["row_number()", f"sum({self.expr(scope, 1)})", "rank()", "count(*)"])
        return f"{name} over ({' '.join(inside)})"

    # -- FROM -------------------------------------------------------------------------------------

    def table_alias(self, always: bool = False) -> str:
        if not always and self.chance(0.4):
            return ""
        return self.pool().lower() if self.chance(0.8) else self.random.choice(["p", "r", "z"])

    def source(self, scope: Scope, depth: int) -> str:
        kind = self.random.random()
        if scope.ctes and kind < 0.4:
            named = self.random.choice(scope.ctes)
            text, columns, own = named.name, named.columns, named.name
        elif kind < 0.72 or depth == 0:
            own = self.random.choice(list(COLUMNS))
            text, columns, own = own, COLUMNS[own], own.split(".")[-1]
        elif kind < 0.92:
            inner = Scope(ctes=scope.ctes, outer=scope if self.chance(0.4) else None)
            text, columns = self.query(inner, depth - 1)
            text, own = f"({text})", ""
            if inner.outer is not None and self.chance(0.7):
                text = f"lateral {text}"
        elif kind < 0.96:
            text, columns, own = "(values (1, 2), (3, null))", {"col0": "int", "col1": "int"}, ""
        else:
            column = self.reference(scope, ("list",)) if self.chance(0.4) else "[1, 2]"
            text, columns, own = f"unnest({column})", {"unnest": "int"}, "unnest"
        alias = self.table_alias(not own)
        if alias and self.chance(0.15):
            names = [self.pool() for _ in range(min(len(columns), self.random.randint(1, 2)))]
            kinds = list(columns.items())
            columns = dict(zip(names, [k for _, k in kinds], strict=False)) | dict(kinds[len(names) :])
            scope.sources.append(Named(alias, columns))
            return f"{text} as {alias}({', '.join(quoted(name) for name in names)})"
        scope.sources.append(Named(alias or own, columns))
        if not alias:
            return text
        return f"{text}{self.random.choice([' as ', ' '])}{alias}"

    def from_clause(self, scope: Scope, depth: int) -> str:
        text = self.source(scope, depth)
        for _ in range(self.random.choice([0, 0, 0, 1, 1, 2]) if depth else self.random.choice([0, 0, 0, 1])):
            before = len(scope.sources)
            kind = self.random.choice([",", ",", "cross join", "join", "left join", "inner join", "full outer join",
                                       "semi join", "anti join", "natural join", "using", "left outer join",
                                       "positional join"])  # fmt: skip
            if kind == "natural join" and self.chance(0.8):
                kind = "cross join"
            if kind == "using":
                right = self.source(scope, depth)
                left_names = {c.lower() for s in scope.sources[:before] for c in s.columns}
                both = [c for c in scope.sources[-1].columns if c.lower() in left_names]
                key = quoted(self.random.choice(both)) if both else ""
                side = self.random.choice(["join", "left join", "full join"])
                text = f"{text} {side} {right} using ({key})" if key else f"{text}, {right}"
                continue
            text = f"{text}{kind}" if kind == "," else f"{text} {kind}"
            text += " " + self.source(scope, depth)
            if kind not in (",", "cross join", "natural join", "positional join"):
                text += f" on {self.condition(scope)}"
            if kind in ("semi join", "anti join") and self.chance(0.9):
                del scope.sources[before:]
        return f"({text})" if self.chance(0.06) and " " in text and "," not in text else text

    # -- queries ----------------------------------------------------------------------------------

    def item(self, scope: Scope, grouped: bool) -> tuple[str, str, str]:
        """Text, the name that it gives, its kind."""
        kind = self.random.random()
        if grouped and kind < 0.5:
            text = self.aggregate(scope)
        elif kind < 0.55:
            text = self.reference(scope)
            if self.chance(0.5):
                return text, text.split(".")[-1].strip('"'), "int"
        elif kind < 0.62 and not grouped:
            text = self.value(scope)
            name = self.pool() if self.chance(0.7) else ""
            return f"{text} as {name}" if name else text, name, "other"
        elif kind < 0.66 and not grouped:
            text = self.window(scope)
        else:
            text = self.expr(scope)
        if self.chance(0.25):
            return text, "", "int"
        name = self.pool()
        if self.chance(0.1):
            return f"{name}: {text}", name, "int"
        return f"{text}{self.random.choice([' as ', ' as ', ' as '])}{name}", name, "int"

    def star(self, scope: Scope) -> tuple[str, dict[str, str]]:
        columns: dict[str, str] = {}
        for source in scope.sources:
            columns |= source.columns
        named = self.random.choice(scope.sources)
        if named.name and self.chance(0.4):
            return f"{named.name}.*", named.columns
        if self.chance(0.15) and columns:
            column = quoted(self.random.choice(list(columns)))
            option = self.random.choice([f"exclude ({column})", f"replace (1 as {column})", f"rename ({column} as z)"])
            return f"* {option}", columns
        return "*", columns

    def keys(self, scope: Scope, position: bool = True) -> str:
        names = [self.reference(scope) if self.chance(0.7) else self.expr(scope, 1)]
        if position and self.chance(0.15):
            names = ["1"]
        if self.chance(0.4):
            names.append(self.reference(scope))
        return ", ".join(f"({name})" if self.chance(0.05) else name for name in names)

    def select(self, scope: Scope, depth: int, items: int = 0) -> tuple[str, dict[str, str]]:
        source = self.from_clause(scope, depth)
        grouped = self.chance(0.25)
        texts: list[str] = []
        columns: dict[str, str] = {}
        keys = self.keys(scope) if grouped else ""
        inside = Scope(scope.sources, [], scope.ctes, scope.outer)
        for _ in range(items or self.random.choice([1, 2, 2, 3])):
            if not items and not grouped and self.chance(0.15):
                text, more = self.star(scope)
                texts.append(text)
                columns |= more
                continue
            if grouped and texts == [] and self.chance(0.5) and not items:
                text, name, kind = keys.split(",")[0].strip("()"), "", "int"
                if self.chance(0.5):
                    name = self.pool()
                    text = f"{text} as {name}"
            else:
                text, name, kind = self.item(inside, grouped)
            texts.append(text)
            if name:
                columns[name] = kind
            if name and kind == "int":
                inside.aliases.append(name)
        return self.clauses(inside, source, texts, keys, grouped), columns

    def clauses(self, inside: Scope, source: str, texts: list[str], keys: str, grouped: bool) -> str:
        distinct = ""
        if self.chance(0.1):
            distinct = "distinct "
        elif self.chance(0.05):
            distinct = f"distinct on ({self.keys(inside, False)}) "
        head = f"select {distinct}{', '.join(texts)} from {source}"
        if not distinct and self.chance(0.06):
            head = f"from {source} select {', '.join(texts)}"
        if self.chance(0.35):
            head += f" where {self.condition(inside)}"
        if grouped:
            head += f" group by {'all' if self.chance(0.1) else keys}"
            if self.chance(0.35):
                head += f" having {self.condition(inside)}"
        if self.chance(0.06):
            head += f" qualify {self.window(inside)} = 1"
        return head

    def query(self, scope: Scope, depth: int) -> tuple[str, dict[str, str]]:
        head = ""
        if self.chance(0.3 if depth == 2 else 0.08):
            recursive = self.chance(0.1)
            parts = []
            for _ in range(self.random.choice([1, 1, 2])):
                name = self.pool().lower()
                text, columns = self.query(Scope(ctes=list(scope.ctes)), max(depth - 1, 0))
                names = ""
                if columns and self.chance(0.15):
                    renamed = [self.pool() for _ in columns]
                    names = f"({', '.join(renamed)})"
                    columns = dict(zip(renamed, columns.values(), strict=True))
                parts.append(f"{name}{names} as ({text})")
                scope.ctes = [*scope.ctes, Named(name, columns)]
            head = f"with {'recursive ' if recursive else ''}{', '.join(parts)} "
        text, columns = self.select(scope, depth)
        if self.chance(0.12):
            other, _ = self.select(Scope(ctes=scope.ctes, outer=scope.outer), 0)
            kind = self.random.choice(["union", "union all", "union distinct", "except", "intersect", "union by name"])
            text = f"{text} {kind} {other}"
            if self.chance(0.5) and columns:
                text += f" order by {self.random.choice([*columns, self.pool()])}"
        elif self.chance(0.3):
            inside = Scope(scope.sources, list(columns), scope.ctes, scope.outer)
            text += f" order by {self.keys(inside)}{self.random.choice(['', ' desc', ' asc'])}"
            if self.chance(0.5):
                text += " limit 2"
        return f"{head}{text}", columns


# -- edits ------------------------------------------------------------------------------------------

TOKEN = re.compile(r"'[^']*'|\"[^\"]*\"|[A-Za-z_]\w*|\d+|::|:=|<>|//|\|\||>=|\s+|.", re.DOTALL)
WORDS = frozenset(
    """select from where group by order having qualify limit as on using join left full outer inner cross
    natural semi anti positional union all distinct except intersect with recursive lateral case when then
    else end is not null in exists and or desc asc over partition filter values cast lambda for replace
    exclude rename array unnest coalesce list row name""".split()  # noqa: SIM905 - a word list
)
INTO_NOTHING = ("as", "asc", "inner", "outer", "distinct", "all", "lateral")


def tokens_of(text: str) -> list[str]:
    return TOKEN.findall(text)


class Editor:
    """Small edits of a text, some of which keep its meaning."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.edits: list[Callable[[list[str]], None]] = [
            self.rename, self.rename, self.rename, self.rename_but_one, self.rename_inside, self.rename_one,
            self.swap_names, self.drop_qualifier, self.drop_qualifier, self.drop_qualifiers, self.qualify,
            self.change_case, self.change_all_case, self.quote, self.wrap, self.unwrap, self.drop_word,
            self.insert_word, self.copy_token, self.drop_token, self.cast,
        ]  # fmt: skip

    def names(self, parts: list[str]) -> list[int]:
        return [
            i
            for i, part in enumerate(parts)
            if (part[0].isalpha() or part[0] in '_"') and part.lower() not in WORDS
        ]

    def key(self, part: str) -> str:
        return part.strip('"').lower()

    def new_name(self, parts: list[str]) -> str:
        if self.random.random() < 0.6:
            return self.random.choice(["zz", "yy", "Zz"])
        there = [parts[i] for i in self.names(parts)]
        return self.random.choice([*POOL, *there])

    def pick(self, parts: list[str]) -> tuple[list[int], str]:
        """All places of one name, and another name."""
        names = self.names(parts)
        if not names:
            return [], ""
        key = self.key(parts[self.random.choice(names)])
        return [i for i in names if self.key(parts[i]) == key], self.new_name(parts)

    def rename(self, parts: list[str]) -> None:
        places, name = self.pick(parts)
        for place in places:
            parts[place] = name

    def rename_but_one(self, parts: list[str]) -> None:
        places, name = self.pick(parts)
        if len(places) > 1:
            places.remove(self.random.choice(places))
        for place in places:
            parts[place] = name

    def rename_one(self, parts: list[str]) -> None:
        places, name = self.pick(parts)
        if places:
            parts[self.random.choice(places)] = name

    def rename_inside(self, parts: list[str]) -> None:
        """In one pair of parentheses, or outside of it."""
        pairs = self.pairs(parts)
        places, name = self.pick(parts)
        if not pairs or not places:
            return
        begin, end = self.random.choice(pairs)
        inside = self.random.random() < 0.6
        for place in places:
            if (begin < place < end) == inside:
                parts[place] = name

    def swap_names(self, parts: list[str]) -> None:
        places, _ = self.pick(parts)
        others, _ = self.pick(parts)
        if not places or not others:
            return
        a, b = parts[places[0]], parts[others[0]]
        for place in places:
            parts[place] = b
        for place in others:
            parts[place] = a

    def qualified(self, parts: list[str]) -> list[int]:
        names = set(self.names(parts))
        return [i for i in names if i + 2 < len(parts) and parts[i + 1] == "." and (i == 0 or parts[i - 1] != ".")]

    def drop_qualifier(self, parts: list[str]) -> None:
        places = self.qualified(parts)
        if places:
            place = self.random.choice(places)
            parts[place : place + 2] = ["", ""]

    def drop_qualifiers(self, parts: list[str]) -> None:
        places = self.qualified(parts)
        if not places:
            return
        key = self.key(parts[self.random.choice(places)])
        for place in places:
            if self.key(parts[place]) == key:
                parts[place : place + 2] = ["", ""]

    def qualify(self, parts: list[str]) -> None:
        names = self.names(parts)
        if names:
            place = self.random.choice(names)
            parts[place] = f"{parts[self.random.choice(names)]}.{parts[place]}"

    def change_case(self, parts: list[str]) -> None:
        words = [i for i, part in enumerate(parts) if part[0].isalpha() or part[0] == '"']
        if words:
            place = self.random.choice(words)
            parts[place] = parts[place].swapcase()

    def change_all_case(self, parts: list[str]) -> None:
        places, _ = self.pick(parts)
        for place in places:
            parts[place] = parts[place].swapcase()

    def quote(self, parts: list[str]) -> None:
        places, _ = self.pick(parts)
        if self.random.random() < 0.5:
            places = places[:1]
        for place in places:
            part = parts[place]
            parts[place] = part.strip('"') if part[0] == '"' else f'"{part}"'

    def wrap(self, parts: list[str]) -> None:
        places = [i for i, part in enumerate(parts) if part[0].isalnum() and part.lower() not in WORDS]
        places += [begin for begin, _ in self.pairs(parts)]
        if not places:
            return
        place = self.random.choice(places)
        end = dict(self.pairs(parts)).get(place, place)
        while place > 1 and parts[place - 1] == ".":
            place -= 2
        parts[end] += ")"
        parts[place] = "(" + parts[place]

    def pairs(self, parts: list[str]) -> list[tuple[int, int]]:
        opens: list[int] = []
        found = []
        for i, part in enumerate(parts):
            if part == "(":
                opens.append(i)
            elif part == ")" and opens:
                found.append((opens.pop(), i))
        return found

    def unwrap(self, parts: list[str]) -> None:
        pairs = self.pairs(parts)
        if pairs:
            begin, end = self.random.choice(pairs)
            parts[begin] = parts[end] = " "

    def drop_word(self, parts: list[str]) -> None:
        places = [i for i, part in enumerate(parts) if part.lower() in INTO_NOTHING]
        if places:
            parts[self.random.choice(places)] = " "

    def insert_word(self, parts: list[str]) -> None:
        place = self.random.randrange(len(parts))
        parts[place] = f" {self.random.choice(INTO_NOTHING)} {parts[place]}"

    def copy_token(self, parts: list[str]) -> None:
        names = self.names(parts)
        if names:
            parts[self.random.choice(names)] = parts[self.random.choice(names)]

    def drop_token(self, parts: list[str]) -> None:
        """An alias, with its AS."""
        places = [i for i, part in enumerate(parts) if part.lower() == "as" and i + 2 < len(parts)]
        if places:
            place = self.random.choice(places)
            parts[place : place + 3] = [" ", "", ""]

    def cast(self, parts: list[str]) -> None:
        for old, new in (("::int", "::integer"), ("bigint", "int8"), ("<>", "!="), ("=", "==")):
            if old in parts and self.random.random() < 0.5:
                parts[parts.index(old)] = new

    def variant(self, text: str) -> str:
        for _ in range(self.random.choice([1, 1, 1, 2, 2, 3])):
            parts = tokens_of(text)
            self.random.choice(self.edits)(parts)
            text = "".join(parts)
        return text


# -- judging ----------------------------------------------------------------------------------------


def hash_of(text: str, known: bool) -> str | None:
    """Nothing for what has no canonical form, or takes for granted what does not hold."""
    found = _core.analyze(text, "duckdb", [], NO_IDS, None, usual_settings=True, columns=KNOWN if known else None)
    if found.tier != "canonical" or any(tuple(absence) in OWNED for absence in found.assumes):
        return None
    return str(found.code_hash)


class Engine:
    """The installed DuckDB with the tables."""

    def __init__(self) -> None:
        self.connection = duckdb.connect(":memory:", config={"threads": "1"})
        self.connection.execute(SETUP)

    def __call__(self, text: str) -> Outcome:
        try:
            result = self.connection.execute(text)
            columns = tuple((name, str(kind)) for name, kind, *_ in result.description)
            return "rows", columns, tuple(map(repr, result.fetchmany(300)))
        except duckdb.Error as error:
            if "INTERNAL" in str(error):  # the connection is of no use any more
                self.__init__()  # type: ignore[misc]
            return "error", str(error), ()


def difference(a: Outcome, b: Outcome) -> str | None:
    if a[0] == "error" and b[0] == "error":
        return None
    if a[0] != b[0]:
        return "an error"
    if a[1] != b[1]:
        return "columns"
    if sorted(a[2]) != sorted(b[2]):
        return "rows"
    return None if a[2] == b[2] else "order"


@dataclass
class Finding:
    what: str
    known: bool
    a: str
    b: str


@dataclass
class Tally:
    queries: int = 0
    texts: int = 0
    groups: int = 0  # with more than one text
    judged: int = 0  # of these, with a result
    findings: list[Finding] = field(default_factory=list)


def groups_of(texts: Sequence[str]) -> Iterator[tuple[bool, list[str]]]:
    for known in (True, False):
        found: dict[str, list[str]] = {}
        for text in texts:
            key = hash_of(text, known)
            if key is not None:
                found.setdefault(key, []).append(text)
        yield from ((known, group) for group in found.values() if len(group) > 1)


def attack(seed: int, queries: int, execute: Execute, variants: int = 30) -> Tally:
    """Queries from one seed, each with its variants."""
    writer, editor, tally = Writer(seed), Editor(seed), Tally()
    for _ in range(queries):
        text = writer.text()
        texts = [text]
        for _ in range(variants):
            texts.append(editor.variant(editor.random.choice(texts[:8]) if len(texts) > 4 else text))
        texts = list(dict.fromkeys(texts))
        tally.queries += 1
        tally.texts += len(texts)
        outcomes: dict[str, Outcome] = {}
        for known, group in groups_of(texts):
            for one in group:
                if one not in outcomes:
                    outcomes[one] = execute(one)
            tally.groups += 1
            tally.judged += any(outcomes[one][0] == "rows" for one in group)
            for other in group[1:]:
                what = difference(outcomes[group[0]], outcomes[other])
                if what is not None:
                    tally.findings.append(Finding(what, known, group[0], other))
                    break
    return tally


def main() -> None:
    tally = attack(int(sys.argv[1]), int(sys.argv[2]), Engine())
    for finding in tally.findings:
        print(f"{finding.what} (columns {'known' if finding.known else 'not known'})\n  {finding.a}\n  {finding.b}")
    print(f"{tally.queries} queries, {tally.texts} texts, {tally.groups} groups, {tally.judged} with a result,"
          f" {len(tally.findings)} findings")  # fmt: skip


if __name__ == "__main__":
    main()
