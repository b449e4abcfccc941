"""The dbt plugin: installs the `state:` merge always and the execution hooks when a run is ours.

In:  dbt's flags of this invocation and the environment.
Out: hooks installed or taken out again. dbt makes one instance per invocation, so two invocations
     of one process never see each other's hooks.
Never: raises, opens a file or loads the native core; the session does that when a run starts.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from dbt.flags import get_flags
from dbt.plugins.manager import dbtPlugin

COMMANDS = frozenset({"run", "build", "test", "seed", "snapshot", "retry"})


class HodorPlugin(dbtPlugin):
    """dbt calls `initialize` once per invocation, before it parses."""

    def initialize(self) -> None:
        """Chooses between nothing, the merge, and the merge with the execution hooks."""
        try:
            self._install()
        except Exception as error:  # noqa: BLE001 - hodor never fails a dbt command
            from dbt_hodor.hooks import messages

            messages.warn(f"could not start and is off: {type(error).__name__}: {error}")

    def _install(self) -> None:
        from dbt_hodor.hooks import state_merge

        state_merge.install()
        flags = get_flags()
        wanted = getattr(flags, "WHICH", None) in COMMANDS and not _mode_is_off()
        if wanted and dbt_state_is_active(flags):
            from dbt_hodor.hooks import messages

            messages.warn("dbt State is active in this environment; hodor stands aside")
            wanted = False
        if wanted:
            from dbt_hodor.hooks import tasks

            tasks.install()
        elif "dbt_hodor.hooks.tasks" in sys.modules:
            sys.modules["dbt_hodor.hooks.tasks"].uninstall()


def _mode_is_off() -> bool:
    return os.environ.get("HODOR_MODE", "").strip().lower() in ("off", "false")


def dbt_state_is_active(flags: Any) -> bool:
    """Whether dbt Labs' plugin will act: installed is not enough, since later dbt-core requires it."""
    if os.environ.get("RUN_CACHE_DISABLED") or os.environ.get("DBT_RUN_CACHE_DISABLED"):
        return False
    managed = getattr(flags, "MANAGE_STATE", None)
    if managed is not None:
        return bool(managed)
    if os.environ.get("DBT_ENGINE_MANAGE_STATE", "").strip().lower() in ("0", "false", "no", "off"):
        return False
    module = sys.modules.get("dbt_state")
    return module is not None and bool(getattr(module, "plugins", None))
