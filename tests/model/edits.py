"""Random edits of a ``World`` and random outside changes of its warehouse.

In:  the world, the random generator. Out: the name of the edit and SQL to run by hand (or none); the
     edit of files is made on the world itself.
Never: depends on what a run did, so a whole sequence is known before it starts.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from model.world import ORDERED_SHAPES, SNAPSHOTS, TYPES, Node, World, hooks_of, random_rows

Edit = Callable[[random.Random, World], "str | None"]
"""Returns SQL for the warehouse, ``""`` for none, ``None`` when it does not apply here."""


def pick(rng: random.Random, world: World, *kinds: str) -> Node | None:
    found = [n for n in world.nodes.values() if n.kind in kinds]
    return rng.choice(found) if found else None


KEYED = ("append_newer", "append", "merge", "delete_insert")
MADE = ("table", "stamped", "dated", "volatile", "custom")
"""Tables that are made anew with each build."""
SQL_KINDS = ("view", "ephemeral", *MADE, *KEYED, "microbatch")
TABLE_LIKE = ("seed", *MADE, *KEYED, "python")


def cosmetic(rng: random.Random, world: World) -> str | None:
    node = pick(rng, world, *SQL_KINDS)
    if node is None:
        return None
    node.style = (node.style + rng.randint(1, 7)) % 8
    return ""


def description(rng: random.Random, world: World) -> str | None:
    node = pick(rng, world, *SQL_KINDS, "seed")
    if node is None:
        return None
    node.description += "x"
    return ""


def constant(rng: random.Random, world: World) -> str | None:
    node = pick(rng, world, *SQL_KINDS, "python")
    if node is None:
        return None
    node.k += 1
    return ""


def integer_type(rng: random.Random, world: World) -> str | None:
    node = pick(rng, world, *SQL_KINDS)
    if node is None:
        return None
    node.integer = rng.choice([t for t in TYPES if t != node.integer])
    return ""


def shape(rng: random.Random, world: World) -> str | None:
    node = pick(rng, world, "view", "table", "ephemeral")
    if node is None:
        return None
    by_name = ("snapshot", "python")
    named = {p for n in world.nodes.values() if n.kind in by_name for p in n.parents}
    choices = ["filter", "union", "group", "upper", *ORDERED_SHAPES]
    choices += [] if node.name in named else ["star"]
    node.shape = rng.choice(choices)
    return ""


def parent(rng: random.Random, world: World) -> str | None:
    node = pick(rng, world, "view", "table", "ephemeral")
    if node is None:
        return None
    node.parents[0] = rng.choice(["raw.t0", "raw.t1", "s0", "file.f0"])
    return ""


def materialization(rng: random.Random, world: World) -> str | None:
    node = pick(rng, world, "view", "table")
    if node is None or node.hook:
        return None
    node.kind = "table" if node.kind == "view" else "view"
    return ""


def hook(rng: random.Random, world: World) -> str | None:
    node = pick(rng, world, "table")
    if node is None:
        return None
    if node.hook is None:
        node.hook = rng.choice(hooks_of(world))
    elif rng.random() < 0.3:
        node.hook = None
    else:
        node.hook_k += 1
    return ""


def start_hook(rng: random.Random, world: World) -> str | None:
    world.start_hook = not world.start_hook
    return ""


def macro(rng: random.Random, world: World) -> str | None:
    world.macro_k += 1
    return ""


def override(rng: random.Random, world: World) -> str | None:
    """Of the macro by which dbt makes a table."""
    world.override = rng.choice([n for n in (0, 1, 2, 3) if n != world.override])
    return ""


def function(rng: random.Random, world: World) -> str | None:
    """A node calls another function of the user, or none."""
    node = pick(rng, world, *SQL_KINDS)
    if node is None:
        return None
    node.function = rng.choice([f for f in ("", "plus_k", "top_n") if f != node.function])
    return ""


def function_replaced(rng: random.Random, world: World) -> str | None:
    added = rng.randint(1, 4)
    return rng.choice(
        [
            f"create or replace macro plus_k(x) as x + {added}",
            f"create or replace macro top_n() as (select coalesce(max(n), {added}) from raw.t0)",
            "create or replace macro top_n() as (select coalesce(max(n), 0) from raw.t1)",
        ]
    )


def add_test(rng: random.Random, world: World) -> str | None:
    node = pick(rng, world, "view", "table", "merge", "seed")
    if node is None:
        return None
    node.tests ^= {rng.choice(["unique", "not_null", "singular"])}
    return ""


def source_test(rng: random.Random, world: World) -> str | None:
    world.source_tests = not world.source_tests
    return ""


def seed_rows(rng: random.Random, world: World) -> str | None:
    node = pick(rng, world, "seed")
    if node is None:
        return None
    node.rows = [*node.rows, (len(node.rows) + 1, rng.choice("xyz"), 7)]
    return ""


def seed_reorder(rng: random.Random, world: World) -> str | None:
    node = pick(rng, world, "seed")
    if node is None:
        return None
    node.rows = node.rows[::-1]
    return ""


def seed_crlf(rng: random.Random, world: World) -> str | None:
    node = pick(rng, world, "seed")
    if node is None:
        return None
    node.crlf = not node.crlf
    return ""


def file_rows(rng: random.Random, world: World) -> str | None:
    world.files_rows["f0"] = random_rows(rng, rng.randint(2, 5))
    return ""


def new_node(rng: random.Random, world: World) -> str | None:
    number = len(world.nodes)
    node = Node(f"x{number}", "table", [rng.choice(["s0", "raw.t0"])] * 2)
    world.nodes[node.name] = node
    return ""


def source_table(rng: random.Random) -> str:
    return f"raw.t{rng.randint(0, 1)}"


def source_insert(rng: random.Random, world: World) -> str | None:
    return (
        f"insert into {source_table(rng)} values ({rng.randint(5, 50)}, 'i', {rng.randint(0, 9)})"
    )


def source_delete(rng: random.Random, world: World) -> str | None:
    return f"delete from {source_table(rng)} where rowid = 0"


def source_update(rng: random.Random, world: World) -> str | None:
    table = source_table(rng)
    return f"create or replace table {table} as select x.id, x.v || 'u' as v, x.n from {table} x(id, v, n)"


def source_rename(rng: random.Random, world: World) -> str | None:
    table = source_table(rng)
    name = f"v_{rng.randint(1, 3)}"
    return f"create or replace table {table} as select id, v as {name}, n from {table} x(id, v, n)"


def source_retype(rng: random.Random, world: World) -> str | None:
    table = source_table(rng)
    kind = rng.choice(["integer", "bigint", "double"])
    return (
        f"create or replace table {table} as select id, v, n::{kind} as n from {table} x(id, v, n)"
    )


def source_same_again(rng: random.Random, world: World) -> str | None:
    table = source_table(rng)
    return f"create table raw.q as from {table}; drop table {table}; alter table raw.q rename to {table[4:]}"


def source_reordered(rng: random.Random, world: World) -> str | None:
    """The same rows, stored in another order."""
    table, order = source_table(rng), rng.choice(["id desc", "hash(id)", "id"])
    return (
        f"create or replace table {table} as select id, v, n from {table} x(id, v, n) "
        f"order by {order}"
    )


def source_becomes_view(rng: random.Random, world: World) -> str | None:
    return (
        "create table if not exists raw.hidden (id int, v varchar, n int);"
        "insert into raw.hidden values (3, 'w', 4);"
        "drop table raw.t1; create view raw.t1 as select id, v, n from raw.hidden;"
        "drop view raw.t1; create table raw.t1 as from raw.hidden"
    )


def on_relation(template: str, *kinds: str) -> Edit:
    """SQL on a node's own relation, guarded: a sequence may not have built it yet."""

    def edit(rng: random.Random, world: World) -> str | None:
        node = pick(rng, world, *kinds)
        return None if node is None else template.format(name=node.name)

    return edit


