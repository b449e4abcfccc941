"""Decides which volatile output columns ("stamps") count as logic after all.

In:  a node's facts and configuration, the raw texts and recorded facts of all nodes.
Out: the volatile classes of stamps that count.
Never: exempts a stamp that something volatile may look at.

A stamp such as `now() as loaded_at` is exempt from the comparison only while nothing depends on its
value: not the node's own keys and checks, and no node that is itself volatile (a recency test on
`loaded_at`) and names it. Who may name it is asked of the whole project, not only of children: a
view of the kind `select *` passes a column on under its name.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable
from typing import Any

from dbt_hodor.node_text import FRAGMENT_KEYS
from dbt_hodor.settings import NodeSettings

_WORD = re.compile(r"[a-z_]\w*")
_ANY = "*"
"""Stands for every name."""

_KEYS = ("unique_key", "partition_by", "partitioned_by", "sorted_by", "cluster_by", "check_cols",
         "updated_at", "indexes", *FRAGMENT_KEYS)  # fmt: skip


class StampReaders:
    """Column names that volatile nodes use. Computed when the first stamp is met."""

    def __init__(
        self,
        nodes: Callable[[], Iterable[Any]],
        recorded_facts: Callable[[Any], Any],
        is_volatile: Callable[[Any], bool],
        more_text: Callable[[Any], str | None],
    ) -> None:
        """`recorded_facts`: of a node's present text, None when there are none. `more_text`: what
        rendering may add to a node's own file, None when that is not known."""
        self._nodes = nodes
        self._recorded_facts, self._is_volatile = recorded_facts, is_volatile
        self._more_text = more_text
        self._users: dict[str, set[str]] | None = None
        self._lock = threading.Lock()

    def are_there(self, name: str, besides: str) -> bool:
        """Whether a node other than `besides` is volatile, or not analysed yet, and uses the name."""
        with self._lock:
            if self._users is None:
                self._users = self._collect()
            users = self._users.get(name, set()) | self._users.get(_ANY, set())
            return bool(users - {besides})

    def _collect(self) -> dict[str, set[str]]:
        users: dict[str, set[str]] = {}
        for node in self._nodes():
            facts = self._recorded_facts(node)
            if facts is not None and not self._is_volatile(facts):
                continue
            words = set(_WORD.findall(str(getattr(node, "raw_code", "")).lower()))
            kwargs = getattr(getattr(node, "test_metadata", None), "kwargs", None)
            words.update(_WORD.findall(str(kwargs or "").lower()))
            if facts is not None:
                words.update(name.lower() for name in facts.columns)
            else:
                more = self._more_text(node)
                words.update([_ANY] if more is None else _WORD.findall(more.lower()))
            for word in words:
                users.setdefault(word, set()).add(node.unique_id)
        return users


def counted_classes(
    node: Any, kind: str, facts: Any, settings: NodeSettings, readers: StampReaders
) -> set[str]:
    """Volatile classes of this node's stamps that count as logic."""
    stamps = [call for call in facts.volatile_calls if call.use == "stamp"]
    if not stamps or settings.evaluate_volatile_sql is False:
        return set()
    if settings.evaluate_volatile_sql is True or kind == "test":
        return {call.volatile_class for call in stamps}
    config_words = _config_words(node)
    checks_all = kind == "snapshot" and str(node.config.get("check_cols")).lower() == "all"
    counted: set[str] = set()
    for call in stamps:
        alias = call.alias.lower()
        named = alias in config_words or readers.are_there(alias, besides=node.unique_id)
        if not alias or checks_all or named:
            counted.add(call.volatile_class)
    return counted


def _config_words(node: Any) -> set[str]:
    config = node.config
    extra = getattr(config, "_extra", None) or {}
    values = [config.__dict__.get(key, extra.get(key)) for key in _KEYS]
    return set(_WORD.findall(" ".join(str(value) for value in values if value).lower()))
