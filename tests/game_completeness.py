"""What a new game in `GAMES` may still lack: translations, pictures, its section of the contract.

A test that needs one of these skips games that lack it, and says what is missing. Once somebody has started to add it
to a game, it must be complete.
"""

from __future__ import annotations

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from companion.games import GAMES
from companion.text.translation import CATALOGS, LANGUAGES, SOURCE, Translator
from scripts.gather_texts import CORE

OTHERS = tuple(code for code in LANGUAGES if code != SOURCE)
COMPLETE = tuple(code for code in OTHERS if Translator(code).facts.is_complete)
"""The languages in which nothing may be missing. In the others, texts without a translation are in English."""


def catalog(code: str, part: str) -> Catalog:
    """The translations of one part of the texts. Empty if there is no file yet."""
    path = CATALOGS / code / f"{part}.po"
    if not path.exists() and part != CORE:
        return Catalog(locale=code)
    with path.open("rb") as file:
        return read_po(file, locale=code)


def is_translated(code: str, part: str) -> bool:
    """Whether the translation of a part has begun."""
    return part == CORE or any(message.id and any(message.string) for message in catalog(code, part))


def skip_untranslated(part: str) -> None:
    """Skips the test if this game has not been translated yet."""
    missing = [LANGUAGES[code] for code in COMPLETE if not is_translated(code, part)]
    if missing:
        pytest.skip(f"{part} has no {' and no '.join(missing)} yet: python scripts/gather_texts.py")


TRANSLATED = tuple(part for part in (CORE, *GAMES) if all(is_translated(code, part) for code in COMPLETE))
