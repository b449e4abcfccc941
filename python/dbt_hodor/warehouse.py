"""The warehouse of one run: what stands in it, what it was made from, and which version it has.

In:  a version provider, definitions' facts from records, notes of what was written.
Out: the core's catalog, traces of inputs, version tokens.
Never: decides. What cannot be listed, analysed or read is unknown, not missing.

The catalog is guarded by one lock; version reads happen outside it, in the version cache.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from dbt_hodor import _core
from dbt_hodor.counters import VERSIONS, Counters
from dbt_hodor.definitions import query_of_view
from dbt_hodor.versions.base import ListedRelation, Parts, VersionProvider


class Warehouse:
    """Not before `start`: one listing. Methods may be called from any thread."""

    def __init__(
        self, provider: VersionProvider, cache: Any, counters: Counters, default: tuple[str, str]
    ) -> None:
        self.provider = provider
        self.cache = cache
        self._counters = counters
        self._lock = threading.RLock()
        self._default = default
        self._databases: set[str] = set()
        self._parts: dict[str, Parts] = {}
        self._errors: dict[str, str] = {}
        self._user_functions: set[str] = set()
        self._function_facts: list[Any] = []
        self._stale = False
        self._views: dict[str, Parts] = {}
        self._unseen: dict[str, Parts] = {}
        self._unseen_views: set[str] = set()
        self._overwritten: set[str] = set()
        self._definitions: dict[str, str] = {}
        self._unversioned: set[str] = set()
        self._loaded_at: Any = None
        self._loaded_at_always: dict[str, Any] = {}
        self._loaded_at_else: dict[str, Any] = {}
        self._loaded_at_tokens: dict[str, str | None] = {}
        self._loaded_at_errors: dict[Parts, str] = {}
        self._files: dict[str, str | None] = {}
        self.definition_facts: dict[str, str] = {}
        """Definition hash -> encoded facts, from records and from this run's analyses."""
        self.analyse_definition: Callable[[str], Any] | None = None
        self.look_at_unseen: Callable[[], None] = lambda: None
        """Looks at everything that was just built; set by who collects it."""
        self.catalog = _core.Catalog(*default)
        self._writes = itertools.count(1)
        self.writes_noted = 0
        """Another number after each change of what is known here."""

    # -- the listing ----------------------------------------------------------------------------

    def start(self, databases: Iterable[str]) -> None:
        """Lists the databases and fills the catalog."""
        self._databases = set(databases)
        with self._lock:
            self._list()

    def _list(self) -> None:
        with self._counters.spent_on(VERSIONS):
            listing = self.provider.listing(sorted(self._databases))
            builtin = list(self.provider.builtin_functions())
        self._errors = {key.lower(): text for key, text in listing.errors.items()}
        self._parts.clear()
        self._views.clear()
        self._definitions.clear()
        for relation in listing.relations:
            self._put(relation)
        self.catalog.clear_functions()
        self._user_functions = {function.name.lower() for function in listing.functions}
        self._function_facts = []
        for function in listing.functions:
            self._put_function(function)
        if "functions" not in self._errors:
            # Without the list of user functions every called name may be one of them: left
            # invalid, so that each trace is opaque.
            self.catalog.set_builtin_functions(builtin)
        self._stale = False
        self._note_write()

    def _put(self, relation: ListedRelation) -> str:
        parts = list(relation.parts)
        key = _core.relation_key(parts)
        self._parts[key] = relation.parts
        if relation.type == "view":
            definition = definition_hash(relation.ddl)
            self._views[key] = relation.parts
            self._definitions[key] = definition
            query = query_of_view(relation.ddl)
            facts = None if query is None else self._facts_of(definition, query)
            self.catalog.put_view(parts, definition, facts)
        else:
            self._views.pop(key, None)
            self._definitions.pop(key, None)
            self.catalog.put_table(parts)
        return key

    def close(self) -> None:
        """No questions any more: reads that still run are stopped."""
        with self._counters.spent_on(VERSIONS):
            self.cache.close()

    def _put_function(self, function: Any) -> None:
        definition = definition_hash(function.definition)
        body = function.definition
        facts = self._facts_of(definition, body if function.returns_table else f"select {body}")
        self._function_facts.append(facts)
        for name in {function.name, ".".join(function.parts)}:
            self.catalog.put_function(name, definition, facts)

    def _facts_of(self, definition: str, query: str) -> Any:
        """Facts of a view's query or a function's body; None when they cannot be had."""
        known = self.definition_facts.get(definition)
        if known is not None:
            try:
                return _core.Facts.decode(known)
            except ValueError:
                del self.definition_facts[definition]
        if self.analyse_definition is None:
            return None
        facts = self.analyse_definition(query)
        if facts is not None:
            self.definition_facts[definition] = facts.encode()
        return facts

    # -- what a node needs ----------------------------------------------------------------------

    def is_settled(self) -> bool:
        """Whether everything that was written has been looked at again."""
        return not (self._stale or self._unseen)

    def _note_write(self) -> None:
        # Never a number that was there before, whichever thread is the last to set it.
        self.writes_noted = next(self._writes)

    def _fresh(self) -> None:
        if self._stale:
            self._list()

    def _see(self, key: str | None = None) -> None:
        """Before an answer that depends on this relation, or on the definition of any view."""
        if self._unseen and (key in self._unseen if key else self._unseen_views):
            self.look_at_unseen()

    def existence(self, parts: Sequence[str], expected: str) -> str:
        """`present`, `missing`, `other_type` or `unknown` for the relation of a node."""
        if self._unseen:
            self._see(_core.relation_key(list(parts)))
        with self._lock:
            self._fresh()
            if parts[0].lower() in self._errors:
                return "unknown"
            found = self.catalog.type_of(list(parts))
        if not found:
            return "missing"
        return "present" if found == expected else "other_type"

    def trace(self, facts: Any, reader: Sequence[str] | None) -> list[tuple[str, str, str, str]]:
        """The inputs of a text: (kind, key, group, definition hash)."""
        self._see()
        with self._lock:
            self._fresh()
            return self.catalog.trace(facts, [] if reader is None else list(reader))

    def order_sensitive(self, facts: Any) -> bool:
        """Whether the order of input rows matters, views on the way included."""
        self._see()
        with self._lock:
            return bool(self.catalog.order_sensitive(facts))

    def lacks(self, relation: str, column: str) -> bool:
        """Whether this relation (as a text names it, lower case) certainly has no such column now."""
        parts = relation.split(".")
        if len(parts) != 3:
            return False
        key = _core.relation_key(parts)
        self._see(key)
        with self._lock:
            self._fresh()
            known = self._parts.get(key)
        if known is None:
            return False
        with self._counters.spent_on(VERSIONS):
            names = self.provider.column_names(known)
        return names is not None and column not in names

    def are_builtin(self, names: set[str]) -> bool:
        """Whether none of these names may be that of a user's function."""
        with self._lock:
            self._fresh()
            known = "functions" not in self._errors
            return known and self._user_functions.isdisjoint(names)

    def read_in_order(self) -> set[str] | None:
        """Tables whose order a view or a user's function may see; None while that is not known: a
        listing failed, or a view was just built and not looked at yet."""
        with self._lock:
            self._fresh()
            if self._errors or self._unseen_views:
                return None
            definitions = [self.definition_facts.get(d) for d in self._definitions.values()]
            facts = [_core.Facts.decode(text) for text in definitions if text]
            facts += [found for found in self._function_facts if found is not None]
            return {
                key
                for found in facts
                if not found.exact or self.catalog.order_sensitive(found)
                for kind, key, _, _ in self.catalog.trace(found, [])
                if kind == "table"
            }

    def never_versioned(self, keys: Iterable[str]) -> None:
        """Relations that their owner opted out of scanning."""
        self._unversioned.update(keys)

    def trust_loaded_at(
        self, always: Mapping[str, Any], else_unknown: Mapping[str, Any], reader: Any
    ) -> None:
        """Sources by relation key whose loaded_at stands for their version, or stands in for it."""
        self._loaded_at_always, self._loaded_at_else = dict(always), dict(else_unknown)
        self._loaded_at = reader

    def known_version(self, key: str) -> str | None:
        """The same as `version`, where that reads nothing. Without the lock: what is found in the
        middle of a change stood there before it, and what is not found is asked for with the lock."""
        parts = self._parts.get(key)
        if parts is None or key in self._unversioned or key in self._unseen:
            return None
        return None if key in self._loaded_at_always else self.cache.peek(parts)

    def version(self, key: str) -> str | None:
        """Token of a relation now, read once and again only after it was written."""
        known = self.known_version(key)
        if known is not None:
            return known
        self._see(key)
        with self._lock:
            parts = self._parts.get(key)
        if parts is None or key in self._unversioned:
            return None
        with self._counters.spent_on(VERSIONS):
            if key in self._loaded_at_always:
                return self._version_by_loaded_at(key, parts, self._loaded_at_always[key])
            token = self.cache.get(parts)
            if token is None and key in self._loaded_at_else:
                token = self._version_by_loaded_at(key, parts, self._loaded_at_else[key])
            return token

    def _version_by_loaded_at(self, key: str, parts: Parts, source: Any) -> str | None:
        if key not in self._loaded_at_tokens:
            try:
                self._loaded_at_tokens[key] = self._loaded_at.version(parts, source)
            except Exception as error:  # noqa: BLE001 - what cannot be read proves nothing
                self._loaded_at_tokens[key] = None
                self._loaded_at_errors[parts] = str(error)
        return self._loaded_at_tokens[key]

    def unreadable(self) -> dict[Parts, str]:
        """Relations whose version could not be read, with the engine's words."""
        return {**self.cache.errors(), **self._loaded_at_errors}

    def parts_of(self, key: str) -> Parts | None:
        """The relation's name as the warehouse has it, when it was listed."""
        with self._lock:
            return self._parts.get(key)

    def is_view(self, key: str) -> bool:
        """Whether a view stands under this name."""
        with self._lock:
            return key in self._views

    def definition_hash_of(self, parts: Sequence[str]) -> str | None:
        """Hash of a view's definition as it was last listed or read; None when it is no view."""
        key = _core.relation_key(list(parts))
        self._see(key)
        with self._lock:
            return self._definitions.get(key)

    def definition_of(self, parts: Sequence[str]) -> str | None:
        """The same as a version token: what a view has instead of data."""
        definition = self.definition_hash_of(parts)
        return None if definition is None else _core.version_token(definition, "", "")

    def file_version(self, pattern: str, function: str) -> str | None:
        """Token of local files; read once until something may have written files."""
        key = f"{function}:{pattern}"
        with self._lock:
            if key in self._files:
                return self._files[key]
        with self._counters.spent_on(VERSIONS):
            token = self.provider.file_version(pattern, function)
        with self._lock:
            self._files[key] = token
        return token

    # -- after something was written --------------------------------------------------------------

    def reread(self, parts: Sequence[str]) -> None:
        """Looks at one relation again: its existence, type, definition, and that of no other."""
        wanted = tuple(parts)
        with self._lock:
            key = _core.relation_key(list(parts))
            if key in self._unseen:
                self._overwritten.add(key)
        with self._counters.spent_on(VERSIONS):
            self._invalidate(wanted)
            if not self._keeps_its_files(parts[0]):
                self.forget_files()
            try:
                relation = self.provider.relations([wanted])[wanted]
            except Exception:  # noqa: BLE001 - not sure what stands there: list everything anew
                self.forget_everything()
                return
        with self._lock:
            self._replace(wanted, relation)

    def _keeps_its_files(self, database: str) -> bool:
        """Whether no text can name the files behind this database; those of a lake it can."""
        return self.provider.is_exclusive(database) or self.provider.is_in_memory(database)

    def _invalidate(self, parts: Parts) -> None:
        with self._lock:
            views = set(self._views.values())
        self.cache.invalidate(parts, views)
        self._note_write()

    def _replace(self, wanted: Parts, relation: ListedRelation | None) -> None:
        """With the lock: what stands under this name now."""
        self._forget(_core.relation_key(list(wanted)))
        if relation is None:
            self.catalog.remove(list(wanted))
        else:
            self._put(relation)
            if relation.parts != wanted:
                self._invalidate(relation.parts)
        self._note_write()

    def _forget(self, key: str) -> None:
        self._parts.pop(key, None)
        self._views.pop(key, None)
        self._definitions.pop(key, None)
        self._loaded_at_tokens.pop(key, None)

    def just_built(self, parts: Parts, is_view: bool) -> None:
        """dbt built this relation, and nothing else is known to have been written. It is looked at
        when somebody asks or when there are many: `look`."""
        self._invalidate(parts)
        with self._lock:
            key = _core.relation_key(list(parts))
            self._unseen[key] = parts
            self._forget(key)
            if is_view:
                self._unseen_views.add(key)
            else:
                self._put(ListedRelation(parts, "table", ""))
            self._note_write()

    def is_unseen(self, key: str) -> bool:
        """Whether the relation was just built and not looked at yet."""
        return key in self._unseen

    def look(self, wanted: Sequence[Parts]) -> dict[str, str | None]:
        """Looks at what was just built: the token that each build left, by relation key. None is
        unknown: somebody else may have written there since."""
        with self._counters.spent_on(VERSIONS):
            try:
                found = dict(self.provider.relations(wanted))
                tables = [
                    r.parts
                    for r in found.values()
                    if r is not None
                    and r.type == "table"
                    and _core.relation_key(list(r.parts)) not in self._unversioned
                ]
                tokens = self.cache.read_now(tables)
            except Exception:  # noqa: BLE001 - not sure what stands there: list everything anew
                self.forget_everything()
                found, tokens = {}, {}
        left: dict[str, str | None] = {}
        with self._lock:
            for parts in wanted:
                key = _core.relation_key(list(parts))
                self._unseen.pop(key, None)
                self._unseen_views.discard(key)
                relation = found.get(parts)
                if found:
                    self._replace(parts, relation)
                known = relation is not None and key not in self._overwritten
                self._overwritten.discard(key)
                left[key] = None
                if known and relation is not None:
                    is_view = relation.type == "view"
                    left[key] = self.definition_of(parts) if is_view else tokens.get(parts)
            self._note_write()
        return left

    def distrust_partial_names(self) -> None:
        """The session may have temporary objects that no listing shows."""
        with self._lock:
            self.catalog.distrust_partial_names()
            self._note_write()

    def forget_session(self) -> None:
        """A statement changed the session, or made a function or a temporary object."""
        with self._lock:
            self._stale = True
            self.catalog.distrust_partial_names()
            self._note_write()

    def forget_files(self) -> None:
        """Something may have written files."""
        with self._lock:
            self._files.clear()
            self._note_write()

    def forget_everything(self) -> None:
        """Something may have written anything: the next question lists and reads anew."""
        with self._lock:
            self._stale = True
            self._overwritten.update(self._unseen)
            self._files.clear()
            self._loaded_at_tokens.clear()
            self.catalog.invalidate()
        self.cache.invalidate_all()
        self._note_write()


def definition_hash(text: str) -> str:
    """Names one definition of a view or function."""
    return _core.digest("definition", text)
