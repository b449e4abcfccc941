"""The adapters that hodor works with: one module each, loaded when a run needs it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_MODULES = {"duckdb": "duckdb", "databricks": "databricks"}

NAMES = tuple(_MODULES)
"""Types of adapters, as dbt names them."""


def of(adapter_type: str) -> Any:
    """The module for a type of adapter (`base.Adapter`); None when hodor does not know it."""
    name = _MODULES.get(adapter_type)
    return None if name is None else import_module(f"dbt_hodor.adapters.{name}")
