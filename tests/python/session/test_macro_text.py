"""What a macro that runs in place of one of dbt's may depend on besides its arguments."""

from __future__ import annotations

import pytest

from dbt_hodor import macro_text
from dbt_hodor.macro_text import MacroText

MACROS = frozenset(
    ["statement", "load_cached_relation", "persist_docs", "make_temp_relation", "create_table_as",
     "current_timestamp", "from_u", "dbt"]
)  # fmt: skip


def read(body: str, trusts: bool = True) -> MacroText:
    text = "{% macro o(relation, compiled_code, arg_dict) %}" + body + "{% endmacro %}"
    return macro_text.read(text, MACROS.__contains__, trusts)


@pytest.mark.parametrize(
    "body",
    [
        "select now()",
        "select current_timestamp",
        "select Random ()",
        "select nextval('sq')",
        "select * from {{ relation }} using sample 10%",
        "{{ 'now' ~ '()' }}",
        "{% set f = 'random' %}select {{ f }}()",
        "'{{ modules.datetime.datetime.now() }}'",
        "'{{ context['run_started_at'] }}'",
        "'{{ flags.FULL_REFRESH }}'",
        "'{{ invocation_id }}'",
        "'{{ run_started_at }}'",
        "'{{ [1, 2] | random }}'",
        "select max(w) from raw.u",
        "{% set x = '(select max(w) from raw.u)' %}{{ x }}",
        "{% set x = 'raw.u' %}select * from {{ x }}",
        "{% set x %}raw{% endset %}select * from {{ x }}",
        "select * from {{ target.database }}.raw.u",
        "select * from {{ var('relation') }}",
        "select * from ({{ var('query') }})",
        "select {{ var('expression') }}",
        "select {{ config.get('expression', '1') }}",
        "{% set x = [] %}{% do x.append(var('e')) %}select {{ x[0] }}",
        "{% for e in config.get('es') %}select {{ e }}{% endfor %}",
        "select {{ model.meta.expression }}",
        "{% set x = api.Relation.create(identifier='u') %}select * from {{ x }}",
        "select * from {{ relation.incorporate(path={'identifier': 'u'}) }}",
        "{% set relation = 'u' %}select * from {{ relation }}",
        "{{ from_u('raw.u') }}",
        "{{ ref('m') }}",
        "'{{ builtins.source('raw', 'u') }}'",
        "{{ context['run_' ~ 'query']('select 1') }}",
        "{% set a = adapter %}{% do a.execute('insert into t values (1)') %}",
        "{% do adapter['execute']('select 1') %}",
        "{% do adapter.execute('select 1') %}",
        "{{ adapter.dispatch('x' ~ 'y', 'dbt')() }}",
        "'{{ graph.nodes | length }}'",
        "'{{ model['raw_code'] }}'",
        "'{{ model | attr('raw_' ~ 'code') }}'",
        "{% set m = model %}{{ m.checksum }}",
        "'{{ config.get('ta' ~ 'gs') }}'",
        "'{{ config.get('state') }}'",
        "{% set c = config %}'{{ c.get('state') }}'",
        "{% set x = 'left open %}",
    ],
)
def test_what_is_not_followed_is_doubted(body: str) -> None:
    assert read(body).doubt


@pytest.mark.parametrize(
    "body",
    [
        "create table {{ relation }} as (select *, '{{ var('who', 'x') }}' from ({{ compiled_code }}) q)",
        "create or replace view {{ relation }} as {{ compiled_code }}",
        "insert into {{ arg_dict['target_relation'] }} select * from {{ arg_dict.temp_relation }}",
        "{% set t = arg_dict['target_relation'] %}delete from {{ t }} where id > 3",
        "{% set c = config.get('contract') %}{% if c.enforced %}x{% endif %}",
        "{% set h = config.get('sql_header', none) %}{{ h if h is not none }}",
        "{% for c in adapter.get_columns_in_relation(relation) %}{{ adapter.quote(c.name) }}"
        "{{ ',' if not loop.last }}{% endfor %}",
        "{% do exceptions.raise_compiler_error('cannot read from ' ~ relation) %}",
        "{% do persist_docs(relation, model) %}",
        "'{{ config.meta_get('tag', 'none') }} {{ model.original_file_path }} {{ env_var('X', '') }}'",
        "{{ return(adapter.dispatch('create_table_as', 'dbt')(false, relation, compiled_code)) }}",
        "{# now() from raw.u #} -- random()\nselect 1 /* current_date */",
        "{% set existing = load_cached_relation(this) %}{% if existing is none %}x{% endif %}",
    ],
)
def test_what_the_hashes_show_is_not(body: str) -> None:
    assert read(body).doubt == ""


def test_arguments_from_other_macros_are_not_trusted() -> None:
    assert read("select * from {{ relation }}", trusts=False).doubt


def test_names_handed_on() -> None:
    assert read("{% set t = target %}'{{ t.name }}'").all_target
    assert read("'{{ target[x] }}'").all_target
    assert not read(
        "'{{ target.name }} {{ target['schema'] }} {{ target.get('type') }}'"
    ).all_target
    assert read("{% set v = var %}'{{ v('x') }}'").all_vars
    assert read("'{{ var(relation) }}'").all_vars
    assert read("'{{ var('a' ~ 'b') }}'").all_vars
    assert not read("'{{ var('x') }}{{ var('y', 1) }}{{ var.has_var('z') }}'").all_vars
    assert read("'{{ env_var('A' ~ 'B') }}'").unknown_env_var
    assert read("{% set e = env_var %}'{{ e('X') }}'").unknown_env_var
    assert not read("'{{ env_var('X') }}'").unknown_env_var


def test_the_node_itself_is_an_input_of_its_own() -> None:
    assert read("insert into {{ this }} select 1").reads_this
    assert read("{% set t = this %}select * from {{ t }}").reads_this
    assert not read("create table {{ this }} as {{ compiled_code }}").reads_this


def test_calls_and_macros() -> None:
    found = read("select biggest(1) {{ dbt.current_timestamp() }}")
    assert "biggest" in found.calls
    assert "current_timestamp" in found.macros
