"""Expressions, aggregates and windows of the shapes that have more than one spelling.

In:  a random source, and functions that write a reference or a small expression.
Out: texts of DuckDB.
Never: a value that depends on the order of rows without saying which.
"""

from __future__ import annotations

import random
from collections.abc import Callable

Write = Callable[[], str]

NUMBERS = ("1e2", "1E+2", "1_000", "1000", ".5", "0.5", "1.50", "007", "12")
STRINGS = ("'a'", "$$a$$", "E'a'", "'a''b'", "$q$a'b$q$", "E'a\\'b'", "'a%'", "E'a\\n'", "''")
TEXT_FUNCTIONS = (
    "upper({0})", "ucase({0})", "lower({0})", "lcase({0})", "substring({0}, 1, 2)", "substr({0}, 1, 2)",
    "substring({0} from 1 for 2)", "substr({0}, 2)", "substring({0} from 2)", "trim({0})",
    "trim(both from {0})",
    "trim(both 'a' from {0})", "trim('a' from {0})", "{0} || {1}", "{0}::varchar", "{0}::varchar(2)",
    "cast({0} as text)", "{0} collate nocase", "{0} collate NOCASE",
)  # fmt: skip
OF_TEXT = (
    "length({0})", "len({0})", "char_length({0})", "strpos({0}, {1})", "instr({0}, {1})", "ord({0})",
    "unicode({0})",
    "len(split({0}, {1}))", "len(str_split({0}, {1}))", "len(string_to_array({0}, {1}))",
    "levenshtein({0}, {1})", "editdist3({0}, {1})", "({0} like {1})::int", "({0} ~~ {1})::int",
    "({0} !~~ {1})::int",
    "({0} not like {1})::int", "(not {0} like {1})::int", "(not {0} ilike {1})::int", "({0} glob {1})::int",
    "({0} ~~~ {1})::int", "(suffix({0}, {1}))::int", "(ends_with({0}, {1}))::int", "ascii({0})",
)  # fmt: skip
OF_NUMBERS = (
    "case {0} when {1} then {2} end", "case when {0} = {1} then {2} end",
    "case {0} when {1} then {2} when {2} then 3 else null end",
    "case when {0} = {1} then {2} else null end",
    "(not {0} in ({1}, {2}))::int", "({0} not in ({1}, null))::int", "(not {0} between {1} and {2})::int",
    "({0} not between {1} and {2})::int", "(not {0} is null)::int", "({0} is not null)::int",
    "({0} isnull)::int",
    "({0} notnull)::int", "(not {0} is not distinct from {1})::int", "({0} is distinct from {1})::int",
    "(not {0} = {1})::int", "({0} <> {1})::int", "ifnull({0}, {1})", "coalesce({0}, {1})", "pow({0}, 2)",
    "power({0}, 2)", "{0} ** 2", "{0} ^ 2", "ceil({0} / 2)", "ceiling({0} / 2)", "{0}::decimal",
    "{0}::decimal(18, 3)",
    "{0}::decimal(9)", "{0}::numeric(9, 0)", "({0} = 1 and ({1} = 1 and {2} = 2))::int",
    "({0} = 1 and {1} = 1 and {2} = 2)::int", "({0} = 1 or ({1} = 1 or {2} = 2))::int", "[{0}, {1}][1]",
    "array[{0}, {1}][1]", "list_extract([{0}, {1}], 1)", "list_element(list_pack({0}, {1}), 1)",
    "len(list_value({0}, {1}))", "(list_contains([{0}], {1}))::int", "(array_has([{0}], {1}))::int",
    "list_position([{0}], {1})", "list_indexof([{0}], {1})",
    "len(list_transform([{0}], lambda q: q + {1}))",
    "len(array_filter([{0}], lambda q: q > {1}))", "{0} + {3}", "{0} * {3}", "gcd({0}, {1})", "lcm({0}, 2)",
    "greatest_common_divisor({0}, {1})", "day(date '2020-01-01' + {0})",
    "dayofmonth(date '2020-01-01' + {0})",
    "week(cast('2020-01-01' as date) + {0})", "weekofyear(date '2020-01-01' + {0})",
    "day(date '2020-01-01' + interval ({0}) days)", "day(date '2020-01-01' + interval ({0}) day)",
    "date_diff('day', date '2020-01-01', date '2020-01-01' + {0})",
    "date_part('day', date '2020-01-01' + {0})",
    "datediff('day', date '2020-01-01', date '2020-01-01' + {0})",
    "datepart('day', date '2020-01-01' + {0})",
    "day(date '2020-01-01' + interval 3 days)", "day(date '2020-01-01' + interval '3' day)",
    "day(date_trunc('month', date '2020-01-05' + {0}))", "day(datetrunc('month', date '2020-01-05' + {0}))",
)  # fmt: skip
AGGREGATES = (
    "count(*)", "count(1)", "count()", "avg({0})", "mean({0})", "list({0} order by {1}, {0})",
    "array_agg({0} order by {1} nulls last, {0})", "string_agg({0}::text, ',' order by {0})",
    "group_concat({0}::text, ',' order by {0})", "listagg({0}::text, ',' order by {0})",
    "string_agg(distinct {0}::text, ',' order by {0}::text)", "stddev({0})", "stddev_samp({0})",
    "variance({0})",
    "var_samp({0})", "count_if({0} > 1)", "countif({0} > 1)", "max_by({0}, {0} + {1})",
    "arg_max({0}, {0} + {1})",
    "min_by({0}, {0} + {1})", "argmin({0}, {0} + {1})", "quantile({0}, 0.5)", "quantile_disc({0}, 0.5)",
    "quantile_disc(0.5 order by {0})", "quantile(0.5 order by {0})", "fsum({0})", "kahan_sum({0})",
    "sumkahan({0})",
    "list({0} order by {1} desc nulls last, {0} nulls first)", "count(1) filter (where {0} > 1)",
    "count(*) filter (where true and {0} > 1)", "avg(distinct {0})", "mean(distinct {0})", "sum({0} + {1})",
)  # fmt: skip
WINDOWED = (
    "sum({0})", "avg({0})", "mean({0})", "lag({0})", "lag({0}, 1)", "lead({0})", "lead({0}, 1)",
    "lead({0}, 2)",
    "row_number()", "count(*)", "count(1)", "count()", "list({0})", "array_agg({0})", "max({0})",
)  # fmt: skip
FRAMES = (
    "", "", "", " rows 1 preceding", " rows between 1 preceding and current row",
    " rows unbounded preceding", " rows between unbounded preceding and current row", " rows current row",
    " groups 1 preceding", " groups between 1 preceding and current row", " range unbounded preceding",
    " rows 1 preceding exclude ties", " rows between 1 preceding and current row exclude ties",
    " rows between 1 preceding and 1 following",
)  # fmt: skip


