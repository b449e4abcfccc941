"""Versions of local Delta tables from their log, without a scan.

In:  a table's folder, a function that names one file by stat and content, a cursor.
Out: ``delta:id@version@time@digest`` of the newest version; ``None`` when any doubt is left.
Never: reads data files, or vouches for a log that is not laid out plainly: remote, with a gap, a
       newer kind of checkpoint, commits that another catalog holds.

The digest goes over all that the state rests on: the newest checkpoint and every commit since, with
their stat. So a log that was rewritten differs although id, version and time are the old ones. Data
files are named by the log and never written twice. A checkpoint that is written later changes the
digest, too: its readers build once.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from dbt_hodor.versions.duckdb_listing import Database

OneFile = Callable[[str], "str | None"]

_PLAIN_PATH = re.compile(r"[\w./][\w./=+,@ -]*")
_COMMIT = re.compile(r"(\d{20})\.json")
_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint(?:\.(\d{10})\.(\d{10}))?\.parquet")
_CHECKSUM = re.compile(r"\d{20}\.crc")
_UNUSUAL = frozenset({"_commits", "_staged_commits", "_sidecars"})
_ID = re.compile(r"[0-9A-Za-z-]{1,64}")
_MAX_LOG_BYTES = 256 << 20
_CLOCK_SLACK_S = 0.1


class _Log(NamedTuple):
    """File names of the state: a checkpoint's parts (none: from the first commit on), then the
    commits after it by version."""

    checkpoint: list[str]
    commits: list[str]
    version: int


def is_plain_path(path: str) -> bool:
    """Whether a path means the same to everyone: local, no pattern, nothing to decode or expand."""
    return _PLAIN_PATH.fullmatch(path) is not None


def table_version(folder: str, one_file: OneFile, cursor: Any) -> str | None:
    """The data part of the table in this folder. OSError, ValueError and the engine's errors mean
    unknown, too."""
    if not is_plain_path(folder):
        return None
    place = os.path.join(folder, "_delta_log")
    log = _log(os.listdir(place))
    if log is None:
        return None
    read = [os.path.join(place, name) for name in log.commits]
    if sum(os.path.getsize(path) for path in read) > _MAX_LOG_BYTES:
        return None
    checkpoint = [os.path.join(place, name) for name in log.checkpoint]
    ids, time_ms = _from_commits(read)
    if not ids and checkpoint:
        ids = _from_checkpoint(cursor, checkpoint)
    newest = os.path.join(place, f"{log.version:020}.json")
    if time_ms is None:
        time_ms = os.stat(newest).st_mtime_ns // 1_000_000
    digest = hashlib.sha256()
    for path in sorted({*checkpoint, *read, newest}):
        line = one_file(path)
        if line is None:
            return None
        data = line.encode("utf-8", "surrogateescape")
        digest.update(len(data).to_bytes(8, "big") + data)
    if not ids or not _ID.fullmatch(ids[-1]):
        return None
    return f"delta:{ids[-1]}@{log.version}@{time_ms}@{digest.hexdigest()[:32]}"


def _log(names: list[str]) -> _Log | None:
    """What the newest version consists of, ``None`` when that is not certain."""
    commits: dict[int, str] = {}
    parts: dict[tuple[int, int], list[str]] = {}
    for name in sorted(names):
        if commit := _COMMIT.fullmatch(name):
            commits[int(commit[1])] = name
        elif found := _CHECKPOINT.fullmatch(name):
            parts.setdefault((int(found[1]), int(found[3] or 1)), []).append(name)
        elif name in _UNUSUAL or (name[0].isdigit() and not _CHECKSUM.fullmatch(name)):
            return None
    whole = [key for key, found in parts.items() if len(found) == key[1]]
    base, count = max(whole, default=(-1, 0))
    if not commits or max(commits) < max((key[0] for key in parts), default=-1):
        return None
    if sum(key[0] == base for key in whole) > 1:
        return None  # two checkpoints of one version: which one is read is not for us to say
    version = max(commits)
    if any(number not in commits for number in range(base + 1, version + 1)):
        return None
    since = [commits[number] for number in range(base + 1, version + 1)]
    return _Log(parts[base, count] if base >= 0 else [], since, version)


def _from_commits(paths: list[str]) -> tuple[list[str], int | None]:
    """Table ids in the order of their commits, and the last commit's own time. Raises ValueError
    for what is not to be understood."""
    ids: list[str] = []
    time_ms: int | None = None
    for path in paths:
        time_ms = None
        with open(path, "rb") as file:
            for line in file:
                if not any(
                    b'"%s"' % key in line for key in (b"metaData", b"protocol", b"commitInfo")
                ):
                    continue
                action = json.loads(line)
                if "metaData" in action:
                    ids.append(action["metaData"]["id"])
                _check(action.get("protocol"))
                info = action.get("commitInfo") or {}
                stamp = info.get("inCommitTimestamp", info.get("timestamp"))
                time_ms = stamp if isinstance(stamp, int) else time_ms
    return ids, time_ms


def _from_checkpoint(cursor: Any, paths: list[str]) -> list[str]:
    """The same of a checkpoint, which holds one of each."""
    rows = cursor.execute(
        "SELECT metaData.id, to_json(protocol)::VARCHAR FROM read_parquet(?) "
        "WHERE metaData.id IS NOT NULL OR protocol.minReaderVersion IS NOT NULL",
        [paths],
    ).fetchall()
    for _, protocol in rows:
        _check(json.loads(protocol) if protocol else None)
    ids = [id_ for id_, _ in rows if id_ is not None]
    return ids if len(ids) == 1 else []


def _check(protocol: Any) -> None:
    """ValueError for a table whose newest commits need not be in the folder."""
    features = (protocol or {}).get("readerFeatures") or ()
    if any(str(feature).startswith("catalog") for feature in features):
        raise ValueError("commits of this table are held by a catalog")


def attached_version(database: Database, one_file: OneFile, cursor: Any) -> str | None:
    """The data part of the one table of an attached database. ``None``: it has to be scanned."""
    row = cursor.execute(
        "SELECT options FROM duckdb_databases() WHERE database_name = ?", [database.name]
    ).fetchone()
    if row is None or row[0] != {}:
        return None  # pinned to a version or a snapshot, or fed by another catalog
    found = table_version(database.path, one_file, cursor)
    return found if found and _is_as_at_start(database.path) else None


def _is_as_at_start(folder: str) -> bool:
    """Whether the log in this folder stands there as it did before this process started. An attached
    database keeps its first look at a log and adds later commits to it: a table that was put there
    since is read as a mixture of both, which no version of the log can name."""
    if os.path.realpath(folder) != os.path.abspath(folder):
        return False
    place = os.path.join(folder, "_delta_log")
    paths = [folder, place, *(entry.path for entry in os.scandir(place))]
    return max(os.stat(path).st_ctime for path in paths) < _process_start_s() - _CLOCK_SLACK_S


def _process_start_s() -> float:
    """Since the epoch. Raises OSError or AttributeError where the system does not tell."""
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    since_boot = int(fields[19]) / os.sysconf("SC_CLK_TCK")
    return time.time() - (time.clock_gettime(time.CLOCK_BOOTTIME) - since_boot)
