"""What one macro's text may do besides what its arguments say, read from its Jinja tokens.

In:  the text of a macro that may run in place of one of dbt's, and the names of other macros.
Out: the first thing in it that decides its output and is not followed, or nothing; the names of
     macros that it uses; what it reads of the configuration under names that no pattern finds.
Never: renders; takes a name that is not listed for harmless. Unknown means that its nodes build.

The SQL in it (outside Jinja and inside string literals) must not name a relation, call something
volatile, or read a relation whose name another macro or a variable made up. A relation that dbt's own
code hands in as an argument is what that code would have used itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from jinja2 import Environment
from jinja2.exceptions import TemplateError

from dbt_hodor.macro_sql import (
    calls_of,
    is_volatile,
    names_a_dotted,
    names_a_relation,
    without_comments,
    words_of,
)

_LEXER = Environment(autoescape=False)

_KEYWORDS = frozenset(
    [
        "macro", "endmacro", "materialization", "endmaterialization", "test", "endtest",
        "data_test", "snapshot", "endsnapshot", "if", "elif", "else", "endif", "for", "endfor",
        "in", "not", "and", "or", "is", "set", "endset", "do", "call", "endcall", "filter",
        "endfilter", "recursive", "with", "endwith", "raw", "endraw", "true", "false", "none",
        "True", "False", "None", "loop", "namespace", "break", "continue", "block", "endblock",
    ]
)  # fmt: skip
_PURE = frozenset(
    [
        "this", "return", "exceptions", "log", "print", "execute", "caller", "varargs", "kwargs",
        "range", "dict", "zip", "zip_strict", "set_strict", "fromjson", "tojson", "fromyaml",
        "toyaml", "local_md5", "diff_of_two_dicts", "validation", "pre_hooks", "post_hooks",
        "sql", "compiled_code", "database", "schema", "default", "adapter", "column", "columns",
        "supported_languages",
    ]
)  # fmt: skip
"""Names whose value is a function of their arguments, or of the node as its own hashes show it."""

_METHODS = frozenset(
    [
        "quote", "quote_as_configured", "type", "get_columns_in_relation", "get_missing_columns",
        "expand_target_column_types", "drop_relation", "rename_relation", "truncate_relation",
        "get_column_schema_from_query", "render_raw_columns_constraints",
        "render_raw_model_constraints", "is_ducklake", "is_motherduck",
        "use_ducklake_table_workarounds", "warn_once", "commit", "disable_transactions",
        "cache_added", "cache_dropped", "cache_renamed", "batch_id_for_model",
    ]
)  # fmt: skip
"""Methods of the adapter that look at nothing but their arguments and the node's own relations."""

_MODEL = frozenset(
    [
        "name", "alias", "schema", "database", "identifier", "original_file_path", "fqn",
        "package_name", "group", "version", "compiled_code", "compiled_sql", "columns",
        "constraints", "description", "meta", "tags", "docs", "unique_id", "relation_name",
        "resource_type", "language", "contract", "latest_version",
    ]
)  # fmt: skip
_MODULES = frozenset({"re", "itertools"})
_UNSEEN_CONFIG = frozenset(
    [
        "state", "enabled", "databricks_compute", "incremental_apply_config_changes",
        "persist_docs", "pre_hook", "post_hook", "pre-hook", "post-hook",
        "latest_version_pointer",
    ]
)  # fmt: skip
"""Keys that count in another form than their value, or not at all."""

_SEEN_IN_SQL = frozenset(
    [
        "sql_header", "unique_key", "incremental_strategy", "on_schema_change", "materialized",
        "contract", "partitioned_by", "sorted_by", "indexes", "grants", "incremental_predicates",
        "predicates",
    ]
)  # fmt: skip
"""Keys whose values are names, or are analysed as SQL of the node."""

_VALUES = frozenset({"var", "env_var", "target", "config", "model", "modules"})
"""What a value from these says is known, but not what it means as SQL."""

_IN_PLACE = re.compile(
    r"\b(from|join|using|into|update|table|describe|merge|delete)\s+\(*\s*\x00(\d+)\x00(\s*\.)?",
    re.IGNORECASE,
)
_MADE = frozenset({"table", "describe"})
"""`create table {{ x }}` says nothing of what is read."""
_READS = frozenset({"from", "join", "using", "update", "merge", "into", "delete"})
_Token = tuple[str, str]


