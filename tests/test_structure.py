"""Checks the laws in the docstrings of modules. import-linter checks which modules may import which (`make lint`)."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = [path for folder in ("companion", "vision", "web") for path in (ROOT / folder).rglob("*.py")]
FORBIDDEN = {
    "I/O": {
        *("os", "sys", "io", "shutil", "tempfile", "subprocess", "socket", "select", "sqlite3", "logging", "serial"),
        *("threading", "multiprocessing", "gpiozero", "flask", "uvicorn", "contextvars", "gettext", "locale", "urllib"),
        *("http", "asyncio", "signal", "ctypes", "glob", "dynamic import"),
    },
    "clock": {"time", "clock"},
    "generator": {"random", "secrets", "uuid", "unseeded generator"},
}
"""The modules, and what else, that each promise rules out."""
FILE_CALLS = {
    *("open", "read_text", "write_text", "read_bytes", "write_bytes", "imread", "imwrite", "touch", "rename"),
    *("mkdir", "unlink", "iterdir", "glob", "rglob", "exists", "is_file", "is_dir", "stat", "samefile"),
}
"""The functions and methods that read, write or list files. A law without I/O rules them out too."""
CLOCK_CALLS = {"now", "utcnow", "today", "astimezone"}
"""The methods of dates and times that read the clock or the machine's time zone if they get no argument."""
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
LAW = re.compile(r"Law: (.*?)(?:\n\n|\Z)", re.DOTALL)
DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)


def law_of(source: str) -> str:
    """What a module's docstring says after "Law:", on one line; "" if it has no law."""
    found = LAW.search(docstring[1]) if (docstring := DOCSTRING.match(source)) else None
    return " ".join(found[1].split()) if found else ""


def forbidden_by(law: str) -> set[str]:
    """The modules that a law forbids: "pure" forbids all of FORBIDDEN; "no I/O" and "no clock" forbid only those of
    their kind."""
    pure = re.match(r"(rules are )?pure|frozen data|pure data", law) is not None
    promises = [promise for promise in FORBIDDEN if pure or re.search(rf"\bno {promise}\b", law)]
    return set().union(*(FORBIDDEN[promise] for promise in promises))


def imports(source: str) -> set[str]:
    """The top-level names of all modules that the code imports, also inside functions, and what else FORBIDDEN rules
    out.

    `from random import Random` does not count: a policy is given its generator, and a drawing makes one with a fixed
    seed. `Random()` counts, because it has none. Calls of CLOCK_CALLS count as "clock"; `datetime` alone only parses
    dates, and `urllib.parse` only addresses.
    """
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            found |= impure_call(node)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            only_random = node.module == "random" and [alias.name for alias in node.names] == ["Random"]
            found |= set() if only_random or node.module == "urllib.parse" else {node.module}
    return {name.partition(".")[0] for name in found}


def impure_call(call: ast.Call) -> set[str]:
    """What FORBIDDEN calls a function or method that reads a clock, makes a generator without a seed, or imports a
    module by name; empty if it does none of these."""
    name = called(call)
    reads_clock = name in ("utcnow", "today") or (name in CLOCK_CALLS and not (call.args or call.keywords))
    return {
        *({"clock"} if reads_clock or (name == "now" and isinstance(call.func, ast.Attribute)) else ()),
        *({"unseeded generator"} if name in ("Random", "default_rng") and not call.args else ()),
        *({"dynamic import"} if name in ("__import__", "import_module") else ()),
    }


def called(call: ast.Call) -> str:
    """The name of the function or method that is called, without what is before the dot."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def file_calls(source: str, law: str) -> set[str]:
    """The calls in the code that are among FILE_CALLS. The function or class that the law excepts, as in "no I/O except
    in `load`", is left out."""
    excepted = re.search(r"\bno I/O except in `(\w+)`", law)

    def calls(node: ast.AST) -> Iterator[str]:
        if excepted and isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == excepted[1]:
            return
        if isinstance(node, ast.Call):
            yield called(node)
        for child in ast.iter_child_nodes(node):
            yield from calls(child)

    return FILE_CALLS.intersection(calls(ast.parse(source)))


WITH_A_LAW = [path for path in SOURCES if law_of(path.read_text())]


