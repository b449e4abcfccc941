"""When hodor acts, when it stands aside, and what it says then."""

from __future__ import annotations

import sys
import warnings
from types import SimpleNamespace

import pytest

from dbt_hodor.plugin import dbt_state_is_active


def test_second_run_reuses_and_says_why(settled):
    settled.dbt("build")
    assert settled.actions == {
        "s": "reuse",
        "stg": "reuse",
        "t": "reuse",
        "not_null_t_id": "replay",
    }
    assert "REUSED table main.t (no_new_data, last build 20" in settled.output
    assert "REUSED view main.stg (view_unchanged, last build 20" in settled.output
    assert "PASS not_null_t_id (replayed, ran 20" in settled.output
    assert "3 reused, 1 tests replayed, 0 built, 0 errors" in settled.output
    assert settled.results["t"]["status"] == "reused"
    assert settled.results["t"]["message"].startswith("no_new_data, last build")
    assert [item["name"] for item in settled.results["t"]["timing"]] == ["compile", "execute"]
    assert settled.results["not_null_t_id"]["status"] == "pass"


def test_a_built_node_says_its_reason(toy):
    toy.dbt("run", "--select", "t", success=False)
    toy.dbt("build")
    assert "OK created sql table model main.t" in toy.output
    assert "(no_history)" in toy.output


@pytest.mark.parametrize("command", ["run", "build", "test", "seed", "snapshot"])
def test_every_command_of_ours_has_a_session(settled, command):
    settled.forget_run()
    settled.write(
        "snapshots/snap.yml",
        """
        snapshots:
          - name: snap
            relation: ref('t')
            config: {unique_key: id, strategy: check, check_cols: all}
        """,
    )
    settled.dbt(command)
    assert settled.run["command"] == command
    assert settled.run["schema_version"] == 1


def test_shadow_builds_everything_and_tells_how_to_switch_on(settled):
    settled.profile({})
    settled.dbt("build")
    assert set(settled.actions.values()) == {"build"}
    assert settled.reasons["t"] == "no_new_data"
    assert "shadow, could reuse: no_new_data" in settled.output
    assert "4 of 4 nodes could be reused" in settled.output
    assert "HODOR_MODE=on" in settled.output
    settled.dbt("build", HODOR_MODE="on")
    assert settled.actions["t"] == "reuse"


def test_shadow_says_when_a_reuse_would_have_been_wrong(settled):
    wrong = """
    from dbt_hodor import _core
    _core.decide = lambda **given: ("reuse", "no_new_data", [])
    from dbt.cli.main import dbtRunner
    assert dbtRunner().invoke(["build"]).success
    """
    settled.python(wrong, HODOR_MODE="shadow")
    assert settled.run["totals"]["contradicted"] == 0
    settled.write("seeds/s.csv", "id,v\n1,a\n9,z\n")
    assert "would have kept other results (2 nodes)" in settled.python(wrong, HODOR_MODE="shadow")
    assert settled.run["totals"]["contradicted"] == 2


def test_vars_and_environment_choose_the_mode(settled):
    settled.forget_run()
    settled.dbt("build", "--vars", "{hodor_mode: off}")
    assert not settled.has_run()
    settled.dbt("build", "--vars", "{hodor_mode: off}", HODOR_MODE="on")
    assert settled.has_run()


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"HODOR_MODE": "yes"}, ["HODOR_MODE", "off, shadow, on", "hodor is off"]),
        ({"HODOR_STORE": "sqlite"}, ["HODOR_STORE", "duckdb", "hodor is off"]),
        ({"HODOR_PATH": "toy.duckdb"}, ["hodor_path is the warehouse file"]),
    ],
)
def test_unknown_values_turn_hodor_off_with_a_warning(settled, environment, said):
    settled.forget_run()
    settled.dbt("build", **environment)
    assert not settled.has_run()
    for part in said:
        assert part in settled.output
    assert "REUSED=0" in settled.output


def test_other_invalid_settings_warn_and_use_the_default(settled):
    settled.dbt("build", HODOR_LOOKBACK_DAYS="0")
    assert "HODOR_LOOKBACK_DAYS" in settled.output
    assert settled.actions["t"] == "reuse"