@dataclass
class MacroText:
    """`doubt`: why nothing is certain about nodes that run this macro, or an empty text."""

    doubt: str = ""
    macros: set[str] = field(default_factory=set)
    """Names that may be those of macros, called or handed on."""
    calls: set[str] = field(default_factory=set)
    """Names that are called in its SQL; some may be functions of the user."""
    reads_this: bool = False
    """Its SQL reads or adds to the node's own relation."""
    all_target: bool = False
    all_vars: bool = False
    unknown_env_var: bool = False


def read(text: str, is_macro: Callable[[str], bool], trusts_arguments: bool) -> MacroText:
    """Reads one macro. `trusts_arguments`: dbt's own code calls it, with relations of the node."""
    found = MacroText()
    try:
        tokens = [(kind, value) for _, kind, value in _LEXER.lex(text)]
    except TemplateError:
        found.doubt = "text that is no Jinja"
        return found
    _Reader(tokens, found, is_macro, trusts_arguments).read()
    return found


class _Reader:
    """One pass over the Jinja, one over the SQL around it."""

    def __init__(
        self, tokens: list[_Token], found: MacroText, is_macro: Callable[[str], bool], trusts: bool
    ) -> None:
        self._found, self._is_macro = found, is_macro
        self._code: list[_Token] = []
        self._sql: list[str] = []
        self._outputs: list[list[_Token]] = []
        self._arguments: set[str] = set()
        self._bound: set[str] = set()
        self._relations: set[str] = {"this"}
        self._of_this: set[str] = {"this"}
        self._split(tokens)
        self._bind(trusts)

    # -- tokens ---------------------------------------------------------------------------------

    def _split(self, tokens: list[_Token]) -> None:
        inside: list[_Token] | None = None
        for kind, value in tokens:
            if kind in ("variable_begin", "block_begin"):
                inside = []
                self._code.append((kind, value))
            elif kind in ("variable_end", "block_end"):
                self._code.append((kind, value))
                if kind == "variable_end":
                    self._sql.append(f"\x00{len(self._outputs)}\x00")
                    self._outputs.append(inside or [])
                else:
                    self._sql.append(" ")
                inside = None
            elif inside is not None and kind not in ("whitespace", "comment"):
                inside.append((kind, value))
                self._code.append((kind, value))
            elif inside is None and kind == "data":
                self._sql.append(value)

    def _strings(self) -> Iterator[str]:
        """String literals that may become SQL: not those of messages, nor names that are looked up."""
        callees: list[str] = []
        for at, (kind, value) in enumerate(self._code):
            if kind == "operator" and value in ("(", "["):
                before = self._code[at - 1]
                callees.append(self._callee(at) if before[0] == "name" else "")
            elif kind == "operator" and value in (")", "]"):
                if callees:
                    callees.pop()
            elif kind == "string" and not (_SAYS & set(callees)) and not self._is_key(at):
                yield value[1:-1]

    def _is_key(self, at: int) -> bool:
        """Whether the string at `at` is looked up: `x['key']`, `config.get('key'`."""
        before, after = self._code[at - 1], self._next(at, 1)
        if before == ("operator", "[") and after == [("operator", "]")]:
            return self._code[at - 2][0] == "name" or self._code[at - 2][1] in (")", "]")
        looked_up = ("get", "require", "meta_get", "dispatch", "var", "env_var")
        return before == ("operator", "(") and self._code[at - 2][1] in looked_up

    def _callee(self, at: int) -> str:
        """The first name of the dotted name before an opening bracket."""
        at -= 1
        while at >= 2 and self._code[at - 1] == ("operator", "."):
            at -= 2
        return self._code[at][1]

    def _bind(self, trusts: bool) -> None:
        """Names that the macro gives a meaning itself."""
        code = self._code
        for at, (kind, _) in enumerate(code):
            if kind != "block_begin" or at + 1 >= len(code):
                continue
            word = code[at + 1][1]
            end = next(i for i in range(at, len(code)) if code[i][0] == "block_end")
            inner = code[at + 2 : end]
            if word in ("macro", "materialization", "test", "data_test", "call"):
                self._arguments |= _parameters(inner)
            elif word == "for":
                names = _until(inner, "in")
                self._bound |= {v for k, v in names if k == "name"}
            elif word == "set":
                self._bind_set(inner)
        if trusts:
            self._relations |= self._arguments
        self._bound |= self._arguments

    def _bind_set(self, inner: list[_Token]) -> None:
        names = _until(inner, "=")
        self._bound |= {v for k, v in names if k == "name"}

    def _derive_relations(self) -> None:
        """`{% set target = arg_dict['target_relation'] %}` is as good as the argument, if it is the
        only thing that the name is set to."""
        values: dict[str, list[list[_Token]]] = {}
        code = self._code
        for at, (kind, _) in enumerate(code):
            if kind == "block_begin" and code[at + 1 : at + 2] == [("name", "set")]:
                end = next(i for i in range(at, len(code)) if code[i][0] == "block_end")
                inner = code[at + 2 : end]
                names = _until(inner, "=")
                for _, name in names:
                    values.setdefault(name, []).append(inner[len(names) + 1 :])
        for name, givens in values.items():
            if name in self._relations:
                self._relations.discard(name)  # an argument that is set anew
            if all(given and self._is_plain(given) for given in givens):
                self._relations.add(name)
                if any(given[0][1] in self._of_this for given in givens):
                    self._of_this.add(name)

    def _is_plain(self, output: list[_Token]) -> bool:
        """One known relation, or a part of an argument by a literal name: nothing computed."""
        if not output or output[0][0] != "name" or output[0][1] not in self._relations:
            return False
        rest = output[1:]
        while rest:
            values = [value for _, value in rest[:3]]
            if values[:1] == ["["] and rest[1][0] == "string" and values[2:] == ["]"]:
                rest = rest[3:]
            elif values[:1] == ["."] and values[1:2] == ["render"] and values[2:3] == ["("]:
                rest = rest[4:]
            elif values[:1] == ["."] and len(values) > 1 and values[1] != "incorporate":
                rest = rest[2:]
                if rest and rest[0][1] == "(":
                    return False
            else:
                return False
        return True

    # -- the Jinja ------------------------------------------------------------------------------

    def read(self) -> None:
        self._derive_relations()
        self._read_code()
        self._read_sql()

    def _doubt(self, what: str) -> None:
        self._found.doubt = self._found.doubt or what

    def _next(self, at: int, count: int) -> list[_Token]:
        return self._code[at + 1 : at + 1 + count]

    def _read_code(self) -> None:
        depth = 0
        for at, (kind, value) in enumerate(self._code):
            if kind == "operator":
                depth += (value in "([{") - (value in ")]}")
            if kind != "name":
                continue
            before = self._code[at - 1] if at else ("", "")
            if before == ("operator", ".") or before == ("operator", "|"):
                if before[1] == "." and self._is_macro(value):
                    self._found.macros.add(value)  # package.macro
                if before[1] == "|" and value in ("attr", "map", "random", "shuffle"):
                    self._doubt(f"the filter {value}")
                continue
            if value in _KEYWORDS or (before[0] == "name" and before[1] in _INTRODUCERS):
                continue
            after = self._next(at, 1)
            if after == [("operator", "=")] and depth:
                continue  # the name of an argument
            self._read_name(at, value)

    def _read_name(self, at: int, name: str) -> None:
        found = self._found
        if self._is_macro(name):
            found.macros.add(name)
        if name in self._arguments:
            return
        special = getattr(self, f"_read_{name}", None) if name in _SPECIAL else None
        if special is not None:
            if name in self._bound and self._is_bound_here(at):
                return
            special(at)
        elif name not in self._bound and name not in _PURE and not self._is_macro(name):
            self._doubt(f"the name {name}")

    def _is_bound_here(self, at: int) -> bool:
        """`{% set target = … %}`: the name stands where it gets its value."""
        return self._code[at - 1] == ("name", "set")

    def _attribute(self, at: int) -> str | None:
        """The literal attribute of the name at `at`: `.x`, `['x']`, `.get('x'`."""
        values = self._next(at, 4)
        shown = [value for _, value in values]
        if shown[:3] == [".", "get", "("]:
            literal = values[3][0] == "string" if len(values) > 3 else False
            return shown[3][1:-1] if literal and self._ends_literal(at + 4) else None
        if shown[:1] == ["."] and len(values) > 1 and values[1][0] == "name":
            return shown[1]
        if shown[:1] == ["["] and len(values) > 2 and values[1][0] == "string" and shown[2] == "]":
            return shown[1][1:-1]
        return None

    def _ends_literal(self, at: int) -> bool:
        """Whether the string literal at `at` is a whole argument."""
        return self._next(at, 1) in ([("operator", ",")], [("operator", ")")])

    def _has_literal_argument(self, at: int) -> bool:
        values = self._next(at, 2)
        return (
            len(values) == 2
            and values[0] == ("operator", "(")
            and values[1][0] == "string"
            and self._ends_literal(at + 2)
        )

    def _read_target(self, at: int) -> None:
        if self._attribute(at) is None:
            self._found.all_target = True

    def _read_var(self, at: int) -> None:
        if self._next(at, 2) == [("operator", "."), ("name", "has_var")]:
            at += 2
        if not self._has_literal_argument(at):
            self._found.all_vars = True

    def _read_env_var(self, at: int) -> None:
        if not self._has_literal_argument(at):
            self._found.unknown_env_var = True

    def _read_adapter(self, at: int) -> None:
        after = self._next(at, 2)
        if self._code[at - 1][0] == "operator" and self._next(at, 1) == [("operator", "=")]:
            return
        method = after[1][1] if after[:1] == [("operator", ".")] and len(after) > 1 else ""
        if method == "dispatch":
            if self._has_literal_argument(at + 2):
                self._found.macros.add(self._next(at + 3, 1)[0][1][1:-1])
            else:
                self._doubt("adapter.dispatch with a computed name")
        elif method not in _METHODS:
            self._doubt(f"adapter.{method}" if method else "the adapter under another name")

    def _read_config(self, at: int) -> None:
        values = self._next(at, 2)
        method = values[1][1] if values[:1] == [("operator", ".")] and len(values) > 1 else ""
        if method in ("persist_relation_docs", "persist_column_docs"):
            return
        if method in ("get", "require", "meta_get", "meta_require"):
            argument = self._next(at + 3, 1)
            if self._has_literal_argument(at + 2):
                if argument[0][1][1:-1] in _UNSEEN_CONFIG:
                    self._doubt(f"config.{method} of {argument[0][1]}")
                return
            self._doubt(f"config.{method} of a computed name")
        elif not self._is_handed_to_dbt(at):
            self._doubt("config under another name")

    def _read_model(self, at: int) -> None:
        attribute = self._attribute(at)
        if attribute is None:
            if not self._is_handed_to_dbt(at):
                self._doubt("model under another name")
        elif attribute not in _MODEL:
            self._doubt(f"model.{attribute}")

    def _read_modules(self, at: int) -> None:
        if self._attribute(at) not in _MODULES:
            self._doubt("modules")

    def _is_handed_to_dbt(self, at: int) -> bool:
        """Whether the name is an argument of a macro of dbt that nothing replaces."""
        before, after = self._code[at - 1], self._next(at, 1)
        if before not in _STARTS or after not in _ENDS:
            return False
        depth = 0
        for back in range(at - 1, 0, -1):
            value = self._code[back][1] if self._code[back][0] == "operator" else ""
            depth += (value == ")") - (value == "(")
            if depth < 0:
                return self._code[back - 1][1] in _TAKES_MODEL
        return False

    # -- the SQL --------------------------------------------------------------------------------

    def _read_sql(self) -> None:
        sql = without_comments("".join(self._sql))
        self._read_places(sql)
        self._read_outputs(sql)
        called, words = calls_of(sql), words_of(sql)
        if names_a_relation(sql):
            self._doubt("a relation that its SQL names")
        for text in map(without_comments, self._strings()):
            if names_a_relation(text) or names_a_dotted(text):
                self._doubt("a relation that its SQL names")
            words |= words_of(text)
            called |= words_of(text)  # the bracket may be in another string
        self._found.calls = called
        for word in sorted(words):
            if is_volatile(word) or (word in called and is_volatile(f"{word}()")):
                self._doubt(f"{word} in its SQL")

    def _read_places(self, sql: str) -> None:
        """Relations that Jinja names."""
        for keyword, number, dot in _IN_PLACE.findall(sql):
            output = self._outputs[int(number)]
            if keyword.lower() in _MADE and not dot:
                continue
            if dot or not (self._is_plain(output) or self._is_subquery(sql, number)):
                self._doubt("a relation by a computed name")
            elif output[0][1] in self._of_this:
                self._found.reads_this = True

    def _read_outputs(self, sql: str) -> None:
        """A configured value may be any SQL, unless it stands in quotes."""
        values = self._names_of_values()
        quoted = False
        for piece in re.split(r"('|\x00\d+\x00)", sql):
            if piece == "'":
                quoted = not quoted
            elif piece[:1] != "\x00" or quoted:
                continue
            elif self._has_value(self._outputs[int(piece[1:-1])], values):
                self._doubt("a configured value as SQL")

    def _names_of_values(self) -> set[str]:
        """Names that are set from a configured value, directly or by way of others."""
        givens: list[tuple[set[str], list[_Token]]] = []
        for at, (kind, _) in enumerate(self._code):
            word = self._next(at, 1)[0][1] if kind == "block_begin" else ""
            if word in ("set", "for", "do"):
                end = next(i for i in range(at, len(self._code)) if self._code[i][0] == "block_end")
                inner = self._code[at + 2 : end]
                names = _until(inner, "=" if word == "set" else "in")
                # `{% do x.append(…) %}` adds to x.
                names = inner[:1] if word == "do" else names
                givens.append(({value for _, value in names}, inner[len(names) :]))
        values: set[str] = set()
        for _ in range(len(givens) + 1):
            before = len(values)
            for names, given in givens:
                if self._has_value(given, values):
                    values |= names
            if len(values) == before:
                break
        return values - self._arguments

    def _has_value(self, tokens: list[_Token], values: set[str]) -> bool:
        for at, (kind, name) in enumerate(tokens):
            if kind != "name" or (at and tokens[at - 1] == ("operator", ".")):
                continue
            if name in values:
                return True
            if name not in _VALUES or name in self._arguments:
                continue
            shown = [value for _, value in tokens[at + 1 : at + 5]]
            key = next((value[1:-1] for value in shown if value[:1] in ("'", '"')), "")
            if name == "config" and key in _SEEN_IN_SQL:
                continue
            if name == "model" and not {"meta", "description", "tags", "docs"} & {key, *shown[1:2]}:
                continue
            if name == "modules" or (name in ("config", "model") and shown[:1] in ([")"], [","])):
                continue  # handed to a macro
            return True
        return False

    def _is_subquery(self, sql: str, number: str) -> bool:
        """`from ( {{ sql }} )`: what stands in brackets is the node's own query when it is an
        argument, and a macro's output, read for itself, when it is a call."""
        at = sql.index(f"\x00{number}\x00")
        first = self._outputs[int(number)][:1]
        in_brackets = sql[:at].rstrip().endswith("(")
        name = first[0][1] if first else ""
        return in_brackets and (name in self._relations or name in ("sql", "compiled_code"))


