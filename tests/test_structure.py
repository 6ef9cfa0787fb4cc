"""The way data flows: who may import whom, and the laws at the tops of the files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = [path for folder in ("companion", "vision", "web") for path in (ROOT / folder).rglob("*.py")]
IO = {"os", "sys", "io", "time", "datetime", "random", "socket", "threading", "multiprocessing", "sqlite3"}
IO |= {"subprocess", "logging", "secrets", "flask", "waitress", "cv2", "serial", "gpiozero"}

PURE = (
    "codes",
    "match/notation",
    "match/referee",
    "table/controls",
    "tabletop/components",
    "tabletop/instances",
    "tabletop/layout",
    "tabletop/mat",
    "tabletop/observations",
    "tabletop/tracked_table",
    "text/player_names",
)
"""Modules of companion/ that promise no I/O, no clock and no generator."""


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports at its top (what it imports late, it does not stand on)."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not _only_the_class(node):
            yield node.module


def _only_the_class(node: ast.ImportFrom) -> bool:
    """`from random import Random`: a policy is given its generator, a drawing makes one of a fixed seed."""
    return node.module == "random" and [alias.name for alias in node.names] == ["Random"]


def everything_imported(path: Path) -> set[str]:
    """Late imports too."""
    nodes = ast.walk(ast.parse(path.read_text()))
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_wiring_knows_web_and_vision(path: Path) -> None:
    """companion/ stands without web/ and vision/, and these without each other; __main__ joins them."""
    own = path.relative_to(ROOT).parts[0]
    if path == ROOT / "companion" / "__main__.py":
        return
    others = {"web", "vision"} - {own}
    assert not {name.split(".")[0] for name in everything_imported(path)} & others


@pytest.mark.parametrize(
    "path",
    [
        *(ROOT / "companion" / f"{name}.py" for name in PURE),
        *(path for path in (ROOT / "companion" / "games").glob("*/*.py")),
        *(ROOT / "companion" / "devices" / f"{name}.py" for name in ("protocol", "box_session", "box_display")),
        ROOT / "vision" / "tracking" / "tracker.py",
    ],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_what_promises_to_be_pure_imports_nothing_that_is_not(path: Path) -> None:
    """Rules, wire format and tracker do no I/O, read no clock and roll no dice."""
    impure = {name.split(".")[0] for name in imports(path)} & IO
    assert not impure, f"{path.name} promises to be pure and imports {', '.join(impure)}"


def test_every_file_says_what_it_is() -> None:
    """A module begins with a docstring, unless it is an empty package."""
    bare = [path for path in SOURCES if path.read_text().strip() and not ast.get_docstring(ast.parse(path.read_text()))]
    assert bare == []


def test_games_know_nothing_of_each_other() -> None:
    """A game is one folder; removing it touches the shelf alone."""
    games = [path for path in (ROOT / "companion" / "games").iterdir() if path.is_dir() and path.name != "__pycache__"]
    for game in games:
        for path in game.rglob("*.py"):
            used = {name for name in everything_imported(path) if name.startswith("companion.games.")}
            others = {other.name for other in games if other != game}
            assert not {name.split(".")[2] for name in used} & others
