"""Values that change by themselves: dates, sessions, random numbers, stamps."""

from __future__ import annotations

from e2e.scenario import scenario
from e2e.scenarios.s240_views import yesterday
from e2e.twin import Twin

ALWAYS = {
    "now": "now() > timestamp '2000-01-01'",
    "rnd": "random() < 2",
    "uuid": "uuid() is not null",
    "gen": "gen_random_uuid() is not null",
    "v7": "uuidv7() is not null",
    "age": "age(timestamp '2000-01-01') > interval 1 day",
    "txid": "txid_current() >= 0",
    "var": "getvariable('nothing') is null",
    "seq": "nextval('main.sq') > 0",
    "env": "current_setting('threads') > 0",
    "bare": "localtimestamp > timestamp '2000-01-01'",
}


@scenario
def always_volatile_logic(t: Twin) -> None:
    """Used as logic, each of them builds every time; the values here are constant on purpose."""
    t.sql("create sequence sq")
    for name, expression in ALWAYS.items():
        t.write(f"models/{name}.sql", f"select 1 as id where {expression}")
    t.run("build", no_history=" ".join(ALWAYS))
    t.run("build", volatile_sql=" ".join(ALWAYS))


@scenario
def date_logic(t: Twin) -> None:
    """Today's date: reuse on the same day, build on another."""
    t.files(
        {
            "models/d1.sql": "select 1 as id where current_date > date '2000-01-01'",
            "models/d2.sql": "select 1 as id where today() > date '2000-01-01'",
        }
    )
    t.run("build", no_history="d1 d2")
    t.run("build", no_new_data="d1 d2")
    yesterday(t)
    t.run("build", volatile_sql="d1 d2")
    t.run("build", no_new_data="d1 d2")


@scenario
def session_logic(t: Twin) -> None:
    """User, catalog and schema: the same session values reuse."""
    t.write("models/u.sql", "select 1 as id where current_schema() = 'main'")
    t.run("build", no_history="u")
    t.run("build", no_new_data="u")
    t.store(
        "sql",
        "update hodor_state set upstreams = regexp_replace(upstreams, "
        "'(\"volatile:session\": ?\")[^\"]*', '\\11;0;;')",
    )
    t.run("build", volatile_sql="u")


@scenario
def stamps_are_exempt(t: Twin) -> None:
    """A load stamp alone never builds; the twin's differs only in that column."""
    t.files(
        {
            "seeds/s.csv": "id\n1\n",
            "models/m.sql": "select id, now() as loaded_at, '{{ invocation_id }}' as loaded_by,"
            " cast(current_date as varchar) as load_date from {{ ref('s') }}",
        }
    )
    t.except_columns("main.m", "loaded_at", "loaded_by")
    t.run("build", no_history="s m")
    t.run("build", no_new_data="s m")
    t.write("seeds/s.csv", "id\n2\n")
    t.run("build", code_changed="s", new_upstream_data="m")


@scenario
def stamps_that_are_logic(t: Twin) -> None:
    """A stamp seen by DISTINCT, used elsewhere in the query, or in a set operation is logic."""
    t.files(
        {
            "models/a.sql": "select distinct 1 as id, now() as moment",
            "models/b.sql": "select 1 as id, now() as moment order by moment",
            "models/c.sql": "select 1 as id, now() as moment union select 2, now()",
            "models/d.sql": "with q as (select now() as moment) select moment from q",
        }
    )
    for name in "abcd":
        t.except_columns(f"main.{name}", "moment")
    t.run("build", no_history="a b c d")
    t.run("build", volatile_sql="a b c d")


@scenario
def stamp_named_by_a_recency_test(t: Twin) -> None:
    """A test that compares the stamp with now makes it matter."""
    t.files(
        {
            "models/m.sql": "select 1 as id, now() as loaded_at",
            "tests/recent.sql": "select * from {{ ref('m') }} where loaded_at < now() - interval 1 day",
        }
    )
    t.except_columns("main.m", "loaded_at")
    t.run("build", no_history="m recent")
    t.run("build", volatile_sql="m", new_upstream_data="recent")


