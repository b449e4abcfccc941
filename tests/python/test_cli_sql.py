"""`dbt-hodor sql`: texts, facts, hashes and differences; exit codes; lines of JSON in their order.

No project is there: the commands need none.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dbt_hodor import _core
from dbt_hodor.cli.main import main

Run = Callable[..., tuple[int, str, str]]

ORDERS = """with base as (select o.id, o.amount total from orders o where o.x = 1)
select id, total T2 from base"""
SAME = "WITH q AS (SELECT id,amount t FROM orders WHERE (x=1)) -- why\nSELECT q.id, t AS T2 FROM q;"


FIELDS = (
    "code_hash", "assumes", "tier", "opaque", "opaque_tokens", "relations", "paths", "files", "star",
    "order_sensitive", "volatile", "stamps", "functions",
)  # fmt: skip


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, given: str | bytes = b"") -> tuple[int, str, str]:
        data = given.encode() if isinstance(given, str) else given
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        code = main(["sql", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], str]:
    def put(name: str, text: str) -> str:
        (tmp_path / name).write_text(text)
        return name

    return put


def test_canonical(run: Run, write: Callable[[str, str], str]) -> None:
    code, out, err = run("canonical", write("a.sql", ORDERS))
    assert code == 0
    assert out == (
        "with cte1 as (\n  select\n    id,\n    amount as c1\n  from orders\n  where x = 1\n)\n"
        "select\n  id,\n  c1 as T2\nfrom cte1\n"
    )
    assert err == "a.sql: right while orders has no column o\n"
    _, again, err = run("canonical", "-", given=out)
    assert (again, err) == (out, "")
    _, out, _ = run(
        "canonical", "a.sql", write("b.sql", "select `a b` from t"), "--dialect", "databricks"
    )
    assert out.startswith("-- a.sql\nwith")
    assert out.endswith("-- b.sql\nselect `a b`\nfrom t\n")


def test_a_text_that_is_not_understood_stays(run: Run) -> None:
    code, out, err = run("canonical", "-", given="select a frm   b c d")
    assert (code, out) == (0, "select a frm b c d\n")
    assert "not understood" in err


def test_hash_of_files(run: Run, write: Callable[[str, str], str]) -> None:
    code, out, _ = run(
        "hash", write("a.sql", ORDERS), write("b.sql", SAME), write("c.sql", "select 'x")
    )
    first, second, third = (line.split("  ") for line in out.splitlines())
    assert code == 0
    assert first[0] == second[0]
    assert first[1:] == ["canonical", "a.sql"]
    assert third[1:] == ["text", "c.sql"]


def test_facts(run: Run) -> None:
    text = "select s.*, now() as at, random() > a as r from db.s join 'f.csv' using (i)"
    code, out, _ = run("facts", "-", given=text)
    assert code == 0
    for line in (
        "tier            canonical",
        "relations       db.s",
        "files           f.csv",
        "stamps          now() as at",
        "star            the columns follow an input's",
    ):
        assert line in out.splitlines()
    _, out, _ = run("facts", "-", "--json", given=text)
    found = json.loads(out)
    assert found["file"] == "-"
    assert found["relations"] == [["db", "s"]]
    assert found["files"] == ["f.csv"]
    assert found["star"] is True
    assert [call["text"] for call in found["volatile"]] == ["random()"]
    assert found["stamps"] == [{"text": "now()", "class": "always", "alias": "at"}]


def test_diff_of_one_query(run: Run, write: Callable[[str, str], str]) -> None:
    names = write("a.sql", ORDERS), write("b.sql", SAME)
    code, out, _ = run("diff", *names)
    assert (code, out) == (0, "same query\n  while orders has no column o\n")
    assert run("diff", names[0], names[0])[:2] == (0, "same query\n")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("o.x = 1", "o.x = 2", ["CTE base differs"]),
        ("total T2", "total + 1 T2", ["output column T2 differs"]),
        ("id, total T2", "total T2, id", ["the main query differs"]),
        ("id, total T2", "id", ["output column T2 is gone", "the main query differs"]),
        ("from base", "from base where id > 1", ["where is new"]),
        ("from base", "from base group by all", ["group by is new"]),
        ("from base", "from base, u", ["from differs"]),
        ("from base", "from base union select 1, 2", ["output column id is gone"]),
    ],
)
def test_diff_names_the_part(
    run: Run, write: Callable[[str, str], str], old: str, new: str, expected: list[str]
) -> None:
    assert old in ORDERS
    code, out, _ = run("diff", write("a.sql", ORDERS), write("b.sql", ORDERS.replace(old, new)))
    lines = out.splitlines()
    assert code == 1
    assert lines[0] == "different queries"
    told = [line for line in lines[1:] if not line.startswith(" ")]
    assert told[: len(expected)] == expected, out
    assert any(line.startswith(("  - ", "  + ")) for line in lines)


def test_exit_codes(run: Run, write: Callable[[str, str], str]) -> None:
    name = write("a.sql", ORDERS)
    (Path("bytes.sql")).write_bytes(b"select \xff")
    for arguments in (
        ["diff", name, "none.sql"], ["diff", name], ["hash"], ["hash", name, "--jsonl"],
        ["canonical"], ["canonical", "none.sql"], ["facts", "bytes.sql"],
        ["hash", name, "--dialect", "oracle"],
    ):  # fmt: skip
        code, out, err = run(*arguments)
        assert (code, out) == (2, ""), arguments
        assert err


def answers(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_lines_of_json(run: Run) -> None:
    lines = [
        {"id": 7, "sql": "select x.a from t x join u y on x.i = y.i"},
        {"id": "k", "sql": "select x.a from T x join u y on x.i = y.i",
         "columns": {"T": ["a", "i"], "U": ["i"]}},
        {"sql": "select a from t where ) +"},
        {"id": None, "sql": "select 'a"},
    ]  # fmt: skip
    code, out, err = run("hash", "--jsonl", given="\n".join(map(json.dumps, lines)))
    found = answers(out)
    assert (code, err) == (0, "")
    assert [line["id"] for line in found] == [7, "k", None, None]
    assert list(found[0]) == ["id", *FIELDS]
    assert found[0]["code_hash"] == found[1]["code_hash"]
    assert ["u", "a"] in found[0]["assumes"]
    assert found[1]["assumes"] == []
    assert [line["tier"] for line in found] == ["canonical", "canonical", "tokens", "text"]
    assert found[2]["opaque"] >= 1
    assert found[2]["opaque_tokens"] >= found[2]["opaque"]


@pytest.mark.parametrize(
    ("line", "identity", "words"),
    [
        ("{", None, "not JSON"),
        ("[1]", None, "not an object"),
        ('{"id": 1}', 1, "sql is missing"),
        ('{"id": "a", "sql": 5}', "a", "not a string"),
        ('{"id": 2, "sql": "select 1", "columns": []}', 2, "columns"),
        ('{"id": 2, "sql": "select 1", "columns": {"t": [1]}}', 2, "columns"),
        ('{"id": NaN, "sql": "select 1"}', None, "NaN"),
        ('{"id": 3, "sql": "\\ud800"}', 3, "surrogate"),
        (b'{"id": 4, "sql": "\xff"}', None, "not JSON"),
    ],
)
def test_a_bad_line_costs_only_itself(
    run: Run, line: str | bytes, identity: Any, words: str
) -> None:
    bad = line.encode() if isinstance(line, str) else line
    good = b'{"id": "good", "sql": "select 1"}'
    _, out, _ = run("hash", "--jsonl", given=good + b"\n" + bad + b"\n\n" + good + b"\n")
    first, wrong, last = answers(out)
    assert first == last
    assert wrong["id"] == identity
    assert words in wrong["error"]
    assert set(wrong) == {"id", "error"}


def test_many_lines_keep_their_order(run: Run) -> None:
    lines = [json.dumps({"id": n, "sql": f"select {n} as n from t{n}"}) for n in range(3000)]
    _, out, _ = run("hash", "--jsonl", given="\n".join(lines) + "\n")
    found = answers(out)
    assert [line["id"] for line in found] == list(range(3000))
    assert [line["relations"] for line in found] == [[[f"t{n}"]] for n in range(3000)]


def test_a_batch_is_the_same_on_any_number_of_threads() -> None:
    texts = [(f"select a, {n} from t{n % 7}", None) for n in range(500)]
    one, four = (_core.analyze_batch(texts, "duckdb", threads) for threads in (1, 4))
    alone = [
        _core.analyze(sql, "duckdb", [], _core.RelationIds([]), None, True) for sql, _ in texts
    ]
    assert [a.code_hash for a in one] == [a.code_hash for a in four] == [a.code_hash for a in alone]
    assert one[0].parts == []
    assert _core.analyze_batch([], "duckdb") == []
    with pytest.raises(ValueError, match="oracle"):
        _core.analyze_batch(texts, "oracle")
