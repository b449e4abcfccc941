"""What a node's text is made from: its file, its macros, and what these read of the configuration.

In:  nodes, macros, variables, target, environment.
Out: one digest per node; None for a text that depends on more than is seen here.
Never: renders. Equal digests mean that rendering gives the same text, apart from values of the run.

A record's facts are those of the text of its build. Before a node is compiled again, this says whether
they still are: its file alone does not, since a variable or a macro may make another text of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any

from dbt_hodor import _core
from dbt_hodor.config_facts import macro_values
from dbt_hodor.macros import Macros, names_in
from dbt_hodor.manifest import ManifestIndex, parent_ids, resource_of

_QUOTED = r"(?:'[^'{}]*'|\"[^\"{}]*\")"
_HARMLESS = re.compile(
    r"\{\{-?\s*(?:"
    rf"(?:ref|source)\(\s*{_QUOTED}(?:\s*,\s*(?:(?:v|version)\s*=\s*)?(?:{_QUOTED}|\d+))?\s*\)|this"
    rf"|config\((?:\s*\w+\s*=\s*(?:{_QUOTED}|\w+|\[[^\[\]{{}}()]*\])\s*,?)*\s*\)"
    r")\s*-?\}\}|\{#.*?#\}",
    re.DOTALL,
)
_PIECE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_UNSEEN = re.compile(
    r"\b(?:modules|run_query|graph|flags|invocation_args_dict|dbt_metadata_envs|selected_resources"
    r"|context|builtins|load_relation|load_cached_relation|load_result|statement|caller|thread_id"
    r"|should_full_refresh|should_store_failures)\b|\bconfig\b(?!\s*\()"
)
_MODEL = re.compile(r"\bmodel\b")
_TAKES_MODEL = re.compile(r"\{%-?\s*(?:test|data_test|macro)\s+\w+\s*\([^)%]*\bmodel\b")
"""Its `model` is an argument, as in every generic test."""
_MODE = re.compile(r"\bis_incremental\b")
_TEST_KEYS = ("where", "limit", "fail_calc", "warn_if", "error_if")


class TextSources:
    """Digests of one run; each is made once. Safe to ask from several threads."""

    def __init__(
        self,
        index: ManifestIndex,
        macros: Macros,
        vars_of: Callable[[Any], Mapping[str, Any]],
        target: Mapping[str, Any],
        runs_incrementally: Callable[[Any], bool],
    ) -> None:
        """`runs_incrementally`: what `is_incremental()` says of a node in this run."""
        self._index, self._macros = index, macros
        self._vars_of, self._target = vars_of, target
        self._runs_incrementally = runs_incrementally
        self._known: dict[str, tuple[str | None, bool]] = {}
        self._made: dict[tuple[str, str], tuple[str | None, bool]] = {}

    def of(self, node: Any) -> str | None:
        """Digest of what the text is made from, in whatever mode it runs."""
        return self._both(node)[0]

    def in_mode(self, node: Any, incrementally: bool | None = None) -> str | None:
        """The same with the mode, where the text asks for it. `incrementally`: None for now's."""
        digest, asks = self._both(node)
        if digest is None or not asks:
            return digest
        if incrementally is None:
            incrementally = self._runs_incrementally(node)
        return f"{digest}{'+' if incrementally else '-'}"

    def added_to(self, node: Any) -> str | None:
        """All words that rendering may add to a node's file; None when they are not known."""
        text = self._texts(node)
        if _is_plain(text):
            return text
        if self.of(node) is None:
            return None
        values = (self._vars_of(node), dict(self._target))
        return "\n".join((text, *self._macros.texts_named_in(text), *map(str, values)))

    def _both(self, node: Any) -> tuple[str | None, bool]:
        known = self._known.get(node.unique_id)
        if known is None:
            known = self._known[node.unique_id] = self._make(node)
        return known

    def _make(self, node: Any) -> tuple[str | None, bool]:
        digest, asks = self._of_texts(node, self._texts(node))
        parts = [digest]
        for unique_id in parent_ids(node):
            if unique_id not in self._index.ephemeral:
                continue
            part, parent_asks = self._both(self._index.find(unique_id))
            parts.append(part)
            asks = asks or parent_asks
        if None in parts:
            return None, asks
        if len(parts) > 1:
            digest = _core.digest("text_sources", parts)[:16]
        return digest, asks

    @staticmethod
    def _texts(node: Any) -> str:
        config = node.config
        texts = [str(getattr(node, "raw_code", ""))]
        for name in ("pre_hook", "post_hook"):
            texts += [hook.sql for hook in getattr(config, name, None) or ()]
        if resource_of(node) == "test":
            kwargs = getattr(getattr(node, "test_metadata", None), "kwargs", None)
            values = [str(getattr(config, key, None)) for key in _TEST_KEYS]
            texts += [str(kwargs), *values]
        return "\x00".join(texts)

    def _of_texts(self, node: Any, text: str) -> tuple[str | None, bool]:
        if _is_plain(text):
            return _core.sha256(text.encode())[:16], False
        key = (node.package_name, "\n".join(_PIECE.findall(text)))
        known = self._made.get(key)
        if known is None:
            known = self._made[key] = self._of_jinja(node, key[1])
        values, asks = known
        return (None if values is None else _core.sha256(f"{values} {text}".encode())[:16]), asks

    def _of_jinja(self, node: Any, jinja: str) -> tuple[str | None, bool]:
        """Digest of all that the Jinja of a text reads."""
        texts = [jinja, *self._macros.texts_named_in(jinja)]
        whole = "\n".join(texts)
        asks = bool(_MODE.search(whole))
        use, named = self._macros.used_by_text(jinja), names_in(whole)
        unseen = use.acts or use.unknown_env_var or named.unknown_env_var
        unseen = unseen or any(_MODEL.search(t) and not _TAKES_MODEL.search(t) for t in texts)
        if unseen or _UNSEEN.search(whole):
            return None, asks
        values = [
            macro_values(read, self._vars_of(node), self._target, os.environ)
            for read in (use, named)
        ]
        return _core.digest("text_sources", [whole, values]), asks


def _is_plain(text: str) -> bool:
    """Whether all Jinja of a text is of the harmless kinds."""
    at = text.find("{")
    while at >= 0:
        end = at + 1
        if text[end : end + 1] in ("{", "%", "#"):
            harmless = _HARMLESS.match(text, at)
            if harmless is None:
                return False
            end = harmless.end()
        at = text.find("{", end)
    return True