INSERTED = "insert into {name} (id, v, n) values (99, 'hand', 1)"
DELETED = "delete from {name} where id = (select min(id) from {name})"
RETYPED = "alter table {name} alter column n type hugeint"
RENAMED = "alter table {name} rename column v to v_hand"
DROPPED = "drop table {name}"
TO_VIEW = "alter table {name} rename to {name}_kept; create view {name} as from {name}_kept"
VIEW_REPLACED = "create or replace view {name} as select 5 as id, 'hand' as v, 5 as n"
VIEW_DROPPED = "drop view {name}"
REORDERED = "create or replace table {name} as from {name} order by id desc"
ADDED_COLUMN = "alter table {name} add column more int"

EDITS: dict[str, tuple[int, Edit]] = {
    "cosmetic": (6, cosmetic),
    "description": (2, description),
    "constant": (4, constant),
    "integer type": (3, integer_type),
    "shape": (2, shape),
    "parent": (2, parent),
    "materialization": (2, materialization),
    "hook": (2, hook),
    "on-run-start hook": (1, start_hook),
    "macro": (2, macro),
    "override of dbt's macro": (1, override),
    "function of the user in a node": (1, function),
    "function of the user replaced": (2, function_replaced),
    "test added or removed": (2, add_test),
    "source test added or removed": (1, source_test),
    "seed rows": (3, seed_rows),
    "seed reordered": (2, seed_reorder),
    "seed line endings": (2, seed_crlf),
    "file rows": (3, file_rows),
    "new node": (1, new_node),
    "source insert": (4, source_insert),
    "source delete": (2, source_delete),
    "source update": (2, source_update),
    "source column renamed": (2, source_rename),
    "source column retyped": (2, source_retype),
    "source made again": (2, source_same_again),
    "source reordered": (3, source_reordered),
    "source hidden behind a view": (1, source_becomes_view),
    "relation: insert": (2, on_relation(INSERTED, *TABLE_LIKE)),
    "relation: delete": (1, on_relation(DELETED, *TABLE_LIKE)),
    "relation: retype": (1, on_relation(RETYPED, *TABLE_LIKE)),
    "relation: rename column": (1, on_relation(RENAMED, *TABLE_LIKE)),
    "relation: add column": (1, on_relation(ADDED_COLUMN, *TABLE_LIKE)),
    "relation: reordered": (2, on_relation(REORDERED, "seed", *MADE, *SNAPSHOTS)),
    "relation: drop": (2, on_relation(DROPPED, *TABLE_LIKE)),
    "relation: becomes a view": (1, on_relation(TO_VIEW, "table")),
    "view: replaced": (2, on_relation(VIEW_REPLACED, "view")),
    "view: dropped": (1, on_relation(VIEW_DROPPED, "view")),
}
