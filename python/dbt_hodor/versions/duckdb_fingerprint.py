"""Content fingerprints of tables: many tables in one statement, one scan of each.

In:  a cursor and the shapes of the tables.
Out: per table a data part and an order part, or the error that its read gave.
Never: fails for all tables because of one: a statement that fails is repeated table by table.

Data part: ``count:sum`` over hashes of rows, and the order part too where the columns' types let an
order show in ordinary aggregates. Order part: a sum over hashes of (row number, row).
Hashes of columns are combined by xor and multiplication, so each is mixed once more before the sum:
two rows that trade a value would otherwise cancel once in 10^8 cases. Sums are exact (128 bits).

Row numbers come from ``rowid``, which a scan gives in parallel, where its largest value proves that
no row was ever deleted; else from ``row_number()``. Both number the rows of a table alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from dbt_hodor.versions.duckdb_shapes import Shape, quoted_name
from dbt_hodor.versions.duckdb_types import UnprovableType, extra_expressions, is_inexact


class Fingerprint(NamedTuple):
    data: str
    order: str


class _Job(NamedTuple):
    place: int
    shape: Shape
    row_hash: str
    by_rowid: bool
    collated: bool
    ordered: bool


def row_hash(shape: Shape, collated: bool) -> str:
    """The SQL expression of a row's hash. Raises ``UnprovableType``.
    ``*COLUMNS(*)`` is every column in order, in a tenth of the text that the parser has to read."""
    extras: list[str] = []
    for column in shape.columns:
        name = quoted_name([column.name])
        extras += extra_expressions(name, column.type, collated)
    return f"hash({', '.join(['*COLUMNS(*)', *extras])})"


def _source(job: _Job) -> str:
    number = "rowid" if job.by_rowid else "row_number() OVER () - 1"
    return f"SELECT {job.place} i, {job.row_hash} h, {number} n FROM {quoted_name(job.shape.parts)}"


def _statement(jobs: Sequence[_Job]) -> str:
    """One aggregate over all tables: planning it is what a tiny table costs."""
    sources = " UNION ALL ".join(_source(job) for job in jobs)
    return (
        "SELECT i, count(*), sum(hash(h)), sum(hash(hash(n, h))), max(n), "
        f"current_setting('default_collation') FROM ({sources}) GROUP BY i"
    )


class _Collated(Exception):
    """Text compares under a collation everywhere, which the statement did not reckon with."""


def _run(cursor: Any, jobs: Sequence[_Job]) -> dict[int, Fingerprint | None]:
    """``None``: the row numbers have gaps, so that the order part needs the other form."""
    found: dict[int, Fingerprint | None] = {job.place: Fingerprint("0:0", "0") for job in jobs}
    by_place = {job.place: job for job in jobs}
    rows = cursor.execute(_statement(jobs)).fetchall()
    if rows and rows[0][5] and not all(job.collated for job in jobs):
        raise _Collated
    for place, count, data, order, largest, _ in rows:
        job = by_place[place]
        if job.by_rowid and largest + 1 != count:
            found[place] = None
            continue
        found[place] = Fingerprint(
            f"{count}:{data}:{order}" if job.ordered else f"{count}:{data}", str(order)
        )
    return found


def _run_each(cursor: Any, jobs: Sequence[_Job]) -> dict[int, Fingerprint | Exception | None]:
    """All jobs in one statement, or one by one when that fails."""
    try:
        return dict(_run(cursor, jobs))
    except _Collated:
        return _run_each(cursor, [_with_collation(job) for job in jobs])
    except Exception as error:  # noqa: BLE001 - one answer per table
        if len(jobs) == 1:
            return {jobs[0].place: error}
    single: dict[int, Fingerprint | Exception | None] = {}
    for job in jobs:
        single.update(_run_each(cursor, [job]))
    return single


def _job(place: int, shape: Shape, native: bool) -> _Job:
    """Raises ``UnprovableType``."""
    has_rowid = native and all(column.name.lower() != "rowid" for column in shape.columns)
    collated = bool(shape.collations)
    # A sum of floats depends on the order of its terms; GROUP BY, DISTINCT and min() give that one of
    # several equal spellings, zeros or intervals which comes first.
    ordered = collated or any(is_inexact(column.type) for column in shape.columns)
    return _Job(place, shape, row_hash(shape, collated), has_rowid, collated, ordered)


def _with_collation(job: _Job) -> _Job:
    return job._replace(row_hash=row_hash(job.shape, True), collated=True, ordered=True)


def fingerprints(
    cursor: Any, shapes: Sequence[Shape], native: Sequence[bool]
) -> list[Fingerprint | Exception]:
    """One answer per shape, in order. ``native``: the table is in a DuckDB file or in memory, where
    row numbers are dense."""
    answers: dict[int, Fingerprint | Exception | None] = {}
    jobs: list[_Job] = []
    for place, (shape, is_native) in enumerate(zip(shapes, native, strict=True)):
        try:
            jobs.append(_job(place, shape, is_native))
        except UnprovableType as error:
            answers[place] = error
    if jobs:
        answers.update(_run_each(cursor, jobs))
    gaps = [job._replace(by_rowid=False) for job in jobs if answers[job.place] is None]
    if gaps:
        answers.update(_run_each(cursor, gaps))
    return [_certain(answers[place]) for place in range(len(shapes))]


def _certain(answer: Fingerprint | Exception | None) -> Fingerprint | Exception:
    return answer if answer is not None else RuntimeError("the rows could not be numbered")
