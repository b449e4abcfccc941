"""The twin: a scenario is written once and happens twice, with the plugin and in plain dbt.

In:  project files and steps (write a file, run SQL by hand, run dbt, touch the state store).
Out: a failure that names every difference between the two warehouses, test outcomes and exit
     statuses, and every node whose decision or reason is not the expected one. The steps up to the
     failure are saved as JSON and can be run again: ``python -m e2e.replay FILE`` in tests/.
Never: loosens a comparison. Only columns and relations declared by the scenario are excepted.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from e2e.compare import Dump, differences, outcomes
from e2e.store_actions import ACTIONS
from e2e.workers import HERE, Pair, environment

REUSE_REASONS = frozenset({"view_unchanged", "no_new_data", "within_lag_tolerance"})

PROJECT = """name: p
version: "1.0"
config-version: 2
profile: p
models:
  +materialized: table
  +state: {lag_tolerance: 0s}
seeds:
  +state: {lag_tolerance: 0s}
snapshots:
  +state: {lag_tolerance: 0s}
"""

PROFILES = """p:
  target: dev
  outputs:
    dev: {type: duckdb, path: wh.duckdb, threads: 1}
"""

WAREHOUSE = "wh.duckdb"
PROCESS_TIMEOUT_S = 240

UNPLUGGED = os.environ.get("HODOR_E2E_UNPLUGGED") == "1"
"""Both sides are plain dbt and decisions are not looked at: tests the scenarios themselves."""


QUIET = re.compile(
    r"START|OK |Finished|Completed|Concurrency|Registered|Running with|HINT|^\S*\s*$"
)
"""Lines of dbt's output that say nothing about a failure."""


class TwinFailure(AssertionError):
    """Ours and the twin differ, or a decision was not the expected one."""


