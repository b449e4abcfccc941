"""Random queries of Databricks SQL, of the shapes that have more than one spelling, and edits of them.

In:  a random source.
Out: texts that a local Spark mostly takes; near each text others, of the same meaning or not.
Never: a clock, a random number, the order of rows without saying which.
"""

from __future__ import annotations

import random
import re

SETUP = (
    """create or replace temp view t as select * from values
  (1, 3, 'a', 'x', true, false, 1.5D, date'2020-01-01', timestamp'2020-01-01 10:00:00'),
  (2, 2, 'b', null, false, true, 0.5D, date'2021-05-05', timestamp'2020-03-01 10:00:00'),
  (2, 2, 'b', null, false, true, 0.5D, date'2021-05-05', timestamp'2020-03-01 10:00:00'),
  (null, 1, null, 'z', null, true, null, null, null),
  (3, 1, 'A', 'y', true, true, 2.5D, date'2020-01-01', timestamp'2020-01-01 10:00:00')
  as t(a, b, v, w, p, q, f, d, ts)""",
    """create or replace temp view u as select * from values (2, 1, 5), (1, 3, 9), (3, null, 1), (null, 2, 2)
  as u(a, b, x)""",
    """create or replace temp view st as select * from values (named_struct('a', 9, 'b', 1), 1, 5, 1),
  (named_struct('a', 1, 'b', 2), 9, 3, 2), (named_struct('a', 5, 'b', 3), 5, 1, null) as st(s, a, b, x)""",
)
COLUMNS = {"t": list("abvwpqfd") + ["ts"], "u": list("abx"), "st": list("sabx")}
NUMBERS = ("a", "b", "t.a", "t.b", "1", "2", "length(v)", "day(d)")
SHAPES = (
    "case {n} when {n} then {n} end", "case when {c} = {n} then {n} else null end",
    "case {c} when {n} then {n} else 0 end",
    "nvl({n}, {n})", "ifnull({n}, {n})", "coalesce({n}, {n})", "mod({n}, 2)", "{n} % 2", "power({n}, 2)",
    "pow({n}, 2)",
    "ceil(f)", "ceiling(f)", "string({n})", "cast({n} as string)", "decimal({n})", "cast({n} as decimal)",
    "cast({n} as decimal(10, 0))", "cast({n} as decimal(7))", "bigint({n})", "{n}::bigint",
    "concat(v, w)", "v || w",
    "shiftleft({n}, 1)", "{n} << 1", "shiftright({n}, 1)", "{n} >> 1", "equal_null({n}, {n})",
    "{n} <=> {n}",
    "{n} is not distinct from {n}", "not {n} <=> {n}", "{n} is distinct from {n}", "v rlike 'a'",
    "regexp_like(v, 'a')",
    "v regexp 'a'", "not v rlike 'a'", "v not rlike 'a'", "not {n} in (1, null)", "{n} not in (1, null)",
    "not {n} between 1 and {n}", "{n} not between 1 and {n}", "not {n} is null", "{n} is not null",
    "not v like 'a%'",
    "v not like 'a%'", "v like r'a\\%'", "v like 'a\\\\%'", "! p", "not p", "p and (q and p)",
    "p and q and p",
    "p or (q or p)", "p or q or p", "{n} <> {n}", "not {n} = {n}", "lcase(v)", "lower(v)", "ucase(v)",
    "upper(v)",
    "len(v)", "char_length(v)", "length(v)", "substring(v from 1 for 1)", "substring(v, 1, 1)",
    "substr(v, 1, 1)",
    "trim(both from v)", "trim(v)", "trim(both 'a' from v)", "trim('a' from v)", "ts + interval 1 day",
    "ts + interval '1' day", "ts + interval '1 day'", "ts + interval 1 days", "d + interval 2 months",
    "d + interval '2' month", "dateadd(day, {n}, d)", "date_add(day, {n}, d)", "date_add(d, {n})",
    "dateadd(d, {n})",
    "date_diff(d, d)", "datediff(d, d)", "dayofmonth(d)", "day(d)", "regexp_extract(v, '(a)')",
    "regexp_extract(v, '(a)', 1)", "from_unixtime({n})", "from_unixtime({n}, 'yyyy-MM-dd HH:mm:ss')",
    "1e2 * {n}",
    "1E+2 * {n}", ".5 * {n}", "0.5 * {n}", "007 + {n}", "1L + {n}", "1l + {n}", "'a\\'b'",
    '"a\'b"', "'a' 'b'", "'ab'", "r'ab'",
    "X'aB'", "x'Ab'", "printf('%s', v)", "format_string('%s', v)", "getbit({n}, 1)", "bit_get({n}, 1)",
    "sha(v)",
    "sha1(v)", "chr({n})", "char({n})", "struct(string({n}), v)", "struct(cast({n} as string), v)",
    "array({n}, {n})",
)  # fmt: skip
AGGREGATES = (
    "count(*)", "count(1)", "count(2)", "sum({n})", "mean({n})", "avg({n})", "any(p)", "some(p)",
    "bool_or(p)",
    "every(p)", "bool_and(p)", "std({n})", "stddev({n})", "stddev_samp({n})", "variance({n})",
    "var_samp({n})",
    "max({n}) filter (where {n} > 1)", "count(1) filter (where true and p)",
    "sort_array(collect_list({n}))",
    "sort_array(array_agg({n}))", "string_agg(distinct v, ',') within group (order by v)",
    "listagg(distinct v, ',') within group (order by v)",
)  # fmt: skip
WINDOWED = (
    "sum({n})", "lag({n})", "lag({n}, 1)", "lead({n}, 1)", "lead({n})", "first({n})", "first_value({n})",
    "row_number()",
)  # fmt: skip
FRAMES = (
    "", "", " rows 1 preceding", " rows between 1 preceding and current row", " rows unbounded preceding",
)  # fmt: skip
DIRECTIONS = ("", " desc", " nulls first", " desc nulls last")
ORDERS = ("1", "1, 2", "a", "b", "x", "n1", "a desc nulls last, b")
SOURCES = (
    "t", "t", "t, u", "t cross join u", "t join u on t.a = u.a", "t left join u on u.b = t.b and true",
    "t left semi join u on t.a = u.a", "t anti join u on t.a = u.a", "(select * from t) t", "(table t) t",
    """(with c(a, b) as (select b, a from t) select a, b, 'a' as v, 'x' as w, true as p, false as q, 1D as f,
  date'2020-01-01' as d, timestamp'2020-01-01' as ts from c) t""",
)  # fmt: skip
CONDITIONS = (
    "true", "1 = 1", "true and {n} > 1", "{n} > 1 and true", "p", "true and p", "{n} in (1, 2)",
    "p and (q and p)",
    "not {n} in (1, 2)", "v like 'a%' and 1 = 1",
)  # fmt: skip
SPELLINGS = (
    (r"\bcase (\w+) when (\w+) then", r"case when \1 = \2 then"), (r"\bcase when (\w+) = (\w+) then",
    r"case \1 when \2 then"),
    (r" else null end", " end"), (r"(?<! null) end\b", " else null end"), (r"\bnot (\w+) in ",
    r"\1 not in "),
    (r"(\w+) not in ", r"not \1 in "), (r"\bnot (\w+) is null", r"\1 is not null"), (r"(\w+) is not null",
    r"not \1 is null"),
    (r"\bnot (\w+) between", r"\1 not between"), (r"(\w+) not (like|rlike)", r"not \1 \2"), (r"<>",
    "!="), (r"<=>", "is not distinct from"),
    (r"\bnvl\(", "coalesce("), (r"\bcoalesce\(", "nvl("), (r"\bifnull\(", "nvl("), (r"\bcount\(1\)",
    "count(*)"), (r"\bcount\(\*\)", "count(1)"),
    (r"\bmod\((\w+), 2\)", r"\1 % 2"), (r"(\w+) % 2", r"mod(\1, 2)"), (r"\bstring\((\w+)\)",
    r"cast(\1 as string)"),
    (r"\bcast\((\w+) as string\)", r"string(\1)"), (r"\bconcat\(v, w\)", "v || w"), (r"v \|\| w",
    "concat(v, w)"), (r"\bmean\(", "avg("),
    (r"\bavg\(", "mean("), (r"\bceil\(", "ceiling("), (r"\bstddev\(", "std("), (r"\bany\(", "some("),
    (r"\bpower\(", "pow("),
    (r"\bwhere true and ", "where "), (r"\bwhere ", "where true and "), (r" where true\b(?! and)", ""),
    (r"\bcross join\b", ","), (r"from t, u", "from t cross join u"),
    (r"interval 1 day\b", "interval '1 day'"), (r"interval '1' day", "interval 1 days"),
    (r"\bas decimal\)", "as decimal(10, 0))"),
    (r" nulls first", ""), (r" nulls last", ""), (r"(order by \w+)(?=[,)]|$| limit)", r"\1 nulls first"),
    (r" desc\b", " desc nulls last"),
    (r"\(select \* from t\)", "(table t)"), (r"\bleft (semi|anti)\b", r"\1"), (r"\b(semi|anti) join",
    r"left \1 join"), (r" minus ", " except "),
    (r" except ", " minus "), (r"\bselect t\.\*", "select *"), (r"\bselect \*", "select t.*"),
    (r" as n1\b", ""), (r"^(select .*)$", r"with zz as (\1) select * from zz"),
    (r"^with zz as \((.*)\) select \* from zz", r"\1"), (r"over \((order by [^()]*)\)", r"over w"),
    (r"\(a and b\)", "a and b"), (r"and \((q and p)\)", r"and \1"),
    (r"or \((q or p)\)", r"or \1"), (r"\bon (\S+) = (\S+)", r"on \2 = \1"), (r"group by 1\b",
    "group by a"), (r"group by all", "group by 1"), (r"order by 1\b", "order by a"),
    (r"limit 3$", "limit all"), (r"$", " limit all"), (r"'a'(?! ')", '"a"'), (r"\bselect (a|b)\b",
    r"select (\1)"), (r"\bselect (a|b)\b", r"select \1 as \1"),
    (r"\blag\((\w+)\)", r"lag(\1, 1)"), (r"\blead\((\w+)\)", r"lead(\1, 1)"), (r"rows 1 preceding",
    "rows between 1 preceding and current row"), (r"first_value\(", "first("),
    (r"1e2", "1E02"), (r"\.5\b", "0.5"), (r"\b2\b", "02"), (r"not (\S+) = ", r"\1 <> "),
)  # fmt: skip