@scenario
def stamp_in_a_unique_key(t: Twin) -> None:
    t.write(
        "models/i.sql",
        "{{ config(materialized='incremental', unique_key=['id', 'moment'], "
        "incremental_strategy='delete+insert') }} select 1 as id, now() as moment",
    )
    t.except_columns("main.i", "moment")
    t.run("build", no_history="i")
    for _ in range(2):
        t.run("build", unsettled="i")


@scenario
def stamp_that_a_snapshot_checks(t: Twin) -> None:
    """check_cols: all, check_cols by name and updated_at look at the stamp; a snapshot by another
    column does not."""
    t.sql("create schema raw; create table raw.h as select 1 as id, timestamp '2024-01-01' as seen")
    body = "{{{{ config(unique_key='id', {}) }}}} select id, seen, now() as moment from wh.raw.h"
    for name, how in {
        "whole": "strategy='check', check_cols='all'",
        "named": "strategy='check', check_cols=['moment']",
        "newer": "strategy='timestamp', updated_at='moment'",
        "blind": "strategy='timestamp', updated_at='seen'",
    }.items():
        t.write(
            f"snapshots/{name}.sql",
            f"{{% snapshot {name} %}}{body.format(how)}{{% endsnapshot %}}",
        )
        stamps = ("dbt_valid_from", "dbt_valid_to", "dbt_updated_at", "dbt_scd_id")
        t.except_columns(f"main.{name}", "moment", *stamps)
    t.run("snapshot", no_history="whole named newer blind")
    for reason in ("unsettled", "no_new_data"):
        t.run("snapshot", unsettled="whole named newer", expect={"blind": reason})


@scenario
def evaluate_volatile_sql(t: Twin) -> None:
    """true: stamps count too. false: nothing counts."""
    t.files(
        {
            "models/yes.sql": "{{ config(state={'evaluate_volatile_sql': true, 'lag_tolerance': '0s'}) }}"
            " select 1 as id, now() as moment",
            "models/no.sql": "{{ config(state={'evaluate_volatile_sql': false, 'lag_tolerance': '0s'}) }}"
            " select 1 as id where random() < 2",
        }
    )
    t.except_columns("main.yes", "moment")
    t.run("build", no_history="yes no")
    t.run("build", volatile_sql="yes", no_new_data="no")


@scenario
def run_values_in_logic(t: Twin) -> None:
    """The invocation id in a filter changes on every run though its hash does not."""
    t.write("models/m.sql", "select 1 as id where '{{ invocation_id }}' <> 'x'")
    t.run("build", no_history="m")
    t.run("build", volatile_sql="m")


@scenario
def user_macro_shadows_a_builtin(t: Twin) -> None:
    """A user function of a builtin's name is looked up first; its definition counts."""
    t.sql("create macro plus_one(x) as x + 1")
    t.files(
        {
            "models/m.sql": "select plus_one(1) as n",
            "models/k.sql": "select abs(-1) as n",
        }
    )
    t.run("build", no_history="m k")
    t.run("build", no_new_data="m k")
    t.sql("create or replace macro plus_one(x) as x + 2")
    t.run(
        "build",
        upstream_code_changed="m",
        no_new_data="k",
    )
    t.sql("create macro abs(x) as 42")
    # Which functions a macro's body calls is taken widely, so m may build for the new one too.
    t.run(
        "build",
        upstream_code_changed="m k",
    )


