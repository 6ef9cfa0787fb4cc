"""The default names of players who have given no name, and of seats that the companion plays from the start."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from companion.text.messages import Language, Text, _
from companion.text.translation import LANGUAGES, Translator

MAX_NUMBER = 8
"""The greatest number in a default name: no game has more seats."""
FORMER_WORDS = ("Spieler", "Jugador")
"""Default names in games of earlier versions: "Spieler 1" and "Jugador 1"."""


class DefaultName(str, Text):
    """A default name. It is the string under which the game is stored, in the language of its host; every reader sees
    it in their own language."""

    __slots__ = ()
    __str__ = str.__str__
    __format__ = str.__format__  # type: ignore[assignment]  # in an f-string it is the stored name

    def render(self, language: Language) -> str:
        return language.render(_texts()[str(self)])


def default_name(seat: int) -> Text:
    """The name of a player who has not given one, such as "Player 1" for seat 0."""
    return _("Player {n}", n=seat + 1)


def companion_name(number: int) -> Text:
    """The name of a seat that the companion plays from the start. `number`: counts these seats from 0."""
    return _("Companion {n}", n=number + 1) if number else _("Companion")


def translatable_name(name: str) -> str:
    """The name. If it is a default name in any language, it is a `DefaultName`."""
    return DefaultName(name) if name in _texts() else name


def default_names() -> frozenset[str]:
    """The default names in all languages, such as "Player 1", "Person 1" and "Companion"."""
    return frozenset(_texts())


@cache
def _texts() -> Mapping[str, Text]:
    """Maps each default name in each language to the text that it translates."""
    makers: tuple[Callable[[int], Text], ...] = (default_name, companion_name)
    texts = [make(n) for make in makers for n in range(MAX_NUMBER)]
    found = {Translator(code).render(text): text for code in LANGUAGES for text in texts}
    former = {f"{word} {n + 1}": default_name(n) for word in FORMER_WORDS for n in range(MAX_NUMBER)}
    return {**former, **found}
