"""Nodes that keep earlier state: incrementals of each strategy, rule 8b."""

from __future__ import annotations

from e2e.scenario import raw_tables, scenario, smoke
from e2e.twin import Twin


def incremental(strategy: str, key: str | None, body: str, more: str = "") -> str:
    arguments = ["materialized='incremental'"]
    if strategy:
        arguments.append(f"incremental_strategy='{strategy}'")
    if key:
        arguments.append(f"unique_key={key}")
    if more:
        arguments.append(more)
    return "{{ config(" + ", ".join(arguments) + ") }}\n" + body


BODY = "select id, v from {{ source('raw', 't') }}"
GREATER = BODY + "{% if is_incremental() %} where id > (select max(id) from {{ this }}) {% endif %}"
KEY_TESTS = """version: 2
sources:
  - name: raw
    tables:
      - {name: t, columns: [{name: id, data_tests: [unique, not_null]}]}
"""
MODEL_TESTS = """version: 2
models: [{name: i, columns: [{name: id, data_tests: [unique, not_null]}]}]
"""
TESTS = "unique_i_id not_null_i_id"


@smoke
def merge_with_a_tested_key(t: Twin) -> None:
    """Proven to settle: a rerun with equal inputs changes nothing."""
    raw_tables(t)
    t.write("models/i.sql", incremental("merge", "'id'", BODY))
    t.write("models/p.yml", MODEL_TESTS)
    t.run("build", no_history=f"i {TESTS}")
    t.run(
        "build",
        no_new_data=f"i {TESTS}",
    )
    t.run("build", no_new_data=f"i {TESTS}")
    t.sql("insert into raw.t values (3, 'c'); update raw.t set v = 'z' where id = 1")
    t.run("build", new_upstream_data=f"i {TESTS}")
    t.run("build", no_new_data=f"i {TESTS}")
    t.sql("delete from raw.t where id = 2")
    t.run("build", new_upstream_data="i", no_new_data=TESTS)


@scenario
def delete_insert_by_default(t: Twin) -> None:
    """An unset strategy is dbt-duckdb's default."""
    raw_tables(t)
    t.write("models/i.sql", incremental("", "'id'", BODY))
    t.write("models/p.yml", MODEL_TESTS)
    t.run("build", no_history=f"i {TESTS}")
    t.run("build", no_new_data=f"i {TESTS}")
    t.run("build", no_new_data=f"i {TESTS}")
    t.sql("insert into raw.t values (3, 'c')")
    t.run("build", new_upstream_data=f"i {TESTS}")


@scenario
def append_changes_on_every_run(t: Twin) -> None:
    """append with equal inputs doubles its rows in plain dbt: never reused."""
    raw_tables(t)
    t.write("models/i.sql", incremental("append", None, BODY))
    t.run("build", no_history="i")
    for _ in range(3):
        t.run("build", unsettled="i")


@scenario
def append_of_newer_rows(t: Twin) -> None:
    """append of rows greater than the greatest one: the scalar read of its own relation settles."""
    raw_tables(t)
    t.write("models/i.sql", incremental("append", None, GREATER))
    t.run("build", no_history="i")
    t.run("build", code_changed="i")
    t.run("build", no_new_data="i")
    t.sql("insert into raw.t values (3, 'c')")
    t.run("build", new_upstream_data="i")
    t.run("build", no_new_data="i")


@scenario
def keys_with_nulls(t: Twin) -> None:
    """NULL keys never match: every run of plain dbt adds them again."""
    raw_tables(t)
    t.sql("insert into raw.t values (null, 'n')")
    for number, strategy in enumerate(("merge", "delete+insert")):
        t.write(f"models/i{number}.sql", incremental(strategy, "'id'", BODY))
    t.run("build", no_history="i0 i1")
    for _ in range(3):
        t.run("build", unsettled="i0 i1")


@scenario
def fixpoint_settles(t: Twin) -> None:
    """Untested keys: one build with equal inputs that changed nothing proves it."""
    raw_tables(t)
    t.write("models/i.sql", incremental("delete+insert", "'id'", BODY))
    t.run("build", no_history="i")
    t.run("build", unsettled="i")
    t.run("build", no_new_data="i")
    t.run("build", no_new_data="i")
    t.sql("insert into raw.t values (3, 'c')")
    t.run("build", new_upstream_data="i")
    t.run("build", unsettled="i")
    t.run("build", no_new_data="i")


@scenario
def chunked_backfill(t: Twin) -> None:
    """A LIMIT over the compared rows brings the next chunk on every run."""
    raw_tables(t)
    t.sql("insert into raw.t select i, 'x' from range(3, 12) r(i)")
    body = (
        BODY + "{% if is_incremental() %} where id > (select max(id) from {{ this }}) {% endif %}"
        " order by id limit 3"
    )
    t.write("models/i.sql", incremental("append", None, body))
    t.run("build", no_history="i")
    t.run("build", code_changed="i")
    for _ in range(2):
        t.run("build", unsettled="i")


