"""Merges `state:` blocks key by key across project, folder, file and model, as dbt State does.

In:  dbt's config class and manifest loader.
Out: `BaseConfig.update_from` that merges `state`; a parse cache that knows it was made that way.
Never: raises over a malformed `state:`; it is then kept as dbt would keep it.

Installed for every command and every mode, since it changes what parsing yields: a manifest parsed
with the merge must not be reused without it, nor the other way round. So the hash that dbt compares
before it trusts its parse cache carries a mark, and a manifest without the mark is not ours.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from dbt.parser.manifest import ManifestLoader
from dbt_common.contracts.config.base import BaseConfig

MARK = "+hodor-state-1"
_FLAG = "_hodor_state_merge"


def install() -> None:
    """Wraps both functions once per process; a second call changes nothing."""
    if not getattr(BaseConfig.update_from, _FLAG, False):
        BaseConfig.update_from = _merging(BaseConfig.update_from)  # type: ignore[method-assign]
    if not getattr(ManifestLoader.build_manifest_state_check, _FLAG, False):
        ManifestLoader.build_manifest_state_check = _marking(  # type: ignore[method-assign]
            ManifestLoader.build_manifest_state_check
        )


def was_parsed_with_merge(manifest: Any) -> bool:
    """Whether dbt parsed this manifest while the merge was installed."""
    state_check = getattr(manifest, "state_check", None)
    vars_hash = getattr(state_check, "vars_hash", None)
    return str(getattr(vars_hash, "checksum", "")).endswith(MARK)


def _merging(original: Callable[..., Any]) -> Callable[..., Any]:
    def update_from(self: Any, data: Any, config_cls: Any, validate: bool = True) -> Any:
        if "state" not in data:
            return original(self, data, config_cls, validate=validate)
        earlier = (getattr(self, "_extra", None) or {}).get("state")
        if isinstance(earlier, dict) and isinstance(data["state"], dict):
            data["state"] = {**earlier, **data["state"]}
        return original(self, data, config_cls, validate=validate)

    setattr(update_from, _FLAG, True)
    return update_from


def _marking(original: Callable[..., Any]) -> Callable[..., Any]:
    def build_manifest_state_check(self: Any) -> Any:
        check = original(self)
        with contextlib.suppress(Exception):  # without the mark hodor is off for the run
            check.vars_hash.checksum += MARK
        return check

    setattr(build_manifest_state_check, _FLAG, True)
    return build_manifest_state_check
