"""Random queries, small edits of them, and an engine as the judge of those with one canonical hash.

In:  a seed; a function that executes a text (an installed DuckDB, or any other).
Out: pairs of texts with one hash, with or without known columns, that give two results: other names
     of columns, types, rows, order of rows, or an error for one of them only.
Never: judges what the engine cannot execute at all; never calls a pair different for its message.

Edits are of two kinds: those that keep the meaning (a consistent rename), and those that look like
them (a rename of all places but one).

    python tests/metamorphic/random_forms.py SEED QUERIES [SHAPES]   finds pairs on the installed DuckDB
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from dbt_hodor import _core

sys.path.insert(0, str(Path(__file__).parent))

from random_queries import COLUMNS, POOL, Writer
from respellings import respellings

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
insert into k values (1, 2020, 5, 4, {a: 1, b: 2, id: 3, x: 4}, 2),
  (2, 2021, 6, 3, {a: 10, b: 20, id: 30, x: 4}, 1), (null, null, null, null, null, null);
create table l(id int, arr int[], q int);
insert into l values (1, [1, 2, 3], 4), (2, [], 5), (3, null, 6);
create table c.f(g int, a int);
insert into c.f values (1, 2), (3, 4);
create table e(id int, c struct(f struct(g int), a int));
insert into e values (1, {f: {g: 100}, a: 5}), (2, {f: {g: 200}, a: 6});
"""
KNOWN = {table: list(columns) for table, columns in COLUMNS.items()}
OWNED = {(table, column.lower()) for table, columns in COLUMNS.items() for column in columns}
NO_IDS = _core.RelationIds([])

Outcome = tuple[str, object, tuple[str, ...]]
Execute = Callable[[str], Outcome]

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
        return [
            i
            for i in names
            if i + 2 < len(parts) and parts[i + 1] == "." and (i == 0 or parts[i - 1] != ".")
        ]

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
        places = [
            i for i, part in enumerate(parts) if part[0].isalnum() and part.lower() not in WORDS
        ]
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
    found = _core.analyze(
        text, "duckdb", [], NO_IDS, None, usual_settings=True, columns=KNOWN if known else None
    )
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

    def __str__(self) -> str:
        return f"{self.what} (columns {'known' if self.known else 'not known'})\n  {self.a}\n  {self.b}"


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


def variants_of(text: str, editor: Editor, count: int, respelled: bool) -> list[str]:
    """The text and small edits of it and of each other. `respelled`: most of them by respellings.py."""
    texts = [text]
    if respelled:
        texts = list(respellings(text, editor.random, count))
        count //= 4
    for _ in range(count):
        texts.append(editor.variant(editor.random.choice(texts[:8]) if len(texts) > 4 else text))
    return list(dict.fromkeys(texts))


def attack(
    seed: int, queries: int, execute: Execute, variants: int = 30, shapes: float = 0.0
) -> Tally:
    """Queries from one seed, each with its variants. `shapes`: the share of expressions of shapes that
    have several spellings; above 0 most variants are respellings."""
    writer, editor, tally = Writer(seed, shapes), Editor(seed), Tally()
    for _ in range(queries):
        texts = variants_of(writer.text(), editor, variants, shapes > 0)
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
    shapes = float(sys.argv[3]) if len(sys.argv) > 3 else 0.0
    tally = attack(int(sys.argv[1]), int(sys.argv[2]), Engine(), shapes=shapes)
    for finding in tally.findings:
        print(finding)
    print(
        f"{tally.queries} queries, {tally.texts} texts, {tally.groups} groups, {tally.judged} with a result,"
        f" {len(tally.findings)} findings"
    )


if __name__ == "__main__":
    main()
