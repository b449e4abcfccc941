"""The native module as Python sees it: types, errors, values against hashlib, threads, the stub."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import hashlib
import random
import re
import threading
import time
from decimal import Decimal
from pathlib import Path

import pytest

from dbt_hodor import _core
from dbt_hodor.config_facts import plain

TOKEN = _core.version_token("10:20", "30", "schema")
HASH = "ab" * 32


# -- hashes ---------------------------------------------------------------------------------------


def test_sha256_equals_hashlib_on_every_small_length_and_on_random_bytes() -> None:
    generator = random.Random(1)
    lengths = [*range(300), *(generator.randrange(100_000) for _ in range(20))]
    for length in lengths:
        data = generator.randbytes(length)
        assert _core.sha256(data) == hashlib.sha256(data).hexdigest(), length


def test_sha256_takes_bytes_only() -> None:
    with pytest.raises(TypeError):
        _core.sha256("text")  # type: ignore[arg-type]


class Access(str, enum.Enum):
    public = "public"


class Level(enum.IntEnum):
    one = 1


class Config(dict):  # type: ignore[type-arg]
    """A dict as dbt's own config objects are."""


UTC = datetime.timezone.utc
NOON = datetime.datetime(2026, 10, 20, 12)
LOOK_ALIKES = [
    None, False, True, 0, 1, -1, 2**63, -(2**63), 2**200, 0.0, -0.0, 1.0, float("inf"), "", "0", "1",
    "True", "None", "1.0", str(2**63), b"", b"1", [], {}, [None], [[]], [{}], ["a", "b"], ["ab"],
    ["b", "a"], {"a": "b"}, {"a": ["b"]}, {"a": {"b": None}}, {1: "a"}, {"1": "a"}, {True: "b"},
    {None: "a"}, {"None": "a"}, {b"1": "a"}, {"a": None}, {"a": None, "b": None}, {"a": ""},
    datetime.date(2026, 10, 20), NOON, NOON.replace(tzinfo=UTC), NOON.replace(fold=1), "2026-10-20",
    NOON.isoformat(),
]  # fmt: skip


def test_look_alikes_have_different_digests_and_dumps() -> None:
    digests = [_core.digest("test", value) for value in LOOK_ALIKES]
    dumps = [_core.dump_preimage("test", value) for value in LOOK_ALIKES]
    assert len(set(digests)) == len(LOOK_ALIKES)
    assert len(set(dumps)) == len(LOOK_ALIKES)


def test_digest_follows_the_documented_grammar() -> None:
    def field(tag: bytes, kind: bytes, payload: bytes | None = None) -> bytes:
        sized = b"" if payload is None else bytes([len(payload)]) + payload
        return bytes([len(tag)]) + tag + kind + sized

    preimage = b"".join(
        [
            field(b"kind", b"t", b"value"),
            field(b"label", b"t", b"config"),
            field(b"value", b"{"),
            field(b"a", b"["),
            field(b"", b"i", b"-1"),
            field(b"", b"T"),
            field(b"", b"n"),
            field(b"", b"]"),
            field(b"b", b"t", "é".encode()),
            field(b"", b"}"),
        ]
    )
    value = {"b": "é", "a": [-1, True, None]}
    assert _core.digest("config", value) == hashlib.sha256(preimage).hexdigest()


def test_digest_ignores_key_order_tuples_and_subclasses() -> None:
    assert _core.digest("c", {"a": 1, "b": 2}) == _core.digest("c", {"b": 2, "a": 1})
    assert _core.digest("c", (1, 2)) == _core.digest("c", [1, 2])
    assert _core.digest("c", Access.public) == _core.digest("c", "public")
    assert _core.digest("c", Level.one) == _core.digest("c", 1)
    assert _core.digest("c", Config(a=1)) == _core.digest("c", {"a": 1})
    assert _core.digest("c", 1) != _core.digest("d", 1)


@pytest.mark.parametrize(
    "value",
    [object(), {1, 2}, 1j, range(3), datetime.time(1), datetime.timedelta(1), bytearray(b"a"), int],
)
def test_digest_refuses_other_types(value: object) -> None:
    for wrapped in (value, [value], {"a": [value]}):
        with pytest.raises(TypeError):
            _core.digest("c", wrapped)
        with pytest.raises(TypeError):
            _core.dump_preimage("c", wrapped)


