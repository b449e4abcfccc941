"""Which macros a node runs besides the ones in its SQL, and what they read of the configuration.

In:  the manifest's macros, the name of a materialization, the text of hooks.
Out: texts to hash, the names of variables that they read, and whether they act on the warehouse.
Never: renders a macro.

The static closure misses macros that dbt finds by name at run time, so every project or package macro
that overrides one of dbt's or the adapter's, or is looked up by a pattern, counts for every node.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from dbt_hodor import _core, macro_text

_BY_NAME = re.compile(r"^(?:\w+__)?(get_incremental_\w+_sql|snapshot_\w+_strategy)$")
_PARSE_TIME_ONLY = frozenset(
    {"generate_schema_name", "generate_alias_name", "generate_database_name"}
)
"""Their result is the node's relation, which is seen directly."""

_ACTS = re.compile(
    r"\b(?:run_query|statement|load_result|store_result|store_raw_result|load_agate_table)\b"
    r"|\badapter\b(?!\s*\.\s*(?:dispatch|quote|type|quote_as_configured)\b)"
    r"|\b(?:context|builtins|submit_python_job)\b"
)
"""Names that run statements, or under which those may be found."""
_COMPILE_TIME = re.compile(r"^(?:\w+?__)?test_")
"""Generic tests: what they yield is the text of a test."""
_FROM_PYTHON = frozenset(
    [
        "get_catalog", "get_catalog_relations", "get_relation_last_modified", "get_columns_in_relation",
        "list_relations_without_caching", "list_function_relations_without_caching", "list_schemas",
        "check_schema_exists", "create_schema", "drop_schema", "rename_relation", "drop_relation",
        "truncate_relation", "alter_column_type", "validate_sql",
    ]
)  # fmt: skip
"""Macros that adapters run by name."""
_ACTING = frozenset(
    [
        "run_query", "run_query_as", "get_query_results_as_dict", "date_spine", "dates_in_range",
        "partition_range", "py_current_timestring", "current_timestamp", "snapshot_get_time",
        "current_timestamp_backcompat", "current_timestamp_in_utc_backcompat", "get_intervals_between",
        "load_relation",
    ]
)  # fmt: skip
"""Macros of dbt that yield something of the moment, or of a relation that is not the node's."""
_VAR = re.compile(r"\bvar\s*(?:\.\s*has_var\s*)?\(\s*(?:(['\"])([^'\"]*)\1\s*[,)])?")
_ENV_VAR = re.compile(r"\benv_var\s*\(\s*(?:(['\"])([^'\"]*)\1\s*[,)])?")
_HANDED_ON = re.compile(r"\{%[^%]*?\bvar\b(?!\s*[.(=])|\(\s*var\s*[,)]")
_TARGET = re.compile(
    r"\btarget\s*(?:\.\s*(\w+)|\[\s*['\"](\w+)['\"]\s*\]|\.get\(\s*['\"](\w+)['\"])"
)
_TARGET_ANY = re.compile(r"\btarget\b")
_MENTIONS = {
    "meta": re.compile(r"\bmeta(?:_get|_require)?\b"),
    "tags": re.compile(r"\btags\b"),
    "docs": re.compile(r"\bdocs\b"),
    "description": re.compile(r"\bdescription\b"),
    "model": re.compile(r"\bmodel\b"),
    "columns": re.compile(r"\bmodel\b[^%}]{0,20}\bcolumns\b"),
}
_SQL = r"(?:compiled_code|compiled_sql|(?<!['\"])\bsql\b(?!['\"]))"
_SHOWN_SQL = re.compile(_SQL)
_RUN_SQL = re.compile(
    r"(?<!['\"$])\{\{-?\s*" + _SQL + r"\s*-?\}\}|\{%-?\s*macro\b[^%]*%\}|\bset\s+" + _SQL + r"\s*="
    r"|\b(?:get_create_(?:table|view)_as_sql|create_(?:table|view)_as|get_assert_columns_equivalent"
    r"|get_select_subquery|py_write_table)\s*\([^()]*\)"
)
"""Where a node's query is run, not looked at."""
_SETS = re.compile(
    r"(?:^|[;\"'(]|%\}|\*/|--[^\n]*\n)\s*(?:set|reset|use|pragma)\s+[\"'{\w]", re.IGNORECASE
)
"""At the start of a statement: `update t set` and `{% set %}` are something else."""
_SETTING_WORD = re.compile(r"(?:set|use|pragma)\s")
"""In a case-folded text: there is one wherever `_SETS` finds something."""
_JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


