"""Says things through dbt's own log, so that its level, colour and file settings apply.

In:  sentences.
Out: dbt Note events. A warning here is no dbt warning: `--warn-error` must not fail a run over us.
Never: prints, or raises.
"""

from __future__ import annotations

from dbt_common.events.base_types import EventLevel
from dbt_common.events.functions import fire_event
from dbt_common.events.types import Note


def info(sentence: str) -> None:
    """One line that every run shows."""
    _fire(sentence, EventLevel.INFO)


def warn(sentence: str) -> None:
    """One line about something that costs reuse or needs a hand."""
    if not _fire(sentence, EventLevel.WARN):
        _fire(sentence, EventLevel.INFO)


def debug(sentence: str) -> None:
    """One line for the log file."""
    _fire(sentence, EventLevel.DEBUG)


def _fire(sentence: str, level: EventLevel) -> bool:
    try:
        fire_event(Note(msg=f"hodor: {sentence}"), level)
    except Exception:  # noqa: BLE001 - `--warn-error` makes an error of any warning, ours included
        return False
    return True