@scenario
def windowed_backfill(t: Twin) -> None:
    """The window that is read moves with what was loaded."""
    raw_tables(t)
    t.sql("insert into raw.t select i, 'x' from range(3, 12) r(i)")
    body = (
        BODY + "{% if is_incremental() %} where id > (select max(id) from {{ this }}) and "
        "id <= (select max(id) + 3 from {{ this }}) {% else %} where id <= 3 {% endif %}"
    )
    t.write("models/i.sql", incremental("append", None, body))
    t.run("build", no_history="i")
    t.run("build", code_changed="i")
    for _ in range(2):
        t.run("build", unsettled="i")


@scenario
def equal_bound_without_key(t: Twin) -> None:
    """>= max appends the boundary row on every run."""
    raw_tables(t)
    body = (
        BODY + "{% if is_incremental() %} where id >= (select max(id) from {{ this }}) {% endif %}"
    )
    t.write("models/i.sql", incremental("append", None, body))
    t.run("build", no_history="i")
    t.run("build", code_changed="i")
    for _ in range(2):
        t.run("build", unsettled="i")


@scenario
def own_relation_read_as_rows(t: Twin) -> None:
    """A self join grows with itself."""
    raw_tables(t)
    body = (
        BODY + "{% if is_incremental() %} union all select id + 100, v from {{ this }} {% endif %}"
    )
    t.write("models/i.sql", incremental("append", None, body))
    t.run("build", no_history="i")
    t.run("build", code_changed="i")
    t.run("build", unsettled="i")


@scenario
def table_that_reads_itself(t: Twin) -> None:
    """A table model that copies its old rows keeps earlier state too."""
    t.write(
        "models/g.sql",
        "{% if adapter.get_relation(this.database, this.schema, this.identifier) %}"
        "select n + 1 as n from {{ this }}{% else %}select 1 as n{% endif %}",
    )
    t.run("build", no_history="g")
    t.run("build", code_changed="g")
    for _ in range(2):
        t.run("build", unsettled="g")


@scenario
def insert_only_merge_clauses(t: Twin) -> None:
    """Conditional merge clauses are not proven by the key."""
    raw_tables(t)
    t.write("models/p.yml", MODEL_TESTS)
    t.write(
        "models/i.sql",
        incremental("merge", "'id'", BODY, "merge_update_condition='DBT_INTERNAL_SOURCE.id > 1'"),
    )
    t.run("build", no_history=f"i {TESTS}")
    t.run("build", unsettled="i", no_new_data=TESTS)
    t.sql("update raw.t set v = 'zz'")
    t.run("build", new_upstream_data=f"i {TESTS}")
    t.run("build", unsettled="i", no_new_data=TESTS)


@scenario
def after_full_refresh(t: Twin) -> None:
    """A full refresh compiles the other branch: at most one extra build."""
    raw_tables(t)
    t.write("models/i.sql", incremental("merge", "'id'", GREATER))
    t.write("models/p.yml", MODEL_TESTS)
    t.run("build", no_history=f"i {TESTS}")
    t.run("build", code_changed="i", no_new_data=TESTS)
    t.run("build", no_new_data=f"i {TESTS}")
    t.run("build --full-refresh", full_refresh=f"i {TESTS}")
    t.run("build", code_changed="i", no_new_data=TESTS)
    t.run("build", no_new_data=f"i {TESTS}")


@scenario
def on_schema_change(t: Twin) -> None:
    """The config counts; so do new columns with it."""
    raw_tables(t)
    t.write("models/p.yml", MODEL_TESTS)
    t.write("models/i.sql", incremental("merge", "'id'", BODY))
    t.run("build", no_history=f"i {TESTS}")
    t.run("build", no_new_data=f"i {TESTS}")
    t.write(
        "models/i.sql", incremental("merge", "'id'", BODY, "on_schema_change='append_new_columns'")
    )
    t.run("build", config_changed="i", no_new_data=TESTS)
    t.run("build", no_new_data=f"i {TESTS}")
    t.write(
        "models/i.sql",
        incremental(
            "merge",
            "'id'",
            BODY.replace("id, v", "id, v, 1 as w"),
            "on_schema_change='append_new_columns'",
        ),
    )
    t.run("build", code_changed="i", new_upstream_data=TESTS)


