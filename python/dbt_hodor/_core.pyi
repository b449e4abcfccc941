"""
The deterministic core of dbt-hodor: hashes, facts, lineage and decisions.
"""

from collections.abc import Callable, Mapping, Sequence


HASH_VERSION: int = 4

def sha256(data: bytes) -> str:
    """SHA-256 of bytes, as lower-case hex."""

def text_hash(sql: str, run_values: Sequence[tuple[str, str]]) -> str:
    """
    Hash of a compiled text with this run's values taken out.

    run_values: pairs of (value of this run, placeholder). Releases the GIL for a long text.
    """

def seed_hash(data: bytes, delimiter: str = '') -> str:
    """
    Hash of a CSV file; CR LF counts as LF outside fields that any reader takes for quoted.

    delimiter: the seed's own when it is a letter or digit. Releases the GIL for a long file.
    """

def digest(label: str, value: object, to_plain: Callable[[object], object] | None = None) -> str:
    """
    SHA-256 over the typed pre-image of a plain value; the order of dict keys does not count.

    to_plain: gives a plain value for what is not exactly of a built-in kind.

    Raises TypeError for a type that is not plain, ValueError beyond a limit.
    """

def digest_parts(label: str, value: dict[str, object]) -> dict[str, str]:
    """One digest per top-level key of a dict with text keys."""

def dump_preimage(label: str, value: object | None) -> str:
    """The pre-image that `digest` hashes, one field a line."""

class RelationName:
    """A relation as the text names it: 1 to 3 parts."""

    def __init__(self, parts: Sequence[str], pinned: bool = False) -> None: ...

    @property
    def parts(self) -> list[str]: ...

    @property
    def pinned(self) -> bool:
        """Time travel: reads a fixed version."""

    def __eq__(self, arg: RelationName, /) -> bool: ...

class FileRead:
    """A file read by literal name or glob."""

    def __init__(self, pattern: str, function: str = '') -> None: ...

    @property
    def pattern(self) -> str: ...

    @property
    def function(self) -> str:
        """Lower case; empty for a file name in FROM."""

    def __eq__(self, arg: FileRead, /) -> bool: ...

class VolatileCall:
    """A call whose value changes without any input."""

    def __init__(self, volatile_class: str, use: str, text: str, alias: str = '') -> None: ...

    @property
    def volatile_class(self) -> str: ...

    @property
    def use(self) -> str: ...

    @property
    def text(self) -> str: ...

    @property
    def alias(self) -> str:
        """Output column of a stamp, else empty."""

    def __eq__(self, arg: VolatileCall, /) -> bool: ...

class OwnReadFacts:
    """How a text reads the relation that it builds."""

    def __init__(self, reads: str = 'none', plain_greater: bool = False) -> None: ...

    @property
    def reads(self) -> str:
        """none, high_water_mark or other."""

    @property
    def plain_greater(self) -> bool: ...

    def __eq__(self, arg: OwnReadFacts, /) -> bool: ...

class Facts:
    """
    What one SQL text reads, calls and depends on. Default: nothing was understood.
    """

    def __init__(self, *, exact: bool = False, relations: Sequence[RelationName] = [], paths: Sequence[str] = [], files: Sequence[FileRead] = [], opaque_inputs: Sequence[str] = [], volatile_calls: Sequence[VolatileCall] = [], functions: Sequence[str] = [], columns: Sequence[str] = [], output_columns: Sequence[str] = [], star: bool = False, order_sensitive: bool = False, inexact: bool = False, merges: bool = False, own: OwnReadFacts = ...) -> None: ...

    @property
    def exact(self) -> bool:
        """The whole skeleton was understood."""

    @property
    def relations(self) -> list[RelationName]: ...

    @property
    def paths(self) -> list[str]: ...

    @property
    def files(self) -> list[FileRead]: ...

    @property
    def opaque_inputs(self) -> list[str]: ...

    @property
    def volatile_calls(self) -> list[VolatileCall]: ...

    @property
    def functions(self) -> list[str]: ...

    @property
    def columns(self) -> list[str]: ...

    @property
    def output_columns(self) -> list[str]: ...

    @property
    def star(self) -> bool: ...

    @property
    def order_sensitive(self) -> bool: ...

    @property
    def inexact(self) -> bool: ...

    @property
    def merges(self) -> bool: ...

    @property
    def own(self) -> OwnReadFacts: ...

    def __eq__(self, arg: Facts, /) -> bool: ...

    def __repr__(self) -> str: ...

    def encode(self) -> str:
        """The text that records keep; equal facts give equal text."""

    @staticmethod
    def decode(text: str) -> Facts:
        """
        Raises ValueError for a text that was cut, altered or of another version.
        """

    @staticmethod
    def merge(facts: Sequence[Facts]) -> Facts:
        """
        What several texts read together; exact only if all are. Output columns of the first.
        """

