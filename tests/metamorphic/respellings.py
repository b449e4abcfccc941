"""Edits that spell a part of a query in another way: what the core's rewrites take for one, and what only
looks like it.

In:  a text of DuckDB and a random source.
Out: another text, of the same meaning or not: the caller asks an engine.
Never: the same text twice in a row on purpose; a text that is known to mean the same.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path

Edit = Callable[[str], str]

REF = r'(?:\w+\.)*(?:\w+|"[^"]+")'
INC = Path(__file__).parents[2] / "core" / "canonical" / "src" / "function_synonyms.inc"

# Pattern, then what may stand for it.
SPELLINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (rf"\bnot ({REF}) (in|between|like|ilike|glob)\b", (r"\1 not \2", r"\1 \2")),
    (rf"({REF}) not (in|between|like|ilike|glob)\b", (r"not \1 \2",)),
    (rf"\bnot ({REF}) is null\b", (r"\1 is not null", r"not \1 isnull", r"\1 is null")),
    (rf"({REF}) is not null\b", (r"not \1 is null", r"\1 notnull", r"\1 not null")),
    (r"\bis null\b", ("isnull",)),
    (r"\bisnull\b", ("is null", "notnull")),
    (r"\bnotnull\b", ("is not null",)),
    (rf"\bnot ({REF}) is not distinct from", (r"\1 is distinct from", r"not \1 is distinct from")),
    (rf"({REF}) is distinct from", (r"not \1 is not distinct from", r"\1 is not distinct from")),
    (r" like ", (" ~~ ", " ilike ")),
    (r" ~~ ", (" like ",)),
    (r" !~~ ", (" not like ",)),
    (r" ~~~ ", (" glob ",)),
    (r" \*\* ", (" ^ ",)),
    (r" \^ ", (" ** ",)),
    (r"\bwhere ", ("where true and ", "where 1 = 1 and ", "where false and ", "where 1 = 2 and ")),
    (r"\btrue and ", ("",)),
    (r" and 1 = 1", ("", " and true")),
    (r"\bon ", ("on true and ",)),
    (r"\bcross join\b", (",", "join")),
    (r"(from (?:\w+ )?\w+), ", (r"\1 cross join ", r"\1 positional join ")),
    (rf"case when ({REF}) = ([^ ]+) then", (r"case \1 when \2 then",)),
    (rf"case ({REF}) when ([^ ]+) then", (r"case when \1 = \2 then",)),
    (r" else null end", (" end", " else 0 end")),
    (r"([^ ]) end\b", (r"\1 else null end",)),
    (r"\bcount\(\*\)", ("count(1)", "count()", "count(2)", "count(null)")),
    (r"\bcount\((1|2)?\)", ("count(*)",)),
    (r"\blimit (\d+)", (r"fetch first \1 rows only", r"limit \1 offset 0", "limit all")),
    (r"$", (" limit all", " limit 3", " order by 1", " order by all", " order by 1, 2 limit 2")),
    (rf"(\b(?:order by|,) {REF}(?: desc| asc)?)", (r"\1 nulls last", r"\1 nulls first", r"\1 desc")),
    (r" nulls last", ("", " nulls first")),
    (r" nulls first", ("", " nulls last")),
    (r"\bwith recursive\b", ("with",)),
    (r"\bwith (?!recursive)", ("with recursive ",)),
    (r"\b(\d)(\d)\b", (r"\1_\2",)),
    (r"\b1e2\b", ("1E2", "1e+02", "100", "1e3")),
    (r"(?<![$'])'([^'\\]*)'", (r"$$\1$$", r"E'\1'", r"$z$\1$z$")),
    (r"\$\$([^$']*)\$\$", (r"'\1'",)),
    (r"::(?:text|varchar)\b(?!\()", ("::varchar", "::text", "::varchar(2)", "::string")),
    (r"::varchar\(\d\)", ("::varchar",)),
    (r"::decimal\b(?!\()", ("::decimal(18, 3)", "::numeric", "::decimal(18)", "::decimal(10, 0)")),
    (r"::decimal\((\d+), 0\)", (r"::decimal(\1)",)),
    (r"::decimal\((\d+)\)", (r"::decimal(\1, 0)",)),
    (r"\bdate '([^']*)'", (r"cast('\1' as date)", r"'\1'::date")),
    (r"\binterval (\d) (\w+?)s?\b", (r"interval '\1' \2", r"interval \1 \2s", r"interval \1 \2")),
    (rf"\bselect ({REF})(?=,| from)", (r"select (\1)", r"select \1 as zz", r"select \1 as \1")),
    (r"\b(?:\w+\.)(\w+)(?=,| from)", (r"\g<0> as \1",)),
    (r"(?<=[ ,.])(\w+) as \1(?=,| from)", (r"\1",)),
    (r"\bselect \*", (r"select t.*", r"select u.*", r"select x.*")),
    (r"\bselect \w+\.\*", ("select *",)),
    (r"exclude \((\w+)\)", (r"exclude \1", r"exclude (A)")),
    (rf"(\b(?:union|union all|except|intersect) select {REF})(?=,| from)", (r"\1 as zz", r"\1 as yy")),
    (r" as (?:zz|yy)(?=,| from)", ("", " as yy")),
    (r"\b(\w+) as \(select (\w+) as (\w+) from", (r"\1(\3) as (select \2 from",)),
    (r"\b(\w+)\((\w+)\) as \(select (\w+) from", (r"\1 as (select \3 as \2 from",)),
    (r"rows between (\w+ preceding|current row) and current row", (r"rows \1",)),
    (r"rows (\w+ preceding|current row)", (r"rows between \1 and current row", r"range \1")),
    (r"\barray\[", ("[",)),
    (r"(?<=[ (])\[", ("array[",)),
    (r"\btrim\(both from ", ("trim(",)),
    (r"\btrim\((?!both|'|from)", ("trim(both from ", "trim(leading from ")),
    (r"\bsubstring\(([^(),]+) from ([^(),]+)\)", (r"substring(\1, \2)",)),
    (r"\bsubstring\(([^(),]+), ([^(),]+)\)", (r"substring(\1 from \2)",)),
    (r"\blag\(([^(),]+)\)", (r"lag(\1, 1)", r"lag(\1, 2)")),
    (r"\blag\(([^(),]+), 1\)", (r"lag(\1)",)),
    (r"\blead\(([^(),]+)\)", (r"lead(\1, 1)",)),
    (r"collate nocase", ("collate NOCASE", "")),
    (r" and \(([^()]* and [^()]*)\)", (r" and \1",)),
    (r" or \(([^()]* or [^()]*)\)", (r" or \1",)),
    (rf"\bon ({REF}) = ({REF})", (r"on \2 = \1", r"on \1 is not distinct from \2")),
    (r"\bselect distinct ", ("select ",)),
    (r"\bgroup by (?!all)[^()]*?(?= having| order| limit| window| qualify|\)|$)", ("group by all",
    "group by 1")),
)  # fmt: skip


def synonyms() -> list[list[str]]:
    """DuckDB's functions of the core's table that have one name there, and a few that look like it."""
    text = INC.read_text(encoding="utf-8").split("kSpark")[0]
    found: dict[str, list[str]] = {}
    for written, name in re.findall(r'\{"(\w+)", "(\w+)"', text):
        found.setdefault(name, [name]).append(written)
    return [*found.values(), ["avg", "median"], ["list", "string_agg"], ["arg_max", "arg_min"]]


def depth_end(text: str, at: int) -> int:
    """Where the parentheses that are open at a place are closed, or the end."""
    depth = 0
    for place in range(at, len(text)):
        if text[place] == "(":
            depth += 1
        elif text[place] == ")":
            depth -= 1
            if depth < 0:
                return place
    return len(text)


def split_items(text: str) -> list[str]:
    """At commas outside of parentheses."""
    items, depth, begin = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            items.append(text[begin:place].strip())
            begin = place + 1
    return [*items, text[begin:].strip()]


class Respeller:
    """One edit at a random place."""

    def __init__(self, chosen: random.Random) -> None:
        self.random = chosen
        self.synonyms = synonyms()
        self.edits: list[Edit] = [
            *[self.spelling] * 14, *[self.function] * 3, self.ordinal, self.ordinal, self.ordinal, self.wrap,
            self.unwrap, self.name_window, self.name_window, self.write_window, self.order_all, self.literal,
        ]  # fmt: skip

    def __call__(self, text: str) -> str:
        for _ in range(self.random.choice([1, 1, 2, 3])):
            for _ in range(8):
                edited = self.random.choice(self.edits)(text)
                if edited != text:
                    text = edited
                    break
        return text

    def spelling(self, text: str) -> str:
        pattern, others = self.random.choice(SPELLINGS)
        found = list(re.finditer(pattern, text))
        if not found:
            return text
        match = self.random.choice(found)
        return (
            text[: match.start()] + match.expand(self.random.choice(others)) + text[match.end() :]
        )

    def function(self, text: str) -> str:
        found = [
            (match, group)
            for group in self.synonyms
            for match in re.finditer(rf"\b(?:{'|'.join(group)})(?=\()", text)
        ]
        if not found:
            return text
        match, group = self.random.choice(found)
        return text[: match.start()] + self.random.choice(group) + text[match.end() :]

    def literal(self, text: str) -> str:
        return re.sub(r"(?<![$'])'([^'\\]*)'", r"$$\1$$", text)

    def select_of(self, text: str) -> tuple[int, int, list[str]] | None:
        """Begin and end of a SELECT, and its items."""
        found = [match.end() for match in re.finditer(r"\bselect (?:distinct )?", text)]
        if not found:
            return None
        begin = self.random.choice(found)
        end = depth_end(text, begin)
        depth = 0
        for match in re.finditer(r"[(\[{]|[)\]}]|\bfrom\b", text[begin:end]):
            if match.group() == "from" and depth == 0:
                items = split_items(text[begin : begin + match.start()])
                return begin, end, items
            depth += (match.group() in "([{") - (match.group() in ")]}")
        return None

    def ordinal(self, text: str) -> str:
        """A number for an item of GROUP BY or ORDER BY, or an item for a number."""
        found = self.select_of(text)
        if found is None:
            return text
        begin, end, items = found
        for match in re.finditer(r"\b(group|order) by (?!all)", text[begin:end]):
            start = begin + match.end()
            if depth_end(text, start) != end:
                continue
            stop = re.search(
                r" having\b| order by\b| limit\b| qualify\b| window\b| union\b| desc\b",
                text[start:end],
            )
            last = start + stop.start() if stop else end
            keys = split_items(text[start:last])
            at = self.random.randrange(len(keys))
            number = self.random.randrange(len(items))
            parts = re.split(r" as ", items[number])
            by_name = {
                name: str(i + 1) for i, item in enumerate(items) for name in item.split(" as ")
            }
            if keys[at].isdigit() and 0 < int(keys[at]) <= len(items):
                parts = re.split(r" as ", items[int(keys[at]) - 1])
                keys[at] = self.random.choice([parts[0], parts[-1]])
            elif keys[at] in by_name and self.random.random() < 0.8:
                keys[at] = by_name[keys[at]]
            else:
                keys[at] = self.random.choice([parts[0], parts[-1], str(number + 1)])
            return text[:start] + ", ".join(keys) + text[last:]
        return text

    def order_all(self, text: str) -> str:
        found = self.select_of(text)
        if found is None:
            return text
        _, end, items = found
        names = ", ".join(item.split(" as ")[-1].split(".")[-1] for item in items)
        return text[:end] + self.random.choice([" order by all", f" order by {names}"]) + text[end:]

    def wrap(self, text: str) -> str:
        after = self.random.choice(
            ["", "", " limit 3", " order by 1", " order by a", " order by a limit 2"]
        )
        name = self.random.choice(["zz", "f", "Zz"])
        return f"with {name} as ({text}) select * from {name}{after}"

    def unwrap(self, text: str) -> str:
        match = re.fullmatch(r"with (\w+) as \((.*)\) select \* from \1(.*)", text, re.DOTALL)
        return match.group(2) + match.group(3) if match else text

    def name_window(self, text: str) -> str:
        """OVER (..) as OVER w, with a WINDOW clause where the SELECT ends."""
        found = list(re.finditer(r"\bover \(([^()]+)\)", text))
        if not found:
            return text
        match = self.random.choice(found)
        name = self.random.choice(["w1", "w2", "a", "w"])
        use = self.random.choice([name, name, f"({name})", name.upper()])
        edited = f"{text[: match.start()]}over {use}{text[match.end() :]}"
        start = match.start() + len(use) + 5
        end = depth_end(edited, start)
        stop = re.search(
            r" order by\b| limit\b| qualify\b| union\b| except\b| intersect\b", edited[start:end]
        )
        last = start + stop.start() if stop else end
        return f"{edited[:last]} window {name} as ({match.group(1)}){edited[last:]}"

    def write_window(self, text: str) -> str:
        match = re.search(r" window (\w+) as \(([^()]*)\)", text)
        if match is None:
            return text
        name, definition = match.groups()
        text = text[: match.start()] + text[match.end() :]
        return re.sub(rf"\bover (?:{name}\b|\({name}\))", lambda _: f"over ({definition})", text)


def every_respelling(text: str) -> list[str]:
    """The text and what one edit makes of it, for each edit and each place."""
    found = [text]
    for pattern, others in SPELLINGS:
        for match in re.finditer(pattern, text):
            for other in others:
                found.append(text[: match.start()] + match.expand(other) + text[match.end() :])
    for group in synonyms():
        for match in re.finditer(rf"\b(?:{'|'.join(group)})(?=\()", text):
            found += [text[: match.start()] + name + text[match.end() :] for name in group]
    return list(dict.fromkeys(found))


def respellings(text: str, chosen: random.Random, count: int) -> Sequence[str]:
    """Different texts near one text."""
    respell = Respeller(chosen)
    found = [text]
    for _ in range(count):
        found.append(respell(chosen.choice(found[:6])))
    return list(dict.fromkeys(found))