class SparkWriter:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def fill(self, text: str) -> str:
        text = re.sub(r"\{n\}", lambda _: self.random.choice(NUMBERS), text)
        return text.replace("{c}", self.random.choice(("a", "b", "t.a")))

    def shape(self) -> str:
        return self.fill(self.random.choice(SHAPES))

    def item(self, aliases: list[str]) -> str:
        text = self.shape()
        if self.random.random() < 0.2:
            return text
        if self.random.random() < 0.3:
            text = self.random.choice(("a", "b", "t.a", "v"))
            if self.random.random() < 0.6:
                return text
        name = self.random.choice(("a", "b", "x", "n1", "A", "v"))
        aliases.append(name)
        return f"{text} as {name}"

    def source(self) -> str:
        return self.random.choice(SOURCES)

    def select(self) -> str:
        aliases: list[str] = []
        where = (
            f" where {self.fill(self.random.choice(CONDITIONS))}"
            if self.random.random() < 0.4
            else ""
        )
        kind = self.random.random()
        if kind < 0.35:
            key = self.item(aliases)
            bare = key.split(" as ")[0]
            total = self.fill(self.random.choice(AGGREGATES))
            by = self.random.choice(("1", bare, bare, key.split(" as ")[-1], "all"))
            having = (
                f" having {self.random.choice((bare + ' is not null', total + ' is not null'))}"
            )
            head = f"select {key}, {total} as n1 from {self.source()}{where} group by {by}"
            return head + (having if self.random.random() < 0.3 else "")
        if kind < 0.5:
            order = f"{self.random.choice(('a', 'b', 'v'))}{self.random.choice(DIRECTIONS)}"
            spec = f"partition by p order by {order}, a, b{self.random.choice(FRAMES)}"
            call = self.fill(self.random.choice(WINDOWED))
            if self.random.random() < 0.5:
                return f"select {call} over w as x, {self.item(aliases)} from t{where} window w as ({spec})"
            return f"select {call} over ({spec}) as x, {self.item(aliases)} from t{where}"
        if kind < 0.58:
            return f"select * from {self.source()}{where}"
        distinct = "distinct " if self.random.random() < 0.2 else ""
        return f"select {distinct}{self.item(aliases)}, {self.item(aliases)} from {self.source()}{where}"

    def text(self) -> str:
        text = self.select()
        if self.random.random() < 0.12:
            op = self.random.choice(("union", "union all", "except", "minus", "intersect"))
            text = f"{text} {op} {self.select()}"
        if self.random.random() < 0.3:
            text += f" order by {self.random.choice(ORDERS)}"
        return text

    def near(self, text: str, count: int) -> list[str]:
        found = [text]
        for _ in range(count):
            edited = self.random.choice(found[:5])
            for _ in range(self.random.choice((1, 1, 2))):
                for _ in range(12):
                    pattern, other = self.random.choice(SPELLINGS)
                    places = list(re.finditer(pattern, edited))
                    if places:
                        match = self.random.choice(places)
                        edited = (
                            edited[: match.start()] + match.expand(other) + edited[match.end() :]
                        )
                        break
            found.append(edited)
        return list(dict.fromkeys(found))
