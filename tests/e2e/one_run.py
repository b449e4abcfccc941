"""dbt once, in a process of its own: for scenarios in which the process dies.

In:  dbt's arguments. Out: dbt's exit code. Never: loads the plugin on the plain side.
"""

from __future__ import annotations

import os
import signal
import sys


def main() -> int:
    # A shell that runs the suite in the background has SIGINT ignored, and children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if os.environ.get("HODOR_E2E_PLAIN") == "1":
        from worker import hide_plugin

        hide_plugin()
    from dbt.cli.main import dbtRunner

    outcome = dbtRunner().invoke(["--no-use-colors", "--log-level-file", "none", *sys.argv[1:]])
    if outcome.exception is not None:
        return 2
    return 0 if outcome.success else 1


if __name__ == "__main__":
    sys.exit(main())
