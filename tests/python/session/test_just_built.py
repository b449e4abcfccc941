"""Relations that were just built: when a look may wait, and what it must not take for a build's work.

In:  a warehouse of our own making that counts looks.
Out: tokens of builds, and of inputs that were not known when a node was decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from dbt_hodor import _core
from dbt_hodor.counters import Counters
from dbt_hodor.just_built import LOOK_COUNT, Built, JustBuilt
from dbt_hodor.order_readers import OrderReaders
from dbt_hodor.plan import Plan
from dbt_hodor.versions.base import ListedRelation, Listing, Parts
from dbt_hodor.versions.cache import VersionCache
from dbt_hodor.warehouse import Warehouse


class Provider:
    """What stands there, and how often somebody looked."""

    def __init__(self) -> None:
        self.standing: dict[Parts, str] = {}
        self.views: set[Parts] = set()
        self.looks: list[int] = []
        self.exclusive = True
        self.broken = False

    def listing(self, databases: Sequence[str]) -> Listing:
        return Listing([self._listed(parts) for parts in self.standing])

    def _listed(self, parts: Parts) -> ListedRelation:
        if parts in self.views:
            return ListedRelation(parts, "view", f"create view {parts[-1]} as select 1 as a")
        return ListedRelation(parts, "table", "")

    def builtin_functions(self) -> list[str]:
        return ["count"]

    def relations(self, wanted: Sequence[Parts]) -> dict[Parts, ListedRelation | None]:
        if self.broken:
            raise OSError("gone")
        self.looks.append(len(wanted))
        return {parts: self._listed(parts) if parts in self.standing else None for parts in wanted}

    def versions(self, wanted: Sequence[Parts]) -> dict[Parts, Any]:
        return {parts: f"1;{self.standing[parts]};;s" for parts in wanted}

    def is_exclusive(self, database: str) -> bool:
        return self.exclusive

    def is_in_memory(self, database: str) -> bool:
        return False

    def file_version(self, pattern: str, function: str) -> str | None:
        return f"1;{len(self.looks)};;"


class World:
    """A run in which nodes build relations."""

    def __init__(self, compiling_may_write: bool = False) -> None:
        self.provider = Provider()
        cache = VersionCache(self.provider, threads=1)
        self.warehouse = Warehouse(self.provider, cache, Counters(), ("d", "main"))  # type: ignore[arg-type]
        self.warehouse.start(["d"])
        self.recorded: dict[str, str | None] = {}
        self.plans: dict[str, Plan] = {}
        self.built = JustBuilt(self.warehouse, self._record, lambda: compiling_may_write)

    def _record(self, built: Built, after: str | None) -> None:
        self.recorded[built.parts[-1]] = after

    def plan(self, name: str, kind: str = "table", awaited: Sequence[str] = ()) -> Plan:
        parts = ("d", "main", name)
        key = _core.relation_key(parts)
        plan = Plan(node=None, node_key=key, kind=kind, parts=parts, key=key)
        for parent in awaited:
            parent_key = _core.relation_key(("d", "main", parent))
            assert self.warehouse.is_unseen(parent_key)
            plan.awaited[parent_key] = parent_key
            plan.upstreams.append((parent_key, "", "data", None))
        self.plans[name] = plan
        return plan

    def build(self, name: str, data: str = "1", **plan: Any) -> bool:
        """Whether the look waits."""
        made = self.plan(name, **plan)
        assert made.parts is not None
        self.provider.standing[made.parts] = data
        if made.kind == "view":
            self.provider.views.add(made.parts)
        if not self.built.may_wait(made):
            return False
        self.built.add(Built(made, made.parts, "success", 0.1))
        return True

    def write(self, name: str, data: str) -> None:
        """Somebody else writes, and says so afterwards."""
        self.provider.standing[("d", "main", name)] = data
        self.warehouse.reread(("d", "main", name))

    def inputs(self, name: str) -> list[str | None]:
        return [token for _, _, _, token in self.plans[name].upstreams]


def test_a_full_queue_is_looked_at_once() -> None:
    world = World()
    for number in range(LOOK_COUNT):
        assert world.recorded == {}
        assert world.build(f"t{number}", data=str(number))
    assert world.provider.looks == [LOOK_COUNT]
    assert world.recorded["t7"] == "1;7;;s"
    assert len(world.recorded) == LOOK_COUNT


def test_a_question_about_one_of_them_looks() -> None:
    world = World()
    world.build("a")
    world.build("b")
    assert world.warehouse.version(_core.relation_key(("d", "main", "other"))) is None
    assert world.recorded == {}
    assert world.warehouse.version(_core.relation_key(("d", "main", "a"))) == "1;1;;s"
    assert world.recorded == {"a": "1;1;;s", "b": "1;1;;s"}


def test_existence_of_one_of_them_looks() -> None:
    world = World()
    world.build("a")
    del world.provider.standing[("d", "main", "a")]
    assert world.warehouse.existence(("d", "main", "a"), "table") == "missing"
    assert world.recorded == {"a": None}


def test_a_trace_looks_at_views_only() -> None:
    world = World()
    facts = _core.analyze("select * from main.t", "duckdb", [], _core.RelationIds([]), None).facts
    world.build("t")
    assert [kind for kind, *_ in world.warehouse.trace(facts, None)] == ["table"]
    assert world.recorded == {}
    world.build("v", kind="view")
    world.warehouse.trace(facts, None)
    assert set(world.recorded) == {"t", "v"}
    assert world.recorded["v"] == world.warehouse.definition_of(("d", "main", "v"))


def test_inputs_get_what_the_builds_left() -> None:
    world = World()
    world.build("a", data="7")
    world.build("b", awaited=["a"])
    world.built.look()
    assert world.inputs("b") == ["1;7;;s"]


def test_a_later_write_does_not_become_an_input() -> None:
    """b read what a's build left; that a was written afterwards must not show in b's record."""
    world = World()
    world.build("a", data="7")
    late = world.plan("b", awaited=["a"])
    world.built.look()
    world.write("a", "8")
    world.built.resolve(late)
    assert world.inputs("b") == ["1;7;;s"]


def test_a_write_before_the_look_is_nobodys_work() -> None:
    world = World()
    world.build("a", data="7")
    world.build("b", awaited=["a"])
    world.write("a", "8")
    world.built.look()
    assert world.recorded["a"] is None
    assert world.inputs("b") == [None]
    assert world.warehouse.version(_core.relation_key(("d", "main", "a"))) == "1;8;;s"


def test_after_anything_may_have_been_written_nothing_is_certain() -> None:
    world = World()
    world.build("a")
    world.warehouse.forget_everything()
    world.built.look()
    assert world.recorded == {"a": None}


def test_a_node_that_writes_elsewhere_ends_the_waiting() -> None:
    world = World()
    world.build("a")
    world.built.begins("model.w", writes_elsewhere=True)
    assert world.recorded == {"a": "1;1;;s"}
    assert not world.build("b")
    world.built.ended("model.w")
    assert world.build("c")
    world.built.begins("model.x", writes_elsewhere=False)
    assert world.build("d")


@pytest.mark.parametrize("case", ["compiling", "shared", "test"])
def test_no_waiting_where_others_may_write(case: str) -> None:
    world = World(compiling_may_write=case == "compiling")
    world.provider.exclusive = case != "shared"
    assert not world.build("a", kind="test" if case == "test" else "table")


def test_a_look_that_fails_makes_unknown() -> None:
    world = World()
    world.build("a")
    world.build("b", awaited=["a"])
    world.provider.broken = True
    world.built.look()
    assert world.recorded == {"a": None, "b": None}
    assert world.inputs("b") == [None]


def test_a_relation_that_is_not_scanned_has_no_version() -> None:
    world = World()
    world.warehouse.never_versioned([_core.relation_key(("d", "main", "a"))])
    world.build("a")
    world.built.look()
    assert world.recorded == {"a": None}


@pytest.mark.parametrize("exclusive", [True, False])
def test_a_write_into_a_lake_is_one_into_files(exclusive: bool) -> None:
    """A text may name the folder of an attached table; a DuckDB file that is open it may not."""
    world = World()
    world.provider.exclusive = exclusive
    before = world.warehouse.file_version("lake/t", "delta_scan")
    world.write("t", "1")
    after = world.warehouse.file_version("lake/t", "delta_scan")
    assert (after == before) == exclusive


@pytest.mark.parametrize("missed", ["a view just built", "a listing"])
def test_every_order_counts_while_a_view_may_have_been_missed(monkeypatch, missed):
    """A view that dbt knows nothing of, or not all, reads the first row of the node's table."""
    world, table = World(), ("d", "main", "t")
    ddl = "CREATE VIEW v AS SELECT first(x) AS x FROM d.main.t;"

    def listed(parts: Parts) -> ListedRelation:
        return ListedRelation(parts, "table" if parts == table else "view", ddl)

    monkeypatch.setattr(world.provider, "_listed", listed)
    world.warehouse.analyse_definition = lambda text: (
        _core.analyze(text, "duckdb", [], _core.RelationIds([]), None).facts
    )
    view = ("d", "main", "v")
    world.provider.standing.update({table: "1", view: "1"})
    world.warehouse.start(["d"])
    index: Any = SimpleNamespace(
        unique_ids={_core.relation_key(table): "model.p.t"},
        manifest=SimpleNamespace(nodes={}),
        find=lambda unique_id: None,
    )
    readers = OrderReaders(
        index,
        lambda node: None,
        lambda node, facts: (),
        world.warehouse.read_in_order,
        lambda facts: True,
    )
    if missed == "a listing":
        failed = Listing(errors={"d": "gone"})
        with monkeypatch.context() as patch:
            patch.setattr(world.provider, "listing", lambda databases: failed)
            world.warehouse.start(["d"])
            assert readers.are_below("model.p.t")
        world.warehouse.start(["d"])
    else:
        world.warehouse.just_built(view, True)
        assert readers.are_below("model.p.t")
        world.warehouse.look([view])
    assert readers.are_below("model.p.t")
    assert not readers.are_below("model.p.other")
