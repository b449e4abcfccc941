"""The repository's own rules, as a test: sizes, headers, markers, machine paths, dead links.

In:  the files of the work tree.
Out: one sentence per broken rule; exit code 1 when there is one.
Never: judges formatting (clang-format and ruff do) or changes a file.

A function that is a dispatcher or a table may be longer: `tidy: dispatcher` or `tidy: table` in a
comment on its first line or the line before says so.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from devtool.process import ROOT
from devtool.quality import source_files

FILE_LINES = 600
FUNCTION_LINES = 70

CODE = {".py", ".cpp", ".hpp", ".sh"}
EXEMPT = re.compile(r"tidy: (?:dispatcher|table)\b")
MARKER = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b(.*)")
MARKER_TEXT = re.compile(r"\([\w #.-]+\): \S+ \S+|: \S+ \S+ \S+")
MACHINE_PATH = re.compile(r"(?<![\w.$}~])/(?:home|root|Users|work|workspace|opt/wheels)/[\w.-]+")
# Indexes are reached through their ordinary clients, never by a host of theirs.
HOSTS = re.compile(r"pypi\.org|pythonhosted\.org|deb\.debian\.org|registry\.npmjs|crates\.io")
WORKPLACE = re.compile(r"issues show|shared/(?:seeds|design|cases|hooks)|must-equal\.jsonl", re.I)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CPP_NOT_FUNCTION = re.compile(
    r"^(?:if|for|while|switch|else|do|case|default|try|catch|return|namespace|struct|class|enum|union|"
    r"extern|template|using|static constexpr|constexpr|inline constexpr|const)\b"
)


def problems() -> list[str]:
    """All broken rules, in the order of files."""
    found: list[str] = []
    for path in source_files():
        name = path.relative_to(ROOT).as_posix()
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{name}{problem}" for problem in _problems_of(path, name, text)]
    return found


def _problems_of(path: Path, name: str, text: str) -> Iterator[str]:
    lines = text.splitlines()
    if path.suffix in CODE or name == "dev":
        if len(lines) > FILE_LINES:
            yield f": {len(lines)} lines, allowed {FILE_LINES}"
        yield from _header_problems(name, text)
        yield from _function_problems(path, text, lines)
    if path.suffix == ".md":
        yield from _link_problems(path, text)
    if name != "tools/tidy.py":
        yield from _word_problems(lines)


def _header_problems(name: str, text: str) -> Iterator[str]:
    body = text.split("\n", 1)[1] if text.startswith("#!") else text
    body = body.lstrip("\n")
    if not body.strip():
        return
    if not body.startswith(('"""', 'r"""', "//", "#")):
        yield ": does not begin with a comment that says what it is"
        return
    product = name.startswith(("python/", "tools/")) or "/include/" in name
    if product and len(body.splitlines()) > 40:
        head = body[:3000]
        for word in ("In:", "Out:", "Never:"):
            if word not in head:
                yield f": its header has no line {word!r}"


def _function_problems(path: Path, text: str, lines: list[str]) -> Iterator[str]:
    functions = _python_functions(text) if _is_python(path, lines) else _cpp_functions(path, lines)
    for first, last, name in functions:
        around = "\n".join(lines[max(0, first - 2) : first + 1])
        if last - first + 1 > FUNCTION_LINES and not EXEMPT.search(around):
            yield f":{first}: {name} has {last - first + 1} lines, allowed {FUNCTION_LINES}"


def _is_python(path: Path, lines: list[str]) -> bool:
    return path.suffix == ".py" or (bool(lines) and "python3" in lines[0])


def _python_functions(text: str) -> Iterator[tuple[int, int, str]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, node.end_lineno or node.lineno, node.name


def _cpp_functions(path: Path, lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Functions as clang-format lays them out: a head ending in `{`, and `}` at the same indent."""
    if path.suffix not in (".cpp", ".hpp"):
        return
    for index, line in enumerate(lines):
        if not line.endswith("{"):
            continue
        start = _statement_start(lines, index)
        indent = len(lines[start]) - len(lines[start].lstrip())
        head = " ".join(part.strip() for part in lines[start : index + 1])
        if indent > 2 or "(" not in head or CPP_NOT_FUNCTION.match(head):
            continue
        closing = " " * indent + "}"
        for end in range(index + 1, len(lines)):
            if lines[end].rstrip(";,") == closing:
                yield start + 1, end + 1, head.split("(")[0][-60:]
                break


def _statement_start(lines: list[str], index: int) -> int:
    """A function's head may be broken over lines; the broken-off ones are indented by four or more."""
    start = index
    while start > 0 and lines[start].startswith("    "):
        above = lines[start - 1].rstrip()
        if not above or above.endswith((";", "{", "}", ":")):
            break
        start -= 1
    return start


def _word_problems(lines: list[str]) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        marker = MARKER.search(line)
        if marker and not MARKER_TEXT.match(marker.group(2)):
            yield f":{number}: {marker.group(1)} without a text that says what is to be done"
        for pattern, what in (
            (MACHINE_PATH, "a path of one machine"),
            (HOSTS, "the host of a package index"),
            (WORKPLACE, "a word that means nothing outside one workplace"),
        ):
            if match := pattern.search(line):
                yield f":{number}: {what}: {match.group()}"


def _link_problems(path: Path, text: str) -> Iterator[str]:
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            continue
        place, _, anchor = target.partition("#")
        linked = (path.parent / place).resolve()
        if not linked.exists():
            yield f": dead link {target}"
        elif anchor and linked.suffix == ".md" and anchor not in _anchors(linked):
            yield f": no heading for {target}"


def _anchors(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def main() -> int:
    found = problems()
    print("\n".join(found) or "tidy")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
