"""Reads the `hodor_*` keys of the active profile target, which dbt drops from the credentials.

In:  dbt's flags and runtime config.
Out: the rendered keys as a dict.
Never: renders or returns any other key of the profile: those hold credentials.
"""

from __future__ import annotations

from typing import Any

from dbt.config.profile import read_profile
from dbt.config.renderer import ProfileRenderer
from dbt.flags import get_flags


def read_hodor_keys(config: Any) -> dict[str, Any]:
    """The target's `hodor_*` keys, rendered as dbt renders the others."""
    raw = read_profile(get_flags().PROFILES_DIR)
    profile = raw.get(config.profile_name) or {}
    target = (profile.get("outputs") or {}).get(config.target_name) or {}
    keys = {key: value for key, value in target.items() if str(key).startswith("hodor_")}
    return dict(ProfileRenderer(config.cli_vars).render_data(keys)) if keys else {}