@scenario
def user_macro_that_reads_a_table(t: Twin) -> None:
    """A function's definition is analysed like a view's: the table it reads is an input.

    A table macro in FROM counts as an unknown input besides, which costs builds only."""
    t.sql(
        "create schema raw; create table raw.k as select 1 as i; "
        "create macro biggest() as (select max(i) from raw.k); "
        "create macro rows_of() as table select i from raw.k"
    )
    t.files(
        {
            "models/m.sql": "select biggest() as n",
            "models/r.sql": "select * from rows_of()",
            "models/w.sql": "{{ config(materialized='view') }} select biggest() as n",
            "models/c.sql": "select n from {{ ref('w') }}",
        }
    )
    t.run("build", no_history="m r w c")
    t.run("build", no_new_data="m c", view_unchanged="w", unknown_upstream="r")
    t.sql("insert into raw.k values (5)")
    t.run(
        "build",
        new_upstream_data="m c",
        view_unchanged="w",
        unknown_upstream="r",
    )


@scenario
def user_macro_that_is_volatile(t: Twin) -> None:
    t.sql("create macro tossed() as random() < 2")
    t.write("models/m.sql", "select 1 as id where tossed()")
    t.run("build", no_history="m")
    t.run("build", volatile_sql="m")


@scenario
def user_type_changes(t: Twin) -> None:
    """An enum of the user: its labels are part of what a cast does."""
    t.sql("create type mood as enum ('sad', 'ok')")
    t.write("models/m.sql", "select 'ok'::mood::varchar as v, enum_range(null::mood)::varchar as r")
    t.run("build", no_history="m")
    t.sql("drop type mood; create type mood as enum ('sad', 'ok', 'good')")
    t.run(
        "build",
        unknown_upstream="m",
    )


@scenario
def function_made_by_dbt(t: Twin) -> None:
    """A function of the project is looked at like any other; its node itself always builds."""
    t.files(
        {
            "macros/f.sql": "{% macro duckdb__scalar_function_sql(target_relation) %}"
            "create or replace macro {{ target_relation.render() }}"
            "({{ model.arguments | map(attribute='name') | join(', ') }}) as "
            "({{ model.compiled_code }}){% endmacro %}",
            "functions/plus.sql": "x + 1",
            "functions/plus.yml": "functions:\n  - name: plus\n"
            "    arguments: [{name: x, data_type: integer}]\n    returns: {data_type: integer}\n",
            "models/m.sql": "select {{ function('plus') }}(1) as n",
            "models/c.sql": "select n from {{ ref('m') }}",
            "models/k.sql": "select 1 as n",
        }
    )
    t.run("build", undecided="plus", no_history="m c k")
    t.run("build", undecided="plus", no_new_data="m c k")
    t.write("functions/plus.sql", "x  +  2")
    t.run(
        "build", undecided="plus", upstream_code_changed="m", new_upstream_data="c", no_new_data="k"
    )
    t.run("build", undecided="plus", no_new_data="m c k")
    t.run("build --select m", no_new_data="m")


@scenario
def moment_of_the_run_in_logic(t: Twin) -> None:
    """run_started_at is another value in each run: as a stamp it is exempt, as logic it builds."""
    t.files(
        {
            "models/a.sql": "select 1 as id where '{{ run_started_at }}' > '2000'",
            "models/b.sql": "select 1 as id where "
            "'{{ run_started_at.strftime(\"%Y-%m-%d %H:%M:%S.%f\") }}' > '2000'",
            "models/c.sql": "select 1 as id, '{{ run_started_at }}' as loaded_at",
            "models/y.sql": "select 1 as id where {{ run_started_at.year }} > 2000",
        }
    )
    t.except_columns("main.c", "loaded_at")
    t.run("build", no_history="a b c y")
    for _ in range(2):
        t.run("build", volatile_sql="a", code_changed="b", no_new_data="c y")


@scenario
def user_function_by_a_qualified_name(t: Twin) -> None:
    """main.abs is not the engine's abs, though abs alone is."""
    t.sql("create macro abs(x) as 42")
    t.write("models/a.sql", "select main.abs(-1) as x")
    t.write("models/b.sql", "select wh.main.abs(-1) as x")
    t.run("build", no_history="a b")
    t.run("build", no_new_data="a b")
    t.sql("create or replace macro abs(x) as 43")
    t.run("build", upstream_code_changed="a b")
    t.run("build", no_new_data="a b")
