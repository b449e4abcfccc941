"""An exception at any place of our own code: dbt's run is the same, and nothing is wrongly kept.

Goal: the fail-open boundary, with what an error leaves behind in the rest of the run.
Method: functions of the modules that take part in a run are replaced by ones that raise when their turn
comes. What runs for a node is tried in one run, a function for each of many nodes whose inputs have
changed: each has a reader that would keep an old relation if the write went unseen. What runs once is
tried by a run each. HODOR_ALL_FAULTS=1 takes all functions instead of a part.
"""

from __future__ import annotations

import functools
import gc
import importlib
import os
import pkgutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType, ModuleType

import pytest
from duckdb import DuckDBPyConnection as Connection

import dbt_hodor
from dbt_hodor.session import Session

ALL = os.environ.get("HODOR_ALL_FAULTS") == "1"
PER_NODE = 14
"""Functions tried in one run."""

MODULES = (
    "plugin", "session", "deciding", "inputs", "warehouse", "recording", "report", "context", "opening",
    "starting", "macros", "manifest", "node_text", "config_facts", "stamps", "settling", "plan",
    "order_readers", "text_sources", "just_built", "records", "counters", "prefetching", "secrets",
    "settings", "loaded_at", "versions.cache", "versions.duckdb", "store.duckdb", "hooks.runners",
    "hooks.rendering", "hooks.events", "hooks.run_facts", "hooks.statements", "hooks.profile",
)  # fmt: skip
BOUNDARY = frozenset(
    # Called by dbt, or by what dbt calls: they hand on to what is tried here.
    ["decide", "executed", "compiled", "execute", "compile", "after_execute", "print_result_line",
     "execute_data_test", "describe_node_name", "finish", "nodes_done", "class_for", "tried",
     "_guarded", "_look", "_say_fault", "_name", "lose_sight", "noted", "_hear", "initialize", "_fire",
     "start"]
)  # fmt: skip


TRIED_AGAIN = ("recording.RecordWriter.", "store.duckdb.", "versions.")
"""What fails here is done once more or is unknown, and said only when that matters."""


class Planted(Exception):
    """Raised on purpose."""


class Faults:
    """`armed`: node name, or None for outside of nodes -> name of the function that raises there."""

    def __init__(self) -> None:
        self.armed: dict[str | None, str] = {}
        self.reached: set[tuple[str | None, str]] = set()
        self.raised: set[str] = set()
        self.place = threading.local()

    def calls(self, name: str) -> None:
        node = getattr(self.place, "node", None)
        self.reached.add((node, name))
        if self.armed.get(node) == name and name not in self.raised:
            self.raised.add(name)
            raise Planted(name)


def _modules() -> Iterator[ModuleType]:
    for name in MODULES:
        yield importlib.import_module(f"dbt_hodor.{name}")


def _wrapped(faults: Faults, name: str, function: FunctionType):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        faults.calls(name)
        return function(*args, **kwargs)

    return wrapper


def _placed(faults: Faults, function: FunctionType):
    @functools.wraps(function)
    def wrapper(self, node, *args):
        faults.place.node = node.name
        try:
            return function(self, node, *args)
        finally:
            faults.place.node = None

    return wrapper


@contextmanager
def planted(faults: Faults) -> Iterator[None]:
    """All functions replaced, everywhere that they were imported to. Nothing is planned ahead: what
    fails there is done once more at the node's turn."""
    from dbt_hodor.ahead import Ahead

    undo = []

    def put(owner, name, value) -> None:
        undo.append((owner, name, owner.__dict__[name]))
        setattr(owner, name, value)

    put(Ahead, "expect", lambda self, nodes: None)
    # pytest would keep what ends a thread, and with it all that the thread knew.
    put(threading, "excepthook", lambda _: None)
    for name in ("decide", "executed", "compiled"):
        put(Session, name, _placed(faults, Session.__dict__[name]))
    replaced = {}
    for module in _modules():
        short = module.__name__.removeprefix("dbt_hodor.")
        for name, value in list(vars(module).items()):
            if getattr(value, "__module__", None) != module.__name__:
                continue
            if isinstance(value, FunctionType) and name not in BOUNDARY:
                replaced[value] = _wrapped(faults, f"{short}.{name}", value)
            elif isinstance(value, type) and not issubclass(value, BaseException):
                for attribute, function in list(vars(value).items()):
                    inside = isinstance(function, FunctionType) and attribute not in BOUNDARY
                    if inside and (not attribute.startswith("__") or attribute == "__init__"):
                        label = f"{short}.{name}.{attribute}"
                        put(value, attribute, _wrapped(faults, label, function))
    for name, module in list(sys.modules.items()):
        if name.startswith("dbt_hodor"):
            for attribute, value in list(vars(module).items()):
                if isinstance(value, FunctionType) and value in replaced:
                    put(module, attribute, replaced[value])
    try:
        yield
    finally:
        for owner, name, value in reversed(undo):
            setattr(owner, name, value)


