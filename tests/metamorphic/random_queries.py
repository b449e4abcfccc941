"""Random queries over a few small tables, made to be ambiguous.

In:  a seed.
Out: texts of DuckDB, of which about half are valid.
Never: a text whose rows could depend on a clock, a random number or threads.

There are few names, and they are those of tables, columns, fields, aliases and functions at once.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from random_shapes import Shapes

COLUMNS: dict[str, dict[str, str]] = {
    "t": {"id": "int", "a": "int", "b": "int", "Mixed": "text", "s": "struct"},
    "u": {"id": "int", "c": "int", "A b": "int", "x": "int"},
    "w": {"a": "int", "c": "int", "t": "int", "u": "int"},
    "k": {"count": "int", "year": "int", "user": "int", "max": "int", "x": "struct", "u": "int"},
    "l": {"id": "int", "arr": "list", "q": "int"},
    "c.f": {"g": "int", "a": "int"},
    "e": {"id": "int", "c": "deep"},
}
POOL = (
    "a",
    "b",
    "c",
    "x",
    "y",
    "t",
    "u",
    "s",
    "id",
    "q",
    "n",
    "f",
    "Mixed",
    "count",
    "max",
    "A",
    "T",
    "ID",
    "a_1",
)
FIELDS = ("a", "b", "id", "x")


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
    windows: dict[str, str] = field(default_factory=dict)


def quoted(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_]\w*", name) and name not in ("user",) else f'"{name}"'


class Writer:
    """Writes random queries, of which most are valid."""

    def __init__(self, seed: int, shapes: float = 0.0) -> None:
        """`shapes`: how often an expression is of a shape that has several spellings."""
        self.random = random.Random(seed)
        self.shapes = shapes
        self.subqueries = 0  # that may still be written

    def shapes_of(self, scope: Scope) -> Shapes:
        return Shapes(self.random, lambda: self.reference(scope), lambda: self.expr(scope, 0))

    def shaped(self) -> bool:
        return self.shapes > 0 and self.chance(self.shapes)

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
        found = [
            (s, c, k)
            for s in level.sources
            for c, k in s.columns.items()
            if k in (*kinds, "struct")
        ]
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
        if depth > 0 and self.shaped():
            return self.shapes_of(scope).number()
        kind = self.random.random()
        if depth == 0 or kind < 0.4:
            return (
                self.reference(scope)
                if self.chance(0.85)
                else self.random.choice(["1", "2", "-3", "null"])
            )
        a = self.expr(scope, depth - 1)
        b = self.expr(scope, depth - 1)
        if kind < 0.65:
            return f"{a} {self.random.choice(['+', '-', '*', '%', '//'])} {b}"
        if kind < 0.7:
            return f"({a})"
        if kind < 0.72:
            return self.random.choice(
                [
                    f"list_max(list_transform([1, 2], lambda {self.pool()}: {a}))",
                    f"len([{a} for {self.pool()} in [1, 2]])",
                    f"length(({self.whole(scope)})::text)",
                    f"length({self.whole(scope)}::text)",
                    f"length(alias({self.reference(scope)}))",
                ]
            )
        if kind < 0.93 or depth == 1:
            return self.random.choice(
                [
                    f"coalesce({a}, {b})",
                    f"abs({a})",
                    f"case when {a} > {b} then {a} else {b} end",
                    f"cast({a} as bigint)",
                    f"{self.reference(scope)}::int",
                    f"greatest({a}, {b})",
                    f"-({a})",
                    f"({a} = {b})::int",
                ]
            )
        return self.subquery(scope)

    def value(self, scope: Scope) -> str:
        """An expression of any type."""
        if self.chance(0.25):
            inside = self.lone_select(scope)
            form = self.random.choice(
                ["array({})", "exists ({})", f"{self.reference(scope)} in ({{}})"]
            )
            return form.replace("{}", inside)
        a, b = self.expr(scope, 1), self.expr(scope, 1)
        return self.random.choice(
            [
                f"struct_pack({self.pool()} := {a})",
                f"{{'{self.pool()}': {a}}}",
                f"row({a}, {b})",
                f"[{a}, {b}]",
                f"struct_pack({self.reference(scope)})",
                f"({a}, {b})",
                f"typeof({self.reference(scope, ('struct',))})",
                f"to_json({self.whole(scope)})",
                self.whole(scope),
                f"alias({self.reference(scope)})",
                f"{a} = {b}",
                f"{a} is distinct from {b}",
                "#1",
                f"{a} || 'x'",
                f"{a} is null",
            ]
        )

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
        if self.shaped():
            return self.shapes_of(scope).condition()
        a, b = self.expr(scope, 1), self.expr(scope, 1)
        text = f"{a} {self.random.choice(['=', '<', '>=', '<>', 'is not distinct from'])} {b}"
        if self.chance(0.2):
            inside = self.lone_select(scope)
            text = self.random.choice(
                [f"({inside} limit 1) is not null", f"exists ({inside})", f"{a} in ({inside})"]
            )
        elif self.chance(0.2):
            text = self.random.choice(
                [f"{a} is not null", f"({text})", f"not {text}", f"{text} or {a} > 1"]
            )
        return text

    def aggregate(self, scope: Scope) -> str:
        if self.shaped():
            return self.shapes_of(scope).aggregate()
        a = self.expr(scope, 1)
        text = self.random.choice(
            [
                f"max({a})",
                f"sum({a})",
                "count(*)",
                f"count({a})",
                f"min({a})",
                f"count(distinct {a})",
                f"MAX({a})",
                f"list({a} order by {self.reference(scope)})",
            ]
        )
        return f"{text} filter (where {self.condition(scope)})" if self.chance(0.1) else text

    def window(self, scope: Scope) -> str:
        if self.shaped():
            shapes = self.shapes_of(scope)
            if self.chance(0.5):
                return f"{shapes.windowed()} over ({shapes.definition()})"
            name = self.random.choice(["w", "w", "v", "a"])
            scope.windows.setdefault(name, shapes.definition())
            return f"{shapes.windowed()} over {name}"
        inside = [f"order by {self.reference(scope)}, {self.reference(scope)}"]
        if self.chance(0.5):
            inside.insert(0, f"partition by {self.reference(scope)}")
        name = self.random.choice(
            ["row_number()", f"sum({self.expr(scope, 1)})", "rank()", "count(*)"]
        )
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
            columns = dict(zip(names, [k for _, k in kinds], strict=False)) | dict(
                kinds[len(names) :]
            )
            scope.sources.append(Named(alias, columns))
            return f"{text} as {alias}({', '.join(quoted(name) for name in names)})"
        scope.sources.append(Named(alias or own, columns))
        if not alias:
            return text
        return f"{text}{self.random.choice([' as ', ' '])}{alias}"

    def from_clause(self, scope: Scope, depth: int) -> str:
        text = self.source(scope, depth)
        for _ in range(
            self.random.choice([0, 0, 0, 1, 1, 2]) if depth else self.random.choice([0, 0, 0, 1])
        ):
            before = len(scope.sources)
            kind = self.random.choice(
                [
                    ",",
                    ",",
                    "cross join",
                    "join",
                    "left join",
                    "inner join",
                    "full outer join",
                    "semi join",
                    "anti join",
                    "natural join",
                    "using",
                    "left outer join",
                    "positional join",
                ]
            )
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
            option = self.random.choice(
                [f"exclude ({column})", f"replace (1 as {column})", f"rename ({column} as z)"]
            )
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

    def clauses(
        self, inside: Scope, source: str, texts: list[str], keys: str, grouped: bool
    ) -> str:
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
        qualify = f" qualify {self.window(inside)} = 1" if self.chance(0.06) else ""
        if inside.windows:
            named = (f"{name} as ({text})" for name, text in inside.windows.items())
            head += f" window {', '.join(named)}"
        return head + qualify

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
            kind = self.random.choice(
                ["union", "union all", "union distinct", "except", "intersect", "union by name"]
            )
            text = f"{text} {kind} {other}"
            if self.chance(0.5) and columns:
                text += f" order by {self.random.choice([*columns, self.pool()])}"
        elif self.chance(0.3):
            inside = Scope(scope.sources, list(columns), scope.ctes, scope.outer)
            text += f" order by {self.keys(inside)}{self.random.choice(['', ' desc', ' asc'])}"
            if self.chance(0.5):
                text += " limit 2"
        return f"{head}{text}", columns
