"""What a module of this package has, so that nothing else asks which adapter runs.

In:  settings, dbt's facts of the run.
Out: a store, a version provider, the names that SQL may leave out.
Never: decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from dbt_hodor.settings import RunSettings
from dbt_hodor.store.base import StateStore
from dbt_hodor.versions.base import VersionProvider


@dataclass(frozen=True)
class Names:
    """What a partial name means."""

    database: str
    schema: str
    are_certain: bool
    """Whether nothing but these two is searched."""
    databases: frozenset[str] = frozenset()
    """Databases that SQL may name although no node does."""


class Adapter(Protocol):
    """One type of dbt adapter. Its functions are those of a module."""

    default_store: str
    has_transactions: bool
    """Without them each statement of a node is committed by itself."""

    def refusal(self, credentials: Any) -> str | None:
        """Why hodor is off with these credentials, or None."""

    def open_store(self, settings: RunSettings, facts: Any, say: Callable[[str], None]) -> Any:
        """The store; None when there is none, after saying why. Nothing else is opened."""

    def provider(self, settings: RunSettings, facts: Any, store: StateStore) -> VersionProvider:
        """The warehouse that the run works in."""

    def names(self, facts: Any, provider: VersionProvider) -> Names:
        """Reads what partial names mean; notes the engine's version in `facts`."""

    def loaded_at(self, facts: Any, provider: Any, warn: Callable[[str], None]) -> Any:
        """Reads versions of sources that are believed about themselves."""

    def session_settings(self, facts: Any) -> Sequence[tuple[str, Any]]:
        """(name, value) of the settings of the calling thread's connection."""

    def counts(self, name: str, value: Any) -> bool:
        """Whether a setting with this value can change what a query returns."""
