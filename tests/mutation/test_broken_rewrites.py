"""The differential run finds each of a few rewrites that are broken on purpose.

Goal: what tests/metamorphic/differential.py executes is enough to see a rewrite that takes two queries of
different meaning for one.
Method: hodor-dev is linked anew with one changed source file of core/canonical each; the random texts of
one seed are hashed by all of these programs, and DuckDB judges what a broken one takes for one query. The
true core has to pass over the same texts.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120
LAYERS = ("base", "syntax", "facts", "fingerprint", "scopes", "canonical", "extract")


class Mistake(NamedTuple):
    """One change of a source file of core/canonical/src."""

    name: str
    file: str
    old: str
    new: str


MISTAKES = (
    Mistake("not_null", "rewrite_operators.cpp", '{"is null", "is not null"}', '{"is null", "is null"}'),
    Mistake("where_false", "rewrite_where.cpp",
    'literal(term)) return is_word(', 'literal(term)) return !is_word('),
    Mistake("else_value", "rewrite_case.cpp", 'tree_.sql, "null");', 'tree_.sql, "null") | true;'),
    Mistake("null_order", "rewrite_from.cpp", "duckdb) return is_last;", "duckdb) return true;"),
    Mistake("ordinal", "rewrite_ordinals.cpp", "items_[number - 1]", "items_[number % items_.size()]"),
    Mistake("limit", "rewrite_queries.cpp", "tree_[id].kind == NodeKind::limit && tree_.has(id, flag::all)",
            "tree_[id].kind == NodeKind::limit"),
    Mistake("inner_limit", "rewrite_queries.cpp", "return is_limited && tree_[select].next == kNoNode;",
    "return true;"),
    Mistake("frame_unit", "rewrite_windows.cpp", "own_tokens(id, node.begin, node.begin + 1);", ""),
    Mistake("count_null", "rewrite_calls.cpp", "leaf == kNoNode || !is_number(leaf)", "leaf == kNoNode"),
    Mistake("exponent", "rewrite_literals.cpp", "if (c != 'e') continue;",
    "if (c != 'e') continue; else break;"),
    Mistake("synonym", "function_synonyms.inc", '{"max_by", "arg_max"}', '{"max_by", "arg_min"}'),
    Mistake("scale", "rewrite_types.cpp", 'duckdb ? "3" : "0"', 'duckdb ? "0" : "0"'),
    Mistake("not_like", "rewrite_operators.cpp", '{"like", "not like"}', '{"like", "like"}'),
    Mistake("crossed", "rewrite_from.cpp", "tree_[join].flags != flag::cross", "tree_[join].flags == 0"),
)  # fmt: skip


def compile_one(source: Path, output: Path, includes: list[str]) -> None:
    command = ["g++", "-std=c++20", "-O1", *includes, "-c", str(source), "-o", str(output)]
    subprocess.run(command, check=True)


def includes_of(core: Path) -> list[str]:
    layers = [f"-I{core / layer / 'include'}" for layer in LAYERS]
    return [
        *layers,
        *(f"-I{core / layer / 'src'}" for layer in ("canonical", "extract", "syntax", "scopes")),
    ]


def build_true(folder: Path, objects: Path) -> dict[Path, Path]:
    """The object of each source file of the program."""
    core = ROOT / "core"
    sources = [path for layer in LAYERS for path in sorted((core / layer / "src").rglob("*.cpp"))]
    sources += [ROOT / "tools" / "hodor-dev" / name for name in ("main.cpp", "batch.cpp")]
    made = {path: objects / ("_".join(path.relative_to(ROOT).parts) + ".o") for path in sources}
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(lambda each: compile_one(*each, includes_of(core)), made.items()))
    return made


def link(objects: list[Path], program: Path) -> Path:
    subprocess.run(["g++", *map(str, objects), "-o", str(program), "-pthread"], check=True)
    return program


def build_broken(mistake: Mistake, made: dict[Path, Path], folder: Path) -> Path:
    """The program with one changed file."""
    own = folder / mistake.name
    shutil.copytree(ROOT / "core" / "canonical" / "src", own / "src")
    changed = own / "src" / mistake.file
    text = changed.read_text(encoding="utf-8")
    assert text.count(mistake.old) == 1, mistake.name
    changed.write_text(text.replace(mistake.old, mistake.new), encoding="utf-8")
    compiled = "function_synonyms.cpp" if mistake.file.endswith(".inc") else mistake.file
    output = own / "changed.o"
    compile_one(own / "src" / compiled, output, includes_of(ROOT / "core"))
    original = ROOT / "core" / "canonical" / "src" / compiled
    return link([output if path == original else made[path] for path in made], own / mistake.name)


@pytest.mark.slow
def test_each_broken_rewrite_is_found(tmp_path: Path) -> None:
    objects = tmp_path / "objects"
    objects.mkdir()
    made = build_true(tmp_path, objects)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        broken = list(pool.map(lambda mistake: build_broken(mistake, made, tmp_path), MISTAKES))
    script = ROOT / "tests" / "metamorphic" / "differential.py"
    command = [
        sys.executable,
        str(script),
        "--seconds",
        str(SECONDS),
        "--broken",
        *map(str, broken),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
