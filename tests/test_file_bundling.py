"""Static files: style sheets and scripts in parts arrive as one file, and caches keep them until they change."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from companion.games import PAGES
from tests.web_table import new_web_table
from web.templating.file_bundling import IMPORT, bundle, last_change


def test_a_style_sheet_contains_its_parts(tmp_path: Path) -> None:
    """Each import in a style sheet is replaced by the text of the imported part, even if the import is in a part."""
    (tmp_path / "style").mkdir()
    (tmp_path / "style.css").write_text('@import "style/a.css";\n@import "style/b.css";\nc {\n}\n')
    (tmp_path / "style" / "a.css").write_text("a {\n}\n")
    (tmp_path / "style" / "b.css").write_text('@import "a.css";\nb {\n}\n')
    assert bundle(tmp_path / "style.css") == "a {\n}\na {\n}\nb {\n}\nc {\n}\n"


def test_a_script_contains_its_parts(tmp_path: Path) -> None:
    """Each import in a script is replaced by the text of the imported script."""
    (tmp_path / "all.js").write_text('import "./a.js";\nimport "./b.js";\n')
    (tmp_path / "a.js").write_text("a();\n")
    (tmp_path / "b.js").write_text("b();\n")
    assert bundle(tmp_path / "all.js") == "a();\nb();\n"
    os.utime(tmp_path / "b.js", (4e9, 4e9))
    assert last_change(tmp_path / "all.js") == 4_000_000_000


def test_a_changed_part_changes_the_address(tmp_path: Path) -> None:
    """The address of a style sheet contains the time of its last change, or that of its part that was changed last."""
    (tmp_path / "a.css").write_text('@import "b.css";\n')
    (tmp_path / "b.css").write_text("b {\n}\n")
    os.utime(tmp_path / "a.css", (1000, 1000))
    os.utime(tmp_path / "b.css", (2000, 2000))
    assert last_change(tmp_path / "a.css") == 2000


@pytest.mark.parametrize(
    "path",
    [
        "/static/style.css",
        "/static/scripts.js",
        "/static/play_scripts.js",
        *(f"/static/games/{game}.css" for game in PAGES),
    ],
)
def test_browsers_get_one_file_and_keep_it(path: str) -> None:
    """Browsers get a style sheet or a script as one file, which makes them fetch no more files. They keep their copy,
    or are told that the file has not changed."""
    phone = new_web_table().phone()
    answer = phone.get(f"{path}?v=1")
    mime_type = "text/css" if path.endswith(".css") else "text/javascript"
    assert (answer.status_code, answer.mimetype) == (200, mime_type)
    assert not IMPORT.search(answer.text)
    assert "immutable" in answer.headers["Cache-Control"]
    assert "Cookie" not in answer.headers.get("Vary", "")
    assert phone.get(path, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304


@pytest.mark.parametrize("name", ["none.css", "../app.css", "style/none.css", "%2e%2e/%2e%2e/pyproject.css"])
def test_other_files_are_not_found(name: str) -> None:
    """Only style sheets in the folder of static files are sent."""
    assert new_web_table().phone().get(f"/static/{name}").status_code == 404


def test_the_page_links_the_style_sheet_with_the_time_of_its_last_change() -> None:
    """The address of the style sheet on a page changes whenever a part of it changes."""
    found = re.search(r'href="/static/style.css\?v=(\d+)"', new_web_table().phone().get("/join").text)
    assert found
    assert int(found[1]) == last_change(Path("web/static/style.css").resolve())
