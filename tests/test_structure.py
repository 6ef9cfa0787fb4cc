"""Checks the laws in the docstrings of modules. import-linter checks which modules may import which (`make lint`)."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = [path for folder in ("companion", "vision", "web") for path in (ROOT / folder).rglob("*.py")]
FORBIDDEN = {
    "I/O": {
        *("os", "sys", "io", "shutil", "tempfile", "subprocess", "socket", "select", "sqlite3", "logging", "serial"),
        *("threading", "multiprocessing", "gpiozero", "flask", "uvicorn", "contextvars", "gettext"),
    },
    "clock": {"time", "clock"},
    "generator": {"random", "secrets", "uuid"},
}
"""The modules that each promise rules out."""
LAW = re.compile(r"Law: (.*?)(?:\n\n|\Z)", re.DOTALL)
DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)


def law_of(source: str) -> str:
    """The promise of a module's docstring after "Law:", on one line; "" if there is none."""
    found = LAW.search(docstring[1]) if (docstring := DOCSTRING.match(source)) else None
    return " ".join(found[1].split()) if found else ""


def forbidden_by(law: str) -> set[str]:
    """The modules that a law forbids. "pure" forbids all of FORBIDDEN, "no I/O" and "no clock" only theirs."""
    pure = re.match(r"(rules are )?pure|frozen data|pure data", law) is not None
    promises = [promise for promise in FORBIDDEN if pure or re.search(rf"\bno {promise}\b", law)]
    return set().union(*(FORBIDDEN[promise] for promise in promises))


def imports(source: str) -> set[str]:
    """The top-level names of all modules that the code imports, also inside functions.

    `from random import Random` does not count: a policy is given its generator, and a drawing makes one with a fixed
    seed. Calls of now() or today() count as "clock"; `datetime` alone only parses dates.
    """
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and ast.unparse(node) in ("datetime.now", "datetime.today", "date.today"):
            found.add("clock")
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            only_random = node.module == "random" and [alias.name for alias in node.names] == ["Random"]
            found |= set() if only_random else {node.module}
    return {name.partition(".")[0] for name in found}


WITH_A_LAW = [path for path in SOURCES if law_of(path.read_text())]


@pytest.mark.parametrize("path", WITH_A_LAW, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_keeps_its_law(path: Path) -> None:
    """No module imports what the law in its docstring forbids."""
    source = path.read_text()
    assert imports(source) & forbidden_by(law_of(source)) == set()


def test_every_law_is_checked() -> None:
    """More than a hundred modules have a law, and each law forbids something."""
    assert len(WITH_A_LAW) > 100
    assert [path.name for path in WITH_A_LAW if not forbidden_by(law_of(path.read_text()))] == []


def test_a_broken_law_is_found() -> None:
    """The check finds a forbidden import, also inside a function."""
    source = '"""Rules.\n\nLaw: pure. Nothing\nelse."""\ndef play():\n    import time\n    from os import path\n'
    source += "    datetime.now()\n"
    assert law_of(source) == "pure. Nothing else."
    assert imports(source) & forbidden_by(law_of(source)) == {"time", "os", "clock"}
    assert forbidden_by("no I/O, no clock.") & {"os", "time", "clock", "random"} == {"os", "time", "clock"}


def test_every_file_says_what_it_is() -> None:
    """Every module begins with a docstring, except for empty packages."""
    bare = [path for path in SOURCES if path.read_text().strip() and not ast.get_docstring(ast.parse(path.read_text()))]
    assert bare == []
