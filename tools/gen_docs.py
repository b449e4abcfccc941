"""Writes the pages that are made from code, so that they cannot tell another story.

In:  core/decision's reasons.def, the table of settings, the stub of a built core.
Out: docs/rules.md, docs/settings.md, python/dbt_hodor/_core.pyi; with --check: what is out of date.
Never: holds a fact that those sources do not hold.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REASONS = ROOT / "core" / "decision" / "include" / "hodor" / "decision" / "reasons.def"
STUB = ROOT / "build" / "dev" / "bindings" / "_core.pyi"
MADE = "<!-- Made by ./dev docs from {}. Do not edit. -->\n"

RULES_HEAD = """# Rules and reasons

The rules are tried from top to bottom, and the first that applies decides. Each exit of the decision
carries exactly one reason; records, log lines, `target/hodor_run.json` and `dbt-hodor explain` use its
name. A name is never given another meaning. Whatever is not known (a version, a definition, a record)
equals nothing, itself included, and so leads to a build.

"""
SETTINGS_HEAD = """# Settings

Everything that can be set. An environment variable goes before `--vars`, that before the profile, that
before the default. An empty variable counts as not set.

An invalid mode or store turns hodor off for the run, with a warning: guessing what was meant could skip
or keep data. Any other invalid value is replaced by its default, with a warning.

"""
RUN_HEAD = """## Of a run

Keys of the active target in `profiles.yml`, keys of `--vars`, or environment variables (the same name in
capitals).

"""
STATE_HEAD = """## Of a node: `state:`

In `dbt_project.yml` (`+state:`) or a properties file. The block is merged key by key from project to
folder to node. The keys are those of dbt State, so that a project can move between the two.

"""
META_HEAD = """## Of a node or source: `meta.hodor`

"""


def rules() -> str:
    """docs/rules.md."""
    pattern = r'REASON\((\w+), (\w+), "([^"]*)", "((?:[^"\\]|\\.)*)"\)'
    found = re.findall(pattern, REASONS.read_text(encoding="utf-8"))
    lines = ["| rule | reason | then | when |", "|---|---|---|---|"]
    lines += [f"| {rule} | `{name}` | {action} | {text} |" for name, action, rule, text in found]
    return MADE.format("reasons.def") + RULES_HEAD + "\n".join(lines) + "\n"


def settings() -> str:
    """docs/settings.md."""
    from dbt_hodor.settings import SETTINGS

    sections = []
    for where, head in (("run", RUN_HEAD), ("state", STATE_HEAD), ("meta", META_HEAD)):
        lines = ["| name | default | accepted | meaning |", "|---|---|---|---|"]
        for row in SETTINGS:
            if row.where == where:
                also = f" (also `{'`, `'.join(row.aliases)}`)" if row.aliases else ""
                accepted = row.accepted.replace("|", "\\|")
                lines.append(
                    f"| `{row.name}`{also} | {_default(row.name, row.default)} | {accepted} "
                    f"| {row.help.replace('|', chr(92) + '|')} |"
                )
        sections.append(head + "\n".join(lines) + "\n")
    return MADE.format("python/dbt_hodor/settings.py") + SETTINGS_HEAD + "\n".join(sections)


def _default(name: str, value: object) -> str:
    if value is None:
        return "–"
    if name == "lag_tolerance" and isinstance(value, int):
        return f"{value // 60_000}m"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def pages() -> dict[Path, str]:
    """Every made file with what should stand in it."""
    made = {ROOT / "docs" / "rules.md": rules(), ROOT / "docs" / "settings.md": settings()}
    if STUB.is_file():
        made[ROOT / "python" / "dbt_hodor" / "_core.pyi"] = STUB.read_text(encoding="utf-8")
    return made


def out_of_date() -> list[str]:
    """Names of made files that differ from what would be written now."""
    return [
        path.relative_to(ROOT).as_posix()
        for path, text in pages().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]


def main() -> int:
    if "--check" in sys.argv[1:]:
        stale = out_of_date()
        print("\n".join(stale) or "up to date")
        return 1 if stale else 0
    for path, text in pages().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
