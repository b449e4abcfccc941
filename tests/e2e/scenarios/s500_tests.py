"""Data tests: a recorded outcome is replayed when nothing that is tested has changed."""

from __future__ import annotations

from e2e.scenario import CHAIN, QUIET_PROJECT, raw_tables, scenario, smoke
from e2e.twin import Twin


def properties(tests: str, name: str = "m", column: str = "v") -> str:
    return (
        f"version: 2\nmodels: [{{name: {name}, columns: [{{name: {column}, "
        f"data_tests: [{tests}]}}]}}]\n"
    )


def with_tests(t: Twin, tests: str, column: str = "v") -> None:
    t.files(CHAIN)
    t.write("models/p.yml", properties(tests, column=column))


@smoke
def replayed(t: Twin) -> None:
    """build, test alone, and again after the data changed."""
    with_tests(t, "not_null, unique")
    names = "not_null_m_v unique_m_v"
    t.run("build", no_history=f"s m c {names}")
    t.run("build", no_new_data=f"s m c {names}")
    t.said("replayed")
    t.run("test", no_new_data=names)
    t.write("seeds/s.csv", "id,v\n1,a\n2,b\n3,c\n")
    t.run("build", code_changed="s", new_upstream_data=f"m c {names}")


@scenario
def failing_test_is_replayed_failing(t: Twin) -> None:
    """A recorded failure is still a failure with its number of rows, and children are skipped."""
    with_tests(t, "unique")
    t.write("seeds/s.csv", "id,v\n1,a\n2,a\n3,b\n4,b\n")
    t.run("build", no_history="s m unique_m_v", success=False)
    t.run("build", no_new_data="s m unique_m_v", success=False)
    t.write("seeds/s.csv", "id,v\n1,a\n2,b\n")
    t.run("build", code_changed="s", new_upstream_data="m unique_m_v", no_history="c", success=True)


@scenario
def severity_changes(t: Twin) -> None:
    t.write("dbt_project.yml", QUIET_PROJECT)
    with_tests(t, "{unique: {config: {severity: warn}}}")
    t.write("seeds/s.csv", "id,v\n1,a\n2,a\n")
    t.run("build", no_history="s m c unique_m_v", success=True)
    t.run("build", no_new_data="s m c unique_m_v", success=True)
    t.run(
        "--warn-error build",
        success=False,
        no_new_data="s m unique_m_v",
    )
    t.write("models/p.yml", properties("{unique: {config: {severity: error}}}"))
    t.run("build", no_new_data="s m", config_changed="unique_m_v", success=False)


@scenario
def where_added(t: Twin) -> None:
    with_tests(t, "unique")
    t.run("build", no_history="s m c unique_m_v")
    t.write("models/p.yml", properties('{unique: {config: {where: "id > 1"}}}'))
    t.run("build", no_new_data="s m c", code_changed="unique_m_v")


@scenario
def thresholds_change(t: Twin) -> None:
    """warn_if, error_if, limit and fail_calc."""
    with_tests(t, '{unique: {config: {warn_if: ">5", error_if: ">10"}}}')
    t.write("seeds/s.csv", "id,v\n1,a\n2,a\n")
    t.run("build", no_history="s m c unique_m_v", success=True)
    for config in (
        '{warn_if: ">0", error_if: ">10"}',
        '{warn_if: ">0", error_if: ">0"}',
    ):
        t.write("models/p.yml", properties(f"{{unique: {{config: {config}}}}}"))
        t.run("test -s unique_m_v", code_changed="unique_m_v")
    for config in ("{limit: 1}", '{fail_calc: "sum(n_records)"}'):
        t.write("models/p.yml", properties(f"{{unique: {{config: {config}}}}}"))
        t.run("test -s unique_m_v", code_changed="unique_m_v")


@scenario
def store_failures_table_dropped(t: Twin) -> None:
    """GAP: a replay would leave the audit table missing; it runs to restore it."""
    with_tests(t, "{unique: {config: {store_failures: true}}}")
    t.write("seeds/s.csv", "id,v\n1,a\n2,a\n")
    t.run("build", no_history="s m unique_m_v", success=False)
    t.run("build", no_new_data="s m unique_m_v", success=False)
    t.sql("drop table main_dbt_test__audit.unique_m_v")
    t.run("build", no_new_data="s m", relation_missing="unique_m_v", success=False)


