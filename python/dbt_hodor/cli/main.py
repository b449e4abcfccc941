"""The commands of `dbt-hodor`: explain, prune, ddl, doctor, sql.

In:  arguments; the project they are run in.
Out: text or JSON on stdout, problems on stderr, the exit codes of docs/cli.md.
Never: writes to the store, except `prune --yes`.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from typing import Any, TypeVar

import click

from dbt_hodor import __version__
from dbt_hodor.cli import project as projects
from dbt_hodor.cli.project import Options, Project, ProjectNotLoaded
from dbt_hodor.cli.sql import sql
from dbt_hodor.store.base import StoreUnavailable, StoreUnreadable

OK, NOTHING_FOUND, CANNOT_LOAD, NO_STORE = 0, 1, 2, 3
_DAY_MS = 24 * 60 * 60 * 1000
_PLAIN_WIDTH = 100
_NARROWEST = 40

Function = TypeVar("Function", bound=Callable[..., Any])


def project_options(function: Function) -> Function:
    """The options that find a project, as dbt spells them."""
    for name, what in (
        ("--vars", "YAML of variables, as for dbt; hodor_* keys in it are settings."),
        ("--target", "The target of the profile."),
        ("--profile", "The profile, instead of the project's."),
        ("--profiles-dir", "Where profiles.yml is."),
        ("--project-dir", "Where dbt_project.yml is."),
    ):
        function = click.option(name, metavar="TEXT", help=what)(function)
    return function


def _options(given: dict[str, Any]) -> Options:
    names = ("project_dir", "profiles_dir", "profile", "target", "vars")
    return Options(**{name: given[name] for name in names})


def _say(text: str = "") -> None:
    click.echo(text, color=False if os.environ.get("NO_COLOR") else None)


def _width() -> int:
    """Columns of the terminal; COLUMNS overrides it, a pipe gets a fixed width."""
    return max(_NARROWEST, shutil.get_terminal_size((_PLAIN_WIDTH, 24)).columns)


class Stop(Exception):
    """Ends the command with a sentence and an exit code."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def _load(given: dict[str, Any]) -> Project:
    project = projects.load(_options(given))
    for warning in project.settings.warnings:
        click.echo(f"warning: {warning}", err=True)
    return project


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dbt-hodor")
def cli() -> None:
    """Shows what dbt-hodor decided and why. Run it inside a dbt project."""


@cli.command()
@click.option(
    "-s",
    "--select",
    multiple=True,
    metavar="NODE",
    help="A unique_id, relation or name; * and ? are wildcards. May be repeated.",
)
@click.option("--invocation", metavar="ID", help="A dbt invocation; default: the latest recorded.")
@click.option("--json", "as_json", is_flag=True, help="All of it, for programs.")
@click.option("-v", "--verbose", is_flag=True, help="Also what did not change.")
@project_options  # fmt: skip
def explain(
    select: tuple[str, ...], invocation: str | None, as_json: bool, verbose: bool, **given: Any
) -> None:
    """Say what was built or reused, and what had changed.

    Without -s: every node of the invocation in one line. With -s: the node in full.
    """
    from dbt_hodor.cli.explain import SCHEMA_VERSION, Explainer, matching
    from dbt_hodor.cli.stores import open_store
    from dbt_hodor.cli.text import details, overview, wrapped
    from dbt_hodor.cli.wording import moment

    project = _load(given)
    store = open_store(project)
    try:
        rows = store.invocation(project.name, project.target, invocation)
        if not rows:
            raise Stop(NOTHING_FOUND, _nothing(project, invocation))
        first_ms = min(row.recorded_at_ms for row in rows)
        since_ms = first_ms - project.settings.lookback_days * _DAY_MS
        previous = store.load_latest(project.name, project.target, since_ms, first_ms)
    finally:
        store.close()
    chosen = matching(rows, select)
    if not chosen:
        raise Stop(
            NOTHING_FOUND,
            f"invocation {rows[0].invocation_id} recorded no node {' '.join(select)!r}. "
            "Give another one with --invocation, or leave -s out to see its nodes.",
        )
    explainer = Explainer(rows, previous)
    explanations = [explainer.explain(row) for row in chosen]
    if as_json:
        document = {
            "schema_version": SCHEMA_VERSION,
            "project": project.name,
            "target": project.target,
            "invocation_id": rows[0].invocation_id,
            "recorded_at_ms": first_ms,
            "nodes": [explanation.as_json() for explanation in explanations],
        }
        click.echo(json.dumps(document, indent=2))
        return
    built = sum(row.action == "build" for row in rows)
    summary = (
        f"{project.name}/{project.target}, invocation {rows[0].invocation_id}, {moment(first_ms)}: "
        f"{len(rows) - built} reused, {built} built"
    )
    for line in wrapped(summary, _width()):
        _say(line)
    for explanation in explanations if select else ():
        _say()
        for line in details(explanation, _width(), verbose=verbose):
            _say(line)
    for line in () if select else overview(explanations, _width()):
        _say(line)


