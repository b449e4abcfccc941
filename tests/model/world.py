"""A small random dbt project: its nodes, and the files that they stand for.

In:  a seeded random generator. Out: a ``World`` that prints itself as project files.
Never: looks at what a run did. Every relation offers the columns ``id``, ``v``, ``n`` by position, and
       readers name them by position, so that renamed or retyped inputs break few sequences.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

TABLES = ("table", "append_newer", "append", "merge", "delete_insert")
READABLE = (
    "seed",
    "view",
    "ephemeral",
    "table",
    "append_newer",
    "merge",
    "delete_insert",
    "append",
    "snapshot",
    "python",
)
WEIGHTS = {
    "view": 5,
    "ephemeral": 2,
    "table": 7,
    "append_newer": 1,
    "merge": 2,
    "delete_insert": 2,
    "append": 1,
    "snapshot": 2,
    "python": 1,
}
SHAPES = ("filter", "filter", "star", "union", "group", "join", "upper")
HOOKS = ("comment", "update", "reads", "writes")

PROJECT = """name: p
version: "1.0"
profile: p
models: {{+materialized: table, +state: {{lag_tolerance: 0s}}}}
seeds: {{+state: {{lag_tolerance: 0s}}}}
snapshots: {{+state: {{lag_tolerance: 0s}}}}
{start}"""

SOURCES = "version: 2\nsources: [{{name: raw, schema: raw, tables: [{{name: t0{tests}}}, {{name: t1}}]}}]\n"
# A warning, so that the nodes below run whatever it finds.
SOURCE_TESTS = (
    ", columns: [{name: id, data_tests: [not_null, {unique: {config: {severity: warn}}}]}]"
)
COLUMNS = "as {a}(id, v, n)"


@dataclass
class Node:
    """One model, snapshot or seed. ``parents``: names, ``raw.t0``, or ``file.f0``."""

    name: str
    kind: str
    parents: list[str] = field(default_factory=list)
    shape: str = "filter"
    k: int = 0
    """The constant of the filter."""
    integer: str = "integer"
    style: int = 0
    """Cosmetics: comments, white space, case of reserved words."""
    macro: bool = False
    hook: str | None = None
    hook_k: int = 0
    description: str = ""
    tests: set[str] = field(default_factory=set)
    rows: list[tuple[int, str, int]] = field(default_factory=list)
    """Of a seed."""
    crlf: bool = False

    def has_relation(self) -> bool:
        return self.kind != "ephemeral"


@dataclass
class World:
    nodes: dict[str, Node]
    files_rows: dict[str, list[tuple[int, str, int]]]
    macro_k: int = 1
    start_hook: bool = False
    source_tests: bool = False

    def files(self) -> dict[str, str]:
        """The whole project as path -> text."""
        start = (
            "on-run-start: [\"insert into raw.t0 select coalesce(max(id), 0) + 1, 's', 1 "
            'from raw.t0"]\n'
            if self.start_hook
            else ""
        )
        result = {
            "dbt_project.yml": PROJECT.format(start=start),
            "models/sources.yml": SOURCES.format(tests=SOURCE_TESTS if self.source_tests else ""),
            "macros/k.sql": f"{{% macro k() %}}{self.macro_k}{{% endmacro %}}",
        }
        for name, rows in self.files_rows.items():
            result[f"data/{name}.csv"] = csv(rows)
        for node in self.nodes.values():
            result |= self.node_files(node)
        return result

    def node_files(self, node: Node) -> dict[str, str]:
        tests = (
            {
                f"tests/sing_{node.name}.sql": f"select * from {{{{ ref('{node.name}') }}}}\n"
                f"where 1 = (select max(n) from {{{{ source('raw', 't1') }}}} as x(id, v, n)) - 700"
            }
            if "singular" in node.tests
            else {}
        )
        if node.kind == "seed":
            text = csv(node.rows)
            text = text.replace("\n", "\r\n") if node.crlf else text
            return {f"seeds/{node.name}.csv": text, **self.properties(node, "seeds"), **tests}
        if node.kind == "snapshot":
            relation = f"ref('{node.parents[0]}')"
            body = (
                f"snapshots:\n  - name: {node.name}\n    relation: {relation}\n    config: "
                f"{{unique_key: id, strategy: check, check_cols: [v, n]}}\n"
            )
            return {f"snapshots/{node.name}.yml": body, **tests}
        if node.kind == "python":
            body = (
                "def model(dbt, session):\n    dbt.config(materialized='table')\n"
                f"    return dbt.ref('{node.parents[0]}').project('id, v, n + {node.k} as n')\n"
            )
            return {f"models/{node.name}.py": body, **self.properties(node, "models"), **tests}
        return {
            f"models/{node.name}.sql": config(node) + styled(self.select(node), node.style),
            **self.properties(node, "models"),
            **tests,
        }

    def properties(self, node: Node, folder: str) -> dict[str, str]:
        tests = sorted(node.tests - {"singular"})
        column = f"{{name: id, data_tests: [{', '.join(tests)}]}}" if tests else "{name: id}"
        return {
            f"{folder}/{node.name}.yml": f"version: 2\n{folder}:\n  - name: {node.name}\n"
            f"    description: '{node.description}'\n    columns: [{column}]\n"
        }

    def source(self, parent: str, alias: str) -> str:
        names = COLUMNS.format(a=alias)
        if parent.startswith("raw."):
            return f"{{{{ source('raw', '{parent[4:]}') }}}} {names}"
        if parent.startswith("file."):
            return f"read_csv('data/{parent[5:]}.csv') {names}"
        if self.nodes[parent].kind == "snapshot":
            inner = f"select id, v, n from {{{{ ref('{parent}') }}}} where dbt_valid_to is null"
            return f"({inner}) {names}"
        return f"{{{{ ref('{parent}') }}}} {names}"

    def select(self, node: Node) -> str:
        first, last = self.source(node.parents[0], "a"), self.source(node.parents[-1], "b")
        k = f"{node.k} + {{{{ k() }}}} - {{{{ k() }}}} % 2" if node.macro else str(node.k)
        n = f"n::{node.integer} as n"
        bodies = {
            "filter": f"select id, v, {n} from {first} where id > {k}",
            "star": f"select * from {first}".replace(" " + COLUMNS.format(a="a"), " as a"),
            "union": f"select id, v, {n} from {first} where id > {k} union all "
            f"select id, v, {n} from {last} where id <= {k}",
            "group": f"select id, max(v) as v, max(n)::{node.integer} as n from {first} "
            f"where id > {k} group by id",
            "join": f"select a.id, b.v, a.{n} from {first} join {last} on a.id = b.id + {k} % 2",
            "upper": f"select id, upper(v) as v, (n + {k})::{node.integer} as n from {first}",
        }
        body = bodies[node.shape]
        if node.kind == "append_newer":
            body = (
                f"select id, v, {n} from {first}"
                "{% if is_incremental() %} where id > (select max(id) from {{ this }}){% endif %}"
            )
        if node.kind in ("merge", "delete_insert"):
            body = bodies["group"]
        return body


def csv(rows: list[tuple[int, str, int]]) -> str:
    return "".join(f"{i},{v},{n}\n" for i, v, n in [("id", "v", "n"), *rows])  # type: ignore[list-item]


def config(node: Node) -> str:
    settings = {
        "append_newer": "materialized='incremental', incremental_strategy='append'",
        "append": "materialized='incremental', incremental_strategy='append'",
        "merge": "materialized='incremental', incremental_strategy='merge', unique_key='id'",
        "delete_insert": "materialized='incremental', unique_key='id', "
        "incremental_strategy='delete+insert'",
    }.get(node.kind, f"materialized='{node.kind}'")
    word = "view" if node.kind == "view" else "table"
    hooks = {
        "comment": f"comment on {word} {{{{ this }}}} is 'k{node.hook_k}'",
        "update": f"update {{{{ this }}}} set n = n + {node.hook_k}",
        "reads": "update {{ this }} set v = (select coalesce(max(v), '') from raw.t1)",
        "writes": f"insert into raw.t1 select 900, 'h{node.hook_k}', 1",
    }
    if node.hook:
        settings += f', post_hook="{hooks[node.hook]}"'
    return f"{{{{ config({settings}) }}}}\n"


def styled(sql: str, style: int) -> str:
    """The same query in other clothes: nothing here is a change of the code."""
    if style & 1:
        sql = sql.replace("select ", "SELECT  ", 1).replace(" where ", "\nWHERE ")
    if style & 2:
        sql = f"-- note {style}\n{sql}"
    if style & 4:
        sql = sql.replace(" from ", " /* here */\n from ", 1)
    return sql


def random_rows(rng: random.Random, count: int) -> list[tuple[int, str, int]]:
    return [(i + 1, rng.choice("abcdef"), rng.randint(0, 9)) for i in range(count)]


def random_world(rng: random.Random, size: int) -> World:
    """Two sources, one or two seeds, one file and ``size`` nodes over them."""
    world = World({}, {"f0": random_rows(rng, 3)})
    for number in range(rng.randint(1, 2)):
        seed = Node(f"s{number}", "seed", rows=random_rows(rng, rng.randint(2, 5)))
        world.nodes[seed.name] = seed
    kinds, weights = list(WEIGHTS), list(WEIGHTS.values())
    for number in range(size):
        kind = rng.choices(kinds, weights)[0]
        node = Node(f"n{number}", kind)
        node.parents = random_parents(rng, world, node)
        node.shape = rng.choice(SHAPES)
        node.k = rng.randint(0, 2)
        node.macro = rng.random() < 0.2
        if kind in ("table", "view") and rng.random() < 0.15:
            node.hook = "comment" if kind == "view" else rng.choice(HOOKS)
        world.nodes[node.name] = node
    for node in world.nodes.values():
        if node.has_relation() and node.kind != "snapshot" and rng.random() < 0.3:
            node.tests = set(rng.sample(["unique", "not_null", "singular"], rng.randint(1, 2)))
        if node.kind in ("merge", "delete_insert") and rng.random() < 0.7:
            node.tests |= {"unique", "not_null"}
    world.source_tests = rng.random() < 0.4
    return world


def random_parents(rng: random.Random, world: World, node: Node) -> list[str]:
    """One or two inputs; snapshots and Python models need one with the columns by name."""
    by_name = [
        n.name
        for n in world.nodes.values()
        if n.name != node.name
        and n.kind in ("seed", "table", "view", "merge", "python")
        and n.shape != "star"
    ]
    if node.kind in ("snapshot", "python"):
        return [rng.choice(by_name)] if by_name else ["s0"]
    earlier = [n.name for n in world.nodes.values() if n.kind in READABLE]
    pool = [*earlier, *earlier, *earlier, "raw.t0", "raw.t1", "file.f0"]
    return [rng.choice(pool) for _ in range(2)]
