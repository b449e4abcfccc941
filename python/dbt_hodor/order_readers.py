"""Which nodes must keep the order of their rows, because something below them may see it.

In:  the project's graph, the texts and facts that records hold.
Out: per node whether a reader, however far below, may depend on the order of its rows.
Never: takes a reader for blind that has no record of its present text.

A table made by `select id from t` takes its order from `t` and passes it on. Built again over
reordered rows it has the same rows, so nothing about itself asks for a build; but a `string_agg` or
a LIMIT that stands below it would see the new order.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from dbt_hodor.manifest import ManifestIndex, resource_of

_WITH_TEXT = ("model", "snapshot", "test")
_BLIND = '"order_sensitive":false'
_EXACT = '"inexact":false'
_KEEPS_ROWS = '"merges":false'


class OrderReaders:
    """Computed once, when first asked and known. Safe to ask from several threads."""

    def __init__(
        self,
        index: ManifestIndex,
        facts_of: Callable[[Any], str | None],
        named_by: Callable[[Any, str | None], Iterable[str]],
        read_by_others: Callable[[], Iterable[str] | None],
        sees_through_views: Callable[[str], bool],
    ) -> None:
        """`facts_of`: encoded facts of a node's present text, None when there are none. `named_by`:
        unique_ids of what a node with these facts may read without `ref` or `source`.
        `read_by_others`: relations whose order a view or function sees that no node made; None
        while they are not known: then every order may matter, and they are asked for again.
        `sees_through_views`: whether these facts see an order together with the views and functions
        that they read."""
        self._index = index
        self._facts_of = facts_of
        self._named_by = named_by
        self._read_by_others = read_by_others
        self._sees_through_views = sees_through_views
        self._above: set[str] | None = None
        self._lock = threading.Lock()

    def are_below(self, unique_id: str) -> bool:
        """Whether the order of this node's rows may matter to another node."""
        with self._lock:
            if self._above is None:
                self._above = self._collect()
            return self._above is None or unique_id in self._above

    def _collect(self) -> set[str] | None:
        above: set[str] = set()
        ids, read_by_others = self._index.unique_ids, self._read_by_others()
        if read_by_others is None:
            return None
        self._add([ids[key] for key in read_by_others if key in ids], above)
        for node in self._index.manifest.nodes.values():
            if resource_of(node) in _WITH_TEXT:
                facts = self._facts_of(node)
                if facts is None or not self._is_blind(facts):
                    self._add(self._read_by(node, facts), above)
        return above

    def _is_blind(self, facts: str) -> bool:
        if _BLIND not in facts:
            return False
        # A view may make what this text merges, or a function merge what it makes.
        alone = _EXACT in facts and _KEEPS_ROWS in facts
        return alone or not self._sees_through_views(facts)

    def _read_by(self, node: Any, facts: str | None) -> list[str]:
        return [*self._index.parents(node), *self._named_by(node, facts)]

    def _add(self, pending: list[str], above: set[str]) -> None:
        """Nodes and all that they are made from."""
        while pending:
            unique_id = pending.pop()
            if unique_id in above:
                continue
            above.add(unique_id)
            node = self._index.find(unique_id)
            if node is not None and resource_of(node) in _WITH_TEXT:
                pending += self._read_by(node, self._facts_of(node))
            elif node is not None:
                pending += self._index.parents(node)
