"""The registry of scenarios: a function that takes a ``Twin``, named by its module and itself.

In:  decorated functions of scenarios/*.py. Out: ``REGISTRY`` in increasing scope.
Never: skips one: what the registry holds is run.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import NamedTuple

from e2e.twin import PROJECT, Twin

Steps = Callable[[Twin], None]


class Scenario(NamedTuple):
    id: str
    steps: Steps
    smoke: bool
    """Also run on the other Python versions and on the oldest supported duckdb."""


REGISTRY: dict[str, Scenario] = {}


def register(steps: Steps, smoke: bool) -> Steps:
    name = f"{steps.__module__.rsplit('.', 1)[-1]}.{steps.__name__}"
    assert name not in REGISTRY, f"two scenarios are called {name}"
    REGISTRY[name] = Scenario(name, steps, smoke)
    return steps


def scenario(steps: Steps) -> Steps:
    """A scenario. Its docstring says what must hold and why."""
    return register(steps, smoke=False)


def smoke(steps: Steps) -> Steps:
    """A scenario of the small set that is run everywhere."""
    return register(steps, smoke=True)


def load_all() -> dict[str, Scenario]:
    from e2e import scenarios

    for module in sorted(m.name for m in pkgutil.iter_modules(scenarios.__path__)):
        importlib.import_module(f"e2e.scenarios.{module}")
    return REGISTRY


CHAIN = {
    "seeds/s.csv": "id,v\n1,a\n2,b\n",
    "models/m.sql": "select id, v from {{ ref('s') }}",
    "models/c.sql": "select count(*) as n, max(v) as v from {{ ref('m') }}",
}
"""A seed, a table on it and a table on that."""

SOURCE = {
    "models/sources.yml": """version: 2
sources:
  - name: raw
    schema: raw
    tables: [{name: t}, {name: u}]
""",
}


QUIET_PROJECT = PROJECT.replace("snapshots:\n  +state: {lag_tolerance: 0s}\n", "")
"""Without settings of kinds that the project does not have: dbt warns of those."""


def chain(t: Twin) -> None:
    t.files(CHAIN)
    t.run("build", no_history="s m c")


def raw_tables(t: Twin) -> None:
    """The source ``raw.t(id, v)`` with two rows and ``raw.u(id, w)`` with one."""
    t.files(SOURCE)
    t.sql(
        """create schema raw;
        create table raw.t as select * from (values (1, 'a'), (2, 'b')) x(id, v);
        create table raw.u as select 1 as id, 10 as w"""
    )
