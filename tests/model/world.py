"""A small random dbt project: its nodes, and the files that they stand for.

In:  a seeded random generator. Out: a ``World`` that prints itself as project files.
Never: looks at what a run did. Every relation offers the columns ``id``, ``v``, ``n`` by position, and
       readers name them by position, so that renamed or retyped inputs break few sequences.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

WEIGHTS = {
    "view": 10,
    "ephemeral": 4,
    "table": 14,
    "append_newer": 2,
    "merge": 4,
    "delete_insert": 4,
    "append": 2,
    "snapshot": 3,
    "newer_snapshot": 2,
    "python": 2,
    "stamped": 2,
    "dated": 1,
    "volatile": 1,
    "custom": 1,
    "microbatch": 1,
}
READABLE = ("seed", *WEIGHTS)
SNAPSHOTS = ("snapshot", "newer_snapshot")
KEEP_STATE = ("append_newer", "append", "merge", "delete_insert", *SNAPSHOTS)
"""Kinds whose build depends on what stood there before."""
NEVER = ("python", "volatile", "custom", "microbatch")
"""Kinds that the documentation says are never reused."""
SHAPES = ("filter", "filter", "star", "union", "group", "join", "upper")
ORDERED_SHAPES = ("sum", "agg", "limit")
"""Their rows or values depend on the order in which the input's rows stand."""
HOOKS = ("comment", "update", "reads", "writes")
TYPES = ("integer", "bigint", "double")
FUNCTIONS = {"": "{n}", "plus_k": "plus_k({n})", "top_n": "({n} + top_n())"}
"""Functions of the user in the warehouse, and how a value goes through one."""
FUNCTIONS_SQL = """create macro plus_k(x) as x + 1;
create macro top_n() as (select coalesce(max(n), 0) from raw.t1)"""

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

CUSTOM = """{% materialization kept, adapter='duckdb' %}
  {%- set target = this.incorporate(type='table') -%}
  {% call statement('main') %}create or replace table {{ target }} as ({{ sql }}){% endcall %}
  {{ adapter.commit() }}
  {{ return({'relations': [target]}) }}
{% endmaterialization %}
"""
ARGUMENTS = "temporary, relation, compiled_code, language, partitioned_by, sorted_by"
OVERRIDE = """{% macro duckdb__create_table_as(temporary, relation, compiled_code, language='sql',
  partitioned_by=none, sorted_by=none) %}
{% if language != 'sql' %}{{ dbt_duckdb.duckdb__create_table_as(ARGUMENTS) }}{% else %}
create {{ 'temporary' if temporary }} table {{ relation }} as
  (select * from ({{ compiled_code }}) q where id <> NUMBER)
{% endif %}{% endmacro %}
""".replace("ARGUMENTS", ARGUMENTS)
"""Replaces how dbt makes each table."""


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
    function: str = ""
    """Of FUNCTIONS."""
    hook: str | None = None
    hook_k: int = 0
    description: str = ""
    tests: set[str] = field(default_factory=set)
    rows: list[tuple[int, str, int]] = field(default_factory=list)
    """Of a seed."""
    crlf: bool = False

    def has_relation(self) -> bool:
        return self.kind != "ephemeral"

    def never(self) -> str:
        """Why the documentation says that this node is never reused; empty: it may be."""
        if self.kind in NEVER:
            return self.kind
        if self.kind == "view" and self.shape == "star":
            return "select * view"
        return "writing hook" if self.hook == "writes" else ""


@dataclass
class World:
    nodes: dict[str, Node]
    files_rows: dict[str, list[tuple[int, str, int]]]
    macro_k: int = 1
    start_hook: bool = False
    source_tests: bool = False
    override: int = 0
    """Rows of this id are left out by an override of dbt's own macro; 0: there is none."""
    threads: int = 1

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
        if any(n.kind == "custom" for n in self.nodes.values()):
            result["macros/kept.sql"] = CUSTOM
        if self.override:
            result["macros/override.sql"] = OVERRIDE.replace("NUMBER", str(self.override))
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
        if node.kind == "newer_snapshot":
            return {f"snapshots/{node.name}.sql": self.newer_snapshot(node), **tests}
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

    def newer_snapshot(self, node: Node) -> str:
        """The moment of a row follows from its values: not every new value is a newer moment."""
        moment = "timestamp '2024-01-01' + to_days(n::integer % 5)"
        return (
            f"{{% snapshot {node.name} %}}{{{{ config(unique_key='id', strategy='timestamp', "
            f"updated_at='moment') }}}}\nselect id, v, n, {moment} as moment "
            f"from {self.source(node.parents[0], 'a')}\n{{% endsnapshot %}}\n"
        )

    def source(self, parent: str, alias: str) -> str:
        names = COLUMNS.format(a=alias)
        if parent.startswith("raw."):
            return f"{{{{ source('raw', '{parent[4:]}') }}}} {names}"
        if parent.startswith("file."):
            return f"read_csv('data/{parent[5:]}.csv') {names}"
        if self.nodes[parent].kind in SNAPSHOTS:
            inner = f"select id, v, n from {{{{ ref('{parent}') }}}} where dbt_valid_to is null"
            return f"({inner}) {names}"
        return f"{{{{ ref('{parent}') }}}} {names}"

    def select(self, node: Node) -> str:
        first, last = self.source(node.parents[0], "a"), self.source(node.parents[-1], "b")
        k = f"{node.k} + {{{{ k() }}}} - {{{{ k() }}}} % 2" if node.macro else str(node.k)

        def value(column: str) -> str:
            return FUNCTIONS[node.function].format(n=column)

        n = f"{value('n')}::{node.integer} as n"
        plain = f"select id, v, {n} from {first} where id > {k}"
        bodies = {
            "filter": plain,
            "star": f"select * from {first}".replace(" " + COLUMNS.format(a="a"), " as a"),
            "union": f"{plain} union all select id, v, {n} from {last} where id <= {k}",
            "group": f"select id, max(v) as v, max({value('n')})::{node.integer} as n from {first} "
            f"where id > {k} group by id",
            "join": f"select a.id, b.v, {value('a.n')}::{node.integer} as n from {first} "
            f"join {last} on a.id = b.id + {k} % 2",
            "upper": f"select id, upper(v) as v, ({value('n')} + {k})::{node.integer} as n "
            f"from {first}",
            # Large and small addends: each order of the rows has another sum.
            "sum": f"select min(id) as id, max(v) as v, sum({value('n')}::double / 7 + "
            f"1e15 * (id % 2)) as n from {first} where id > {k}",
            "agg": f"select min(id) as id, string_agg(v, '') as v, max(n)::{node.integer} as n "
            f"from {first} where id > {k}",
            "limit": f"select id, v, {n} from {first} limit {node.k + 1}",
        }
        newer = "{% if is_incremental() %} where id > (select max(id) from {{ this }}){% endif %}"
        by_kind = {
            "append_newer": f"select id, v, {n} from {first}{newer}",
            "merge": bodies["group"],
            "delete_insert": bodies["group"],
            "stamped": plain.replace(" as n from", " as n, now() as loaded_at from"),
            "dated": f"{plain} and current_date > date '2000-01-01'",
            "volatile": f"{plain} and random() < 2",
            "microbatch": plain.replace(
                " as n from", " as n, timestamp '2024-05-05' as moment from"
            ),
        }
        return by_kind.get(node.kind, bodies[node.shape])