@pytest.mark.parametrize("flag", [["--empty"], ["--sample", "1 day"]])
def test_empty_and_sample_are_plain_dbt_with_one_line(settled, flag):
    settled.forget_run()
    settled.dbt("build" if flag[0] == "--empty" else "run", *flag)
    assert not settled.has_run()
    assert settled.output.count("hodor: off for this run") == 1
    settled.dbt("build")
    assert settled.actions["t"] == ("build" if flag[0] == "--empty" else "reuse")


def test_seed_show_builds_and_prints(settled):
    settled.dbt("seed", "--show")
    assert "Random sample of table" in settled.output
    assert settled.actions["s"] == "build"
    settled.dbt("build")
    assert settled.actions["s"] == "reuse"


def test_full_refresh_builds_and_the_nodes_own_config_wins(settled):
    settled.dbt("build", "--full-refresh")
    assert set(settled.reasons.values()) == {"full_refresh"}
    settled.write(
        "models/t.sql",
        "{{ config(materialized='table', full_refresh=false) }} select id, v from {{ ref('stg') }}",
    )
    settled.dbt("build")
    settled.dbt("build", "--full-refresh")
    assert settled.reasons["t"] == "no_new_data"


def test_reused_status_can_be_success(settled):
    settled.dbt("build", HODOR_REUSED_STATUS="success")
    assert settled.results["t"]["status"] == "success"
    assert settled.actions["t"] == "reuse"


def test_retry_goes_on_with_hodor(settled):
    settled.write("models/bad.sql", "{{ config(materialized='table') }} select 1 as x from nowhere")
    settled.write(
        "models/after.sql", "{{ config(materialized='table') }} select * from {{ ref('bad') }}"
    )
    settled.dbt("build", success=False)
    assert settled.actions["t"] == "reuse"
    settled.write("models/bad.sql", "{{ config(materialized='table') }} select 1 as x")
    settled.dbt("retry")
    assert settled.run["command"] == "build", "what is retried"
    assert settled.actions == {"bad": "build", "after": "build"}
    settled.dbt("build")
    assert settled.actions["bad"] == settled.actions["after"] == "reuse"


def test_v2_parser_turns_hodor_off(toy):
    script = """
    from types import SimpleNamespace
    from dbt.flags import set_flags
    from dbt_hodor import starting
    said = []
    starting.messages.warn = said.append
    starting.profile.read_hodor_keys = lambda config: {"hodor_mode": "on"}
    set_flags(SimpleNamespace(USE_V2_PARSER=True, EMPTY=False))
    task = SimpleNamespace(config=SimpleNamespace(cli_vars={}), manifest=None)
    assert starting.start(task, None, ()) is None
    print(said)
    """
    assert "--use-v2-parser" in toy.python(script)


def test_a_manifest_parsed_without_the_merge_is_parsed_again(toy):
    hidden = """
    import pkgutil
    original = pkgutil.iter_modules
    pkgutil.iter_modules = lambda *a, **k: (m for m in original(*a, **k) if m.name != "dbt_hodor")
    from dbt.cli.main import dbtRunner
    assert dbtRunner().invoke(["build"]).success
    """
    toy.write(
        "models/own.sql", "{{ config(state={'require_fresh_data_from': 'all'}) }} select 1 as x"
    )
    toy.python(hidden)
    toy.dbt("build")
    assert "Unable to do partial parsing" in toy.output
    toy.dbt("build")
    assert "Unable to do partial parsing" not in toy.output
    state = toy.python(
        """
        import json
        nodes = json.load(open("target/manifest.json"))["nodes"]
        print(nodes["model.toy.own"]["config"]["state"])
        """
    )
    assert "lag_tolerance" in state
    assert "require_fresh_data_from" in state


