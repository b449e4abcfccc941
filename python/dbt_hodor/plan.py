"""What was found out about one node before it ran.

In:  filled by `deciding`, completed by the runner (test result) and by `recording`.
Out: the one object that travels with a node through a run.
Never: holds dbt objects longer than the node's turn, apart from the node itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dbt_hodor import _core
from dbt_hodor.inputs import Upstream
from dbt_hodor.macros import MacroUse
from dbt_hodor.manifest import Parts
from dbt_hodor.node_text import Effects
from dbt_hodor.settings import NodeSettings
from dbt_hodor.store.base import Row

_DEFAULT_SETTINGS = NodeSettings()
_NO_MACROS = MacroUse()


@dataclass(slots=True)
class Plan:
    """`action` and `reason` are the decision; `reuses` is what happens in this mode."""

    node: Any
    node_key: str
    kind: str = "table"
    action: str = "build"
    reason: str = "hodor_error"
    reuses: bool = False
    sentence: str = ""
    """Why, for the log line and the result's message."""
    unsupported: str = ""
    writes_unseen: bool = False
    """A macro of the project may write more than the node's own relation."""
    overridden: bool = False
    """A macro of the project runs in place of one of dbt's."""
    settings: NodeSettings = _DEFAULT_SETTINGS
    started_ms: int = 0
    """Warehouse clock when the decision began, UTC epoch ms."""
    parts: Parts | None = None
    key: str | None = None
    """Relation key, None when there is no relation."""
    row: Row | None = None
    macro_use: MacroUse = field(default_factory=lambda: _NO_MACROS)
    """What its materialization may run."""
    text_hash: str | None = None
    code_hash: str | None = None
    unrendered_hash: str | None = None
    config_hash: str | None = None
    config_preimage: dict[str, Any] | None = None
    facts: Any = None
    code_parts: Sequence[tuple[str, str, str]] = ()
    """(kind, name, hash) of CTEs, columns and body, when the text was analysed in this run."""
    assumes: Sequence[tuple[str, str]] | None = None
    """(relation, column): the hash is that of every text of this form only while the relation lacks
    the column. ``None``: it is that of the tokens, which takes nothing for granted."""
    fragments: Sequence[str] = ()
    """Configuration that is SQL."""
    effects: Effects = field(default_factory=Effects)
    full_refresh: bool = False
    keeps_earlier_state: bool = False
    order_sensitive: bool | None = None
    """Whether the order of the rows it reads matters; None until somebody asks the run."""
    existence: str = "unknown"
    target: str | None = None
    upstreams: list[Upstream] = field(default_factory=list)
    awaited: dict[str, str] = field(default_factory=dict)
    """Input key -> key of a relation whose build, before this node's, gives its version."""
    definitions: Sequence[str] = ()
    """Hashes of the views and functions between the node and its data."""
    changed: Sequence[str] = ()
    hooks_to_run: Sequence[str] = ()
    statements: Sequence[str] = ()
    """What dbt ran to build it, where a warehouse's histories tell whose writes they show."""
    test_result: dict[str, Any] | None = None

    def forget_texts(self) -> None:
        """Lets go of what only the decision and the record needed; the report keeps the rest."""
        self.facts = self.config_preimage = None
        self.code_parts = ()
        self.statements = ()


def recorded(token: str | None) -> str | None:
    """A token as a record keeps it: a position in a history without the commits behind it."""
    if token is None or not token.startswith("1;history:"):
        return token
    return str(_core.recorded_token(token))
