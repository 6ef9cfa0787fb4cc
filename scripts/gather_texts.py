"""Collects every text that people read into the catalogs for translators.

Texts in the source are arguments of `_("…")`, `plural("…", "…", n)` and `gettext_noop("…")`. The texts in a game's data
are listed by the game itself (`Game.text`, and the names of its components). Existing translations are kept; a
translation whose text is gone is dropped. A new LANGUAGE, given by a code such as fr, gets a folder.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from babel import Locale, UnknownLocaleError
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from companion.games import GAMES
from companion.games.game import Game
from companion.tabletop.components import PLURAL_SUFFIX
from companion.text.guidebook import guidebook
from companion.text.messages import SOURCE
from companion.text.translation import CATALOGS, LANGUAGES

ROOT = Path(__file__).parents[1]
PACKAGES = ("companion", "web", "vision")
KEYWORDS = {"_": None, "plural": (1, 2), "gettext_noop": None}
CORE = "tablekeeper"


def texts_in_python(
    file: BinaryIO, keywords: Collection[str], comment_tags: object, options: object
) -> Iterator[tuple[int, str, tuple[str, ...], tuple[str, ...]]]:
    """Yields the texts in a Python file, in the form that Babel expects. Babel's own extractor misses texts inside
    f-strings."""
    source = file.read()
    if not re.search(rf"\b({'|'.join(keywords)})\(".encode(), source):
        return  # parsing takes most of the time
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        match call.func:
            case ast.Name(id=name) if name in keywords:
                texts = tuple(str(arg.value) for arg in call.args[:2] if isinstance(arg, ast.Constant))
                if len(texts) == (2 if name == "plural" else 1):
                    yield call.lineno, name, texts, ()


OPTIONS = {"**": {"encoding": "utf-8", "extensions": "web.templating.sections.SectionTag"}}
METHODS: list[tuple[str, Any]] = [("**.py", texts_in_python), ("**.html", "jinja2"), ("**.svg", "jinja2")]


def main(argv: Sequence[str]) -> int:
    """Updates every catalog of each existing language, and makes those of the new languages in `argv`. Prints how many
    texts are not translated yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("new", metavar="LANGUAGE", nargs="*", type=language_code, help="a new language, such as fr")
    new = parser.parse_args(argv).new
    gathered = texts_by_catalog()
    for code in dict.fromkeys((*LANGUAGES, *new)):
        if code != SOURCE:
            missing = {part: update(code, part, texts) for part, texts in gathered.items()}
            texts = sum(map(len, gathered.values()))
            print(f"{code}: {texts} texts, {sum(missing.values())} not translated, so shown in English", end="")
            print("".join(f"; {part} {n}" for part, n in missing.items() if n))
    return 0


def language_code(text: str) -> str:
    """Returns the language code `text` unchanged. Raises argparse.ArgumentTypeError if Babel knows no such language."""
    try:
        Locale.parse(text)
    except (ValueError, UnknownLocaleError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not the code of a language") from error
    return text


def update(code: str, part: str, texts: Catalog) -> int:
    """Updates one catalog of a language, and returns how many of its texts are not translated."""
    file = CATALOGS / code / f"{part}.po"
    catalog = updated_catalog(file, code, texts)
    with file.open("wb") as target:
        # Babel versions differ in the plural forms of some languages, so the file says how many it has.
        target.write(f'msgid ""\nmsgstr "Plural-Forms: {catalog.plural_forms}\\n"\n\n'.encode())
        write_po(target, catalog, width=110, omit_header=True, ignore_obsolete=True, no_location=True)
    return len(untranslated(catalog))


def texts_by_catalog() -> dict[str, Catalog]:
    """The texts of each catalog. There is a catalog for each game, and CORE for everything else. A text that is both in
    CORE and in a game is only in the catalog CORE."""
    found = {part: Catalog() for part in (CORE, *GAMES)}
    for package in PACKAGES:
        for name, _line, message, _comments, _context in extract_from_dir(
            str(ROOT / package),
            METHODS,
            OPTIONS,
            KEYWORDS,
        ):
            found[_catalog_of(f"{package}/{name}")].add(message)
    for game in GAMES.values():
        for text in texts_of_game(game):
            found[game.name].add(text)
    for part in [*found][1:]:
        for message in [*found[part]]:
            if message.id and message.id in found[CORE]:
                found[part].delete(message.id)
    return found


def _catalog_of(path: str) -> str:
    """The name of the game that a source file belongs to, else CORE."""
    words = path.replace("_", "-")
    return next((name for name in GAMES if name in words), CORE)


def texts_of_game(game: Game) -> Iterator[str | tuple[str, str]]:  # type: ignore[type-arg]  # any game's
    """Yields every text in a game's data that people read. A text with a plural is a pair: singular and plural."""
    components = game.physical.components
    yield from (game.title, game.rules.summary, *game.rules.chance_sources.values(), *game.text.translatable_texts())
    yield from guidebook(game.text.guidebook_file).texts() if game.text.guidebook_file else ()
    for option in game.rules.options:
        yield from filter(None, (option.title, option.help, option.other, *(title for _, title in option.choices)))
    for component in components.components:
        yield from filter(None, (component.name, component.only_name, component.title, component.home))
    yield from components.places.values()
    yield from ((token, token + PLURAL_SUFFIX) for token in components.tokens.values())
    yield from (zone.title for zone in (components.mat.zones if components.mat else ()))


def updated_catalog(file: Path, code: str, texts: Iterable[object]) -> Catalog:
    """A catalog with the current texts. Each text keeps its translation in `file`, if there is one."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"")
    with file.open("rb") as source:
        kept = read_po(source, locale=code)
    fresh = Catalog(locale=code, fuzzy=False, project="Tablekeeper", version="", copyright_holder="", charset="utf-8")
    fresh.mime_headers = [("Plural-Forms", kept.plural_forms)]
    for message in texts:
        if message.id:  # type: ignore[attr-defined]
            old = kept.get(message.id)  # type: ignore[attr-defined]
            same = old is not None and old.pluralizable == message.pluralizable  # type: ignore[attr-defined]
            fresh.add(message.id, old.string if old and same else None)  # type: ignore[attr-defined]
    return fresh


def untranslated(catalog: Catalog) -> list[str]:
    """The texts in a catalog without a complete translation: with none, or without all plural forms."""
    return [
        str(message.id)
        for message in catalog
        if message.id and not (all(message.string) if isinstance(message.string, tuple) else message.string)
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
