"""Which texts are all that they are made from: Jinja that only names relations and configuration."""

from __future__ import annotations

import pytest

from dbt_hodor.text_sources import _is_plain


@pytest.mark.parametrize(
    "text",
    [
        "select 1",
        "{{ ref('a') }} join {{ source('s', 't') }} {# of {{ nobody() }} #}",
        "{{ config(materialized='table', tags=['a']) }} select * from {{ this }}",
        "select {'a': 1} from {{ ref('a', v=2) }}",
        "{ {{ ref('a') }} }",
        "{",
    ],
)
def test_plain(text: str) -> None:
    assert _is_plain(text)


@pytest.mark.parametrize(
    "text",
    [
        "{{ ref('a') }}{{ f() }}",
        "{% if x %}1{% endif %}",
        "{{ var('x') }}",
        "{{{ ref('a') }}",
        "{# without an end",
        "{{ ref(var('x')) }}",
        "{{ config(tags=[var('x')]) }}",
        "{# {{ ref('a') }} #}{%- set x = 1 %}",
    ],
)
def test_not_plain(text: str) -> None:
    assert not _is_plain(text)
