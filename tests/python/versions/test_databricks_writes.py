"""Goal: what a node's statements write to its own table is told exactly, or not at all. Method: the
statements that dbt-databricks runs, in its own layout, and some that nobody expects."""

from __future__ import annotations

import pytest

from dbt_hodor.versions.databricks_writes import writes_of

RELATION = ("main", "dev", "m")
COMMENT = '/* {"app": "dbt", "node_id": "model.p.m"} */\n\n  \n    -- a note\n'


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ([], ([], False)),
        (["select 1", "show tables in dev", "describe table x"], ([], False)),
        (["create or replace table `main`.`dev`.`m` using delta as select 1"], (["create"], False)),
        (["create table main.dev.m (a int) using delta", "insert into main.dev.m select 1"],
         (["create", "write"], False)),
        (["merge into `main`.`dev`.`m` as t using `m__dbt_tmp` as s on t.a <=> s.a"],
         (["merge"], False)),
        (["MERGE WITH SCHEMA EVOLUTION INTO main.dev.m t using s"], (["merge"], False)),
        (["create or replace temporary view `m__dbt_tmp` as select 1",
          "insert into table `main`.`dev`.`m` select * from `m__dbt_tmp`"], (["write"], False)),
        (["delete from `main`.`dev`.`m` where a in (select 1)", "insert into main.dev.m select 1"],
         (["delete", "write"], False)),
        (["insert overwrite table `main`.`dev`.`m` partition (d) select 1"], (["write"], False)),
        (["insert into `main`.`dev`.`m` by name replace where d = 1 table t"], (["write"], False)),
        (["drop table if exists `main`.`dev`.`m`", "create table `main`.`dev`.`m` as select 1"],
         (["create"], True)),
        (["create or replace table `main`.`dev`.`m__dbt_stg` (a int) using delta",
          "insert into `main`.`dev`.`m__dbt_stg` select 1",
          "alter table `main`.`dev`.`m` rename to `main`.`dev`.`m__dbt_backup`",
          "alter table `main`.`dev`.`m__dbt_stg` rename to `main`.`dev`.`m`",
          "drop table if exists `main`.`dev`.`m__dbt_backup`"], (["create", "write"], True)),
        (["create or replace table main.dev.m as select 1",
          "alter table `main`.`dev`.`m` alter column `a` comment 'x'",
          "comment on column `main`.`dev`.`m`.`a` is 'y'",
          "alter table main.dev.m set tblproperties ('a' = 'b')", "optimize main.dev.m"],
         (["create", "change_column", "change_column"], False)),
        (["alter table main.dev.m add columns (b int)", "update main.dev.m set a = 1",
          "truncate table main.dev.m"], (["columns", "update", "truncate"], False)),
        (["insert into `main`.`dev`.`other` select 1"], ([], False)),
        (["insert into dev.m select 1"], (["write"], False)),
        (["insert into main.dev.m select 1", "insert into dev.m select 2"], None),
        (["restore table main.dev.m to version as of 1"], None),
        (["copy into main.dev.m from '/x'"], None),
        (["call main.p()"], None),
        (["execute immediate 'insert into main.dev.m select 1'"], None),
        (["begin insert into main.dev.m select 1; end"], None),
        ([""], ([], False)),
    ],
)  # fmt: skip
def test_statements(statements: list[str], expected: object) -> None:
    assert writes_of(statements, RELATION) == expected
    assert writes_of([COMMENT + sql for sql in statements], RELATION) == expected


def test_names_are_compared_without_case_and_quotes() -> None:
    found = writes_of(["INSERT INTO `Main`.`DEV`.`M` SELECT 1"], RELATION)
    assert found == (["write"], False)
    assert writes_of(["insert into main . dev . `m` select 1"], RELATION) == (["write"], False)
    assert writes_of(["insert into main.dev.`m.x` select 1"], RELATION) == ([], False)
