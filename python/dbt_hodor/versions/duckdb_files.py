"""Versions of local files that SQL reads by name.

In:  a pattern and the table function that reads it, as the SQL has them.
Out: one text over the sorted matches with size, time, inode and content; ``None`` when any doubt is
     left: remote, missing, not a plain file, changed while it was read, a function not on the list.
Never: keeps a content hash longer than one run, or trusts one for a file whose stat differs.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import threading
from typing import Any

FILE_FUNCTIONS = frozenset(
    {
        "", "read_csv", "read_csv_auto", "sniff_csv", "read_parquet", "parquet_scan",
        "parquet_metadata", "parquet_schema", "parquet_file_metadata", "parquet_kv_metadata",
        "read_json", "read_json_auto", "read_json_objects", "read_json_objects_auto", "read_ndjson",
        "read_ndjson_auto", "read_ndjson_objects", "read_text", "read_blob", "glob",
    }
)  # fmt: skip
"""Functions that read exactly the files which match, whole. ``''`` is ``FROM 'x.parquet'``."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_CHUNK_BYTES = 1 << 20
_Identity = tuple[str, int, int, int]


class FileVersions:
    """Content hashes of one run. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._contents: dict[_Identity, str] = {}

    def version(self, cursor: Any, pattern: str, function: str) -> str | None:
        """A text that names all matches, or ``None``. The engine itself expands the pattern, so
        that its rules (``**``, brace lists, ``file_search_path``) hold."""
        if function.lower() not in FILE_FUNCTIONS or not pattern or _SCHEME.match(pattern):
            return None
        rows = cursor.execute(
            "SELECT file, current_setting('file_search_path') FROM glob(?)", [pattern]
        ).fetchall()
        paths = sorted({path for path, _ in rows})
        if not paths or (rows[0][1] and not os.path.isabs(os.path.expanduser(pattern))):
            return None  # readers try the search path in an order of their own
        digest = hashlib.sha256()
        for path in paths:
            if _SCHEME.match(path):
                return None
            line = self.one_file(path)
            if line is None:
                return None
            data = line.encode("utf-8", "surrogateescape")
            digest.update(len(data).to_bytes(8, "big") + data)
        return f"files:{len(paths)}:{digest.hexdigest()[:32]}"

    def one_file(self, path: str) -> str | None:
        """Path, stat and content of one file, or ``None``."""
        try:
            before = _identity(path)
            if before is None:
                return None
            with self._lock:
                content = self._contents.get(before)
            if content is None:
                content = _content_hash(path)
                if _identity(path) != before:
                    return None  # written while it was read
                with self._lock:
                    self._contents[before] = content
        except OSError:
            return None
        return "\0".join([*(str(part) for part in before), content])


def _identity(path: str) -> _Identity | None:
    """Path, size in bytes, modification time in ns and inode; ``None`` for anything but a file."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        return None
    return (path, status.st_size, status.st_mtime_ns, status.st_ino)


def _content_hash(path: str) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()
