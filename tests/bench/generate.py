"""Writes a dbt project of a given number of small models, the same one each time.

In:  a folder, how many models.
Out: sources (filled by `load_raw`), seeds, staging views, tables that read up to three earlier models,
     a few incremental models and data tests: about the mixture of a project that has grown.
Never: random without a seed, and never larger rows than needed: what is measured is the cost per node.
"""

from __future__ import annotations

import random
from pathlib import Path

_SOURCES = 40
_SEEDS = 3
_STAGING_SHARE = 0.3
_TESTED_EVERY = 10
_INCREMENTAL_EVERY = 20
_WINDOW = 60

_PROJECT = """name: bench
version: "1.0"
profile: bench
models:
  +materialized: table
  +state: {lag_tolerance: 0s}
"""
_PROFILES = """bench:
  target: dev
  outputs:
    dev: {type: duckdb, path: bench.duckdb, threads: 4}
"""


def write_project(folder: Path, models: int) -> None:
    """Writes the project into a folder that does not exist yet."""
    for name in ("models/staging", "models/marts", "seeds", "macros"):
        (folder / name).mkdir(parents=True)
    (folder / "dbt_project.yml").write_text(_PROJECT)
    (folder / "profiles.yml").write_text(_PROFILES)
    (folder / "macros" / "load_raw.sql").write_text(_load_raw())
    _write_sources(folder)
    for number in range(_SEEDS):
        rows = "\n".join(f"{i},label {number} {i}" for i in range(10))
        (folder / "seeds" / f"labels_{number}.csv").write_text(f"id,label\n{rows}\n")
    staging = max(1, round(models * _STAGING_SHARE))
    for number in range(staging):
        (folder / "models" / "staging" / f"stg_{number}.sql").write_text(_staging(number))
    rng = random.Random(models)
    names = [f"stg_{number}" for number in range(staging)]
    tested = []
    for number in range(models - staging):
        name = f"m_{number}"
        path = folder / "models" / "marts" / f"{name}.sql"
        if number % _INCREMENTAL_EVERY == 7:
            path.write_text(_incremental(rng.choice(names[-_WINDOW:])))
        else:
            parents = rng.sample(names[-_WINDOW:], k=min(len(names), rng.randint(1, 3)))
            path.write_text(_table(parents, rng))
        if number % _TESTED_EVERY == 0:
            tested.append(name)
        names.append(name)
    (folder / "models" / "marts" / "marts.yml").write_text(_tests(tested))


def _write_sources(folder: Path) -> None:
    tables = "".join(f"      - name: t_{number}\n" for number in range(_SOURCES))
    (folder / "models" / "sources.yml").write_text(
        f"sources:\n  - name: raw\n    schema: raw\n    tables:\n{tables}"
    )


def _load_raw() -> str:
    statements = "".join(
        f"create or replace table raw.t_{number} as select i as id, i * {number + 1} as amount, "
        f"'k' || (i % 4) as kind, date '2026-01-01' + i::integer as day from range(12) as t(i);\n"
        for number in range(_SOURCES)
    )
    return (
        "{% macro load_raw() %}{% set statements %}create schema if not exists raw;\n"
        f"{statements}{{% endset %}}{{% do run_query(statements) %}}{{% endmacro %}}\n"
    )


def _staging(number: int) -> str:
    return (
        f"select id, amount + {number} as amount, kind, day\n"
        f"from {{{{ source('raw', 't_{number % _SOURCES}') }}}}\n"
        "where amount is not null\n"
    )


def _table(parents: list[str], rng: random.Random) -> str:
    first, *others = parents
    joins = "".join(
        f"left join {{{{ ref('{parent}') }}}} as p{index} on p{index}.id = base.id\n"
        for index, parent in enumerate(others, start=1)
    )
    total = " + ".join(["base.amount", *(f"p{i}.amount" for i in range(1, len(parents)))])
    return (
        f"with base as (\n    select id, amount, kind, day\n    from {{{{ ref('{first}') }}}}\n"
        f"    where amount > {rng.randint(-9, 0)}\n)\n\n"
        # The remainder: sums of sums would leave the range of a bigint in a large project.
        f"select\n    base.id,\n    ({total}) % 1000000 as amount,\n    base.kind,\n    base.day,\n"
        f"    case when base.amount > {rng.randint(1, 99)} then 'high' else 'low' end as level\n"
        f"from base\n{joins}"
    )


def _incremental(parent: str) -> str:
    return (
        "{{ config(materialized='incremental', incremental_strategy='delete+insert', "
        "unique_key='id') }}\n"
        f"select id, amount, kind, day from {{{{ ref('{parent}') }}}}\n"
        "{% if is_incremental() %}where id > (select max(id) from {{ this }}){% endif %}\n"
    )


def _tests(names: list[str]) -> str:
    items = "".join(
        f"  - name: {name}\n    columns:\n      - name: id\n        data_tests: [not_null]\n"
        for name in names
    )
    return f"models:\n{items}"
