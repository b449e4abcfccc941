"""What reaches a node past its own SQL: its place, its neighbours, macros that replace dbt's."""

from __future__ import annotations

from e2e.scenario import CHAIN, raw_tables, scenario
from e2e.twin import Twin

OVERRIDE = """{%% macro duckdb__create_table_as(temporary, relation, compiled_code, language='sql',
    partitioned_by=none, sorted_by=none) %%}
create table {{ relation }} as (select *, %s as extra from ({{ compiled_code }}) q)
{%% endmacro %%}
"""


@scenario
def hook_moved(t: Twin) -> None:
    """The same statement before and after the build is not the same hook."""
    hook = "delete from {{ this }} where id = 1"
    t.files(CHAIN)
    t.write("models/m.sql", f'{{{{ config(post_hook="{hook}") }}}}\n{CHAIN["models/m.sql"]}')
    t.run("build", no_history="s m c")
    t.run("build", no_new_data="s m c")
    t.write("models/m.sql", f'{{{{ config(pre_hook="{hook}") }}}}\n{CHAIN["models/m.sql"]}')
    t.run("build", no_new_data="s", config_changed="m", new_upstream_data="c")


@scenario
def order_is_passed_on(t: Twin) -> None:
    """A reader of the order below a table that has no use for it itself: the table must follow."""
    t.files({"seeds/s.csv": "id,v\n1,a\n2,b\n", "models/m.sql": CHAIN["models/m.sql"]})
    t.write("models/o.sql", "select string_agg(v, ',') as vs from {{ ref('m') }}")
    t.run("build", no_history="s m o")
    t.run("build", no_new_data="s m o")
    t.write("seeds/s.csv", "id,v\n2,b\n1,a\n")
    t.run("build", code_changed="s", new_upstream_data="m o")
    t.sql("create or replace table m as select * from m order by id")
    t.run("build", no_new_data="s o", target_modified="m")


@scenario
def settings_of_an_earlier_node(t: Twin) -> None:
    """A SET in a hook, or in a query at compile time, holds for the nodes after it on that thread."""
    t.write("seeds/s.csv", "id,v\n1,a\n2,\n")
    plain = "select 1 as x from {{ ref('s') }}"
    setting = "set default_null_order='nulls_first'"
    t.write("models/a.sql", f'{{{{ config(pre_hook="{setting}") }}}}\n{plain}')
    ordered = "select list(v order by v) as l from {{ ref('s') }}"
    t.write("models/b.sql", "-- depends_on: {{ ref('a') }}\n" + ordered)
    t.run("build", no_history="s b", hook_writes="a")
    t.run("build", no_new_data="s b", hook_writes="a")
    t.write("models/a.sql", plain)
    t.run("build", no_new_data="s", config_changed="a b")
    query = f'{{% if execute %}}{{% do run_query("{setting}") %}}{{% endif %}}'
    t.write("models/a.sql", query + plain)
    t.run("build", no_new_data="s", config_changed="a b")
    t.run("build", no_new_data="s a b")


@scenario
def override_with_an_input(t: Twin) -> None:
    """A macro instead of dbt's that reads a relation by itself: no SQL of a node shows that."""
    raw_tables(t)
    t.files(CHAIN)
    t.write("macros/o.sql", OVERRIDE % "(select max(w) from wh.raw.u)")
    t.run("build", unsupported="s m c")
    t.sql("insert into raw.u values (9, 99)")
    t.run("build", unsupported="s m c")


@scenario
def override_reads_meta_and_names(t: Twin) -> None:
    """meta_get() and `model` in such a macro: what they show counts."""
    t.files(CHAIN)
    extra = "'{{ config.meta_get('tag', 'none') }} {{ model.original_file_path }}'"
    t.write("macros/o.sql", OVERRIDE % extra)
    t.write("models/m.sql", "{{ config(meta={'tag': 'one'}) }}\n" + CHAIN["models/m.sql"])
    t.run("build", no_history="s m c")
    t.run("build", no_new_data="s m c")
    t.edit("models/m.sql", "one", "two")
    t.run("build", no_new_data="s", config_changed="m", new_upstream_data="c")
    text = (t.dirs["b"] / "models/m.sql").read_text()
    t.delete("models/m.sql")
    t.write("models/sub/m.sql", text)
    t.run("build", no_new_data="s", config_changed="m", new_upstream_data="c")


@scenario
def names_that_differ_by_an_accented_letters_case(t: Twin) -> None:
    """DuckDB folds ASCII letters only: these are two tables."""
    t.sql('create schema raw; create table raw."É" as select 1 as id')
    t.sql('create table raw."é" as select 2 as id, 3 as x')
    t.write("models/a.sql", 'select id from wh.raw."É"')
    t.write("models/b.sql", 'select id from wh.raw."é"')
    t.run("build", no_history="a b")
    t.run("build", no_new_data="a b")
    t.sql('insert into raw."é" values (5, 6)')
    t.run("build", no_new_data="a", new_upstream_data="b")
    t.sql('insert into raw."É" values (5)')
    t.run("build", no_new_data="b", new_upstream_data="a")


