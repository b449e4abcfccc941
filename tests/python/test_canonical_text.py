"""The canonical text is the same query: for the core's own hash, and for the engine that runs it.

Goal: whatever the canonical text is made from, DuckDB gives the same column names, types and rows for both,
and the text has the hash of the original and prints itself.
Method: the pairs of tests/metamorphic for the hash; a list of queries over small tables with NULLs and
duplicates for the engine, each as written and as printed, with the columns of the tables known and not.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dbt_hodor import _core

NO_IDS = _core.RelationIds([])
PAIRS = Path(__file__).resolve().parents[1] / "metamorphic"
Columns = dict[str, list[str]]


def analysis(sql: str, dialect: str, columns: Columns | None = None) -> _core.Analysis:
    return _core.analyze(sql, dialect, [], NO_IDS, None, True, columns, True)


def pairs(without: str = "") -> list[dict[str, Any]]:
    rows = []
    for path in sorted(PAIRS.glob("*.jsonl")):
        if path.name == without:
            continue
        rows += [json.loads(line) for line in path.read_text().splitlines() if line]
    return [row for row in rows if "a" in row]  # mined.jsonl has verdicts


def test_texts_of_the_pairs_keep_their_hashes() -> None:
    sources: Counter[str] = Counter()
    for row in pairs():
        for sql in (row["a"], row["b"]):
            once = analysis(sql, row["dialect"])
            again = analysis(once.text, row["dialect"])
            sources[once.text_source] += 1
            assert again.code_hash == once.code_hash, sql
            if once.tier != "text":
                assert again.text == once.text, sql
    assert sources["unprinted"] == 0
    assert sources["form"] > 1800


def test_pairs_of_one_hash_have_one_text() -> None:
    """Nearly all: a qualifier that only an assumption makes needless stays in the text, and so does what
    the rewrites take for one."""
    same = other = 0
    for row in pairs(without="rewritten_equal.jsonl"):
        a, b = (analysis(row[side], row["dialect"]) for side in ("a", "b"))
        if a.tier != "canonical" or a.code_hash != b.code_hash:
            continue
        same += a.text == b.text
        other += a.text != b.text
    assert same > 150
    assert other < same / 10, (same, other)


TABLES = """
create table t (i integer, a integer, b varchar, v double, d date, Amount decimal(10, 2));
insert into t values (1, 1, 'x', 1.5, '2020-01-01', 10), (1, 1, 'x', 1.5, '2020-01-01', 10),
    (2, null, 'Y', null, null, null), (3, 4, null, 2.5, '2021-02-03', 0.5), (null, 5, 'x', 0, null, 7);
create table u (i integer, c integer, "Name" varchar, s struct(a integer, b varchar), l integer[]);
insert into u values (1, 10, 'one', {'a': 1, 'b': 'p'}, [1, 2, null]), (2, null, 'two', null, []),
    (2, 20, null, {'a': null, 'b': 'q'}, null), (null, 30, 'none', {'a': 3, 'b': null}, [3]);
"""
COLUMNS = {"t": ["i", "a", "b", "v", "d", "amount"], "u": ["i", "c", "name", "s", "l"]}
# Each is read as it is; what they are for stands in the canonical form's rules.
QUERIES = """
select * from t
select T.I, x.Amount, x.b from t, t as x where t.i = x.i
select o.i AS "Id", o.Amount total, max(o.v) over (partition by o.i) from t o inner join u on o.i = u.i
select o.i, count(*), max(o.a)::INT, sum(V) from t as o group by o.i having count(*) > 0
with Base as (select a as x, b y from t), n as (select x + 1 as z, y from base)
 select z as "Z", 1 + 1, y from n
