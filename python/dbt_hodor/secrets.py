"""Keeps secret values out of the store, the artefact and the log.

In:  the environment; any text on its way out; configuration keys.
Out: the same with each secret replaced by a short hash, so that a change of it still shows.
Never: keeps a secret in an object that is stored.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

_SECRET_ENV = "DBT_ENV_SECRET"
_PASSWORD_LIKE = re.compile(
    r"passw|secret|token|credential|private_key|api_?key|access_?key|account_?key|connection_string",
    re.IGNORECASE,
)
_SHORTEST = 4
"""Shorter values would also hit ordinary text, and are guessed in no time anyway."""


def fingerprint(value: str) -> str:
    """What stands for a secret value."""
    return f"sha256:{hashlib.sha256(value.encode()).hexdigest()[:12]}"


def is_password_like(key: str) -> bool:
    """Whether values under this key are treated as secrets."""
    return bool(_PASSWORD_LIKE.search(key))


class Redactor:
    """Replaces the values of `DBT_ENV_SECRET_*` wherever they occur."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        values = {
            value
            for key, value in environment.items()
            if key.startswith(_SECRET_ENV) and len(value) >= _SHORTEST
        }
        # Longest first: one secret may be the beginning of another.
        self._secrets = sorted(values, key=len, reverse=True)

    def text(self, text: str) -> str:
        """The text without secrets; the same object when there is none."""
        for secret in self._secrets:
            if secret in text:
                text = text.replace(secret, fingerprint(secret))
        return text

    def optional(self, text: str | None) -> str | None:
        """As `text`, for columns that may be null."""
        return None if text is None else self.text(text)

    def shown(self, key: str, value: Any) -> str:
        """A configuration value as people may see it."""
        text = str(value)
        if is_password_like(key) and value not in (None, "", [], {}):
            return fingerprint(text)
        if isinstance(value, Mapping):
            text = "{" + ", ".join(f"{k}: {self.shown(str(k), v)}" for k, v in value.items()) + "}"
        elif isinstance(value, (list, tuple)):
            text = "[" + ", ".join(self.shown(key, item) for item in value) + "]"
        text = self.text(text)
        return text if len(text) <= 200 else f"{text[:160]}… ({len(text)} characters)"