def test_digest_refuses_keys_that_are_no_scalars() -> None:
    for key in ((1, 2), 1.5):
        with pytest.raises(TypeError):
            _core.digest("c", {key: 1})


def test_digest_has_limits() -> None:
    nested: list[object] = []
    for _ in range(200):
        nested = [nested]
    with pytest.raises(ValueError, match="nested"):
        _core.digest("c", nested)
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(ValueError, match="nested"):
        _core.digest("c", endless)
    with pytest.raises(ValueError, match="too many"):
        _core.digest("c", [None] * (1 << 20))


def test_text_that_is_no_unicode_is_an_error() -> None:
    with pytest.raises(UnicodeEncodeError):
        _core.digest("c", "\ud800")


@dataclasses.dataclass
class Contract:
    enforced: bool
    _extra: dict[str, object] = dataclasses.field(default_factory=dict)


class Loud(str):
    def __str__(self) -> str:
        return self.upper()


ODD = [
    Contract(True), Contract(False, {"alias": Access.public}), Access.public, Level.one, Loud("a"),
    Config(a=Level.one), (1, (2, {3, 4})), {1: "a"}, {Access.public: 1}, {Loud("a"): 1}, NOON,
    datetime.date(2026, 10, 20), Decimal("1.50"), True, 2**70, 0.5, b"a", None, "a", [], {},
]  # fmt: skip


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_a_digest_with_a_conversion_is_that_of_the_converted_value(value: object) -> None:
    for wrapped in (value, [value], {"a": [1, {"b": value}], "c": "d"}):
        assert _core.digest("c", wrapped, plain) == _core.digest("c", plain(wrapped))


def test_a_conversion_that_fails_is_the_callers_error() -> None:
    def fails(value: object) -> object:
        raise LookupError(str(value))

    with pytest.raises(LookupError, match="public"):
        _core.digest("c", {"a": [Access.public]}, fails)
    with pytest.raises(TypeError):
        _core.digest("c", [Access.public], lambda _: object())


def test_digest_parts_name_each_key() -> None:
    parts = _core.digest_parts("config", {"b": 1, "a": [1], "é": None})
    assert list(parts) == ["a", "b", "é"]
    assert len(set(parts.values())) == 3
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in parts.values())
    changed = _core.digest_parts("config", {"b": 2, "a": [1], "é": None})
    assert [key for key in parts if parts[key] != changed[key]] == ["b"]
    with pytest.raises(ValueError, match="must be texts"):
        _core.digest_parts("config", {1: "a"})  # type: ignore[dict-item]
    with pytest.raises(TypeError):
        _core.digest_parts("config", ["a"])  # type: ignore[arg-type]


def test_dump_is_one_field_a_line() -> None:
    dump = _core.dump_preimage("config", {"b": 1, "a": ["x\ny"]})
    assert dump.splitlines() == [
        "t kind = value", "t label = config", "{ value", "  [ a", "    t = x\\ny", "  ]",
        "  i b = 1", "}",
    ]  # fmt: skip


def test_text_hash_replaces_run_values_and_nothing_else() -> None:
    first = "0e2c1d9a-61fb-4c37-9c4c-1f0f4b9e7a11"
    second = "7b1f5c52-0b7e-4f0b-8f43-5a5f3a3c9d02"
    sql = "select '{}' as run"
    one = _core.text_hash(sql.format(first), [(first, "invocation_id")])
    assert one == _core.text_hash(sql.format(second), [(second, "invocation_id")])
    assert one != _core.text_hash(sql.format("invocation_id"), [(first, "invocation_id")])
    assert one != _core.text_hash(sql.format(first), [])


def test_seed_hash_reads_crlf_as_lf_outside_quotes_only() -> None:
    assert _core.seed_hash(b"a,b\r\n1,2\r\n") == _core.seed_hash(b"a,b\n1,2\n")
    assert _core.seed_hash(b'a\r\n"x\r\ny"\r\n') != _core.seed_hash(b'a\n"x\ny"\n')
    assert _core.seed_hash(b'a\n1x"\r\n"', "x") != _core.seed_hash(b'a\n1x"\n"', "x")


# -- facts ----------------------------------------------------------------------------------------