@dataclass
class MacroUse:
    """What a set of macros stands for in a node's configuration hash."""

    project: dict[str, str] = field(default_factory=dict)
    """unique_id -> digest of the text, for macros of the project and of packages."""
    internal: str = ""
    """One digest over dbt's and the adapter's own macros."""
    vars: frozenset[str] = frozenset()
    all_vars: bool = False
    env_vars: frozenset[str] = frozenset()
    unknown_env_var: bool = False
    target_keys: frozenset[str] = frozenset()
    all_target: bool = False
    mentions: frozenset[str] = frozenset()
    acts: bool = False
    """Rendering them may run statements."""
    overrides: bool = False
    """Some macro runs in place of one of dbt's: proofs about dbt's own do not hold."""
    run_dependent: str = ""
    """Name of such a macro whose output may differ from run to run, or that reads or writes a
    relation by itself: neither shows in the node's own SQL."""
    doubt: str = ""
    """What in it says so."""
    reads_this: bool = False
    """Such a macro reads or adds to what stands in the node's relation."""
    calls: set[str] = field(default_factory=set)
    """Functions that the SQL of such macros may call."""


class Macros:
    """The macros of one manifest. Answers are remembered; safe to ask from several threads."""

    def __init__(
        self, manifest: Any, project_name: str, adapter_type: str, internal: set[str],
        search_order: Callable[[str], Iterable[str] | None] = lambda namespace: None,
    ) -> None:  # fmt: skip
        """`search_order`: packages in which a macro of a namespace is looked for, None as usual."""
        self._manifest = manifest
        self._macros: dict[str, Any] = manifest.macros
        self._project_name = project_name
        self._adapter_type = adapter_type
        self._internal_packages = internal
        self._uses: dict[Any, MacroUse] = {}
        self._digests: dict[str, str] = {}
        self._read_names: dict[str, _Names] = {}
        self._by_name: dict[str, list[str]] = {}
        for unique_id, macro in self._macros.items():
            self._by_name.setdefault(macro.name, []).append(unique_id)
        self._packages = {macro.package_name for macro in self._macros.values()} | {"dbt"}
        self._overrides = self._find_overrides()
        self._searched = frozenset(
            package for namespace in internal for package in search_order(namespace) or ()
        )
        self._run_names: dict[bool, frozenset[str]] = {}
        self._texts: dict[tuple[str, bool], macro_text.MacroText] = {}

    def _is_internal(self, macro: Any) -> bool:
        return macro.package_name in self._internal_packages

    def _find_overrides(self) -> frozenset[str]:
        own_names = {
            _bare(macro.name) for macro in self._macros.values() if self._is_internal(macro)
        }
        return frozenset(
            unique_id
            for unique_id, macro in self._macros.items()
            if not self._is_internal(macro)
            and _bare(macro.name) not in _PARSE_TIME_ONLY
            and (_bare(macro.name) in own_names or _BY_NAME.match(macro.name))
        )

    def texts_of_projects(self) -> Iterable[str]:
        """The macros that are not dbt's or the adapter's."""
        return [m.macro_sql for m in self._macros.values() if not self._is_internal(m)]

    def materialization(self, name: str) -> Any:
        """The materialization macro that dbt would run, or None."""
        return self._manifest.find_materialization_macro_by_name(
            self._project_name, name, self._adapter_type
        )

    def overrides_of(self, name: str) -> list[str]:
        """Project and package macros that may run instead of dbt's macro of this name."""
        return [uid for uid in self._overrides if _bare(self._macros[uid].name) == name]

    def used_by_materialization(self, name: str, package: str = "") -> MacroUse:
        """Everything that building a node of this materialization and package may run."""
        key = (name, package or self._project_name)
        use = self._uses.get(key)
        if use is None:
            macro = self.materialization(name)
            roots = set(self._overrides)
            if macro is not None:
                roots.add(macro.unique_id)
            use = self._use_of(roots, "")
            certain = self._certain(name, key[1])
            use.overrides = bool(certain)
            if macro is not None and not self._is_internal(macro):
                certain.add(macro.unique_id)
            self._look_into(use, certain)
            self._uses[key] = use
        return use

    # -- macros that run instead of dbt's ---------------------------------------------------------

    def _certain(self, name: str, package: str) -> set[str]:
        """Overrides that dbt would find: a package's helper of the same name must not cost reuse."""
        winning = {uid for uid in self._overrides if self._wins(uid, package)}
        if not winning:
            return set()
        run = self._names_run(name == "snapshot")
        return {uid for uid in winning if self._may_run(uid, name, run)}

    def _wins(self, unique_id: str, package: str) -> bool:
        """Whether dbt looks into the macro's package before its own."""
        found = self._macros[unique_id].package_name
        return found in (self._project_name, package) or found in self._searched

    def _may_run(self, unique_id: str, materialization: str, run: frozenset[str]) -> bool:
        """Whether a materialization runs a macro of this name."""
        name = self._macros[unique_id].name
        found = _BY_NAME.match(name)
        if found is not None:
            return found.group(1)[:4] == materialization[:4].replace("incr", "get_")
        return _bare(name) in run and not _COMPILE_TIME.match(name)

    def _names_run(self, snapshot: bool) -> frozenset[str]:
        """Bare names of all macros that materializations may run, by the words in dbt's macros: more
        than they do. What only models call shows in the models' texts."""
        known = self._run_names.get(snapshot)
        if known is None:
            texts: dict[str, list[str]] = {}
            pending = set(_FROM_PYTHON)
            for macro in self._macros.values():
                texts.setdefault(_bare(macro.name), []).append(macro.macro_sql)
                if macro.name != _bare(macro.name):
                    texts.setdefault(macro.name, []).append(macro.macro_sql)
                wanted = snapshot or not macro.name.startswith("materialization_snapshot_")
                if wanted and macro.name.startswith("materialization_"):
                    pending.add(macro.name)
            found: set[str] = set()
            while pending:
                name = pending.pop()
                found.add(name)
                for text in texts.get(name, ()):
                    words = {word for word in _IDENTIFIER.findall(text) if word in texts}
                    pending |= words - found
            known = self._run_names[snapshot] = frozenset(_bare(name) for name in found) | found
        return known

    def _look_into(self, use: MacroUse, certain: set[str]) -> None:
        """Reads the macros that run for certain, and those that they name."""
        pending, seen = sorted(certain), set[str]()
        while pending:
            uid = pending.pop(0)
            macro = self._macros.get(uid)
            if uid in seen or macro is None or self._is_internal(macro):
                continue
            seen.add(uid)
            text = self._text(uid, uid in certain)
            if text.doubt and not use.run_dependent:
                use.run_dependent, use.doubt = str(macro.name), text.doubt
            use.all_target = use.all_target or text.all_target
            use.all_vars = use.all_vars or text.all_vars
            use.unknown_env_var = use.unknown_env_var or text.unknown_env_var
            use.reads_this = use.reads_this or text.reads_this
            use.calls |= text.calls
            acting = sorted(text.macros & _ACTING)
            if acting and not use.run_dependent:
                use.run_dependent, use.doubt = str(macro.name), acting[0]
            pending.extend(macro.depends_on.macros)
            for name in sorted(text.macros):
                for full in (name, f"{self._adapter_type}__{name}", f"default__{name}"):
                    pending.extend(self._by_name.get(full, ()))

    def _text(self, unique_id: str, trusts_arguments: bool) -> macro_text.MacroText:
        key = (unique_id, trusts_arguments)
        known = self._texts.get(key)
        if known is None:
            text = self._macros[unique_id].macro_sql
            known = self._texts[key] = macro_text.read(text, self._names_a_macro, trusts_arguments)
        return known

    def _names_a_macro(self, name: str) -> bool:
        return (
            name in self._by_name or f"default__{name}" in self._by_name or name in self._packages
        )

    def used_by_text(self, text: str) -> MacroUse:
        """Everything that the Jinja in a hook may run, found by the names in it."""
        text = "\n".join(_JINJA.findall(text))  # SQL words may be names of macros, too
        key = ("text", text)
        use = self._uses.get(key)
        if use is None:
            roots = {
                unique_id
                for word in set(_IDENTIFIER.findall(text))
                for unique_id in self._by_name.get(word, ())
            }
            use = self._uses[key] = self._use_of(roots, text)
        return use

    def texts_named_in(self, text: str) -> list[str]:
        """Texts of the macros of projects whose name occurs in a text, or in the Jinja of theirs."""
        found: dict[str, str] = {}
        pending = [text]
        while pending:
            jinja = "\n".join(_JINJA.findall(pending.pop()))
            for word in set(_IDENTIFIER.findall(jinja)):
                for name in (word, f"default__{word}", f"{self._adapter_type}__{word}"):
                    for uid in self._by_name.get(name, ()):
                        if uid not in found and not self._is_internal(self._macros[uid]):
                            found[uid] = self._macros[uid].macro_sql
                            pending.append(found[uid])
        return [found[uid] for uid in sorted(found)]

    def _closure(self, roots: set[str]) -> set[str]:
        found: set[str] = set()
        pending = list(roots)
        while pending:
            unique_id = pending.pop()
            macro = self._macros.get(unique_id)
            if macro is None or unique_id in found:
                continue
            found.add(unique_id)
            pending.extend(macro.depends_on.macros)
            for name in (macro.name, f"{self._adapter_type}__{macro.name}"):
                # A package may bring a dispatch target that the static scan could not see.
                pending.extend(uid for uid in self._by_name.get(name, ()) if uid not in found)
        return found

    def _digest(self, unique_id: str) -> str:
        known = self._digests.get(unique_id)
        if known is None:
            text = self._macros[unique_id].macro_sql
            known = self._digests[unique_id] = _core.digest("macro", text)
        return known

    def _use_of(self, roots: set[str], text: str) -> MacroUse:
        closure = self._closure(roots)
        project = {uid for uid in closure if not self._is_internal(self._macros[uid])}
        use = MacroUse()
        use.project = {uid: self._digest(uid) for uid in sorted(project)}
        use.internal = _core.digest(
            "internal_macros", {uid: self._digest(uid) for uid in sorted(closure - project)}
        )
        texts = [text, *(self._macros[uid].macro_sql for uid in sorted(project))]
        _add_names(use, [_names_of(text), *(self._names(uid) for uid in closure)])
        own_text = "\n".join(texts)
        use.mentions = frozenset(
            name for name, pattern in _MENTIONS.items() if pattern.search(own_text)
        )
        if _shows_sql(own_text):
            use.mentions |= {"sql"}
        use.acts = bool(_ACTS.search(own_text)) or "macro.dbt.statement" in closure
        return use

    def _names(self, unique_id: str) -> _Names:
        known = self._read_names.get(unique_id)
        if known is None:
            known = _names_of(self._macros[unique_id].macro_sql)
            self._read_names[unique_id] = known
        return known