def csv(rows: list[tuple[int, str, int]]) -> str:
    return "".join(f"{i},{v},{n}\n" for i, v, n in [("id", "v", "n"), *rows])  # type: ignore[list-item]


def config(node: Node) -> str:
    settings = {
        "append_newer": "materialized='incremental', incremental_strategy='append'",
        "append": "materialized='incremental', incremental_strategy='append'",
        "merge": "materialized='incremental', incremental_strategy='merge', unique_key='id'",
        "delete_insert": "materialized='incremental', unique_key='id', "
        "incremental_strategy='delete+insert'",
        "microbatch": "materialized='incremental', incremental_strategy='microbatch', "
        "event_time='moment', begin='2024-01-01', batch_size='year', concurrent_batches=false",
        "custom": "materialized='kept'",
        **dict.fromkeys(("view", "ephemeral"), f"materialized='{node.kind}'"),
    }.get(node.kind, "materialized='table'")
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


def random_world(rng: random.Random, size: int, threads: int = 1) -> World:
    """Two sources, one or two seeds, one file and ``size`` nodes over them."""
    world = World({}, {"f0": random_rows(rng, 3)}, threads=threads)
    for number in range(rng.randint(1, 2)):
        seed = Node(f"s{number}", "seed", rows=random_rows(rng, rng.randint(2, 5)))
        world.nodes[seed.name] = seed
    kinds, weights = list(WEIGHTS), list(WEIGHTS.values())
    for number in range(size):
        kind = rng.choices(kinds, weights)[0]
        node = Node(f"n{number}", kind)
        node.parents = random_parents(rng, world, node)
        node.shape = rng.choice(SHAPES + (ORDERED_SHAPES if kind in ("table", "view") else ()))
        node.k = rng.randint(0, 2)
        node.macro = rng.random() < 0.2
        node.function = rng.choice([*FUNCTIONS, "", "", "", "", ""])
        if kind in ("table", "view") and rng.random() < 0.15:
            node.hook = "comment" if kind == "view" else rng.choice(hooks_of(world))
        world.nodes[node.name] = node
    for node in world.nodes.values():
        if node.has_relation() and node.kind not in SNAPSHOTS and rng.random() < 0.3:
            node.tests = set(rng.sample(["unique", "not_null", "singular"], rng.randint(1, 2)))
        if node.kind in ("merge", "delete_insert") and rng.random() < 0.7:
            node.tests |= {"unique", "not_null"}
    world.source_tests = rng.random() < 0.4
    world.override = rng.randint(5, 9) if rng.random() < 0.05 else 0
    return world


def hooks_of(world: World) -> tuple[str, ...]:
    """With several threads nobody knows when a hook writes what another node reads."""
    return HOOKS if world.threads == 1 else HOOKS[:-1]


def random_parents(rng: random.Random, world: World, node: Node) -> list[str]:
    """One or two inputs; snapshots and Python models need one with the columns by name."""
    by_name = [
        n.name
        for n in world.nodes.values()
        if n.name != node.name
        and n.kind in ("seed", "table", "view", "merge", "python", "stamped")
        and n.shape != "star"
    ]
    if node.kind in ("snapshot", "python"):
        return [rng.choice(by_name)] if by_name else ["s0"]
    earlier = [n.name for n in world.nodes.values() if n.kind in READABLE]
    pool = [*earlier, *earlier, *earlier, "raw.t0", "raw.t1", "file.f0"]
    return [rng.choice(pool) for _ in range(2)]