class RelationIds:
    """Which dbt node a relation name belongs to."""

    def __init__(self, pairs: Sequence[tuple[Sequence[str], str]]) -> None:
        """
        pairs: ([database, schema, relation], unique_id); a name that two ids claim is dropped.
        """

class Analysis:
    """What one query is, reads and consists of."""

    @property
    def tier(self) -> str:
        """
        canonical, tokens where that is not to be had, or text when the query could not be cut into tokens.
        """

    @property
    def code_hash(self) -> str: ...

    @property
    def assumes(self) -> list[tuple[str, str]]:
        """
        (relation, column) pairs: the hash is right while no relation has its column.
        """

    @property
    def facts(self) -> Facts: ...

    @property
    def parts(self) -> list[tuple[str, str, str]]:
        """(cte, column, clause or body; name; hash) for explain."""

    @property
    def part_texts(self) -> list[str]:
        """Of the parts, when texts were asked for."""

    @property
    def opaque(self) -> int:
        """Runs of tokens that were not understood."""

    @property
    def opaque_tokens(self) -> int: ...

    @property
    def text(self) -> str:
        """The canonical text, when texts were asked for."""

    @property
    def text_source(self) -> str:
        """
        form or kept_names; or unprinted or tokens, where the text is the tokens as written.
        """

class StatementFacts:
    """One statement of a hook or sql_header."""

    @property
    def kind(self) -> str:
        """query, harmless, write, session, loads or opaque."""

    @property
    def target(self) -> list[str] | None:
        """Parts of the relation that a write changes."""

    @property
    def facts(self) -> Facts: ...

def analyze(sql: str, dialect: str, run_values: Sequence[tuple[str, str]], relation_ids: RelationIds, own: Sequence[str] | None, usual_settings: bool = False, columns: Mapping[str, Sequence[str]] | None = None, texts: bool = False) -> Analysis:
    """
    Hash and facts of one query. own: parts of the relation that it builds. usual_settings: the engine's settings are at their defaults, so that the hash may be that of the canonical form.

    dialect: duckdb or databricks, else ValueError. Releases the GIL.
    """

def known_functions(dialect: str) -> list[str]:
    """
    Functions of any kind that some known version of the dialect's engine has.
    """

def analyze_statements(sql: str, dialect: str, run_values: Sequence[tuple[str, str]], relation_ids: RelationIds, own: Sequence[str] | None) -> tuple[str, list[StatementFacts]]:
    """(hash of the whole text, its statements). Releases the GIL."""

def analyze_batch(texts: Sequence[tuple[str, Mapping[str, Sequence[str]] | None]], dialect: str, threads: int = 0) -> list[Analysis]:
    """
    What `analyze` says of each (text, columns of tables or None), in their order, with the engine's settings at their defaults and without parts.

    threads: 0 for one per core. Releases the GIL.
    """

def relation_key(parts: Sequence[str]) -> str:
    """
    The key of a relation: lower-case parts joined by '.', quoted where needed.
    """

def relation_keys(relations: Sequence[Sequence[str]]) -> list[str]:
    """The same for many relations."""

class Catalog:
    """
    The relations and functions of one warehouse at one moment. The GIL guards it.
    """

    def __init__(self, default_database: str, default_schema: str) -> None: ...

    def put_table(self, parts: Sequence[str]) -> None: ...

    def put_view(self, parts: Sequence[str], definition_hash: str, facts: Facts | None) -> None:
        """
        facts: of the warehouse definition; None when it could not be analysed.
        """

    def put_function(self, name: str, definition_hash: str, facts: Facts | None) -> None:
        """Another definition under a known name is an overload: both count."""

    def clear_functions(self) -> None: ...

    def set_builtin_functions(self, names: Sequence[str]) -> None:
        """
        Functions of the engine. Ends what invalidate() began, so call it last.
        """

    def remove(self, parts: Sequence[str]) -> None: ...

    def invalidate(self) -> None:
        """Nothing is known any more: every trace has an opaque input."""

    def distrust_partial_names(self) -> None:
        """
        Temporary objects may exist: names without a database are opaque from now on.
        """

    def trace(self, facts: Facts, reader: Sequence[str]) -> list[tuple[str, str, str, str]]:
        """
        The inputs as (kind, key, group, definition_hash); reads of `reader` are left out.

        kind: table, view, file, function, volatile_value or opaque.
        """

    def order_sensitive(self, facts: Facts) -> bool:
        """
        Whether the order of input rows matters to the text or to a view on the way.
        """

    def type_of(self, parts: Sequence[str]) -> str:
        """table, view or empty."""

