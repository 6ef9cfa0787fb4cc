"""The source format of templates, style sheets and scripts: short lines, one declaration per line, short files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from web.templating.file_bundling import IMPORT

ROOT = Path(__file__).parents[1]
SUFFIXES = {".html", ".css", ".js", ".svg"}
MAX_LINE_LENGTH = 120
MAX_SCRIPT_LINES = 400
MAX_STYLE_SHEET_LINES = 300
LONG_STYLE_SHEETS = ("big_screen_large.css",)
"""Style sheets that are not split yet."""
FOLDERS = (ROOT / "web", ROOT / "companion" / "games")
FILES = sorted(path for folder in FOLDERS for path in folder.rglob("*") if path.suffix in SUFFIXES)


def texts(suffix: str = "") -> dict[str, str]:
    """The content of each file by name: of the files with this suffix or, without one, of all files."""
    return {str(path.relative_to(ROOT)): path.read_text() for path in FILES if path.suffix == suffix or not suffix}


def longer_than(most: int, suffix: str) -> list[str]:
    """The names of the files with this suffix that have more than `most` lines."""
    return [name for name, text in texts(suffix).items() if len(text.splitlines()) > most]


def long_lines(text: str) -> list[int]:
    """The numbers of the lines that are too long."""
    return [number for number, line in enumerate(text.splitlines(), 1) if len(line) > MAX_LINE_LENGTH]


def crowded_rules(text: str) -> list[str]:
    """The lines of a style sheet with more than one declaration, or with a declaration next to a brace."""
    text = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.DOTALL)
    return [line for line in text.splitlines() if re.search(r"[{;].*[^\s;]|[^\s}].*}", line.strip())]


def style_sheets() -> Iterator[tuple[str, str]]:
    """Yields every style sheet, and every <style> of a template, with the name of its file."""
    for path in FILES:
        text = path.read_text()
        if path.suffix == ".css":
            yield path.name, text
        for inside in re.findall(r"<style>(.*?)</style>", text, re.DOTALL):
            yield path.name, inside


def pasted_json(text: str) -> list[str]:
    """The JSON objects that a template writes by hand. Braces that contain a call of `_` are a Jinja dictionary, and
    are left out."""
    return re.findall(r"""\{\s*(?:"|&quot;|&#34;)\w+(?:"|&quot;|&#34;)\s*:\s*[^\s_]""", text)


def test_no_line_is_too_long() -> None:
    """No line of these files is longer than the limit, so that lines fit into a review window."""
    assert [(name, lines) for name, text in texts().items() if (lines := long_lines(text))] == []


def test_a_style_sheet_has_one_declaration_a_line() -> None:
    """Style sheets, including those inside templates, have one declaration per line."""
    sheets = list(style_sheets())
    assert {"style.css", "game_charts.svg"} <= {name for name, _ in sheets}
    assert [(name, line) for name, text in sheets for line in crowded_rules(text)] == []


def test_no_template_pastes_json_together() -> None:
    """Python writes the moves of buttons as JSON, because hand-written JSON breaks with the first name that contains a
    quote."""
    pages = {path.name: pasted_json(path.read_text()) for path in FILES if path.suffix == ".html"}
    assert {name: found for name, found in pages.items() if found} == {}


def test_a_script_is_short_enough_to_be_read_at_once() -> None:
    """No script is longer than the limit. A script that gets longer must be split by subject."""
    assert longer_than(MAX_SCRIPT_LINES, ".js") == []


def test_a_style_sheet_is_short_enough_to_be_read_at_once() -> None:
    """No style sheet is longer than the limit. A style sheet that gets longer must be split into parts, which it
    imports."""
    assert [
        name for name in longer_than(MAX_STYLE_SHEET_LINES, ".css") if Path(name).name not in LONG_STYLE_SHEETS
    ] == []


@pytest.mark.parametrize("path", [path for path in FILES if path.suffix == ".css" and IMPORT.search(path.read_text())])
def test_a_style_sheet_imports_all_of_its_parts(path: Path) -> None:
    """A style sheet imports each file in the folder with its parts exactly once."""
    imported = IMPORT.findall(path.read_text())
    assert sorted(imported) == sorted(f"{path.stem}/{part.name}" for part in (path.parent / path.stem).iterdir())


def test_the_checks_find_what_they_look_for() -> None:
    """Each check fails on a file that breaks its rule."""
    assert len(pasted_json("""value='{"seat":{{ seat }}}'""")) == 1
    assert len(pasted_json("""value="{{ '{"seat":%d}'|format(seat) }}\"""")) == 1
    assert long_lines("a\n" + "b" * 121) == [2]
    assert crowded_rules("a { color: red; }") == ["a { color: red; }"]
    assert crowded_rules("a {\n  color: red; margin: 0;\n}") == ["  color: red; margin: 0;"]
    assert crowded_rules("@media (x) {\n  a,\n  b {\n    margin: 0;\n  }\n}") == []


def test_pages_with_charts_have_their_style_sheet() -> None:
    """Each page that draws charts links charts.css. Without it, a curve is filled in black."""
    with_charts = [path for path in FILES if path.suffix == ".html" and "parts/charts.html" in path.read_text()]
    pages = [path for path in with_charts if path.parent.name != "parts"]  # parts are in pages that link it
    assert pages
    assert [path.name for path in pages if 'asset("charts.css")' not in path.read_text()] == []
