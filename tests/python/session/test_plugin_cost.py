"""What dbt pays for having hodor installed when hodor has nothing to do.

Goal: parse, ls, --version and mode off load a closed list of modules and nothing else.
Method: two child processes per command, one in which hodor is hidden from dbt's plugin discovery; the
difference of their sys.modules is compared with the list here.
"""

from __future__ import annotations

import json

import pytest

MERGE = {"dbt_hodor", "dbt_hodor.plugin", "dbt_hodor.hooks", "dbt_hodor.hooks.state_merge"}
HOOKS = MERGE | {
    "dbt_hodor.hooks.messages",
    "dbt_hodor.hooks.profile",
    "dbt_hodor.hooks.signals",
    "dbt_hodor.hooks.tasks",
    "dbt_hodor.secrets",
    "dbt_hodor.setting_values",
    "dbt_hodor.settings",
    "dbt_hodor.starting",
}

SCRIPT = """
import pkgutil, sys, json
if {hide}:
    original = pkgutil.iter_modules
    pkgutil.iter_modules = lambda *a, **k: (m for m in original(*a, **k) if m.name != "dbt_hodor")
from dbt.cli.main import dbtRunner
result = dbtRunner().invoke({args})
assert result.exception is None, result.exception
open("modules.json", "w").write(json.dumps(sorted(sys.modules)))
"""


def loaded(toy, args, hide, **environment):
    toy.python(SCRIPT.format(args=args, hide=hide), **environment)
    return set(json.loads((toy.root / "modules.json").read_text()))


@pytest.mark.parametrize(
    ("args", "profile_mode", "environment", "expected"),
    [
        (["--version"], "on", {}, set()),
        (["parse"], "on", {}, MERGE),
        (["ls"], "on", {}, MERGE),
        (["build"], "on", {"HODOR_MODE": "off"}, MERGE),
        (["build"], "off", {}, HOOKS),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_the_modules_loaded_are_a_closed_list(toy, args, profile_mode, environment, expected):
    toy.profile({"hodor_mode": profile_mode})
    without = loaded(toy, args, True, **environment)
    with_hodor = loaded(toy, args, False, **environment)
    assert with_hodor - without == expected
    assert not toy.has_run()
    assert not (toy.root / ".hodor").exists()


def test_importing_the_package_loads_nothing_else(toy):
    output = toy.python(
        "import __future__, sys, typing, re; before = set(sys.modules); import dbt_hodor; "
        "print(sorted(set(sys.modules) - before))"
    )
    assert output.strip() == "['dbt_hodor']"


def test_plugins_is_the_only_lazy_attribute():
    import dbt_hodor

    assert [cls.__name__ for cls in dbt_hodor.plugins] == ["HodorPlugin"]
    with pytest.raises(AttributeError):
        dbt_hodor.nothing  # noqa: B018
