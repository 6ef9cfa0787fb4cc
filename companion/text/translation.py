"""Translation: renders texts in the reader's language.

The match, the journal and the names in the API are independent of language. Each folder in `locale/` contains the
catalogs of one language and is named after the language's code. The keys in a catalog are the English texts from the
source code. A text without a translation stays English.

For translators: `scripts/gather_texts.py` gathers the texts into the catalogs. CONTRIBUTING has more.
"""

from __future__ import annotations

import gettext
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, Self

from babel import Locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from companion.text import toml_files
from companion.text.messages import SOURCE, Language, NameForms

CATALOGS = Path(__file__).parent / "locale"


def languages(catalogs: Path) -> dict[str, str]:
    """Maps the code of each language to the language's name in that language, such as "Deutsch" for `de`. Contains
    English and all languages with a catalog."""
    codes = (SOURCE, *sorted({file.parent.name for file in catalogs.glob("*/*.po")}))
    names = ((code, Locale.parse(code).get_display_name() or code) for code in codes)
    return {code: name[:1].upper() + name[1:] for code, name in names}


LANGUAGES: Final[Mapping[str, str]] = languages(CATALOGS)
"""Maps the code of each language to the language's name in that language, such as "Deutsch" for `de`."""

MAX_COLOR_ENDINGS: Final = 20
UNITS = "%|°C|ms|s|min|mm|cm|KiB|MB|GB|dBm"
SPACE_IN_PAIR: Final = re.compile(rf"(?<=[\d}}]) (?=(?:{UNITS})(?!\w))| (?=…)")
"""Matches the space between a number and its unit, and the space before an ellipsis. Lines must not break there."""
NO_BREAK_SPACE: Final = "\u00a0"
MAX_KEPT_TEXTS: Final = 8192
"""The maximum number of results in each of this module's caches of texts and name forms."""


@dataclass(frozen=True)
class LanguageFacts:
    """The contents of `language.toml` in a language's folder. All fields have defaults, because the file may be
    missing."""

    is_complete: bool = False
    """Whether every text has been translated. If a complete language lacks a text, a test fails."""
    color_endings: tuple[str, ...] = ()
    """The endings that the name of a color can take in a sentence. For example, German "rot" can become "rote" or
    "rotem"."""
    places: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The forms of each place's name: where, where to, where from and next to what (see `NameForms`). The name may
    contain `*`, which matches any letters; in the forms, `*` is replaced by these letters. If several names match, the
    first one applies."""
    objects: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The form of each thing's name as the object of a verb, with `*` as in `places`."""

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Reads `language.toml` in a language's folder, if it exists. Raises DataError if the file has a mistake."""
        file = folder / "language.toml"
        if not file.exists():
            return cls()
        document = toml_files.load(file)
        table = document.one("language")
        complete = table.name("status", ("complete", "draft")) == "complete"
        endings = table.names("color_endings", None, 0, MAX_COLOR_ENDINGS)
        table.refuse_unknown_keys()
        places, objects = (_forms_in(document, header, count) for header, count in (("places", 4), ("objects", 1)))
        return cls(complete, endings, places, objects)


def _forms_in(document: toml_files.TomlDocument, header: str, count: int) -> Mapping[str, Sequence[str]]:
    """The table with this header: maps each name to its `count` forms. Empty if there is no such table."""
    if header not in document.tables:
        return {}
    table = document.one(header)
    return {name: table.names(name, None, count, count) for name in table.values}


def _forms_of(name: str, patterns: Mapping[str, Sequence[str]]) -> Sequence[str] | None:
    """The forms of a name, taken from the first pattern that matches. None if no pattern matches."""
    for pattern, forms in patterns.items():
        start, star, end = pattern.partition("*")
        if name == pattern:
            return forms
        if star and name.startswith(start) and name.endswith(end) and len(name) > len(start) + len(end):
            inner = name[len(start) : len(name) - len(end)]
            return [form.replace("*", inner) for form in forms]
    return None


@dataclass(frozen=True)
class Translator(Language):
    """Translates texts into one language, with the catalogs of that language."""

    def gettext(self, text: str) -> str:
        return _texts(self.code).gettext(text)

    def ngettext(self, one: str, many: str, n: int) -> str:
        return _texts(self.code).ngettext(one, many, n)

    def forms(self, name: str) -> NameForms:
        return _forms(self.code, name)

    @property
    def direction(self) -> str:
        return _direction(self.code)

    @property
    def facts(self) -> LanguageFacts:
        """The contents of the language's `language.toml`."""
        return _facts(self.code)


@cache
def _facts(code: str) -> LanguageFacts:
    return LanguageFacts.load(CATALOGS / code)


@lru_cache(MAX_KEPT_TEXTS)
def _forms(code: str, name: str) -> NameForms:
    facts = _facts(code)
    places = _forms_of(name, facts.places) or (name,) * 4
    objects = _forms_of(name, facts.objects) or (name,)
    return NameForms(*places, *objects)


@cache
def _direction(code: str) -> str:
    return Locale.parse(code).text_direction


class _English(gettext.NullTranslations):
    """The English texts from the source code, with no-break spaces where SPACE_IN_PAIR matches. All languages fall back
    to these texts."""

    def gettext(self, message: str) -> str:
        return _with_no_break_spaces(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return _with_no_break_spaces(msgid1 if n == 1 else msgid2)


@cache
def _texts(code: str) -> gettext.NullTranslations:
    found: gettext.NullTranslations = _English()
    for file in sorted((CATALOGS / code).glob("*.po")):
        found = _read(file, code, found)
    return found


def _read(file: Path, code: str, otherwise: gettext.NullTranslations) -> gettext.NullTranslations:
    compiled = io.BytesIO()
    with file.open("rb") as source:
        catalog = read_po(source, locale=code)
    for message in catalog:
        forms = message.string
        if isinstance(forms, str):
            message.string = _with_no_break_spaces(forms)
        elif forms:
            message.string = tuple(map(_with_no_break_spaces, forms))
    write_mo(compiled, catalog)
    compiled.seek(0)
    found = gettext.GNUTranslations(compiled)
    found.add_fallback(otherwise)
    return found


@lru_cache(maxsize=MAX_KEPT_TEXTS)
def _with_no_break_spaces(text: str) -> str:
    """The text with no-break spaces where SPACE_IN_PAIR matches."""
    return SPACE_IN_PAIR.sub(NO_BREAK_SPACE, text)