def sample_facts() -> _core.Facts:
    return _core.Facts(
        exact=True,
        relations=[
            _core.RelationName(["db", "raw", "orders"]),
            _core.RelationName(["t"], pinned=True),
        ],
        paths=["/p"],
        files=[_core.FileRead("x.csv", "read_csv")],
        opaque_inputs=["f()"],
        volatile_calls=[_core.VolatileCall("always", "stamp", "now()", "loaded_at")],
        functions=["f"],
        columns=["c"],
        output_columns=["C"],
        star=True,
        order_sensitive=True,
        own=_core.OwnReadFacts("high_water_mark", True),
    )


def test_facts_have_attributes_and_round_trip() -> None:
    facts = sample_facts()
    assert facts.exact and facts.star and facts.order_sensitive
    assert [relation.parts for relation in facts.relations] == [["db", "raw", "orders"], ["t"]]
    assert [relation.pinned for relation in facts.relations] == [False, True]
    assert (facts.paths, facts.opaque_inputs, facts.functions) == (["/p"], ["f()"], ["f"])
    assert (facts.columns, facts.output_columns) == (["c"], ["C"])
    assert (facts.files[0].pattern, facts.files[0].function) == ("x.csv", "read_csv")
    call = facts.volatile_calls[0]
    assert (call.volatile_class, call.use, call.text, call.alias) == (
        "always", "stamp", "now()", "loaded_at",
    )  # fmt: skip
    assert (facts.own.reads, facts.own.plain_greater) == ("high_water_mark", True)
    text = facts.encode()
    assert _core.Facts.decode(text) == facts
    assert _core.Facts.decode(text).encode() == text == repr(facts)
    assert facts != _core.Facts() and facts != "text"


def test_facts_cannot_be_changed_from_outside() -> None:
    facts = sample_facts()
    facts.relations.clear()
    assert len(facts.relations) == 2
    with pytest.raises(AttributeError):
        facts.exact = False  # type: ignore[misc]


def test_default_facts_are_not_exact() -> None:
    assert not _core.Facts().exact
    assert not _core.Facts.merge([]).exact


def test_damaged_facts_are_a_value_error() -> None:
    text = sample_facts().encode()
    for damaged in ("", "{}", text[:-1], text + " ", text.replace("orders", "Orders"), text[1:]):
        with pytest.raises(ValueError, match="facts"):
            _core.Facts.decode(damaged)


def test_merged_facts_are_exact_only_if_all_are() -> None:
    facts = sample_facts()
    merged = _core.Facts.merge([facts, _core.Facts(exact=True, paths=["/q"])])
    assert merged.exact and merged.paths == ["/p", "/q"]
    assert not _core.Facts.merge([facts, _core.Facts()]).exact


def test_unknown_names_are_a_value_error_that_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match="known: date session always"):
        _core.VolatileCall("daily", "logic", "x")
    with pytest.raises(ValueError, match="known: stamp logic"):
        _core.VolatileCall("date", "x", "x")
    with pytest.raises(ValueError, match="high_water_mark"):
        _core.OwnReadFacts("some")


# -- analysis -------------------------------------------------------------------------------------

NO_IDS = _core.RelationIds([])


def test_analyze_gives_hash_facts_and_parts() -> None:
    sql = "with c as (select id from db.raw.orders) select id from c"
    analysis = _core.analyze(sql, "duckdb", [], NO_IDS, None)
    assert analysis.tier == "tokens"
    assert re.fullmatch("[0-9a-f]{64}", analysis.code_hash)
    assert analysis.facts.exact
    assert [relation.parts for relation in analysis.facts.relations] == [["db", "raw", "orders"]]
    assert {kind for kind, _, _ in analysis.parts} <= {"cte", "column", "clause", "body"}
    assert ("cte", "c") in {(kind, name) for kind, name, _ in analysis.parts}
    spaced = _core.analyze(sql.replace(" ", "  /* c */ "), "duckdb", [], NO_IDS, None)
    assert spaced.code_hash == analysis.code_hash
    other = _core.analyze(sql.replace("raw", "new"), "duckdb", [], NO_IDS, None)
    assert other.code_hash != analysis.code_hash


def test_analyze_replaces_known_relations_by_their_ids() -> None:
    def code_hash(schema: str) -> str:
        ids = _core.RelationIds([(["db", schema, "orders"], "model.shop.orders")])
        sql = f'select id from "db"."{schema}"."orders"'
        return _core.analyze(sql, "duckdb", [], ids, None).code_hash

    assert code_hash("dev") == code_hash("prod")