REASONS: list[tuple[str, str, str, str]]
"""(name, action, rule, sentence), in evaluation order."""

class BuildRecord:
    """What a decision reads of a node's latest build."""

    @staticmethod
    def decode(text_hash: str | None, code_hash: str | None, unrendered_hash: str | None, config_hash: str | None, hash_version: int, data_version: str | None, built_at_ms: int | None, upstreams: str | None, detail: str | None) -> BuildRecord:
        """
        From the columns of a stored row. Raises ValueError when one is malformed.
        """

    @property
    def text_hash(self) -> str: ...

    @property
    def code_hash(self) -> str: ...

    @property
    def unrendered_hash(self) -> str: ...

    @property
    def config_hash(self) -> str: ...

    @property
    def hash_version(self) -> int: ...

    @property
    def data_version(self) -> str | None: ...

    @property
    def built_at_ms(self) -> int | None: ...

    @property
    def fixpoint(self) -> bool: ...

    @property
    def upstreams(self) -> dict[str, str | None]:
        """Token per input key; None is unknown."""

def encode_upstreams(upstreams: Sequence[tuple[str, str | None]]) -> str:
    """Pairs of (input key, token or None) as the text of the record column."""

def decode_upstreams(text: str) -> dict[str, str | None]:
    """Raises ValueError when the text is malformed."""

def list_upstreams(recorded: str | None, upstreams: Sequence[tuple[str, str, str, str | None]]) -> str:
    """
    JSON list of every input then and now, for the artefact of a run.

    recorded: text of the record column, or None; upstreams: as for `decide`.
    """

def version_token(data: str, order: str, schema: str) -> str:
    """One state of a table as text. Raises ValueError for a part with ';'."""

def compare_versions(now: str | None, recorded: str | None, sensitivity: str) -> str:
    """
    same, changed or unknown. None is unknown; sensitivity: rows, rows_and_order, schema_only.
    """

def decide(*, kind: str, supported: bool, full_refresh: bool, hook_writes: bool, star: bool, order_sensitive: bool, keeps_earlier_state: bool, settles_by_proof: bool, existence: str, text_hash: str | None, code_hash: str | None, unrendered_hash: str | None, config_hash: str | None, target: str | None, upstreams: Sequence[tuple[str, str, str, str | None]], record: BuildRecord | None, lag_tolerance_ms: int, require_fresh_data_from: str, compare_unrendered_code: bool, now_ms: int, stores_failures: bool = False) -> tuple[str, str, list[str]]:
    """
    (action, reason, changed input keys) for one node.

    upstreams: (key, group, kind, token or None). Times are UTC epoch milliseconds.
    Raises ValueError for an unknown name or a text that is no version token.
    """

class DeltaHistory:
    """One listing of a Delta table's history."""

    @staticmethod
    def read(rows: Sequence[tuple[int | None, int | None, str | None, object, object]], page: int) -> DeltaHistory:
        """
        rows: (version, UTC epoch ms, operation, parameters, metrics), at most `page`.

        Raises ValueError with a sentence when they prove nothing.
        """

    @property
    def data(self) -> str:
        """The data part of a version token of now."""

    @property
    def commits(self) -> list[tuple[int, int, str, str]]:
        """
        (version, UTC epoch ms, operation, none | schema | data), newest first.
        """

    def decides(self, tokens: Sequence[str]) -> bool:
        """
        Whether no larger listing could say more about any of these recorded tokens.
        """

    def are_ours(self, before: str | None, writes: Sequence[str]) -> bool:
        """
        Whether since the token `before` exactly these statements have written.

        before: None when the first of them made the table. writes: create, write, merge,
        delete, update, truncate, columns, change_column; else ValueError.
        """

def recorded_page(token: str) -> int:
    """
    The page of the history that a token was read from; 0 for other tokens.
    """

def recorded_token(token: str) -> str:
    """
    What a record keeps of a token. Raises ValueError for a text that is none.
    """
