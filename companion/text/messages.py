"""Texts for people, as data: a message and its values, rendered later in the reader's language.

Law: no I/O, no generator. Times are rendered in this machine's time zone; nothing else depends on the machine.

A text is immutable, comparable, hashable and picklable. `str(text)` is English, for terminals and logs;
`companion.text.translation` renders the other languages. Putting a text into an f-string raises TypeError, since its
translation would be lost. Pass the text to `_` as a value instead, or use `joined`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import PurePath
from typing import Final, NamedTuple, NoReturn, Self

from babel.dates import format_date, format_skeleton, format_time
from babel.numbers import format_decimal
from msgspec import Struct

from companion.text.player_names import bidi_isolate

SOURCE: Final = "en"
"""The language of the texts in the source code."""


class NameForms(NamedTuple):
    """The forms that a name takes in a sentence. The name of a place has four forms, each with its preposition: `at`
    (where?), `into` (where to?), `out_of` (where from?) and `beside` (next to what?). The name of a thing has the form
    `this`: the object of a verb, with its article."""

    at: str
    into: str
    out_of: str
    beside: str
    this: str


@dataclass(frozen=True)
class Language:
    """A language into which texts are rendered; English by default. `names` are the players' names by seat; empty if
    they are not known."""

    code: str = SOURCE
    names: Sequence[TextLike] = ()

    def gettext(self, text: str) -> str:
        """The translation of a text into this language."""
        return text

    def ngettext(self, one: str, many: str, n: int) -> str:
        """The translation of a text in the form that fits the number `n`. `one` and `many` are the English singular and
        plural."""
        return one if n == 1 else many

    def forms(self, name: str) -> NameForms:
        """The forms of the name of a place or a thing. In English, all forms are equal."""
        return NameForms(name, name, name, name, name)

    @property
    def direction(self) -> str:
        """The direction in which the language is written: `ltr` (left to right) or `rtl` (right to left)."""
        return "ltr"

    def render(self, text: TextLike) -> str:
        """The text as a string in this language. A string is returned unchanged."""
        return text.render(self) if isinstance(text, Text) else text


class Text:
    """A text for people, which can be rendered in several languages. This is the base class of all kinds of texts. It
    is not an abstract base class (ABC), because `isinstance` is slow with an ABC, and is called for every value on a
    page. The kinds are structs, because thousands of texts are made and compared for a page, and structs are faster
    than frozen dataclasses."""

    __slots__ = ()

    def render(self, language: Language) -> str:
        """The text as a string in a language."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.render(ENGLISH)

    def __format__(self, spec: str) -> NoReturn:
        raise TypeError("A text in an f-string would lose its translation; give it to _() as a value, or use joined().")


TextLike = Text | str
"""A text, or a string that is the same in every language, such as a name, a path or a keyword of the API."""

Value = TextLike | int | float
Argument = Value | PurePath | Exception
"""A value that can be passed to `_`. An exception is replaced by its message, and a path by its string."""


class Message(Struct, Text, frozen=True):
    """A text with values for its `{fields}`."""

    text: str
    values: tuple[tuple[str, Value], ...] = ()

    def render(self, language: Language) -> str:
        found = language.gettext(self.text) if self.text else ""
        return found.format(**_rendered(self.values, language)) if self.values else found

    def with_values(self, **values: Argument) -> Message:
        """A copy of this message with values for its `{fields}`. Used for messages that are defined as constants."""
        return Message(self.text, _fields(values))


class PluralMessage(Struct, Text, frozen=True):
    """A text with a singular and a plural form. The number `n` selects the form, and replaces `{n}`."""

    one: str
    many: str
    n: int
    values: tuple[tuple[str, Value], ...] = ()

    def render(self, language: Language) -> str:
        return language.ngettext(self.one, self.many, self.n).format(n=self.n, **_rendered(self.values, language))


def _rendered(values: Iterable[tuple[str, Value]], language: Language) -> dict[str, str | int | float]:
    return {name: _string(value, language) for name, value in values}


def _string(value: Value, language: Language) -> str | int | float:
    """The value in the form in which it is put into a sentence. In a right-to-left language, a left-to-right string is
    wrapped in isolates (see `bidi_isolate`)."""
    if isinstance(value, Text):
        return value.render(language)
    return bidi_isolate(value, "rtl") if isinstance(value, str) and language.direction == "rtl" else value


class Joined(Struct, Text, frozen=True):
    """Several texts with a separator between them."""

    separator: TextLike
    parts: tuple[TextLike, ...]

    def render(self, language: Language) -> str:
        return language.render(self.separator).join(map(language.render, self.parts))


class InflectedName(str):
    """A name in some language, together with its forms. A translation selects a form by its attribute, as in
    `{place.into}`."""

    at: str
    into: str
    out_of: str
    beside: str
    this: str

    def __new__(cls, name: str, forms: NameForms) -> Self:
        made = super().__new__(cls, name)
        made.at, made.into, made.out_of, made.beside, made.this = forms
        return made