def test_analyze_statements_splits_a_hook() -> None:
    code_hash, statements = _core.analyze_statements(
        "insert into db.main.log select 1; grant select on x to y", "duckdb", [], NO_IDS, None
    )
    assert re.fullmatch("[0-9a-f]{64}", code_hash)
    assert [statement.kind for statement in statements] == ["write", "harmless"]
    assert [statement.target for statement in statements] == [["db", "main", "log"], None]


def test_an_unknown_dialect_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="known: duckdb databricks"):
        _core.analyze("select 1", "sqlite", [], NO_IDS, None)


def test_analyze_lets_other_threads_run() -> None:
    """A long text must not hold the interpreter: a counter goes on beside it."""
    sql = (
        "select "
        + ", ".join(f"coalesce(a{i}, b{i} + {i}) as c{i}" for i in range(8_000))
        + " from t"
    )
    ticks = 0
    done = threading.Event()

    def count() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.0005)

    counter = threading.Thread(target=count)
    counter.start()
    try:
        for _ in range(5):
            before = ticks
            started = time.monotonic()
            _core.analyze(sql, "duckdb", [], NO_IDS, None)
            if time.monotonic() - started > 0.02 and ticks > before + 2:
                break
        else:
            pytest.fail(f"no other thread ran during a call ({ticks} ticks)")
    finally:
        done.set()
        counter.join()


# -- lineage --------------------------------------------------------------------------------------


def test_catalog_traces_through_views() -> None:
    catalog = _core.Catalog("db", "main")
    catalog.put_table(["db", "main", "t"])
    inner = _core.Facts(exact=True, relations=[_core.RelationName(["db", "main", "t"])])
    catalog.put_view(["db", "main", "v"], "hash", inner)
    catalog.put_view(["db", "main", "dark"], "hash", None)
    catalog.set_builtin_functions(["count"])
    outer = _core.Facts(exact=True, relations=[_core.RelationName(["db", "main", "v"])])
    inputs = catalog.trace(outer, ["db", "main", "reader"])
    assert ("view", "db.main.v", "db.main.v", "hash") in inputs
    assert ("table", "db.main.t", "db.main.v", "") in inputs
    assert catalog.type_of(["db", "main", "v"]) == "view"
    assert catalog.type_of(["db", "main", "none"]) == ""
    dark = _core.Facts(exact=True, relations=[_core.RelationName(["db", "main", "dark"])])
    assert "opaque" in {kind for kind, *_ in catalog.trace(dark, [])}
    catalog.invalidate()
    assert "opaque" in {kind for kind, *_ in catalog.trace(outer, [])}


def test_relation_key_quotes_what_would_be_ambiguous() -> None:
    assert _core.relation_key(["DB", "Main", "T"]) == "db.main.t"
    assert _core.relation_key(["a.b", "c"]) != _core.relation_key(["a", "b.c"])


# -- versions, records, decisions -----------------------------------------------------------------


def test_version_tokens() -> None:
    assert _core.version_token("a", "b", "c") == "1;a;b;c"
    for parts in (("a;", "", ""), ("", ";", "s"), ("a", "", ";"), ("", "o", "")):
        with pytest.raises(ValueError, match="';'"):
            _core.version_token(*parts)


def test_unknown_versions_equal_nothing() -> None:
    assert _core.compare_versions(TOKEN, TOKEN, "rows") == "same"
    assert _core.compare_versions(TOKEN, None, "rows") == "unknown"
    assert _core.compare_versions(None, None, "rows") == "unknown"
    other = _core.version_token("10:21", "30", "schema")
    assert _core.compare_versions(other, TOKEN, "rows") == "changed"
    assert _core.compare_versions(other, TOKEN, "schema_only") == "same"
    with pytest.raises(ValueError, match="token"):
        _core.compare_versions("x", TOKEN, "rows")
    with pytest.raises(ValueError, match="rows_and_order"):
        _core.compare_versions(TOKEN, TOKEN, "all")


def decode(**changes: object) -> _core.BuildRecord:
    columns: dict[str, object] = {
        "text_hash": HASH,
        "code_hash": HASH,
        "unrendered_hash": None,
        "config_hash": HASH,
        "hash_version": _core.HASH_VERSION,
        "data_version": TOKEN,
        "built_at_ms": 1000,
        "upstreams": _core.encode_upstreams([("a", TOKEN)]),
        "detail": '{"v": 1, "fixpoint": true, "execution_s": 0.5}',
    }
    return _core.BuildRecord.decode(**(columns | changes))  # type: ignore[arg-type]


