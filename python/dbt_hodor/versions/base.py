"""What a warehouse must answer so that hodor can compare data: the provider protocol.

In:  relation names as tuples of parts, file patterns, volatile classes.
Out: opaque version tokens (see core/decision/data_version.hpp) or ``None``, which means *unknown*.
Never: decides anything, and never returns a token it could not prove.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

Parts = tuple[str, ...]
"""(database, schema, relation), unquoted, case as the warehouse has it."""


@dataclass(frozen=True, slots=True)
class ListedRelation:
    """One relation of the warehouse as one bulk listing showed it."""

    parts: Parts
    type: str
    """``table`` or ``view``."""
    ddl: str
    """A view's definition as the warehouse prints it; a table's CREATE statement when it is known."""


@dataclass(frozen=True)
class ListedFunction:
    """One user macro or function: its name (possibly qualified) and its whole definition."""

    name: str
    parts: Parts
    definition: str
    returns_table: bool


@dataclass
class Listing:
    """What stands in the warehouse at one moment. A failed part is an error text, never 'empty'."""

    relations: list[ListedRelation] = field(default_factory=list)
    functions: list[ListedFunction] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)
    """Database or ``functions`` -> the engine's words. Whatever it names is unknown."""


class VersionProvider(Protocol):
    """One warehouse. Methods may be called from any thread; each uses a cursor of its own."""

    dialect: str
    """``duckdb`` or ``databricks``: how SQL text is read."""

    def clock_offset_ms(self) -> int:
        """Warehouse clock minus local clock, in milliseconds. Raises when it cannot be read."""

    def builtin_functions(self) -> Sequence[str]:
        """Lower-case names of the engine's own functions."""

    def listing(self, databases: Iterable[str]) -> Listing:
        """One bulk query per catalog; used for existence, types and view definitions."""

    def relations(self, wanted: Sequence[Parts]) -> Mapping[Parts, ListedRelation | None]:
        """Relations read again after nodes ran. ``None``: certainly not there. Raises when unsure of
        one of them."""

    def versions(self, relations: Sequence[Parts]) -> Mapping[Parts, str | Exception]:
        """Tokens of tables and of views' columns (views: schema part only), batched. An exception per
        relation that could not be read: one bad table costs only itself."""

    def column_names(self, relation: Parts) -> frozenset[str] | None:
        """The columns of a relation now, in lower case; ``None`` when they cannot be read."""

    def file_version(self, pattern: str, function: str) -> str | None:
        """A token of all local files that match, or ``None`` (remote, unreadable)."""

    def volatile_values(self) -> Mapping[str, str]:
        """``{"date": …, "session": …}`` now. Read at each decision that needs it."""

    def environment(self) -> Mapping[str, str]:
        """Result-affecting settings that are not at their default, on the connection that builds."""

    def is_exclusive(self, database: str) -> bool:
        """Whether nobody else can write this database while we have it open."""

    def is_in_memory(self, database: str) -> bool:
        """Whether this database ends with the process."""

    # Optional, asked for by name: `forget`, `batches`, `small`, `expect`, `close`, and for a warehouse
    # that anybody may write and whose histories show who did, `tells_writers`, `is_ours`, `is_our_view`.
