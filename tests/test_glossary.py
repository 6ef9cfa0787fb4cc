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
    """The retired words in the glossary's last column, with their plurals."""
    table = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Glossary")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split("|") for line in table.splitlines() if line.startswith("| ")][1:]
    words = {word.strip() for row in rows if len(row) == 3 for word in row[2].split(",")} - {""}
    return frozenset(words | {f"{word}s" for word in words})


def identifiers(source: str) -> Iterator[tuple[int, str]]:
    """Yields every name that Python code defines, with its line: classes, functions, parameters, variables, fields."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id if isinstance(node, ast.Name) else node.attr


def retired_in(source: str) -> list[str]:
    """The identifiers that contain a retired word, each with its line."""
    if not retired() & words_in(source):  # most files; parsing takes much longer
        return []
    return [f"{line}: {name}" for line, name in identifiers(source) if retired() & words_in(name)]


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
    """No identifier and no module name contains a retired word."""
    paths = sorted((ROOT / folder).rglob("*.py"))
    assert [path for path in paths if path.stem in retired()] == []
    found = {str(path.relative_to(ROOT)): retired_in(path.read_text("utf-8")) for path in paths}
    assert {name: words for name, words in found.items() if words} == {}


def test_a_retired_word_is_found() -> None:
    """The check finds retired words in classes, functions, parameters, fields and variables, but only as whole
    words."""
    code = "class Deeds:\n def mend_it(self, amiss):\n  self.errand = Amissing = 1\n"
    assert sorted(retired_in(code)) == ["1: Deeds", "2: amiss", "2: mend_it", "3: errand"]
