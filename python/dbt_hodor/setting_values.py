"""Turns one configured value into the value that hodor uses.

In:  whatever YAML, ``--vars`` or an environment variable gave.
Out: a checked value, or ValueError whose text says what would have been accepted.
Never: reads the environment, a file or dbt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

Parser = Callable[[object], object]

MODES = ("off", "shadow", "on")
STORES = ("delta", "duckdb")

_NAME_PART = re.compile(r"^[A-Za-z0-9_][A-Za-z0-9_-]*$")
_DURATION = re.compile(r"^\s*(\d{1,9})\s*([smhdw])\s*$")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_PERIODS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}


def mode(value: object) -> str:
    """``off``, ``shadow`` or ``on``; YAML reads an unquoted on/off as a boolean."""
    if isinstance(value, bool):
        return "on" if value else "off"
    text = str(value).strip().lower()
    if text in ("true", "false"):
        return "on" if text == "true" else "off"
    return one_of(text, MODES)


def store(value: object) -> str:
    """The name of a state store that this version has."""
    return one_of(str(value).strip().lower(), STORES)


def reused_status(value: object) -> str:
    """The status that ``run_results.json`` shows for a reused node."""
    return one_of(str(value).strip().lower(), ("reused", "success"))


def boolean(value: object) -> bool:
    """A YAML boolean or the words true, false, yes, no, on, off, 1, 0."""
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text in ("true", "yes", "on", "1"):
        return True
    if text in ("false", "no", "off", "0"):
        return False
    raise ValueError("true or false")


def optional_boolean(value: object) -> bool | None:
    """As ``boolean``; null and ``auto`` mean that hodor chooses."""
    if value is None or (isinstance(value, str) and value.strip().lower() == "auto"):
        return None
    return boolean(value)


def name_part(value: object) -> str:
    """One part of a relation name: letters, digits, ``_`` and, not first, ``-``."""
    text = str(value).strip()
    if not _NAME_PART.match(text):
        raise ValueError("letters, digits, _ and -")
    return text


def path(value: object) -> str:
    """A file path, relative ones meant from the project's root."""
    text = str(value).strip()
    if not text or "\x00" in text:
        raise ValueError("a file path")
    return text


def plain_text(value: object) -> str:
    """A name on one line, as a person wrote it elsewhere."""
    text = str(value).strip()
    if not text or not text.isprintable():
        raise ValueError("a name on one line")
    return text


def integer_between(low: int, high: int) -> Parser:
    """A parser for whole numbers of a closed range."""

    def parse(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            raise ValueError(f"a whole number from {low} to {high}")
        try:
            number = int(value)
        except ValueError:
            raise ValueError(f"a whole number from {low} to {high}") from None
        if not low <= number <= high:
            raise ValueError(f"a whole number from {low} to {high}")
        return number

    return parse


def any_or_all(value: object) -> str:
    """``any`` or ``all``."""
    return one_of(str(value).strip().lower(), ("any", "all"))


def duration_ms(value: object) -> int:
    """``45m``, whole seconds, or ``{count, period}`` as milliseconds."""
    accepted = "a duration such as 0s, 45m, 4h, 1d or 1w, whole seconds, or {count, period}"
    if isinstance(value, Mapping):
        count, period = value.get("count"), str(value.get("period", "")).lower().rstrip("s")
        if isinstance(count, bool) or not isinstance(count, int) or period not in _PERIODS:
            raise ValueError(accepted)
        if count < 0 or set(value) - {"count", "period"}:
            raise ValueError(accepted)
        return count * _PERIODS[period] * 1000
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 0:
            raise ValueError(accepted)
        return value * 1000
    if isinstance(value, str):
        if value.strip().isdigit():
            return int(value) * 1000
        matched = _DURATION.match(value.lower())
        if matched:
            return int(matched.group(1)) * _SECONDS[matched.group(2)] * 1000
    raise ValueError(accepted)


def anything(value: object) -> object:
    """Accepted whatever it is: a key of another tool that we only have to know."""
    return value


def one_of(text: str, allowed: tuple[str, ...]) -> str:
    if text not in allowed:
        raise ValueError(", ".join(allowed))
    return text