def test_a_manifest_handed_to_dbtrunner_without_the_merge_turns_hodor_off(toy):
    output = toy.python(
        """
        import pkgutil
        original = pkgutil.iter_modules
        hidden = lambda *a, **k: (m for m in original(*a, **k) if m.name != "dbt_hodor")
        from dbt.cli.main import dbtRunner
        pkgutil.iter_modules = hidden
        manifest = dbtRunner().invoke(["parse"]).result
        pkgutil.iter_modules = original
        assert dbtRunner(manifest=manifest).invoke(["build"]).success
        """
    )
    assert "parsed without hodor's `state:` merge" in output
    assert not toy.has_run()


def test_another_adapter_turns_hodor_off(toy):
    script = """
    from types import SimpleNamespace
    from dbt.flags import set_flags
    from dbt_hodor import starting
    said = []
    starting.messages.warn = said.append
    starting.profile.read_hodor_keys = lambda config: {"hodor_mode": "on"}
    starting.state_merge.was_parsed_with_merge = lambda manifest: True
    set_flags(SimpleNamespace(EMPTY=False))
    task = SimpleNamespace(config=SimpleNamespace(cli_vars={}), manifest=None)
    adapter = SimpleNamespace(type=lambda: "postgres")
    assert starting.start(task, adapter, ()) is None
    print(said)
    """
    assert "the adapter postgres is not supported" in toy.python(script)


def test_a_missing_duckdb_package_turns_hodor_off(settled):
    output = settled.python(
        """
        import dbt_hodor.adapters.duckdb
        import builtins
        original = builtins.__import__
        def refusing(name, globals=None, locals=None, fromlist=(), level=0):
            if name == "duckdb" and (globals or {}).get("__name__") == "dbt_hodor.adapters.duckdb":
                raise ImportError("No module named 'duckdb'")
            return original(name, globals, locals, fromlist, level)
        builtins.__import__ = refusing
        from dbt.cli.main import dbtRunner
        assert dbtRunner().invoke(["build"]).success
        """
    )
    assert "pip install dbt-hodor[duckdb]" in output
    assert "REUSED=0" in output


def test_an_active_dbt_state_makes_hodor_stand_aside(settled):
    settled.forget_run()
    settled.write(
        "plugin_path/dbt_state.py",
        """
        from dbt.plugins.manager import dbtPlugin
        class StatePlugin(dbtPlugin):
            pass
        plugins = [StatePlugin]
        """,
    )
    paths = f"{settled.environment()['PYTHONPATH']}:{settled.root / 'plugin_path'}"
    settled.child("build", PYTHONPATH=f"{settled.root / 'plugin_path'}:{paths}")
    assert "dbt State is active" in settled.output
    assert not settled.has_run()
    settled.child("build", PYTHONPATH=paths, RUN_CACHE_DISABLED="1")
    assert settled.actions["t"] == "reuse"


def test_an_installed_but_inactive_dbt_state_changes_nothing(settled):
    settled.write("plugin_path/dbt_state.py", "plugins = []\n")
    paths = f"{settled.environment()['PYTHONPATH']}:{settled.root / 'plugin_path'}"
    settled.child("build", PYTHONPATH=paths)
    assert settled.actions["t"] == "reuse"


