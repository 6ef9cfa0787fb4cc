"""The glossary in CONTRIBUTING: retired words never return as names in templates, style sheets and scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.test_glossary import ROOT, is_retired, retired, words_in

FILES = sorted(
    path
    for folder in ("web", "companion/games")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".html", ".svg", ".css", ".js")
)
STRING = re.compile(r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""")
NAME = re.compile(r"[A-Za-z_$][\w$-]*")
JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
ATTRIBUTE = re.compile(
    r"""\b(?:class|id|popovertarget|for|name|aria-(?:controls|labelledby|describedby))="([^"]*)"|\b(data-[\w-]+)"""
)


def names_in_css(text: str) -> Iterator[str]:
    """Yields the classes, ids, custom properties and other names of a style sheet."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    yield from NAME.findall(STRING.sub(" ", text))


def names_in_js(text: str) -> Iterator[str]:
    """Yields the names of a script, including those in template literals, and keys of objects."""
    text = re.sub(r"(?m)(^|\s)//.*$", " ", text)
    yield from NAME.findall(STRING.sub(" ", text))
    yield from re.findall(r"""["'`]([.#][\w-]+)""", text)


def names_in_template(text: str) -> Iterator[str]:
    """Yields the names that a template gives: variables, macros and attributes in its statements, classes, ids and
    data attributes of its elements."""
    text = re.sub(r"\{#.*?#\}", " ", text, flags=re.DOTALL)
    for statement in JINJA.findall(text):
        yield from NAME.findall(STRING.sub(" ", statement))
    for value, data in ATTRIBUTE.findall(JINJA.sub(" ", text)):
        yield from NAME.findall(f"{value} {data}")


def retired_in(path: Path) -> list[str]:
    """The names in a file that contain a retired word."""
    names = {".css": names_in_css, ".js": names_in_js}.get(path.suffix, names_in_template)(path.read_text("utf-8"))
    return sorted({name for name in names if retired() & words_in(name)})


def test_no_retired_word_is_a_name() -> None:
    """No template, style sheet or script has a retired word in its file name or in any name in the file."""
    assert [path for path in FILES if is_retired(path.relative_to(ROOT))] == []
    found = {str(path.relative_to(ROOT)): retired_in(path) for path in FILES}
    assert {name: words for name, words in found.items() if words} == {}


def test_retired_words_are_found(tmp_path: Path) -> None:
    """The check finds retired words in names, but ignores them in texts and comments."""
    written = {
        "a.css": '/* shelf */ .shelf-top #deed { --amiss: 1px; content: "chore"; } @keyframes mend { }',
        "a.js": 'const theDeed = { thing: "shelf" }; // mend\n$("#chore"); thing.errand = 1;',
        "a.html": '{# mend #}{% set deed = 1 %}{{ _("thing", desk=1) }}<p class="shelf {{ x }}" data-chore>thing',
    }
    expected = {
        "a.css": ["--amiss", "deed", "mend", "shelf-top"],
        "a.js": ["#chore", "errand", "theDeed", "thing"],
        "a.html": ["data-chore", "deed", "desk", "shelf"],
    }
    for name, text in written.items():
        (tmp_path / name).write_text(text)
        assert [found.removeprefix("--") for found in retired_in(tmp_path / name)] == [
            word.removeprefix("--") for word in expected[name]
        ]