_Names = tuple[frozenset[str], bool, frozenset[str], bool, frozenset[str]]
"""Variables, one by a computed name, environment variables, one by a computed name, target keys."""


def _names_of(text: str) -> _Names:
    """What one text reads of the configuration. Most read nothing: cheap tests come first."""
    variables = _VAR.findall(text) if "var" in text else []
    environment = _ENV_VAR.findall(text) if "env_var" in text else []
    if "var" in text and _HANDED_ON.search(text):  # the function itself under another name
        variables.append(("", ""))
    target = _TARGET.findall(text) if "target" in text else []
    return (
        frozenset(name for quote, name in variables if quote),
        any(not quote for quote, _ in variables),
        frozenset(name for quote, name in environment if quote),
        any(not quote for quote, _ in environment),
        frozenset("".join(groups) for groups in target),
    )


def _add_names(use: MacroUse, all_names: Iterable[_Names]) -> None:
    variables: set[str] = set()
    environment: set[str] = set()
    target: set[str] = set()
    for read, any_var, from_environment, any_env_var, keys in all_names:
        variables |= read
        environment |= from_environment
        target |= keys
        use.all_vars = use.all_vars or any_var
        use.unknown_env_var = use.unknown_env_var or any_env_var
    use.vars, use.env_vars = frozenset(variables), frozenset(environment)
    use.target_keys = frozenset(target)


