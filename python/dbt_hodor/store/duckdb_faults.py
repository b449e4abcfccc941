"""Sorts DuckDB's errors about the state file into the few kinds that call for different deeds.

In:  an exception of the engine (or of the file system) and the path of the file.
Out: one ``Fault``; advice for a person.
Never: touches the file. The engine's classes differ between releases (a bad checksum is an
``IOException`` in 1.x and a bare ``Error`` in 2.x), so its words decide, not its classes.
"""

from __future__ import annotations

import enum


class Fault(enum.Enum):
    """What is wrong with the state file, by what has to be done about it."""

    locked = "locked"
    """Another process or instance holds it: wait a little, then give up for now."""
    newer = "newer"
    """A newer engine or a newer dbt-hodor wrote it: leave it alone."""
    corrupt = "corrupt"
    """Not a database, cut short or damaged: set it aside and begin a new one."""
    unavailable = "unavailable"
    """The place cannot be used (rights, space, not a directory): leave it alone."""


_LOCK_WORDS = ("could not set lock", "conflicting lock", "unique file handle conflict")
_NEWER_WORDS = ("version number", "storage version", "newer version of duckdb")
_CORRUPT_WORDS = (
    "not a valid duckdb database",
    "corrupt database file",
    "could not read enough bytes",
    "checksum",
    "failure while replaying wal",
    "failed to deserialize",
    "serialization error",
    "deserialize",
    "reading past end of",
    "invalid block",
)
_PLACE_WORDS = (
    "permission denied",
    "read-only",
    "no space left",
    "disk full",
    "quota exceeded",
    "is a directory",
    "not a directory",
    "no such file",
    "cannot open file",
    "could not write",
    "failed to write",
    "input/output error",
    "out of memory",
    "failed to create",
)


def classify(error: BaseException) -> Fault:
    """The kind of ``error``. Words for the place win over words for damage: a full disk also says
    that something could not be written, and a good file must never be set aside for it."""
    words = str(error).lower()
    if any(word in words for word in _LOCK_WORDS):
        return Fault.locked
    if any(word in words for word in _NEWER_WORDS):
        return Fault.newer
    if any(word in words for word in _PLACE_WORDS) or isinstance(error, OSError):
        return Fault.unavailable
    if any(word in words for word in _CORRUPT_WORDS):
        return Fault.corrupt
    if type(error).__name__ in {"InternalException", "FatalException", "SerializationException"}:
        return Fault.corrupt
    return Fault.unavailable


def advice(fault: Fault, path: str, error: BaseException) -> str:
    """One sentence that says what happened and what can be done."""
    first_line = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if fault is Fault.locked:
        return (
            f"the state file {path} is in use by another process ({first_line}); "
            "wait for it to end, or give this run its own hodor_path"
        )
    if fault is Fault.newer:
        return (
            f"the state file {path} was written by a newer version and is left alone "
            f"({first_line}); upgrade duckdb and dbt-hodor here, or set another hodor_path"
        )
    if fault is Fault.corrupt:
        return f"the state file {path} is damaged ({first_line})"
    return (
        f"the state file {path} cannot be used ({first_line}); "
        "check rights and free space, or set another hodor_path"
    )