@scenario
def incremental_predicates_edited(t: Twin) -> None:
    raw_tables(t)
    t.write("models/p.yml", MODEL_TESTS)
    predicate = "incremental_predicates=['DBT_INTERNAL_DEST.id > {}']"
    t.write("models/i.sql", incremental("merge", "'id'", BODY, predicate.format(0)))
    t.run("build", no_history=f"i {TESTS}")
    t.run("build", unsettled="i", no_new_data=TESTS)
    t.write("models/i.sql", incremental("merge", "'id'", BODY, predicate.format(-1)))
    t.run("build", config_changed="i", no_new_data=TESTS)


@scenario
def custom_strategy_upstream(t: Twin) -> None:
    """A strategy of the project is not ours to judge; its reader sees what it wrote in this run."""
    t.files(
        {
            "seeds/s.csv": "id\n1\n",
            "macros/strategy.sql": "{% macro get_incremental_mine_sql(arg_dict) %}"
            "{% do return(get_incremental_append_sql(arg_dict)) %}{% endmacro %}",
            "models/x.sql": incremental(
                "mine",
                None,
                "select id from {{ ref('s') }}{% if is_incremental() %}"
                " where id not in (select id from {{ this }}){% endif %}",
            ),
            "models/c.sql": "select count(*) as n from {{ ref('x') }}",
        }
    )
    t.run("build", no_history="s c", unsupported="x")
    t.run("build", unsupported="x", no_new_data="s c")
    t.write("seeds/s.csv", "id\n1\n2\n")
    t.run("build", code_changed="s", unsupported="x", new_upstream_data="c")


MICROBATCH = """{{ config(materialized='incremental', incremental_strategy='microbatch',
  event_time='moment', begin='2024-01-01', batch_size='year', lookback=1) }}
select id, moment from {{ source('raw', 'e') }}"""


@scenario
def microbatch_upstream(t: Twin) -> None:
    """Microbatch models always build; their readers see the rows of this run."""
    t.sql(
        "create schema raw; create table raw.e as select 1 as id, timestamp '2024-05-05' as moment"
    )
    t.files(
        {
            "models/sources.yml": "version: 2\nsources: [{name: raw, tables: "
            "[{name: e, config: {event_time: moment}}]}]\n",
            "models/b.sql": MICROBATCH,
            "models/c.sql": "select count(*) as n from {{ ref('b') }}",
        }
    )
    t.run("build", no_history="c", unsupported="b")
    t.run("build", no_new_data="c", unsupported="b")
    t.sql("insert into raw.e select 2, date_trunc('year', current_timestamp)::timestamp")
    t.run("build", new_upstream_data="c", unsupported="b")


@scenario
def python_model_upstream(t: Twin) -> None:
    """Python models always build; readers and tests see what was written in this run."""
    t.files(
        {
            "seeds/s.csv": "id\n1\n",
            "models/py.py": "def model(dbt, session):\n    dbt.config(materialized='table')\n"
            "    return dbt.ref('s').project('id, nullif(id, 2) as n')\n",
            "models/c.sql": "select count(*) as n from {{ ref('py') }}",
            "models/p.yml": "version: 2\nmodels: [{name: py, columns: "
            "[{name: n, data_tests: [not_null]}]}]\n",
        }
    )
    t.run("build", no_history="s c not_null_py_n", unsupported="py")
    t.run("build", unsupported="py", no_new_data="s c not_null_py_n")
    t.write("seeds/s.csv", "id\n1\n3\n")
    t.run("build", unsupported="py", code_changed="s", new_upstream_data="c not_null_py_n")
    t.run("build", unsupported="py", no_new_data="s c not_null_py_n")
    t.write("seeds/s.csv", "id\n1\n2\n")
    t.run(
        "build",
        unsupported="py",
        code_changed="s",
        new_upstream_data="not_null_py_n",
        success=False,
    )


@scenario
def custom_materialization(t: Twin) -> None:
    """A materialization of the project: unsupported, its relation is read again for its readers."""
    t.files(
        {
            "macros/mat.sql": """{% materialization odd, adapter='duckdb' %}
{%- set target_relation = this.incorporate(type='table') -%}
{% call statement('main') %}create or replace table {{ this }} as {{ sql }}{% endcall %}
{{ adapter.commit() }}
{{ return({'relations': [target_relation]}) }}
{% endmaterialization %}""",
            "seeds/s.csv": "id\n1\n",
            "models/x.sql": "{{ config(materialized='odd') }} select id from {{ ref('s') }}",
            "models/c.sql": "select * from {{ ref('x') }}",
        }
    )
    t.run("build", no_history="s c", unsupported="x")
    t.run("build", unsupported="x", no_new_data="s c")
    t.write("seeds/s.csv", "id\n2\n")
    t.run("build", unsupported="x", code_changed="s", new_upstream_data="c")
