"""One dbt run for the benchmark, in a process whose CPU time and memory the parent measures.

In:  `hodor`, `plain` or `floor`, then dbt's arguments; the project is the working directory.
Out: dbt's exit code.
Never: loads hodor unless told to, and never both plugins.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> int:
    variant, *arguments = sys.argv[1:]
    if variant != "hodor":
        sys.path.insert(0, str(HERE.parent / "e2e"))
        from worker import hide_plugin

        hide_plugin()
    if variant == "floor":
        sys.path.insert(0, str(HERE / "floor"))
    from dbt.cli.main import dbtRunner

    outcome = dbtRunner().invoke(["--no-use-colors", "--no-version-check", *arguments])
    loaded = sys.modules.get("dbt_hodor") is not None
    if loaded != (variant == "hodor"):
        sys.stderr.write(f"the variant {variant} ran {'with' if loaded else 'without'} hodor\n")
        return 3
    if outcome.exception is not None:
        sys.stderr.write(f"{outcome.exception!r}\n")
        return 2
    return 0 if outcome.success else 1


if __name__ == "__main__":
    sys.exit(main())