class Twin:
    """One scenario on both sides. ``steps`` is the replayable history."""

    def __init__(self, pair: Pair, name: str, failures: Path | None = None) -> None:
        self.pair = pair
        self.name = name
        self.failures = failures or pair.root
        self.steps: list[dict[str, Any]] = []
        self.dirs = {side: pair.root / side / "project" for side in "ab"}
        for directory in self.dirs.values():
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir(parents=True)
        self.exceptions: dict[str, list[str]] = {}
        self.ignored: set[str] = set()
        self.base_env: dict[str, dict[str, str]] = {"a": {"HODOR_MODE": "on"}, "b": {}}
        self.last: dict[str, dict[str, Any]] = {}
        self.dumps: dict[str, Dump] = {"a": {}, "b": {}}
        self.write("profiles.yml", PROFILES)
        self.write("dbt_project.yml", PROJECT)

    # -- declarations ------------------------------------------------------------------------

    def manifests(self) -> None:
        """The manifest is written to target/ from now on (for --state, clone, retry)."""
        self._record("manifests")
        for side in "ab":
            self.base_env[side]["HODOR_E2E_MANIFEST"] = "1"

    def except_columns(self, relation: str, *columns: str) -> None:
        """Values of these columns are stamps or random: only their being null is compared."""
        self._record("except_columns", relation=relation, columns=columns)
        self.exceptions.setdefault(relation, []).extend(columns)

    def stale(self, *relations: str) -> None:
        """These relations are stale on purpose in the next comparisons (a tolerance says so)."""
        self._record("stale", relations=relations)
        self.ignored = set(relations)

    # -- files -------------------------------------------------------------------------------

    def write(self, path: str, content: str) -> None:
        self._record("write", path=path, content=content)
        for directory in self.dirs.values():
            file = directory / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode())

    def files(self, files: dict[str, str]) -> None:
        for path, content in files.items():
            self.write(path, content)

    def edit(self, path: str, old: str, new: str) -> None:
        """Replaces text that must be there."""
        before = (self.dirs["b"] / path).read_bytes().decode()
        assert old in before, f"{path} does not contain {old!r}"
        self.write(path, before.replace(old, new))

    def delete(self, path: str) -> None:
        self._record("delete", path=path)
        for directory in self.dirs.values():
            target = directory / path
            if target.is_dir():
                shutil.rmtree(target)
            else:
                target.unlink(missing_ok=True)

    def copy(self, source: str, destination: str) -> None:
        """Copies a file or folder inside each project (each side its own, e.g. its manifest)."""
        self._record("copy", source=source, destination=destination)
        for directory in self.dirs.values():
            target = directory / destination
            target.parent.mkdir(parents=True, exist_ok=True)
            if (directory / source).is_dir():
                shutil.copytree(directory / source, target, dirs_exist_ok=True)
            else:
                shutil.copyfile(directory / source, target)

    # -- the warehouse and the store ---------------------------------------------------------

    def sql(self, text: str, file: str = WAREHOUSE) -> list[list[str]]:
        """By hand, outside dbt, on both sides. Returns the rows of ours."""
        self._record("sql", text=text, file=file)
        a, b = self._both({"cmd": "sql", "sql": text, "file": file})
        if ("error" in a) != ("error" in b):
            self.fail([f"sql by hand: {a.get('error')} / {b.get('error')}"])
        assert "error" not in b, b["error"]
        return a["rows"]

    def try_sql(self, text: str) -> None:
        """Like ``sql``, but it may fail, on both sides alike (random sequences)."""
        self._record("try_sql", text=text)
        a, b = self._both({"cmd": "sql", "sql": text, "file": WAREHOUSE})
        if ("error" in a) != ("error" in b):
            self.fail([f"sql by hand: {a.get('error')} / {b.get('error')}"])

    def store(self, action: str, argument: str = "") -> Any:
        """Something happens to the state store; the twin has none. See store_actions.py."""
        self._record("store", action=action, argument=argument)
        if UNPLUGGED:
            return None
        return ACTIONS[action](self.dirs["a"], argument)

    # -- dbt ---------------------------------------------------------------------------------

    def run(
        self,
        command: str,
        *,
        env: dict[str, str] | None = None,
        twin: str | None = None,
        expect: dict[str, str] | None = None,
        allow: dict[str, str] | None = None,
        success: bool | None = None,
        **reasons: str,
    ) -> None:
        """Runs dbt on both sides and checks everything.

        ``reasons``: reason -> the names of all nodes decided so; together with ``expect`` (name ->
        reason) this is the whole content of hodor_run.json. ``allow``: name -> alternative reasons
        of which one must hold. ``success``: dbt's own verdict, when the scenario is about it.
        ``twin``: the twin's command when it must differ (``""``: the twin does not run).
        """
        wanted = {n: {r} for r, names in reasons.items() for n in names.split()}
        wanted |= {n: {r} for n, r in (expect or {}).items()}
        wanted |= {n: set(r.split()) for n, r in (allow or {}).items()}
        compared = self.invoke(command, env=env, twin=twin)
        found = self.problems(compare=compared, success=success)
        if not UNPLUGGED and (wanted or self.last["a"]["hodor"] is not None):
            found += self._decision_problems(wanted)
        self._record_expectation(wanted)
        if found:
            self.fail(found)

    def invoke(
        self, command: str, *, env: dict[str, str] | None = None, twin: str | None = None
    ) -> bool:
        """Runs dbt on both sides without looking at the outcome. False: the twin did not run."""
        self._record("invoke", command=command, env=env or {}, twin=twin)
        requests = {}
        for side, line in (("a", command), ("b", command if twin is None else twin)):
            requests[side] = {
                "cmd": "run",
                "dir": str(self.dirs[side]),
                "args": shlex.split(line),
                "env": self.base_env[side] | (env or {}),
                "output": str(self.dirs[side].parent / "output.txt"),
            }
        if twin == "":
            self.pair.a.send(requests["a"])
            self.last = {"a": self.pair.a.receive(), "b": {}}
        else:
            a, b = self.pair.both(requests["a"], requests["b"])
            self.last = {"a": a, "b": b}
        for side, reply in self.last.items():
            if "error" in reply:
                self.fail([f"the worker of side {side} failed: {reply['error']}"])
        self.read_warehouses()
        return twin != ""

    def subprocess(self, command: str, env: dict[str, str] | None = None) -> list[int]:
        """Runs dbt as processes of their own (which may be killed). Returns both exit codes."""
        self._record("subprocess", command=command, env=env or {})
        running = {}
        for side, directory in self.dirs.items():
            surroundings = environment(side == "b") | self.base_env[side] | (env or {})
            running[side] = subprocess.Popen(
                [sys.executable, str(HERE / "one_run.py"), *shlex.split(command)],
                cwd=directory,
                env=surroundings,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        codes = []
        for side, process in running.items():
            output, _ = process.communicate(timeout=PROCESS_TIMEOUT_S)
            self.last[side] = {"output": output, "hodor": None, "results": []}
            codes.append(process.returncode)
        artefact = self.dirs["a"] / "target" / "hodor_run.json"
        if artefact.exists():
            self.last["a"]["hodor"] = json.loads(artefact.read_text())
        return codes

    def read_warehouses(self, file: str = WAREHOUSE) -> None:
        a, b = self._both({"cmd": "dump", "file": file, "except": self.exceptions})
        for reply in (a, b):
            assert "error" not in reply, reply["error"]
        self.dumps = {"a": a["relations"], "b": b["relations"]}

    # -- judging -----------------------------------------------------------------------------

    def problems(self, compare: bool = True, success: bool | None = None) -> list[str]:
        a, b = self.last["a"], self.last["b"]
        found = []
        if not compare:
            return found
        if a["success"] != b["success"]:
            found.append(
                f"success: ours {a['success']} ({a['exception']}), twin {b['success']} "
                f"({b['exception']})"
            )
        if success is not None and b["success"] != success:
            found.append(f"the twin's success is {b['success']}: {b['exception']} {b['output']}")
        ours, twins = outcomes(a["results"]), outcomes(b["results"])
        for node in sorted({*ours, *twins}):
            if ours.get(node) != twins.get(node):
                found.append(f"outcome of {node}: ours {ours.get(node)}, twin {twins.get(node)}")
        return found + differences(self.dumps["a"], self.dumps["b"], self.ignored)

    def decisions(self) -> dict[str, str]:
        """Name -> reason, of the last run of ours. Nodes that dbt skipped are left out; what ran
        without being decided (unit tests, microbatch) is ``undecided``."""
        from e2e.worker import short_name

        artefact = self.last["a"]["hodor"]
        if artefact is None:
            return {}
        return {
            short_name(n["unique_id"]): n["reason"] or "undecided"
            for n in artefact["nodes"]
            if n["action"] != "skip"
        }

    def _decision_problems(self, wanted: dict[str, set[str]]) -> list[str]:
        artefact = self.last["a"]["hodor"]
        if artefact is None:
            return [f"no target/hodor_run.json was written ({self.last['a'].get('exception')})"]
        found = []
        got = self.decisions()
        for name in sorted({*wanted, *got}):
            if name not in got:
                found.append(f"{name}: not in hodor_run.json, expected {sorted(wanted[name])}")
            elif got[name] not in wanted.get(name, ()):
                expected = " or ".join(sorted(wanted.get(name, {"nothing"})))
                found.append(f"{name}: reason {got[name]}, expected {expected}")
        for node in artefact["nodes"]:
            if node["reason"] is None:
                continue
            decision = action = "reuse" if node["reason"] in REUSE_REASONS else "build"
            if artefact["mode"] != "on":
                action = "build"
            elif action == "reuse" and node["resource_type"] == "test":
                action = "replay"
            if (node["decision"], node["action"]) != (decision, action):
                found.append(
                    f"{node['unique_id']}: decision {node['decision']}, action {node['action']}, "
                    f"reason {node['reason']}"
                )
        return found

    def output(self) -> str:
        """What our side printed in the last run."""
        return str(self.last["a"].get("output", ""))

    def said(self, text: str) -> None:
        if not UNPLUGGED and text.lower() not in self.output().lower():
            self.fail([f"ours did not print {text!r}:\n{self.output()}"])

    def not_said(self, text: str) -> None:
        if text.lower() in self.output().lower():
            self.fail([f"ours printed {text!r}:\n{self.output()}"])

    def mode_was(self, mode: str | None) -> None:
        """The mode in hodor_run.json; None: there is no such file, hodor was off."""
        artefact = self.last["a"]["hodor"]
        got = artefact["mode"] if artefact else None
        if not UNPLUGGED and got != mode:
            self.fail([f"mode {got}, expected {mode}"])

    def statuses_were(self, *statuses: str) -> None:
        """The set of dbt's own statuses on our side."""
        got = {r["status"] for r in self.last["a"]["results"]}
        if not UNPLUGGED and got != set(statuses):
            self.fail([f"statuses {got}, expected {statuses}"])

    def store_exists(self, path: str, expected: bool = True) -> None:
        if not UNPLUGGED and ACTIONS["exists"](self.dirs["a"], path) != expected:
            self.fail([f"{path}: exists is not {expected}"])

    def fail(self, found: list[str]) -> None:
        file = self.failures / f"{self.name.replace('/', '_')}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"name": self.name, "steps": self.steps}, indent=1))
        lines = [f"{self.name}, step {len(self.steps)}:", *found, f"replay: {file}"]
        shown = [line for line in self.output().splitlines() if not QUIET.search(line)]
        lines += ["last output of ours:", *shown[-12:]]
        raise TwinFailure("\n".join(lines))

    # -- internals ---------------------------------------------------------------------------

    def _both(self, request: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        return self.pair.both(
            request | {"dir": str(self.dirs["a"])}, request | {"dir": str(self.dirs["b"])}
        )

    def _record(self, op: str, **arguments: Any) -> None:
        self.steps.append({"op": op, **arguments})

    def _record_expectation(self, wanted: dict[str, set[str]]) -> None:
        self._record("expect", nodes={n: sorted(r) for n, r in wanted.items()})