with q as (select k.i, k.c as cc from u k) select q.i, max(q.cc) + 1 from q group by q.i
with q as (select i as "I" from t) select * from q
with q as (select i as "Some Name", a as n from t) select "some name", n as N from q
with a as (select i from t), b as (select i, c from u) select a.i, b.c from a left outer join b on a.i = b.i
select (a), (a + i), -a, - -a, (((i))) from t
select (a + i) * 2 as p, a + (i * 2) as q, a - (i - 1) as r, a - i - 1 as s, -(a + i) as m from t
select not (a = 1 and b = 'x') as n, (not (a = 1)) = (b = 'x') as e, (a = i) is null as z from t
select (a || 'x') || b as j, a || ('x' || b) as k, 2 ** 3 ** 2 as w, -2 ** 2 as u from t
select a between 1 and (2 + 3) as k, not (a in (1, 2)) as n, b like 'x%' or (b is null) as l from t
FROM t SELECT x: a, b::text as b2, cast(v as INT4) as n, d::timestamptz is null as z
from u where c > 10
select case when a > 1 then 'p' when a is null then null else 'r' end k, case i when 1 then 2 end from t
select [1, a], {'k': a, 'B': b}, (a, b), struct_pack(q := a) from t
select s.a, s.b as "Bb", u.s.a as third, l[1], l[1:2], l[-1] from u
select list_transform(l, lambda q: q + 1) as a1, [k * 2 for k in l if k is not null] as a2 from u
select i from t where exists (select 1 from u w where w.i = t.i) and a in (select c / 10 from u)
select (select max(c) from u where u.i = t.i) as m, (select max(u.c) from u where u.i = t.i) from t
select i from t union all (select c from u order by c limit 1) except select 2
select i, a from t union by name select c as a, i from u
select l.i x, r.i y from t l, t r where l.a = r.a
select i.i as x, i from t i
select * exclude (a, B), columns('a') from t
select * replace (a + 1 as A) from t
select x.*, y."Name" from t x join u y using (i)
select t.* from t natural join u
select i, sum(a) s from t group by all order by all
select i, sum(a) s from t group by rollup (i, (b)) order by 1 nulls first, 2 desc
select i, sum(a) s from t group by (i), (b)
select distinct on (i) i, a from t order by i asc, a desc nulls last
select a, row_number() over w from t window w as (partition by i order by a, v, b)
 qualify row_number() over w = 1
select k, sum(w) as s from (values (1, 2), (1, 3), (null, 4)) as d(k, w) group by k
select p.m from (select max(a) as m, i from t group by i) as p where p.m > 1
pivot t on b using sum(a) group by i
select * from (select i, a from t) unpivot (val for nam in (i, a))
select * from range(3) r(x) join t on t.i = r.x
select unnest(l) as e, c from u
with recursive r(n) as (select 1 union all select n + 1 from r where n < 3) select n from r
with recursive r as (select 1 as n union all select r.n + 1 from r where r.n < 3) select r.n as k from r
select count(*) filter (where (a > 1)) f, count(distinct b) as g, string_agg(b, ',' order by (b)) as h from t
select "Name", upper("Name"), Upper(u."Name") as up from u
select 'a'
 'b' as x, e'\\n' as y, $$z$$ as z, date '2020-01-01' as d, interval 1 day as i, 1e0, .5, 0.50
select a as x, x + 1 as y, y * 2 from t
select a as i, i as a from t order by i, a
select a as z from t order by (z) desc nulls last limit 3
select z from (select a as z from t order by (z) limit 2)
select * from t as q(c1, c2) where c1 = 1
select max(q.c1), c2 from t as q(c1, c2) group by c2
select t.i from t semi join u on t.i = u.i
select d.x, e.x as y from (select i as x from t) d left join (select i as x from u) e on d.x = e.x
with d as (select i as id from t), e as (select i as id from u)
 select d.id, e.id as r from d left join e on d.id = e.id
select a::decimal(10,2), cast(a as NUMERIC), a::decimal, b::varchar(3), v::real from t
select null::interval i, null::interval as j, null::date d from t
select i as name, a as year, year(d) from t
values (1, 'a'), (2, null)
table t
select 5 % 3, 7 // 2, 1 | 2, 5 & 4, ~1, 1 << 2, 'a' ^@ 'a'
select '{"a": {"b": 1}}'::json->'a'->>'b' as j, ('{"a": 1}'::json->>'a') = '1' as k
summarize t
"""


def queries() -> list[str]:
    lines: list[str] = []
    for line in QUERIES.strip().splitlines():
        if line.startswith(" "):
            lines[-1] += "\n" + line
        else:
            lines.append(line)
    return lines


@pytest.fixture(scope="module")
def engine() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:", config={"threads": "1"})
    connection.execute(TABLES)
    return connection


def outcome(engine: duckdb.DuckDBPyConnection, sql: str) -> tuple[list[Any], list[str]]:
    """Names and types of the columns; rows, in an order of their own."""
    result = engine.execute(sql)
    columns = [(name, str(kind)) for name, kind, *_ in result.description]
    return columns, sorted(repr(row) for row in result.fetchall())


@pytest.mark.parametrize("sql", queries())
def test_the_engine_sees_one_query(engine: duckdb.DuckDBPyConnection, sql: str) -> None:
    expected = outcome(engine, sql)
    for columns in (None, COLUMNS):
        printed = analysis(sql, "duckdb", columns)
        assert outcome(engine, printed.text) == expected, printed.text
        if printed.tier == "canonical":
            assert printed.text_source in ("form", "kept_names"), printed.text
