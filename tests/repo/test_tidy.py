"""The repository keeps its own rules, and the rules notice when it does not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import tidy  # noqa: E402


def test_the_work_tree_is_tidy() -> None:
    assert tidy.problems() == []


# Put together here, so that this file does not break the rules itself.
MARKER = "TO" + "DO\n"
SOMEWHERE = "/ho" + "me/someone/x"


def found(name: str, text: str) -> list[str]:
    return list(tidy._problems_of(ROOT / name, name, text))


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("python/a.py", '"""Head."""\n' + "x = 1\n" * 600, "601 lines"),
        ("python/a.py", '"""Head."""\ndef f():\n' + "    x = 1\n" * 70, "f has 71 lines"),
        ("core/a/src/a.cpp", "// Head.\nint f(int x) {\n" + "  ++x;\n" * 70 + "}\n", "f has 72"),
        (
            "core/a/src/a.cpp",
            "// H.\nint f(int x,\n      int y) {\n" + "  ++x;\n" * 70 + "}\n",
            "73",
        ),
        ("python/a.py", "x = 1\n", "does not begin with a comment"),
        ("python/a.py", '"""Head."""\n' + "x = 1\n" * 50, "no line 'In:'"),
        ("python/a.py", '"""Head."""\nx = 1  # ' + MARKER, "without a text that says"),
        ("python/a.py", f'"""Head."""\nx = "{SOMEWHERE}"\n', "a path of one machine"),
        ("README.md", "[x](docs/none.md)\n", "dead link"),
        ("ARCHITECTURE.md", "[x](README.md#nothing-of-that-name)\n", "no heading"),
    ],
)
def test_a_broken_rule_is_named(name: str, text: str, expected: str) -> None:
    assert any(expected in problem for problem in found(name, text))


@pytest.mark.parametrize(
    "text",
    [
        '"""Head."""\nx = 1  # TODO(parser): read MERGE statements too.\n',
        '"""Head."""\n# tidy: table\ndef f():\n' + "    x = 1\n" * 80,
    ],
)
def test_what_is_allowed_is_not_named(text: str) -> None:
    assert found("tests/a.py", text) == []