@scenario
def store_failures_by_flag(t: Twin) -> None:
    """--store-failures asks for the table as the config does."""
    with_tests(t, "unique")
    t.run("build", no_history="s m c unique_m_v")
    t.run(
        "build --store-failures",
        no_new_data="s m c",
        relation_missing="unique_m_v",
    )
    t.run("build --store-failures", no_new_data="s m c unique_m_v")


@scenario
def store_failures_table_changed(t: Twin) -> None:
    """Rows of the audit table edited by hand: outside what a replay can prove."""
    with_tests(t, "{unique: {config: {store_failures: true}}}")
    t.write("seeds/s.csv", "id,v\n1,a\n2,a\n")
    t.run("build", no_history="s m unique_m_v", success=False)
    t.sql("delete from main_dbt_test__audit.unique_m_v")
    t.run("build", no_new_data="s m", target_modified="unique_m_v", success=False)


@scenario
def relationships(t: Twin) -> None:
    """A test of two tables runs when either changed."""
    raw_tables(t)
    t.files(
        {
            "models/m.sql": "select id, w from {{ source('raw', 'u') }}",
            "models/n.sql": "select id from {{ source('raw', 't') }}",
            "models/p.yml": properties(
                "{relationships: {arguments: {to: \"ref('n')\", field: id}}}", column="id"
            ),
        }
    )
    name = "relationships_m_id__id__ref_n_"
    t.run("build", no_history=f"m n {name}")
    t.run("build", no_new_data=f"m n {name}")
    t.sql("delete from raw.t where id = 1")
    t.run("build", new_upstream_data=f"n {name}", no_new_data="m", success=False)


@scenario
def singular_tests(t: Twin) -> None:
    """A query of one's own, over a view, and one that names a table without ref()."""
    raw_tables(t)
    t.files(
        {
            "models/w.sql": "{{ config(materialized='view') }} select id from {{ source('raw', 't') }}",
            "tests/a.sql": "select * from {{ ref('w') }} where id is null",
            "tests/b.sql": "select * from {{ ref('w') }} where id in (select id from raw.u where w < 0)",
        }
    )
    t.run("build", no_history="w a b")
    t.run("build", view_unchanged="w", no_new_data="a b")
    t.sql("update raw.u set w = -1")
    t.run("build", view_unchanged="w", no_new_data="a", new_upstream_data="b", success=False)
    t.sql("insert into raw.t values (null, 'x')")
    t.run("build", view_unchanged="w", new_upstream_data="a b", success=False)


@scenario
def where_reads_a_table(t: Twin) -> None:
    """A subquery in where is an input of the test."""
    raw_tables(t)
    t.files(CHAIN)
    t.write(
        "models/p.yml",
        properties('{not_null: {config: {where: "id in (select id from raw.u)"}}}', column="v"),
    )
    t.run("build", no_history="s m c not_null_m_v")
    t.run("build", no_new_data="s m c not_null_m_v")
    t.sql("insert into raw.u values (2, 5)")
    t.run("build", no_new_data="s m c", new_upstream_data="not_null_m_v")


@scenario
def fail_calc_reads_a_table(t: Twin) -> None:
    raw_tables(t)
    t.files(CHAIN)
    t.write(
        "models/p.yml",
        properties(
            '{unique: {config: {fail_calc: "count(*) + (select count(*) from raw.u where w < 0)"}}}'
        ),
    )
    t.run("build", no_history="s m c unique_m_v")
    t.run("build", no_new_data="s m c unique_m_v")
    t.sql("insert into raw.u values (7, -1)")
    t.run("build", no_new_data="s m", new_upstream_data="unique_m_v", success=False)


