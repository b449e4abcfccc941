"""Versions of local Iceberg tables from their metadata file, without a scan.

In:  a table's folder or metadata file, a function that names one file by stat and content.
Out: ``iceberg:uuid@snapshot@time@schema@digest``; ``None`` when any doubt is left.
Never: guesses which metadata file is the newest: it is the one that ``version-hint.text`` leads to, as
       DuckDB follows it. Never reads data files.

The digest goes over the manifest list and all of the metadata but what is named below, so that a
table made anew at the same path, or a file written twice, differs although uuid and snapshot are the
old ones. Whatever manifests and data files a manifest list leads to are never written twice.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from typing import Any

from dbt_hodor.versions.duckdb_delta import OneFile, is_plain_path

_HISTORY = frozenset(
    {
        "last-updated-ms", "metadata-log", "partition-statistics", "refs", "snapshot-log",
        "snapshots", "statistics",
    }
)  # fmt: skip
"""Fields that say nothing about the current snapshot; of ``snapshots`` it is kept itself."""
_HINT = re.compile(r"[\w.-]{1,200}")
_UUID = re.compile(r"[0-9A-Fa-f-]{36}")
_MAX_METADATA_BYTES = 256 << 20


def table_version(path: str, one_file: OneFile) -> str | None:
    """The data part of the table at this path. OSError and ValueError mean unknown, too."""
    file = _metadata_file(path)
    if file is None or file.endswith("gz.metadata.json"):
        return None
    if os.path.getsize(file) > _MAX_METADATA_BYTES:
        return None
    with open(file, encoding="utf-8") as text:
        metadata = json.load(text, object_pairs_hook=_without_doubles)
    uuid = metadata["table-uuid"]
    snapshot = _current_snapshot(metadata)
    schema_id = metadata["current-schema-id"]
    if snapshot is None or not _UUID.fullmatch(uuid) or type(schema_id) is not int:
        return None
    manifests = one_file(_local(snapshot["manifest-list"]))
    if manifests is None:
        return None
    kept = {key: value for key, value in metadata.items() if key not in _HISTORY}
    text_of_all = json.dumps([kept, snapshot, manifests], sort_keys=True)
    digest = hashlib.sha256(text_of_all.encode("utf-8", "surrogateescape")).hexdigest()[:32]
    stamp = f"{snapshot['snapshot-id']}@{snapshot['timestamp-ms']:d}"
    return f"iceberg:{uuid}@{stamp}@{schema_id}@{digest}"


def _metadata_file(path: str) -> str | None:
    """The file that DuckDB reads by default. It takes the hint as it is, white space included, and
    of the two names the one with a ``v`` first."""
    if not is_plain_path(path):
        return None
    if path.endswith(".json"):
        return path
    place = os.path.join(path, "metadata")
    with open(os.path.join(place, "version-hint.text"), encoding="utf-8", newline="") as file:
        hint = file.read(1000)
    if not _HINT.fullmatch(hint):
        return None
    names = (f"v{hint}.metadata.json", f"{hint}.metadata.json")
    found = (os.path.join(place, name) for name in names)
    return next((name for name in found if os.path.isfile(name)), None)


def _current_snapshot(metadata: dict[str, Any]) -> dict[str, Any] | None:
    """``None`` for a table without one, or with two of its id."""
    wanted = metadata.get("current-snapshot-id")
    if type(wanted) is not int:
        return None
    found = [each for each in metadata.get("snapshots") or () if each["snapshot-id"] == wanted]
    return found[0] if len(found) == 1 else None


def _local(place: str) -> str:
    """The path of a file that Iceberg names by its address. ValueError for a remote one."""
    path = place[len("file://") :] if place.startswith("file:///") else place
    if not path.startswith("/") or not is_plain_path(path):
        raise ValueError("not a plain local file")
    return path


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field occurs twice")
    return found