def _nothing(project: Project, invocation: str | None) -> str:
    if invocation is not None:
        return f"invocation {invocation} recorded nothing for {project.name}/{project.target}."
    return (
        f"nothing is recorded for {project.name}/{project.target}. "
        "Run dbt build first; dbt-hodor doctor tells whether hodor takes part."
    )


@cli.command()
@click.option("--yes", is_flag=True, help="Delete; without it only the number is told.")
@click.option(
    "--older-than",
    type=click.IntRange(1, 3650),
    metavar="DAYS",
    help="Default: hodor_lookback_days, beyond which no run looks.",
)
@project_options  # fmt: skip
def prune(yes: bool, older_than: int | None, **given: Any) -> None:
    """Delete old records of this project and target."""
    from dbt_hodor.cli.stores import open_store
    from dbt_hodor.cli.wording import moment

    project = _load(given)
    days = older_than or project.settings.lookback_days
    cutoff_ms = int(time.time() * 1000) - days * _DAY_MS
    store = open_store(project, read_only=not yes)
    try:
        count = store.prune(project.name, project.target, cutoff_ms, yes)
    finally:
        store.close()
    noun = "record" if count == 1 else "records"
    done = "deleted" if yes else "would be deleted; give --yes to do it"
    _say(
        f"{count} {noun} of {project.name}/{project.target} from before {moment(cutoff_ms)} {done}"
    )


@cli.command()
@project_options
def ddl(**given: Any) -> None:
    """Print the statements that create the record table."""
    from dbt_hodor.cli.stores import open_store

    store = open_store(_load(given))
    try:
        click.echo(store.ddl(), nl=False)
    finally:
        store.close()


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="All of it, for programs.")
@project_options
def doctor(as_json: bool, **given: Any) -> None:
    """Check whether hodor takes part in this project's runs, and say what to do next."""
    from dbt_hodor.cli.doctor import examine

    report = examine(_options(given))
    if as_json:
        click.echo(json.dumps(report.as_json(), indent=2))
    else:
        for line in report.lines(_width()):
            _say(line)
    if not report.healthy:
        raise click.exceptions.Exit(NOTHING_FOUND)


cli.add_command(sql)


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; returns its exit code instead of ending the process."""
    try:
        result = cli.main(args=arguments, prog_name="dbt-hodor", standalone_mode=False)
        return result if isinstance(result, int) else OK
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        error.show()
        return CANNOT_LOAD
    except click.Abort:
        return 130
    except Stop as stop:
        click.echo(str(stop), err=True)
        return stop.code
    except ProjectNotLoaded as error:
        click.echo(str(error), err=True)
        return CANNOT_LOAD
    except (StoreUnavailable, StoreUnreadable, ValueError) as error:
        click.echo(f"the store cannot be used: {error}", err=True)
        return NO_STORE
    except BrokenPipeError:
        # Whoever read our output has enough of it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return OK