def each_shape() -> list[str]:
    """A small query of each of them."""
    values = ("a", "b", "id", *NUMBERS[:1])
    texts = [f"select {shape.format(*values)} as x, id as y from t" for shape in OF_NUMBERS]
    strings = ('"Mixed"', "'a'")
    texts += [f"select {shape.format(*strings)} as x, id as y from t" for shape in OF_TEXT]
    texts += [f"select {shape.format(*strings)} as x, id as y from t" for shape in TEXT_FUNCTIONS]
    texts += [
        f"select b as y, {shape.format('a', 'id')} as x from t group by b" for shape in AGGREGATES
    ]
    texts += [f"select {shape.format('a', 'id')} as x from t" for shape in AGGREGATES]
    for shape in WINDOWED:
        call = shape.format("a")
        texts += [f"select {call} over (order by b, id{frame}) as x, id from t" for frame in FRAMES]
    texts += ["select t.a as x, u.c from t cross join u", "select a, b from t order by a limit 2"]
    return texts


class Shapes:
    """Writes one of them, over what `reference` and `small` write."""

    def __init__(self, chosen: random.Random, reference: Write, small: Write) -> None:
        self.random = chosen
        self.reference = reference
        self.small = small

    def number(self) -> str:
        if self.random.random() < 0.3:
            text = self.random.choice(OF_TEXT)
            return text.format(self.text(), self.text())
        operands = [self.reference(), self.small(), self.reference()]
        return self.random.choice(OF_NUMBERS).format(*operands, self.random.choice(NUMBERS))

    def text(self) -> str:
        kind = self.random.random()
        if kind < 0.3:
            return self.random.choice(STRINGS)
        operand = f"{self.reference()}::text"
        if kind < 0.6:
            return operand
        return self.random.choice(TEXT_FUNCTIONS).format(operand, self.random.choice(STRINGS))

    def condition(self) -> str:
        kind = self.random.random()
        if kind < 0.2:
            return f"true and {self.number()} > {self.small()}"
        if kind < 0.3:
            return f"{self.number()} > 1 and 1 = 1"
        if kind < 0.4:
            return f"not {self.reference()} in ({self.small()}, 2)"
        if kind < 0.5:
            return f"{self.reference()} not in ({self.small()}, 2)"
        if kind < 0.6:
            return f"{self.reference()} = {self.reference()}"
        return f"{self.number()} >= {self.small()}"

    def aggregate(self) -> str:
        return self.random.choice(AGGREGATES).format(self.reference(), self.small())

    def order(self) -> str:
        items = [
            f"{self.reference()}{self.random.choice(['', '', ' asc', ' desc'])}"
            f"{self.random.choice(['', '', ' nulls last', ' nulls first'])}"
            for _ in range(2)
        ]
        return f"order by {', '.join(items)}"

    def definition(self) -> str:
        """What stands between the parentheses of a window."""
        partition = f"partition by {self.reference()} " if self.random.random() < 0.4 else ""
        return f"{partition}{self.order()}{self.random.choice(FRAMES)}"

    def windowed(self) -> str:
        return self.random.choice(WINDOWED).format(self.reference())
