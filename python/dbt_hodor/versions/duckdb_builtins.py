"""Which names mean functions of the engine itself, and nothing that was added to it.

In:  what the session's engine lists as its own, by name.
Out: the names to which nothing was added.
Never: trusts the engine's word alone: it calls a Python function that a plugin registers its own, under a
       new name or as one more form of an old one (`abs` of text). Functions of extensions are
       not the engine's either: some read the network, and nobody here has read what they do.

An engine whose list is not known by its digest is compared with a fresh one of this process.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from dbt_hodor import _core

BY_NAME = (
    "SELECT lower(function_name) AS name, sum(hash(function_type, return_type, parameter_types, varargs, "
    "macro_definition, stability))::VARCHAR AS digest FROM {source} WHERE internal GROUP BY 1"
)
"""One row a name: all of its forms as one number."""

KNOWN_DIGESTS = {"1.5.5": 26602293678649674172979, "2.0.1": 28679892332808664707058}
"""Engine version -> sum of the digests of all names that we know, on a fresh engine."""

_VERSIONED_READERS = frozenset({"delta_scan", "iceberg_scan"})
"""Of extensions; what they read has versions of its own (`duckdb_delta`, `duckdb_iceberg`)."""


@cache
def _known_names() -> frozenset[str]:
    return frozenset(_core.known_functions("duckdb"))


def total(digests: Mapping[str, str]) -> int:
    """One number for all names that are known here."""
    known = _known_names()
    return sum(int(digest) for name, digest in digests.items() if name in known)


@cache
def _of_a_fresh_engine() -> dict[str, str]:
    import duckdb

    with duckdb.connect(":memory:", config={"threads": 1}) as fresh:
        return dict(fresh.execute(BY_NAME.format(source="duckdb_functions()")).fetchall())


def builtin_names(rows: Iterable[tuple[Any, Any]]) -> list[str]:
    """`rows`: of `BY_NAME`, from the session's engine."""
    digests = {str(name): str(digest) for name, digest in rows}
    names = (digests.keys() & _known_names()) | (digests.keys() & _VERSIONED_READERS)
    if total(digests) not in KNOWN_DIGESTS.values():
        fresh = _of_a_fresh_engine()
        names = {
            name for name in names if digests[name] == fresh.get(name) or name in _VERSIONED_READERS
        }
    return sorted(names)
