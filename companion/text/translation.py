"""The language in which a phone is spoken to.

A thread (a request's, an event stream's) speaks one language at a time; whatever it says, it says by `_` and `plural`.
The book, the journal and the names of the API know no language. Texts are looked up as they are written here, in
English, in the catalogues under `locale/`; what has no translation stays English.

How to translate: `scripts/texts` gathers the texts into the catalogues; CONTRIBUTING says more.
"""

from __future__ import annotations

import gettext
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Final

from babel import Locale
from babel.dates import format_date, format_time
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal

SOURCE: Final = "en"
LANGUAGES: Final[Mapping[str, str]] = {SOURCE: "English", "de": "Deutsch"}
"""What each language calls itself, by its code."""
CATALOGUES = Path(__file__).parent / "locale"

_spoken: ContextVar[str] = ContextVar("language", default=SOURCE)


def language() -> str:
    """The code of the language that is spoken now."""
    return _spoken.get()


def speak(code: str) -> None:
    """From now on this thread speaks that language; one that there is not is English."""
    _spoken.set(code if code in LANGUAGES else SOURCE)


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Speaks a language for a while."""
    before = _spoken.get()
    speak(code)
    try:
        yield
    finally:
        _spoken.set(before)


class Later(str):
    """An English text that knows how it was put together, so that `_` can say it anew; it goes through pipes."""

    text: str
    values: Mapping[str, object]


class InEach(str):
    """What was said once in each language, by its code; it goes through pipes."""

    said: Mapping[str, str]


def _(text: str, /, **values: object) -> str:
    """The text in the language that is spoken, with `{name}` replaced by the value of that name."""
    if isinstance(text, InEach):
        return text.said[_spoken.get()]
    if isinstance(text, Later):
        return _(
            text.text, **{name: _(value) if isinstance(value, str) else value for name, value in text.values.items()}
        )
    found = _texts(_spoken.get()).gettext(text) if text else ""
    return found.format(**values) if values else found


def plural(one: str, many: str, n: int, /, **values: object) -> str:
    """The text for this number, `{n}` replaced by it."""
    return _texts(_spoken.get()).ngettext(one, many, n).format(n=n, **values)


def listed(words: Sequence[str]) -> str:
    """ "1, 2 and 4"; nothing of nothing."""
    *some, last = words or [""]
    return _("{some} and {last}", some=", ".join(some), last=last) if some else last


def later(text: str, /, **values: object) -> str:
    """Marks a text of a constant, or of a device's thread, which is said by `_` when its time has come. A value that is
    such a text itself is said then too."""
    if not values:
        return text
    made = Later(text.format(**values))
    made.text, made.values = text, values
    return made


def in_each(say: Callable[[], str]) -> str:
    """What is said now, in the source's language, to be heard by `_` in the one that is spoken later on."""
    said: dict[str, str] = {}
    for code in LANGUAGES:
        with speaking(code):
            said[code] = say()
    made = InEach(said[SOURCE])
    made.said = said
    return made


def number(value: float) -> str:
    """A number as people write it there, with at most one decimal; below 0 with a minus, which is no hyphen."""
    return format_decimal(round(value, 1), locale=_spoken.get()).replace("-", "−")


def decimal(value: float, digits: int) -> str:
    """A number with so many decimals, as people write it there."""
    return format_decimal(value, "0" + "." * bool(digits) + "0" * digits, locale=_spoken.get())


def moment(when: datetime) -> str:
    """A date and time of day as people write it there, in this machine's time zone, to the minute."""
    here, locale = when.astimezone(), _spoken.get()
    return f"{format_date(here, 'medium', locale)}, {format_time(here, 'short', locale=locale)}"


def direction() -> str:
    """Which way the language is written: `ltr` or `rtl`."""
    return _direction(_spoken.get())


@cache
def _direction(code: str) -> str:
    return Locale.parse(code).text_direction


@cache
def _texts(code: str) -> gettext.NullTranslations:
    found = gettext.NullTranslations()
    for file in sorted((CATALOGUES / code).glob("*.po")):
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
