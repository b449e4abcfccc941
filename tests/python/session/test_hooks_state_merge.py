"""`state:` blocks merge key by key, whatever stands beside them."""

from __future__ import annotations

import pytest
from dbt.contracts.graph.model_config import ModelConfig
from dbt_common.contracts.config.base import BaseConfig

from dbt_hodor.hooks import state_merge


@pytest.fixture(autouse=True)
def _installed():
    state_merge.install()


def merged(*blocks):
    config = ModelConfig()
    for block in blocks:
        config = config.update_from(dict(block), ModelConfig, validate=False)
    return config


def test_new_keys_join_and_equal_keys_win_when_closer():
    config = merged(
        {"state": {"lag_tolerance": "1h", "require_fresh_data_from": "all"}},
        {"state": {"lag_tolerance": "5m"}},
        {"materialized": "table"},
    )
    assert config._extra["state"] == {"lag_tolerance": "5m", "require_fresh_data_from": "all"}
    assert config.materialized == "table"


@pytest.mark.parametrize("odd", ["text", None, ["x"], 3])
def test_a_malformed_block_is_kept_as_dbt_keeps_it(odd):
    assert merged({"state": {"lag_tolerance": "1h"}}, {"state": odd})._extra["state"] == odd
    assert merged({"state": odd}, {"state": {"a": 1}})._extra["state"] == {"a": 1}


def test_a_meta_key_of_that_name_is_left_alone():
    config = merged({"meta": {"state": "x"}}, {"state": {"lag_tolerance": "1h"}})
    assert config.meta == {"state": "x"}
    assert config._extra["state"] == {"lag_tolerance": "1h"}


def test_installing_twice_wraps_once():
    once = BaseConfig.update_from
    state_merge.install()
    assert BaseConfig.update_from is once