@scenario
def thresholds_read_tables(t: Twin) -> None:
    """warn_if and error_if are spliced into the query: what they read is an input of the test."""
    t.write("dbt_project.yml", QUIET_PROJECT)
    raw_tables(t)
    t.files(CHAIN)
    t.write("seeds/s.csv", "id,v\n1,a\n2,a\n3,b\n4,b\n")
    limits = "{warn_if: '> (select max(w) from raw.u)', error_if: '> (select max(id) from raw.t)'}"
    t.write("models/p.yml", properties(f"{{unique: {{config: {limits}}}}}"))
    t.run("build", no_history="s m c unique_m_v", success=True)
    t.run("build", no_new_data="s m c unique_m_v", success=True)
    t.sql("update raw.u set w = 1")
    t.run("build", no_new_data="s m c", new_upstream_data="unique_m_v", success=True)
    t.statuses_were("reused", "warn")
    t.run("build", no_new_data="s m c unique_m_v", success=True)
    t.statuses_were("reused", "warn")
    t.sql("delete from raw.t where id = 2")
    t.run("build", no_new_data="s m", new_upstream_data="unique_m_v", success=False)


@scenario
def view_tested_and_edited(t: Twin) -> None:
    """A test on a view reads its tables through the view's code."""
    t.files(
        {
            "seeds/s.csv": "id,v\n1,a\n2,\n",
            "models/m.sql": "{{ config(materialized='view') }} select * from {{ ref('s') }} "
            "where v is not null",
            "models/p.yml": properties("not_null"),
        }
    )
    t.run("build", no_history="s m not_null_m_v")
    t.run("build", no_new_data="s not_null_m_v", select_star_view="m")
    t.edit("models/m.sql", "where v is not null", "where true")
    t.run(
        "build",
        code_changed="m",
        no_new_data="s",
        upstream_code_changed="not_null_m_v",
        success=False,
    )


@scenario
def new_test_runs(t: Twin) -> None:
    with_tests(t, "not_null")
    t.run("build", no_history="s m c not_null_m_v")
    t.write("models/p.yml", properties("not_null, unique"))
    t.run("build", no_new_data="s m c not_null_m_v", no_history="unique_m_v")


@scenario
def tolerance_is_never_for_tests(t: Twin) -> None:
    """lag_tolerance holds a model back, its test runs on new data of what it reads."""
    raw_tables(t)
    t.write(
        "models/sources.yml",
        """version: 2
sources:
  - name: raw
    tables:
      - {name: t, columns: [{name: id, data_tests: [not_null]}]}
""",
    )
    t.write(
        "models/m.sql",
        "{{ config(state={'lag_tolerance': '1h'}) }} select id from {{ source('raw', 't') }}",
    )
    name = "source_not_null_raw_t_id"
    t.run("build", no_history=f"m {name}")
    t.sql("insert into raw.t values (5, 'e')")
    t.stale("main.m")
    t.run("build", within_lag_tolerance="m", new_upstream_data=name)


@scenario
def unit_tests_always_run(t: Twin) -> None:
    """Unit tests are not ours; the model beside them is reused."""
    t.files(CHAIN)
    t.write(
        "models/p.yml",
        """version: 2
unit_tests:
  - name: looks
    model: m
    given:
      - {input: ref('s'), rows: [{id: 1, v: a}]}
    expect: {rows: [{id: 1, v: a}]}
""",
    )
    t.run("build", no_history="s m c", expect={"m.looks": "undecided"}, success=True)
    t.run("build", no_new_data="s m c", expect={"m.looks": "undecided"}, success=True)


@scenario
def fixed_data_after_a_skip(t: Twin) -> None:
    """A failing test skipped the child; when the data is right the child is built."""
    raw_tables(t)
    t.files(
        {
            "models/m.sql": "select id, v from {{ source('raw', 't') }}",
            "models/c.sql": "select count(*) as n from {{ ref('m') }}",
            "models/p.yml": properties("unique"),
        }
    )
    t.run("build", no_history="m c unique_m_v", success=True)
    t.sql("update raw.t set v = 'same'")
    t.run("build", new_upstream_data="m unique_m_v", success=False)
    t.run("build", no_new_data="m unique_m_v", success=False)
    t.sql("update raw.t set v = id::varchar")
    t.run(
        "build",
        new_upstream_data="m unique_m_v c",
        success=True,
    )
