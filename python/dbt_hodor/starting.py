"""Begins hodor's part of a run, or says why there is none.

In:  a dbt task after its before_run: schemas made, cache filled, on-run-start hooks done.
Out: a Session, or None: then dbt runs as if hodor were not installed.
Never: raises; never loads the core, an engine or a store before the settings say that it is wanted.
"""

from __future__ import annotations

import os
from typing import Any

from dbt.flags import get_flags

from dbt_hodor.hooks import messages, profile, state_merge
from dbt_hodor.secrets import Redactor
from dbt_hodor.settings import RunSettings, resolve_run_settings


def start(task: Any, adapter: Any, selected_uids: Any) -> Any:
    """A session for this task, or None."""
    try:
        settings = _wanted_settings(task, adapter)
        if settings is None:
            return None
        from dbt_hodor import opening

        return opening.open_session(task, adapter, selected_uids, settings)
    except Exception as error:  # noqa: BLE001 - without a session dbt builds as usual
        cause = Redactor(os.environ).text(f"{type(error).__name__}: {error}")
        messages.warn(f"could not start and is off for this run: {cause}")
        return None


def _wanted_settings(task: Any, adapter: Any) -> RunSettings | None:
    config = task.config
    settings = resolve_run_settings(profile.read_hodor_keys(config), config.cli_vars, os.environ)
    for warning in settings.warnings:
        messages.warn(warning)
    if settings.off_because:
        messages.warn(settings.off_because)
        return None
    if settings.mode == "off":
        messages.debug("mode is off")
        return None
    flags = get_flags()
    if getattr(flags, "EMPTY", False):
        messages.info("off for this run: --empty builds without rows")
        return None
    if getattr(flags, "SAMPLE", None):
        messages.info("off for this run: --sample builds a part of the rows")
        return None
    if getattr(flags, "USE_V2_PARSER", False):
        messages.warn("off for this run: --use-v2-parser merges `state:` in its own way")
        return None
    if not state_merge.was_parsed_with_merge(task.manifest):
        messages.warn("off for this run: this manifest was parsed without hodor's `state:` merge")
        return None
    from dbt_hodor import adapters

    kind = adapters.of(adapter.type())
    refusal = (
        f"the adapter {adapter.type()} is not supported"
        if kind is None
        else kind.refusal(config.credentials)
    )
    if refusal is not None:
        messages.warn(f"off for this run: {refusal}")
        return None
    return settings
