"""Goal: what cannot be listed is unknown and never missing. Method: rows as catalogs give them; those of
hive_metastore as Spark prints them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from dbt_hodor.definitions import query_of_view
from dbt_hodor.versions import databricks_listing as listings

TABLE = (
    "Catalog: spark_catalog\nDatabase: dev\nTable: t\nType: MANAGED\nProvider: {}\nLocation: x\n"
)
VIEW = (
    "Catalog: spark_catalog\nTable: v\nType: VIEW\nView Text: {0}\nView Original Text: {0}\n"
    "View Schema Mode: COMPENSATION\nView Query Output Columns: [`{1}`]\nSchema: root\n |-- id: long\n"
)


class Answers:
    """Gives the same rows to every statement, or what it was told for one."""

    def __init__(self, rows: Any, **of_word: Any) -> None:
        self.rows, self.of_word = rows, of_word
        self.seen: list[str] = []

    def run_all(self, texts: Sequence[str]) -> list[Any]:
        self.seen += texts
        return [
            next((rows for word, rows in self.of_word.items() if word in text), self.rows)
            for text in texts
        ]


def hive(*rows: tuple[str, str, bool, str]) -> listings.CatalogListing:
    return listings.read(Answers(list(rows)), "hive_metastore", ["dev"])  # type: ignore[arg-type]


def test_hive_tables_and_views() -> None:
    found = hive(
        ("dev", "t", False, TABLE.format("delta")),
        ("dev", "p", False, TABLE.format("parquet")),
        ("", "tmp", True, ""),
        ("dev", "v", False, VIEW.format("select id\nfrom dev.t", "id")),
    )
    kinds = {relation.parts[2]: relation.type for relation in found.relations}
    assert kinds == {"t": "table", "p": "table", "v": "view"}
    assert set(found.refused) == {("dev", "p")}
    (view,) = [relation for relation in found.relations if relation.type == "view"]
    assert query_of_view(view.ddl) is not None
    assert "select id\nfrom dev.t\n-- columns" in view.ddl
    assert not found.error


@pytest.mark.parametrize(
    ("text", "columns"),
    [("select id from dev.u", "id"), ("select id from dev.t", "key")],
)
def test_another_query_or_name_is_another_definition(text: str, columns: str) -> None:
    def ddl(text: str, columns: str) -> str:
        return hive(("dev", "v", False, VIEW.format(text, columns))).relations[0].ddl

    assert ddl(text, columns) != ddl("select id from dev.t", "id")


@pytest.mark.parametrize(
    "information",
    [
        "Type: VIEW\n",
        VIEW.format("select 1\nView Original Text: select 2", "id"),
        "Type: VIEW\nView Text: select 1\nView Original Text: select 2\n",
    ],
)
def test_a_view_whose_query_has_no_certain_end_is_unknown(information: str) -> None:
    (view,) = hive(("dev", "v", False, information)).relations
    assert (view.type, view.ddl) == ("view", "")


def test_a_schema_that_is_not_there_has_nothing_and_another_error_is_told() -> None:
    gone = listings.read(Answers(ValueError("[SCHEMA_NOT_FOUND] x")), "hive_metastore", ["a"])  # type: ignore[arg-type]
    assert (gone.relations, gone.error) == ([], "")
    failed = listings.read(Answers(ValueError("no")), "hive_metastore", ["a"])  # type: ignore[arg-type]
    assert failed.error == "no"


def test_a_catalog_is_asked_once_per_kind_of_thing() -> None:
    answers = Answers([])
    listings.read(answers, "Main", ["dev", "o'x"])  # type: ignore[arg-type]
    assert len(answers.seen) == 4
    assert all("`Main`.information_schema" in sql for sql in answers.seen)
    assert sum("IN ('dev', 'o\\'x')" in sql for sql in answers.seen) == 1


def test_functions_are_their_text_and_signature() -> None:
    def ddl(*row: Any) -> str:
        answers = Answers([], routines=[row])
        found = listings.read(answers, "main", ["dev"])  # type: ignore[arg-type]
        return found.functions[0].definition

    plain = ddl("dev", "f", "INT", "SQL", "x + 1", '[{"parameter_name":"x"}]')
    assert plain.startswith("x + 1\n-- signature ")
    assert ddl("dev", "f", "INT", "SQL", "x + 1", '[{"parameter_default":"5"}]') != plain
    assert ddl("dev", "f", "BIGINT", "SQL", "x + 1", '[{"parameter_name":"x"}]') != plain
    assert ddl("dev", "f", "INT", "EXTERNAL", "def f(x): return 1", "[]") == ""
    assert ddl("dev", "f", "INT", "SQL", None, "[]") == ""


@pytest.mark.parametrize("word", ["tables", "row_filters"])
def test_what_could_not_be_listed_is_an_error_of_the_catalog(word: str) -> None:
    answers = Answers([], **{word: PermissionError("not yours")})
    assert listings.read(answers, "main", ["dev"]).error == "not yours"  # type: ignore[arg-type]


def test_without_functions_the_rest_is_listed() -> None:
    answers = Answers([], routines=PermissionError("not yours"))
    found = listings.read(answers, "main", ["dev"])  # type: ignore[arg-type]
    assert (found.error, found.functions_error) == ("", "not yours")
