"""Says things through dbt's own log, so that its level, colour and file settings apply.

In:  sentences.
Out: dbt Note events. A warning here is no dbt warning: `--warn-error` must not fail a run over us.
Never: prints.
"""

from __future__ import annotations

from dbt_common.events.base_types import EventLevel
from dbt_common.events.functions import fire_event
from dbt_common.events.types import Note


def info(sentence: str) -> None:
    """One line that every run shows."""
    fire_event(Note(msg=f"hodor: {sentence}"), EventLevel.INFO)


def warn(sentence: str) -> None:
    """One line about something that costs reuse or needs a hand."""
    fire_event(Note(msg=f"hodor: {sentence}"), EventLevel.WARN)


def debug(sentence: str) -> None:
    """One line for the log file."""
    fire_event(Note(msg=f"hodor: {sentence}"), EventLevel.DEBUG)
