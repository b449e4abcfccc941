"""What the texts of macros give away: relations they name themselves, statements that set things."""

from __future__ import annotations

import pytest

from dbt_hodor.macro_sql import names_a_relation
from dbt_hodor.macros import may_set


@pytest.mark.parametrize(
    "sql",
    [
        "select * from raw.t",
        'x join "raw"."t" using (id)',
        "select max(a) from read_csv('x.csv')",
        "insert into log values (1)",
        "from 'x.parquet'",
    ],
)
def test_a_relation_in_a_macro_is_seen(sql: str) -> None:
    assert names_a_relation(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "create table {{ relation }} as (select * from ({{ sql }}) q)",
        "with a as (select 1) select * from a",
        "-- taken from dbt\nmerge into {{ target }} using {{ source }} when matched then update set x = 1",
        "a is distinct from b",
        "{# from t #} select * from {{ relation }}",
        "select * from range(3)",
    ],
)
def test_a_macro_without_a_relation_of_its_own(sql: str) -> None:
    assert not names_a_relation(sql)


def test_statements_that_set() -> None:
    assert may_set("set default_null_order='nulls_first'")
    assert may_set("select 1; USE other")
    assert may_set("RESET\nthreads")
    assert may_set("\u017fet x = 1")  # a letter that equals s when case is ignored
    assert may_set("{% do run_query(\"set TimeZone='UTC'\") %}")
    assert not may_set("{% set x = 1 %} select x")
    assert not may_set("update {{ this }} set x = 1")