class NameInSentence(Struct, Text, frozen=True):
    """The name of a place or a thing, for use in a sentence. Translations of the sentence may select a form of the
    name."""

    name: TextLike

    def render(self, language: Language) -> InflectedName:
        name = language.render(self.name)
        return InflectedName(name, language.forms(name))


class Capitalized(Struct, Text, frozen=True):
    """A text with a capital first letter."""

    text: TextLike

    def render(self, language: Language) -> str:
        text = language.render(self.text)
        return text[:1].upper() + text[1:]


class WithoutPeriod(Struct, Text, frozen=True):
    """A sentence without its final period, so that more words can follow."""

    text: TextLike

    def render(self, language: Language) -> str:
        return language.render(self.text).removesuffix(".")


class Number(Struct, Text, frozen=True):
    """A number with a fixed number of decimals or, by default, with at most one decimal and a true minus sign."""

    value: float
    decimals: int | None = None

    def render(self, language: Language) -> str:
        if self.decimals is None:
            return format_decimal(round(self.value, 1), locale=language.code).replace("-", "−")
        pattern = "0" + "." * bool(self.decimals) + "0" * self.decimals
        return format_decimal(self.value, pattern, locale=language.code)


class Moment(Struct, Text, frozen=True):
    """A date and a time of day to the minute, in this machine's time zone."""

    when: datetime

    def render(self, language: Language) -> str:
        here = self.when.astimezone()
        return f"{format_date(here, 'medium', language.code)}, {format_time(here, 'short', locale=language.code)}"


class Day(Struct, Text, frozen=True):
    """A date, such as "Nov 26, 2026"."""

    day: date

    def render(self, language: Language) -> str:
        return str(format_date(self.day, "medium", language.code))


class Month(Struct, Text, frozen=True):
    """A month with its year, such as "Nov 2026". `day` may be any day of the month."""

    day: date

    def render(self, language: Language) -> str:
        return str(format_skeleton("yMMM", self.day, locale=language.code))


class TimeOfDay(Struct, Text, frozen=True):
    """A time of day to the minute, in this machine's time zone."""

    when: datetime

    def render(self, language: Language) -> str:
        return str(format_time(self.when.astimezone(), "short", locale=language.code))


class PlayerName(Struct, Text, frozen=True):
    """The name of the player at a seat. If the name is not known, a text such as "seat 0", which counts seats from 0 as
    the API does."""

    seat: int

    def render(self, language: Language) -> str:
        return language.render(language.names[self.seat] if language.names else _("seat {n}", n=self.seat))


class NamingPlayers(Struct, Text, frozen=True):
    """A text together with the players' names, which replace every PlayerName in the text."""

    text: TextLike
    names: tuple[TextLike, ...]

    def render(self, language: Language) -> str:
        return replace(language, names=self.names).render(self.text)


class TextWithNames(Struct, Text, frozen=True):
    """A text from a data file. The players' names replace `{0}`, `{1}` and so on."""

    text: TextLike
    names: tuple[TextLike, ...]

    def render(self, language: Language) -> str:
        return language.render(self.text).format(*map(language.render, self.names))


class TextError(Exception):
    """An error whose message is a text for people."""

    def __init__(self, message: TextLike = "") -> None:
        super().__init__(message)
        self.message = message


def _(text: str, /, **values: Argument) -> Message:
    """A translatable text. Each `{name}` in it is replaced by the value with that name."""
    return Message(text, _fields(values))


def gettext_noop(text: str) -> str:
    """Returns a string unchanged. The call only marks the string for translators. The code that shows the string passes
    it to `_`, which translates it."""
    return text


def plural(one: str, many: str, n: int, /, **values: Argument) -> PluralMessage:
    """A translatable text with a singular form `one` and a plural form `many`. The number `n` selects the form, and
    replaces `{n}`."""
    return PluralMessage(one, many, n, _fields(values))


def _fields(values: Mapping[str, Argument]) -> tuple[tuple[str, Value], ...]:
    return tuple([(name, _plain(value)) for name, value in values.items()])


def _plain(value: Argument) -> Value:
    if isinstance(value, str | int | Text):
        return value
    if isinstance(value, TextError):
        return value.message
    return str(value) if isinstance(value, PurePath | Exception) else value


def joined(separator: TextLike, parts: Iterable[TextLike]) -> TextLike:
    """The texts with a separator between them; "" if there are none."""
    found = tuple(parts)
    return found[0] if len(found) == 1 else Joined(separator, found) if found else ""


def listed(words: Sequence[TextLike]) -> TextLike:
    """The words as a list in a sentence, such as "1, 2 and 4". If there are no words, ""."""
    *some, last = words or [""]
    return _("{some} and {last}", some=joined(", ", some), last=last) if some else last


ENGLISH: Final = Language()