def test_records_read_their_columns() -> None:
    record = decode(unrendered_hash="u")
    assert (record.text_hash, record.code_hash, record.config_hash) == (HASH, HASH, HASH)
    assert record.unrendered_hash == "u"
    assert record.hash_version == _core.HASH_VERSION
    assert record.data_version == TOKEN
    assert record.built_at_ms == 1000
    assert record.fixpoint
    assert record.upstreams == {"a": TOKEN}
    empty = decode(data_version=None, built_at_ms=None, detail=None, upstreams='{"a":null}')
    assert (empty.data_version, empty.built_at_ms, empty.fixpoint) == (None, None, False)
    assert empty.upstreams == {"a": None}


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("upstreams", None), ("upstreams", "[]"), ("upstreams", '{"a":"x"}'), ("data_version", "x"),
        ("detail", "{}"), ("detail", '{"v":2}'), ("detail", '{"v":1,"fixpoint":1}'), ("detail", ""),
    ],
)  # fmt: skip
def test_a_damaged_record_is_a_value_error(column: str, value: object) -> None:
    with pytest.raises(ValueError, match=r"upstream|version|fixpoint|JSON"):
        decode(**{column: value})


def test_upstreams_round_trip() -> None:
    text = _core.encode_upstreams([("b", None), ("a", TOKEN)])
    assert text == f'{{"a":"{TOKEN}","b":null}}'
    assert _core.decode_upstreams(text) == {"a": TOKEN, "b": None}
    for pairs in ([("a", "no token")], [("a", None), ("a", TOKEN)]):
        with pytest.raises(ValueError, match=r"token|twice"):
            _core.encode_upstreams(pairs)
    with pytest.raises(ValueError, match="version of an upstream"):
        _core.decode_upstreams('{"a":1}')


def decide(**changes: object) -> tuple[str, str, list[str]]:
    arguments: dict[str, object] = {
        "kind": "table", "supported": True, "full_refresh": False, "hook_writes": False,
        "star": False, "order_sensitive": False, "keeps_earlier_state": False,
        "settles_by_proof": False, "existence": "present", "text_hash": HASH, "code_hash": HASH,
        "unrendered_hash": None, "config_hash": HASH, "target": TOKEN,
        "upstreams": [("a", "a", "data", TOKEN)], "record": decode(), "lag_tolerance_ms": 0,
        "require_fresh_data_from": "any", "compare_unrendered_code": False, "now_ms": 2000,
    }  # fmt: skip
    return _core.decide(**(arguments | changes))  # type: ignore[arg-type]


def test_decisions_come_with_reason_and_changed_keys() -> None:
    assert decide() == ("reuse", "no_new_data", [])
    assert decide(record=None) == ("build", "no_history", [])
    changed = _core.version_token("11:21", "30", "schema")
    assert decide(upstreams=[("a", "a", "data", changed)]) == ("build", "new_upstream_data", ["a"])
    assert decide(upstreams=[("a", "a", "data", None)])[:2] == ("build", "unknown_upstream")
    assert decide(code_hash=None)[1] == "code_changed"
    assert decide(target=None)[1] == "target_modified"


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("kind", "model"), ("existence", "yes"), ("require_fresh_data_from", "some"),
        ("upstreams", [("a", "a", "table", TOKEN)]), ("upstreams", [("a", "a", "data", "x")]),
        ("target", "x"),
    ],
)  # fmt: skip
def test_a_mistaken_argument_is_a_value_error(argument: str, value: object) -> None:
    with pytest.raises(ValueError, match=r"known:|version_token"):
        decide(**{argument: value})


def test_reasons_are_a_closed_list_of_names_actions_rules_and_sentences() -> None:
    names = [name for name, *_ in _core.REASONS]
    assert len(names) == len(set(names))
    assert {action for _, action, _, _ in _core.REASONS} == {"build", "reuse"}
    assert all(rule and sentence for _, _, rule, sentence in _core.REASONS)


# -- the stub -------------------------------------------------------------------------------------


def test_the_committed_stub_names_what_the_module_has() -> None:
    stub = Path(_core.__file__).with_name("_core.pyi").read_text(encoding="utf-8")
    declared = set(re.findall(r"^(?:def |class )?(\w+)(?=[(:])", stub, re.MULTILINE))
    present = {name for name in vars(_core) if not name.startswith("__")}
    assert declared == present
