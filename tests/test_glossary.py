"""The glossary in CONTRIBUTING: retired words never return as identifiers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("companion", "vision", "web", "scripts", "firmware", "appliance", "docs", "tests")
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@cache
def retired() -> frozenset[str]:
    """The retired words in the glossary's last column, with their other forms: "mend" includes "mends", "mended" and
    "mending". A form that is a term itself, such as "sighting", is not retired."""
    table = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Glossary")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split("|") for line in table.splitlines() if line.startswith("| ")][1:]
    words = {word.strip() for row in rows if len(row) == 3 for word in row[2].split(",")} - {""}
    stems = words | {word.removesuffix("e") for word in words} | {word.removesuffix("ed") for word in words}
    forms = words | {f"{stem}{ending}" for stem in stems for ending in ("s", "es", "ed", "ing")}
    return frozenset(forms - words_in(" ".join(row[0] for row in rows)))


def identifiers(source: str) -> Iterator[tuple[int, str]]:
    """Yields every name that Python code defines, with its line: classes, functions, parameters, variables, fields,
    other names of imports, and what `except` and `case` capture."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.lineno, node.name
        elif isinstance(node, ast.MatchMapping) and node.rest:
            yield node.lineno, node.rest
        elif isinstance(node, ast.alias) and node.asname:
            yield node.lineno, node.asname


def retired_in(source: str) -> list[str]:
    """The identifiers that contain a retired word, each with its line."""
    if not retired() & words_in(source):  # most files; parsing takes much longer
        return []
    return [f"{line}: {name}" for line, name in identifiers(source) if retired() & words_in(name)]


def is_retired(path: Path) -> bool:
    """Whether the name of a file or of one of its folders contains a retired word."""
    return bool(retired() & words_in(" ".join(path.with_suffix("").parts)))


def words_in(text: str) -> set[str]:
    """The words in a text or in an identifier, in lower case."""
    return {word.lower() for word in WORD.findall(text)}


def test_the_glossary_has_about_forty_terms() -> None:
    """The glossary has only about forty terms, so that people read it."""
    table = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Glossary")[2].partition("\n## ")[0]
    assert 35 <= sum(line.startswith("| ") for line in table.splitlines()) - 1 <= 50
    assert "amiss" in retired()


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_retired_word_is_an_identifier(folder: str) -> None:
    """No identifier and no name of a module or a folder contains a retired word."""
    paths = sorted((ROOT / folder).rglob("*.py"))
    assert [path for path in paths if is_retired(path.relative_to(ROOT))] == []
    found = {str(path.relative_to(ROOT)): retired_in(path.read_text("utf-8")) for path in paths}
    assert {name: words for name, words in found.items() if words} == {}


def test_a_retired_word_is_found() -> None:
    """The check finds retired words in classes, functions, parameters, fields and variables, but only as whole
    words."""
    code = "class Deeds:\n def mend_it(self, amiss):\n  self.errand = Amissable = 1\n"
    assert sorted(retired_in(code)) == ["1: Deeds", "2: amiss", "2: mend_it", "3: errand"]


@pytest.mark.parametrize(
    "code",
    [
        "from x import y as deed",
        "try: pass\nexcept ValueError as errand: pass",
        "match x:\n case [1, *shelf]: pass",
        "match x:\n case {'a': 1, **amiss}: pass",
        "match x:\n case int() as chore: pass",
        "mending = 1",
        "doubts = 1",
    ],
)
def test_a_retired_word_is_found_wherever_a_name_begins(code: str) -> None:
    """The check finds every way to define a name, and every form of a retired word."""
    assert len(retired_in(code)) == 1


def test_a_retired_word_in_a_path_is_found() -> None:
    assert is_retired(Path("companion/deeds/history.py"))
    assert is_retired(Path("companion/match/deed_list.py"))
    assert not is_retired(Path("companion/match/history.py"))