def test_every_module_keeps_its_law() -> None:
    """No module imports what the law in its docstring forbids, or opens files if the law forbids that."""
    broken = {str(path.relative_to(ROOT)): broken_in(path.read_text()) for path in WITH_A_LAW}
    assert {name: found for name, found in broken.items() if found} == {}


def broken_in(source: str) -> set[str]:
    """The imports and file accesses in a module that break the module's own law."""
    forbidden = forbidden_by(law_of(source))
    return (imports(source) & forbidden) | (file_calls(source, law_of(source)) if "io" in forbidden else set())


def test_every_law_is_checked() -> None:
    """More than a hundred modules have a law, and each law forbids something."""
    assert len(WITH_A_LAW) > 100
    assert [path.name for path in WITH_A_LAW if not forbidden_by(law_of(path.read_text()))] == []


IMPURE = (
    "datetime.datetime.now()",
    "datetime.now(UTC)",
    "date.today()",
    "when.astimezone()",
    "Random()",
    "np.random.default_rng()",
    "Path('a').exists()",
    "__import__('time')",
    "import locale",
    "import urllib.request",
)


def test_a_broken_law_is_found() -> None:
    """The check finds a forbidden import, even inside a function."""
    source = '"""Rules.\n\nLaw: pure. Nothing\nelse."""\ndef play():\n    import time\n    from os import path\n'
    source += "    datetime.now()\n"
    assert law_of(source) == "pure. Nothing else."
    assert broken_in(source) == {"time", "os", "clock"}
    for impure in IMPURE:
        assert broken_in(f'"""Rules.\n\nLaw: pure."""\n{impure}\n'), impure
    assert broken_in('"""Rules.\n\nLaw: pure."""\nRandom(7)\nwhen.astimezone(UTC)\n') == set()
    reading = "def load():\n    open('a')\ndef play():\n    path.read_text()\n"
    assert file_calls(reading, "pure.") == {"open", "read_text"}
    assert file_calls(reading, "no I/O except in `load`.") == {"read_text"}
    assert forbidden_by("no I/O, no clock.") & {"os", "time", "clock", "random"} == {"os", "time", "clock"}


def test_every_file_says_what_it_is() -> None:
    """Every module begins with a docstring, except for empty packages."""
    bare = [path for path in SOURCES if (source := path.read_text().strip()) and not DOCSTRING.match(source)]
    assert bare == []


def layered(container: str) -> set[str]:
    """The names in the layers of the import-linter contract for the package `container`."""
    layers = next(each["layers"] for each in CONTRACTS if each.get("containers") == [container])
    return {name for layer in layers for name in re.findall(r"[\w.]+", layer)}


def test_every_module_has_a_layer() -> None:
    """Every module in `companion` and `companion/games` has a place among the layers. The folders of games need none,
    because the layers within a game are the same for all. import-linter checks the other folders (`exhaustive`)."""
    top = {name for layer in CONTRACTS[0]["layers"] for name in re.findall(r"companion\.(\w+)", layer)}
    assert modules_in(ROOT / "companion") - top == {"__init__"}
    games = {path.name for path in (ROOT / "companion" / "games").iterdir() if (path / "game.py").exists()}
    assert modules_in(ROOT / "companion" / "games") - games - layered("companion.games") == {"__init__"}


def modules_in(folder: Path) -> set[str]:
    """The modules and packages in a folder."""
    return {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}


def test_every_folder_with_modules_is_a_package() -> None:
    """Every folder with modules has an `__init__.py`. Without it, import-linter doesn't look at the folder, and it is
    missing from an installed copy."""
    folders = {path.parent for path in SOURCES}
    assert sorted(str(folder.relative_to(ROOT)) for folder in folders if not (folder / "__init__.py").exists()) == []


def test_no_game_imports_another() -> None:
    """No game imports another one, not even a game that the layers don't list."""
    games = [path.parent for path in (ROOT / "companion" / "games").glob("*/game.py")]
    for game in games:
        others = [f"companion.games.{other.name}" for other in games if other != game]
        sources = [path.read_text() for path in game.rglob("*.py")]
        assert [name for name in others for source in sources if f"{name}." in source or f"{name} " in source] == []
