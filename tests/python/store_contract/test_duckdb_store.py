"""What the store in a DuckDB file does beyond the contract."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .conftest import record


def test_another_store_that_repeats_an_append_doubles_nothing(
    open_store: Callable[..., Any],
) -> None:
    rows = [record(number) for number in range(50)]
    open_store().append(rows)
    open_store().append([*rows, record(50), record(50)])
    assert len(open_store().invocation("shop", "dev", None)) == 51
