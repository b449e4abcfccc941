"""Says, for a DuckDB column type, what beside ``hash(column)`` tells all its values apart.

In:  a type as ``duckdb_columns()`` prints it, a quoted column name.
Out: further SQL expressions for the row hash; an empty list when ``hash`` alone is enough.
Never: vouches for a type it does not know: ``UnprovableType`` makes the table's version unknown.

Measured on 1.5.5 and 2.0.1, and kept as tests/python/versions/distinct.tsv: ``hash()`` says equal of
128-bit integers whose halves meet (-1 and 0, so also decimals of more than 18 digits and UUIDs),
0.0 and -0.0, NaNs of both signs, intervals of equal length, and most of what a NULL or a boundary
inside a nested value tells apart. ``create_sort_key`` writes every value, NULL and boundary into one
blob, for VARIANT its whole physical form; only what *compares* equal has equal keys. Those few
(zeros, NaNs, intervals, collated text) differ in the printed text, and two values with equal keys
have the same shape, so key and text together are injective: no number or interval prints a comma
or a bracket. A NaN's payload is not told apart: nothing but a cast to BIT shows it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache


class UnprovableType(Exception):
    """A type whose values cannot be told apart with certainty."""


_EXACT = frozenset(
    {
        "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER",
        "UBIGINT", "DATE", "TIME", "TIME_NS", "TIME WITH TIME ZONE", "TIMESTAMP", "TIMESTAMP_S",
        "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS", "BLOB", "BIT",
        "BIGNUM", "VARINT", "ENUM", "GEOMETRY", "VARCHAR", "JSON",
    }
)  # fmt: skip
_WIDE = frozenset({"HUGEINT", "UHUGEINT", "UUID", "VARIANT"})
_FLOATS = frozenset({"FLOAT", "DOUBLE"})
_TEXTS = frozenset({"VARCHAR", "JSON"})
_LONGEST_NARROW_DECIMAL = 18
# A sum of them depends on the order of its terms (those of UHUGEINT and BIGNUM are DOUBLE), or one
# that equals another looks different, so that min(), DISTINCT and GROUP BY show which came first.
_INEXACT = _FLOATS | {"INTERVAL", "VARIANT", "UHUGEINT", "BIGNUM", "VARINT"}


@dataclass(frozen=True)
class TypeFacts:
    """What the printed type says. ``leaves``: every type name in it."""

    leaves: frozenset[str]
    nested: bool
    wide: bool


_TOKEN = re.compile(r"""\s*(?:("(?:[^"]|"")*")|('(?:[^']|'')*')|([A-Za-z_0-9]+)|(.))""", re.S)
_DEEPEST = 64


class _TypeReader:
    """A recursive-descent reader of printed types; it refuses what it does not know."""

    def __init__(self, text: str) -> None:
        self._tokens = [match.group(0).strip() for match in _TOKEN.finditer(text.strip())]
        self._at = 0
        self.leaves: set[str] = set()
        self.nested = False
        self.wide = False

    def read(self) -> None:
        self._type(0)
        if self._at != len(self._tokens):
            raise UnprovableType("trailing text")

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        token = self._peek()
        if not token:
            raise UnprovableType("ends too early")
        self._at += 1
        return token

    def _expect(self, token: str) -> None:
        if self._take() != token:
            raise UnprovableType(f"expected {token}")

    def _type(self, depth: int) -> None:
        if depth > _DEEPEST:
            raise UnprovableType("nested too deeply")
        if self._peek() == '"NULL"':
            self._take()  # a column of nothing but NULLs, as `{'a': NULL}` makes it
            self.leaves.add("NULL")
            return self._brackets()
        words = []
        while self._peek() and re.fullmatch(r"[A-Za-z_0-9]+", self._peek()):
            words.append(self._take().upper())
        name = " ".join(words)
        if name in {"STRUCT", "UNION", "MAP", "TUPLE", "ROW"}:
            self.nested = True
            if self._peek() == "(":
                self._members(depth, named=name in {"STRUCT", "UNION", "ROW"})
        elif name == "DECIMAL":
            self._decimal()
        elif name in _EXACT or name in _WIDE or name in _FLOATS or name == "INTERVAL":
            self.leaves.add(name)
            self.wide |= name in _WIDE
            if self._peek() == "(":
                self._skip_arguments()
        else:
            raise UnprovableType(f"unknown type {name!r}")
        return self._brackets()

    def _brackets(self) -> None:
        while self._peek() == "[":
            self.nested = True
            self._take()
            if self._peek().isdigit():
                self._take()
            self._expect("]")

    def _members(self, depth: int, named: bool) -> None:
        self._expect("(")
        while True:
            if named:
                self._take()  # the member's name
            self._type(depth + 1)
            if self._peek() != ",":
                break
            self._take()
        self._expect(")")

    def _decimal(self) -> None:
        self._expect("(")
        width = self._take()
        self._expect(",")
        self._take()
        self._expect(")")
        self.leaves.add("DECIMAL")
        self.wide |= not width.isdigit() or int(width) > _LONGEST_NARROW_DECIMAL

    def _skip_arguments(self) -> None:
        """Labels of an ENUM, the reference system of a GEOMETRY: they are in the schema part."""
        self._expect("(")
        while self._peek() != ")":
            self._take()
        self._take()


@lru_cache(maxsize=4096)
def read_type(printed: str) -> TypeFacts:
    """Facts of a printed type. Raises ``UnprovableType``."""
    reader = _TypeReader(printed)
    try:
        reader.read()
    except UnprovableType as refusal:
        raise UnprovableType(f"values of type {printed} cannot be told apart: {refusal}") from None
    return TypeFacts(frozenset(reader.leaves), reader.nested, reader.wide)


def is_inexact(printed_type: str) -> bool:
    """Whether the order of values of this type may show in what is made of several of them. Raises
    ``UnprovableType``."""
    return bool(read_type(printed_type).leaves & _INEXACT)


def extra_expressions(quoted_column: str, printed_type: str, collated: bool) -> list[str]:
    """What the row hash needs beside ``hash(column)``. ``collated``: text in this column may
    compare under a collation, so that text is hashed as bytes. Raises ``UnprovableType``."""
    facts = read_type(printed_type)
    if not facts.nested and not facts.wide:
        if facts.leaves & _FLOATS:
            return [f"signbit({quoted_column})"]
        if "INTERVAL" in facts.leaves:
            return [f"{quoted_column}::VARCHAR"]
        if collated and facts.leaves & _TEXTS:
            return [f"encode({quoted_column}::VARCHAR)"]
        return []
    expressions = [f"create_sort_key({quoted_column}, 'ASC NULLS FIRST')"]
    if facts.nested and (
        facts.leaves & (_FLOATS | {"INTERVAL"}) or (collated and facts.leaves & _TEXTS)
    ):
        expressions.append(f"encode({quoted_column}::VARCHAR)")
    return expressions