_INTRODUCERS = frozenset({"is", "macro", "materialization", "test", "data_test", "snapshot"})
_SAYS = frozenset({"exceptions", "log"})
_SPECIAL = frozenset({"target", "var", "env_var", "adapter", "config", "model", "modules"})
_STARTS = (("operator", "("), ("operator", ","))
_ENDS = ([("operator", ")")], [("operator", ",")])
_TAKES_MODEL = frozenset({"persist_docs", "set_sql_header", "batch_id_for_model"})


def _parameters(tokens: list[_Token]) -> set[str]:
    """The names that a signature introduces; their defaults are read like other code."""
    found: set[str] = set()
    depth = 0
    for at, (kind, value) in enumerate(tokens):
        if kind == "operator":
            depth += (value in "([{") - (value in ")]}")
        before = tokens[at - 1] if at else ("", "")
        if kind == "name" and depth == 1 and before in _STARTS:
            found.add(value)
        if depth == 0 and at and value == ")":
            break  # the rest of a `call` is an expression
    return found


def _until(tokens: list[_Token], stop: str) -> list[_Token]:
    found: list[_Token] = []
    for token in tokens:
        if token[1] == stop:
            break
        if token[0] == "name":
            found.append(token)
        elif token[1] not in (",", "(", ")"):
            break
    return found
