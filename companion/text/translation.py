"""Translation: renders texts in the reader's language.

The match, the journal and the names in the API do not depend on a language. The catalogs under `locale/` have the
English text of the source code as the key. A text without a translation stays English.

For translators: `scripts/texts` gathers the texts into the catalogs; CONTRIBUTING says more.
"""

from __future__ import annotations

import gettext
import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from babel import Locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from companion.text.messages import SOURCE, Language

LANGUAGES: Final[Mapping[str, str]] = {SOURCE: "English", "de": "Deutsch"}
"""The name of each language in that language, by language code."""
CATALOGS = Path(__file__).parent / "locale"


@dataclass(frozen=True)
class Translator(Language):
    """Translates texts into one language. The translations are read from the catalogs of that language."""

    def gettext(self, text: str) -> str:
        return _texts(self.code).gettext(text)

    def ngettext(self, one: str, many: str, n: int) -> str:
        return _texts(self.code).ngettext(one, many, n)

    @property
    def direction(self) -> str:
        return _direction(self.code)


@cache
def _direction(code: str) -> str:
    return Locale.parse(code).text_direction


@cache
def _texts(code: str) -> gettext.NullTranslations:
    found = gettext.NullTranslations()
    for file in sorted((CATALOGS / code).glob("*.po")):
        found = _read(file, code, found)
    return found


def _read(file: Path, code: str, otherwise: gettext.NullTranslations) -> gettext.NullTranslations:
    compiled = io.BytesIO()
    with file.open("rb") as source:
        write_mo(compiled, read_po(source, locale=code))
    compiled.seek(0)
    found = gettext.GNUTranslations(compiled)
    found.add_fallback(otherwise)
    return found
