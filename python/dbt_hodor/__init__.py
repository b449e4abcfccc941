"""The dbt plugin dbt-hodor. dbt imports this module on every command, so it imports nothing itself."""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """`plugins` is resolved when dbt asks for it."""
    if name == "plugins":
        # Loads dbt's plugin base class, which dbt has loaded by then.
        from dbt_hodor.plugin import HodorPlugin

        return [HodorPlugin]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