@pytest.mark.parametrize(
    ("flag", "environment", "module", "active"),
    [
        (None, {}, None, False),
        (True, {}, None, True),
        (False, {}, ["a plugin"], False),
        (None, {}, ["a plugin"], True),
        (None, {}, [], False),
        (None, {"DBT_ENGINE_MANAGE_STATE": "false"}, ["a plugin"], False),
        (None, {"DBT_ENGINE_MANAGE_STATE": "true"}, ["a plugin"], True),
        (True, {"RUN_CACHE_DISABLED": "1"}, ["a plugin"], False),
        (True, {"DBT_RUN_CACHE_DISABLED": "1"}, ["a plugin"], False),
    ],
)
def test_only_an_active_dbt_state_counts(monkeypatch, flag, environment, module, active):
    """dbt-core 1.13 requires the package, so that it is installed says nothing."""
    for name in ("DBT_ENGINE_MANAGE_STATE", "RUN_CACHE_DISABLED", "DBT_RUN_CACHE_DISABLED"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delitem(sys.modules, "dbt_state", raising=False)
    if module is not None:
        monkeypatch.setitem(sys.modules, "dbt_state", SimpleNamespace(plugins=module))
    flags = SimpleNamespace() if flag is None else SimpleNamespace(MANAGE_STATE=flag)
    assert dbt_state_is_active(flags) is active


def test_plain_commands_between_runs_leave_no_hooks(toy):
    toy.python(
        """
        from dbt.cli.main import dbtRunner
        from dbt.task.run import RunTask
        from dbt.task.build import BuildTask
        before = dict(RunTask.__dict__), dict(BuildTask.__dict__)
        runner = dbtRunner()
        for _ in range(2):
            assert runner.invoke(["build"]).success
            wrapped = RunTask.__dict__["before_run"]
            assert wrapped is not before[0]["before_run"]
            assert wrapped.__wrapped__ is before[0]["before_run"]
        assert runner.invoke(["ls"]).success
        assert (dict(RunTask.__dict__), dict(BuildTask.__dict__)) == before
        """
    )


def test_two_projects_in_one_process_do_not_meet(toy, tmp_path):
    other = type(toy)(tmp_path / "other")
    other.write("seeds/s.csv", "id,v\n1,x\n")
    other.profile({"hodor_mode": "on"}, path=str(tmp_path / "other" / "other.duckdb"))
    toy.python(
        f"""
        import os
        from dbt.cli.main import dbtRunner
        here = os.getcwd()
        for _ in range(2):
            for folder in (here, {str(other.root)!r}):
                os.chdir(folder)
                result = dbtRunner().invoke(["build"])
                assert result.success, result.exception
        """
    )
    for project, rows in ((toy, 2), (other, 1)):
        assert set(project.actions.values()) == {"reuse", "replay"}
        path = "toy.duckdb" if project is toy else "other.duckdb"
        assert project.sql("select count(*) from t", path) == [(rows,)]


def test_an_engine_update_rebuilds_only_when_asked(settled):
    newer = """
    import duckdb
    duckdb.__version__ += ".9"
    from dbt.cli.main import dbtRunner
    assert dbtRunner().invoke(["build"]).success
    """
    settled.python(newer)
    assert settled.actions["t"] == "reuse"
    settled.dbt("build", HODOR_REBUILD_ON_RUNTIME="true")
    assert set(settled.reasons.values()) == {"config_changed"}, "the version was not in it before"
    settled.dbt("build", HODOR_REBUILD_ON_RUNTIME="true")
    assert settled.actions["t"] == "reuse"
    settled.python(newer, HODOR_REBUILD_ON_RUNTIME="true")
    assert settled.reasons["t"] == "config_changed"


def test_unused_and_unknown_state_keys_are_said_once(settled):
    block = "{lag_tolerance: 0s, pre_clone: {enabled: true}, nonsense: 1, require_fresh_data_from: some}"
    project = (settled.root / "dbt_project.yml").read_text()
    settled.write("dbt_project.yml", project.replace("{lag_tolerance: 0s}", block))
    settled.dbt("build")
    for key in ("pre_clone", "nonsense", "require_fresh_data_from"):
        assert settled.output.count(f"hodor: state key '{key}'") == 1
    assert settled.actions["t"] == "reuse"


def test_nothing_needs_the_network(settled):
    """In a network of its own where the kernel grants one, so that native code has none either."""
    output = settled.python(
        """
        import ctypes, socket
        new_net, new_user = 0x40000000, 0x10000000
        unshare = ctypes.CDLL(None).unshare
        if unshare(new_net) == 0 or unshare(new_net | new_user) == 0:
            probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            assert probe.connect_ex(("192.0.2.1", 9)) != 0
            print("no network")
        def refused(*args, **kwargs):
            raise AssertionError("a socket was opened")
        class Closed(socket.socket):
            __init__ = refused
        socket.socket = Closed
        socket.create_connection = refused
        socket.getaddrinfo = refused
        from dbt.cli.main import dbtRunner
        assert dbtRunner().invoke(["build"]).success
        """
    )
    if "no network" not in output:
        warnings.warn(
            "the kernel grants no own network: only Python's sockets were closed", stacklevel=1
        )
    assert "3 reused, 1 tests replayed" in output
    assert "failed" not in output