def _shows_sql(text: str) -> bool:
    """Whether a macro may show a node's query as a text, in which a comment counts."""
    return any(map(_SHOWN_SQL.search, _JINJA.findall(_RUN_SQL.sub(" ", text))))


def may_set(text: str) -> bool:
    """Whether a text may change settings of the session that it runs in."""
    # The first look takes a tenth of the time of the second, and most texts end with it.
    return bool(_SETTING_WORD.search(text.casefold()) and _SETS.search(text))


def _bare(name: str) -> str:
    return name.split("__", 1)[1] if "__" in name else name


def reachable_texts(manifest: Any, text: str) -> dict[str, str]:
    """unique_id -> text of every macro whose name occurs in the text, or in one of theirs."""
    by_name: dict[str, list[str]] = {}
    for unique_id, macro in manifest.macros.items():
        by_name.setdefault(_bare(macro.name), []).append(unique_id)
        by_name.setdefault(macro.name, []).append(unique_id)
    found: dict[str, str] = {}
    pending = [text]
    while pending:
        for word in set(_IDENTIFIER.findall(pending.pop())):
            for unique_id in by_name.get(word, ()):
                if unique_id not in found:
                    found[unique_id] = manifest.macros[unique_id].macro_sql
                    pending.append(found[unique_id])
    return found


def names_in(text: str) -> MacroUse:
    """The variables, environment variables and target keys that one text reads."""
    use = MacroUse()
    _add_names(use, [_names_of(text)])
    use.all_target = len(_TARGET_ANY.findall(text)) > len(_TARGET.findall(text))
    return use