def project(toy, count: int) -> None:
    """`count` pairs of a table over a source and a reader of it, some with more to be decided."""
    for path in ("models", "seeds"):
        for file in (toy.root / path).glob("*"):
            file.unlink()
    toy.profile({"hodor_mode": "on"}, threads=1)
    toy.write(
        "models/sources.yml", "sources: [{name: raw, schema: main, tables: [{name: raw_t}]}]\n"
    )
    extra = ["", ", post_hook='analyze {{ this }}'", ", unique_key='id', materialized='incremental'",
             ", materialized='view'"]  # fmt: skip
    names = [f"a{number:03}" for number in range(count)]
    for number, name in enumerate(names):
        config = extra[number % len(extra)]
        config = config if "materialized" in config else f"{config}, materialized='table'"
        toy.write(
            f"models/{name}.sql",
            f"{{{{ config({config[2:]}) }}}}\n{{% if execute %}}{{% do run_query('select 1') %}}"
            f"{{% endif %}}select id, now() as at from {{{{ source('raw', 'raw_t') }}}}",
        )
        toy.write(
            f"models/{name}_reader.sql",
            f"{{{{ config(materialized='table') }}}} select count(*) as n from {{{{ ref('{name}') }}}}",
        )
    toy.write(
        "models/p.yml",
        f"models: [{{name: {names[0]}, columns: [{{name: id, data_tests: [not_null]}}]}}]\n",
    )
    (toy.root / "toy.duckdb").unlink(missing_ok=True)
    (toy.root / ".hodor/state.duckdb").unlink(missing_ok=True)
    toy.sql("create table raw_t as select 1 as id")


def grow(toy) -> None:
    toy.sql("insert into raw_t select max(id) + 1 from raw_t")


def check(toy, count: int) -> None:
    """Every reader counts what plain dbt would."""
    (rows,) = toy.sql("select count(*) from raw_t")[0]
    for number in range(count):
        assert toy.sql(f"select n from a{number:03}_reader") == [(rows,)], f"a{number:03}"


def assert_said(toy, names: set[str]) -> None:
    for name in names:
        if not name.startswith(TRIED_AGAIN):
            assert name in toy.output, f"{name} was not said\n{toy.output}"


def ours() -> dict[int, object]:
    """Threads, sessions and connections of this process, by their number."""
    gc.collect()
    threads = [thread for thread in threading.enumerate() if thread.name.startswith("hodor")]
    objects = [one for one in gc.get_objects() if type(one) in (Session, Connection)]
    return {id(one): one for one in [*threads, *objects]}


@contextmanager
def nothing_is_left() -> Iterator[None]:
    """A connection that stays open would keep a deleted database alive for the next run."""
    before = set(ours())  # of other tests
    yield
    assert [one for number, one in ours().items() if number not in before] == []


def part(names: set[str], size: int) -> list[str]:
    """All, or evenly chosen ones."""
    ordered = sorted(names)
    return ordered if ALL else ordered[:: max(1, len(ordered) // size)][:size]


@pytest.fixture
def reached(toy) -> tuple[set[str], set[str]]:
    """Names of the functions that run for nodes, and of those that run outside of them."""
    project(toy, 4)
    toy.dbt("build")
    grow(toy)
    faults = Faults()
    with planted(faults):
        toy.dbt("build")
    check(toy, 4)
    inside = {name for node, name in faults.reached if node is not None}
    return inside, {name for node, name in faults.reached if node is None} - inside


def test_a_fault_while_a_node_has_its_turn(toy, reached):
    inside, _ = reached
    chosen = part(inside, PER_NODE)
    for begin in range(0, len(chosen), PER_NODE):
        some = chosen[begin : begin + PER_NODE]
        project(toy, PER_NODE)
        toy.dbt("build")
        grow(toy)
        faults = Faults()
        faults.armed = {f"a{number:03}": name for number, name in enumerate(some)}
        with nothing_is_left(), planted(faults):
            toy.dbt("build")
        check(toy, PER_NODE)
        assert faults.raised, some
        assert_said(toy, faults.raised)
        grow(toy)
        toy.dbt("build")
        check(toy, PER_NODE)


def test_a_fault_outside_of_nodes(toy, reached):
    _, outside = reached
    project(toy, 2)
    toy.dbt("build")
    for name in part(outside, 12):
        grow(toy)
        faults = Faults()
        faults.armed = {None: name}
        with nothing_is_left(), planted(faults):
            toy.dbt("build")
        check(toy, 2)
        assert_said(toy, faults.raised)
    toy.dbt("build")
    check(toy, 2)


def test_every_module_is_known():
    found = {info.name for info in pkgutil.walk_packages(dbt_hodor.__path__, "dbt_hodor.")}
    assert {f"dbt_hodor.{name}" for name in MODULES} <= found
