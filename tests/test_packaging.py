"""The content of a built package."""

from __future__ import annotations

import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("companion", "vision", "web")
NOT_SHIPPED = ("*.py", "golden-*.jsonl", "*.md")
"""Files that are not shipped: golden games are for tests, notes are for readers of the repository. Code is always
shipped."""


def data_files() -> list[Path]:
    """Every committed or new file in the packages that the product reads."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *PACKAGES],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = map(Path, listed.stdout.splitlines())
    return [path for path in names if not any(fnmatch(path.name, pattern) for pattern in NOT_SHIPPED)]


def test_every_data_file_is_in_the_package() -> None:
    """Boards, cards, fonts, pages and style sheets that an installed Tablekeeper reads are in the package."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    (patterns,) = settings["package-data"].values()
    found = data_files()
    assert {path.suffix for path in found} >= {".toml", ".html", ".css", ".js", ".svg", ".ttf"}
    assert [path for path in found if not any(fnmatch(path.name, pattern) for pattern in patterns)] == []


def test_every_folder_with_data_is_a_package() -> None:
    """setuptools looks for data only in packages, so every folder with data is found as a package, even without
    code."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]["find"]
    assert settings.get("namespaces", True)
    for path in data_files():
        assert any(fnmatch(".".join(path.parent.parts), pattern) for pattern in settings["include"]), path
