"""The state store protocol and the one list of record columns (seed of every store's DDL).

In:  rows of text and integers.
Out: the same rows; the latest successful build per node.
Never: decides, hashes or looks into the JSON columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Row(NamedTuple):
    """One record. Times are UTC epoch milliseconds. JSON columns are text written by the core."""

    record_id: str
    invocation_id: str
    recorded_at_ms: int
    project_name: str
    target_name: str
    node_key: str
    unique_id: str
    resource_type: str
    mode: str
    decision: str
    reason: str
    action: str
    status: str
    text_hash: str | None
    code_hash: str | None
    unrendered_hash: str | None
    config_hash: str | None
    hash_version: int
    sql_facts: str | None
    data_version: str | None
    data_changed_at_ms: int | None
    built_at_ms: int | None
    upstreams: str | None
    test_result: str | None
    hodor_version: str
    detail: str | None


BIGINT_COLUMNS = frozenset({"recorded_at_ms", "hash_version", "data_changed_at_ms", "built_at_ms"})

SUCCESSFUL_STATUSES = ("success", "pass", "warn", "fail", "partial")
"""What `load_latest` looks at. `partial`: a build that failed after it may have committed something;
loaded so that it hides the older success, from which nothing may be reused any more."""


class StoreUnavailable(Exception):
    """The store cannot be opened at all (off for the run): says what and what to do."""


class StoreUnreadable(Exception):
    """The store opened but its records cannot be read (all builds, recording is attempted)."""


class StateStore(Protocol):
    """Append-only records of all projects and targets that share one store."""

    def load_latest(
        self,
        project: str,
        target: str,
        since_ms: int,
        before_ms: int | None = None,
        detail_until: str | None = None,
    ) -> list[Row]:
        """The newest row per node_key with action build and a successful status, in one statement.
        Newest: recorded_at_ms, then record_id. A ``detail`` that has ``detail_until`` in it comes
        without this text and all that follows, and with a brace instead."""

    def append(self, rows: Sequence[Row]) -> None:
        """Writes all rows or raises; a row is never doubled by a retry."""

    def invocation(self, project: str, target: str, invocation_id: str | None) -> list[Row]:
        """All rows of one invocation (default: that of the newest row), oldest first."""

    def prune(self, project: str, target: str, older_than_ms: int, delete: bool) -> int:
        """Counts, and with ``delete`` removes, rows of this project and target only."""

    def ddl(self) -> str:
        """The CREATE statement an administrator can run."""

    def close(self) -> None: ...
