"""Texts that change although their file does not: by a variable, a macro, or the run's mode. What a
record says of such a text is then about another one."""

from __future__ import annotations

from e2e.scenario import CHAIN, scenario
from e2e.twin import Twin

PASSES_ON = {"seeds/s.csv": "id,v\n1,a\n2,b\n", "models/m.sql": CHAIN["models/m.sql"]}
TURNED = "id,v\n2,b\n1,a\n"


@scenario
def order_asked_for_by_a_variable(t: Twin) -> None:
    """A reader that begins to see the order of rows: the table above must follow at once."""
    t.files(PASSES_ON)
    t.write(
        "models/o.sql",
        "select {% if var('all', false) %}string_agg(v, ','){% else %}max(v){% endif %} as x "
        "from {{ ref('m') }}",
    )
    t.run("build", no_history="s m o")
    t.run("build", no_new_data="s m o")
    t.write("seeds/s.csv", TURNED)
    t.run("build --vars 'all: true'", code_changed="s o", new_upstream_data="m")


@scenario
def order_asked_for_by_a_macro(t: Twin) -> None:
    t.files(PASSES_ON)
    t.write("macros/x.sql", "{% macro x() %}max(v){% endmacro %}")
    t.write("models/e.sql", "{{ config(materialized='ephemeral') }}select v from {{ ref('m') }}")
    t.write("models/o.sql", "select {{ x() }} as x from {{ ref('e') }}")
    t.run("build", no_history="s m o")
    t.run("build", no_new_data="s m o")
    t.write("macros/x.sql", "{% macro x() %}list(v)::varchar{% endmacro %}")
    t.write("seeds/s.csv", TURNED)
    t.run("build", code_changed="s o", new_upstream_data="m")


@scenario
def order_asked_for_by_a_test(t: Twin) -> None:
    """A limit in a test's configuration is part of its query."""
    t.files(PASSES_ON)
    t.write(
        "tests/generic/g.sql",
        "{% test g(model) %}select id as n from {{ model }} where id > 0{% endtest %}",
    )
    config = "{{severity: warn, fail_calc: min(n){}}}"
    properties = f"models: [{{{{name: m, data_tests: [{{{{g: {{{{config: {config}}}}}}}}}]}}}}]\n"
    t.write("models/p.yml", properties.format(""))
    t.run("build", no_history="s m g_m_")
    t.run("build", no_new_data="s m g_m_")
    t.write("seeds/s.csv", TURNED)
    t.write("models/p.yml", properties.format(", limit: 1"))
    t.run("build", code_changed="s", new_upstream_data="m",
          allow={"g_m_": "code_changed config_changed"})  # fmt: skip


@scenario
def order_asked_for_below_the_first_build(t: Twin) -> None:
    """An incremental model reads in another way from its second build on."""
    t.files(PASSES_ON)
    t.write(
        "models/o.sql",
        "{{ config(materialized='incremental', incremental_strategy='append') }}\n"
        "select v from {{ ref('m') }}{% if is_incremental() %} limit 1{% endif %}",
    )
    t.run("build", no_history="s m o")
    t.write("seeds/s.csv", TURNED)
    t.run("build", code_changed="s o", new_upstream_data="m")
    t.run("build", no_new_data="s m", unsettled="o")


@scenario
def order_asked_for_by_a_view_of_others(t: Twin) -> None:
    """A view or function that no node of the project made, over a table of the project."""
    t.files(PASSES_ON)
    t.run("build", no_history="s m")
    t.sql("create view hv as select string_agg(v, ',') as x from main.m")
    t.sql("create macro hf() as (select list(v)::varchar from main.m)")
    t.write("models/c.sql", "select x from wh.main.hv")
    t.write("models/d.sql", "select hf() as x")
    t.run("build", no_new_data="s m", no_history="c d")
    t.run("build", no_new_data="s m c d")
    t.write("seeds/s.csv", TURNED)
    t.run("build", code_changed="s", new_upstream_data="m", no_new_data="c d")
    t.run("build", no_new_data="s m", new_upstream_data="c d")


@scenario
def stamp_read_through_a_function(t: Twin) -> None:
    """A recency test that asks for the time through a function of the user, or a view."""
    t.sql("create macro my_now() as now(); create view clock as select now() as t")
    t.except_columns("main.clock", "t")
    t.write("models/m.sql", "select 1 as id, now() as loaded_at")
    t.except_columns("main.m", "loaded_at")
    test = "select * from {{ ref('m') }} where loaded_at < %s - interval 1 day"
    t.write("tests/recent.sql", test % "my_now()")
    t.run("build", no_history="m recent")
    t.run("build", volatile_sql="m", new_upstream_data="recent")
    t.write("tests/recent.sql", test % "(select t from wh.main.clock)")
    t.run("build", volatile_sql="m", code_changed="recent")
    t.run("build", volatile_sql="m", new_upstream_data="recent")


@scenario
def stamp_read_by_an_edited_test(t: Twin) -> None:
    """The test's own file says nothing of its macro, nor a model's of a variable."""
    t.write("models/m.sql", "select 1 as id, now() as loaded_at")
    t.except_columns("main.m", "loaded_at")
    macro = "{%% test fresh(model) %%}select * from {{ model }} where loaded_at < %s{%% endtest %%}"
    t.write("tests/generic/fresh.sql", macro % "timestamptz '2000-01-01'")
    t.write("models/p.yml", "models: [{name: m, data_tests: [fresh]}]\n")
    t.run("build", no_history="m fresh_m_")
    t.run("build", no_new_data="m fresh_m_")
    t.write("tests/generic/fresh.sql", macro % "now() - interval 1 day")
    t.run("build", volatile_sql="m", code_changed="fresh_m_")


@scenario
def key_made_by_a_macro(t: Twin) -> None:
    """What another full build would store is not what stands there: the column kept its type."""
    t.write("seeds/s.csv", "id\n1\n2\n")
    t.write("macros/k.sql", "{% macro k() %}id{% endmacro %}")
    t.write(
        "models/m.sql",
        "{{ config(materialized='incremental', unique_key='k') }}\n"
        "select {{ k() }} as k from {{ ref('s') }}",
    )
    t.write("models/p.yml", "models: [{name: m, columns: [{name: k, data_tests: [not_null]}]}]\n")
    t.run("build", no_history="s m not_null_m_k")
    t.run("build", no_new_data="s m not_null_m_k")
    t.write("macros/k.sql", "{% macro k() %}id + 0.5::double{% endmacro %}")
    t.run("build", code_changed="m", no_new_data="s", new_upstream_data="not_null_m_k")
    t.run("build", unsettled="m", no_new_data="s", new_upstream_data="not_null_m_k")
    t.run("build", unsettled="m", no_new_data="s", new_upstream_data="not_null_m_k")
