"""Reads data versions ahead of the nodes that need them, in the order in which they will.

In:  the selected nodes in topological order, what stands in the warehouse, the records.
Out: versions in the cache.
Never: waits long; a node that needs a version earlier reads it itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from dbt_hodor.context import RunContext
from dbt_hodor.counters import VERSIONS
from dbt_hodor.hooks import messages
from dbt_hodor.versions.base import Parts

SMALL_WAIT_S = 5.0
"""Ten thousand small tables, on a machine of the usual speed."""


class Prefetcher:
    """Hands the cache its work list once; `stop` drops what was not begun."""

    def __init__(self, run: RunContext) -> None:
        self._run = run

    def start(self, nodes: Iterable[Any]) -> None:
        """`nodes` in the order in which dbt will run them. None of them runs yet."""
        cache, relations = self._run.warehouse.cache, list(self._order(nodes))
        with self._run.counters.spent_on(VERSIONS):
            try:
                relations = cache.read_small(relations, SMALL_WAIT_S)
            except Exception as error:  # noqa: BLE001 - then each is read when it is needed
                messages.debug(f"reading small tables ahead failed: {error}")
        cache.prefetch(relations)

    def stop(self) -> None:
        """Nothing more is needed."""
        self._run.warehouse.cache.stop_prefetch()

    def _order(self, nodes: Iterable[Any]) -> Iterator[Parts]:
        run, seen = self._run, set[str]()
        for node in nodes:
            wanted = [uid for uid in run.index.parents(node) if uid.startswith("source.")]
            # Without a record the node builds anyway, and whoever reads it reads the new version.
            if run.records.row(run.index.node_key(node)) is not None:
                wanted.append(node.unique_id)
            for unique_id in wanted:
                key = run.index.keys.get(unique_id)
                if key is None or key in seen or run.warehouse.is_view(key):
                    continue
                seen.add(key)
                listed = run.warehouse.parts_of(key)
                if listed is not None:
                    yield listed