@scenario
def snapshot_of_a_retyped_column(t: Twin) -> None:
    """A snapshot keeps the type of its first run. 10.5 in a column of whole numbers comes back as
    another value, so plain dbt adds a row on each run, tested key or not."""
    t.sql(
        "create schema raw; create table raw.t as select * from (values (1, 10), (2, 20)) x(id, v)"
    )
    t.write("models/p.sql", "select id, v from wh.raw.t")
    column = "{name: id, data_tests: [unique, not_null]}"
    t.write("models/p.yml", f"models:\n  - name: p\n    columns: [{column}]\n")
    config = "{{ config(strategy='check', unique_key='id', check_cols=['v']) }}"
    t.write(
        "snapshots/sn.sql",
        f"{{% snapshot sn %}}{config}\nselect * from {{{{ ref('p') }}}}\n{{% endsnapshot %}}",
    )
    t.except_columns("main.sn", "dbt_valid_from", "dbt_valid_to", "dbt_updated_at", "dbt_scd_id")
    tests = "not_null_p_id unique_p_id"
    t.run("build", no_history=f"p sn {tests}")
    t.run("build", no_new_data=f"p sn {tests}")
    t.sql("alter table raw.t alter v type double; update raw.t set v = 10.5 where id = 1")
    t.run("build", new_upstream_data=f"p {tests}", unsettled="sn")
    t.run("build", no_new_data=f"p {tests}", unsettled="sn")
    t.run("build", no_new_data=f"p {tests}", unsettled="sn")


WRITER = (
    "{% if execute and var('write', false) %}"
    '{% do run_query("insert into wh.raw.u values (7, 70)") %}{% endif %}\n'
)
COUNTED = "select count(*) as n from {{ source('raw', 'u') }}"


@scenario
def compiling_writes(t: Twin) -> None:
    """A node that writes while it is compiled, whether it is then built or not: its readers look
    again, though somebody looked before it."""
    raw_tables(t)
    t.write("models/before.sql", COUNTED)
    t.write("models/a.sql", "-- depends_on: {{ ref('before') }}\n" + WRITER + "select 1 as x")
    t.write("models/after.sql", "-- depends_on: {{ ref('a') }}\n" + COUNTED)
    t.run("build", no_history="before a after")
    t.run("build", no_new_data="before a after")
    t.run("build --vars 'write: true'", no_new_data="before a", new_upstream_data="after")
    t.run("build", new_upstream_data="before a", no_new_data="after")


@scenario
def compiling_a_test_writes(t: Twin) -> None:
    """The same by a test, by a parent that has no relation of its own, and before an error."""
    raw_tables(t)
    t.write("models/before.sql", COUNTED)
    t.write("models/e.sql", "{{ config(materialized='ephemeral') }}\n" + WRITER + "select 1 as x")
    t.write(
        "models/a.sql",
        "-- depends_on: {{ ref('before') }}\nselect x from {{ ref('e') }}",
    )
    t.write("models/after.sql", "-- depends_on: {{ ref('a') }}\n" + COUNTED)
    t.write("tests/w.sql", WRITER + "select * from {{ ref('after') }} where n < 0")
    t.write("models/last.sql", "-- depends_on: {{ ref('after') }}\n" + COUNTED)
    t.run("build", no_history="before a after w last")
    t.run("build", no_new_data="before a after w last")
    t.run("build --vars 'write: true'",
          no_new_data="before a", new_upstream_data="after w last")  # fmt: skip


@scenario
def compiling_writes_in_a_transaction(t: Twin) -> None:
    """Only a build commits what a `statement` began: without inputs, too, such a node builds."""
    raw_tables(t)
    writer = (
        "{% if execute %}{% call statement('w') %}insert into wh.raw.u values (7, 70)"
        "{% endcall %}{% endif %}\nselect 1 as x"
    )
    t.write("models/before.sql", COUNTED)
    t.write("models/a.sql", "-- depends_on: {{ ref('before') }}\n" + writer)
    t.write("models/v.sql", "{{ config(materialized='view') }}\n" + writer)
    t.write(
        "models/after.sql",
        "-- depends_on: {{ ref('a') }}\n-- depends_on: {{ ref('v') }}\n" + COUNTED,
    )
    t.run("build", no_history="before a after", unsupported="v")
    for _ in range(2):
        t.run("build", unknown_upstream="a", unsupported="v", new_upstream_data="before after")


@scenario
def hook_defines_a_function(t: Twin) -> None:
    """A reader of it in the same run sees the new definition."""
    t.write(
        "models/a.sql",
        "{{ config(pre_hook=\"create or replace macro f(x) as x + {{ var('k', 1) }}\") }}\n"
        "select 1 as x",
    )
    t.write("models/b.sql", "-- depends_on: {{ ref('a') }}\nselect main.f(1) as n")
    t.run("build", no_history="b", hook_writes="a")
    t.run("build", hook_writes="a", no_new_data="b")
    t.run("build", hook_writes="a", no_new_data="b")
    t.run("build --vars 'k: 2'", hook_writes="a", upstream_code_changed="b")
