"""The default names: for players who have given no name, and for seats that the companion plays from the start.

Law: pure. Games are stored with default names in English; every reader sees them in their own language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from companion.text.messages import Language, Text, _

MAX_NUMBER = 8
"""The highest number in a default name. No game has more seats than this."""


class DefaultName(str, Text):
    """A default name, which is rendered in the reader's language. As a string, it is the English name with which games
    are stored."""

    __slots__ = ()
    __str__ = str.__str__
    __format__ = str.__format__  # type: ignore[assignment]  # in an f-string it is English

    def render(self, language: Language) -> str:
        return language.render(_TEXTS[str(self)])


def default_name(seat: int) -> Text:
    """The name of a player who has not given one, such as "Player 1" for seat 0."""
    return _("Player {n}", n=seat + 1)


def companion_name(number: int) -> Text:
    """The name of a seat that the companion plays from the start. `number` counts these seats from 0."""
    return _("Companion {n}", n=number + 1) if number else _("Companion")


def is_companion_name(name: str) -> bool:
    """Whether a name, as games are stored with it, is a default name of a seat that the companion plays."""
    return name in _COMPANION_NAMES


def translatable_name(name: str) -> str:
    """The name, as a `DefaultName` if it is a default name."""
    return DefaultName(name) if name in _TEXTS else name


_MAKERS: tuple[Callable[[int], Text], ...] = (default_name, companion_name)
_TEXTS: Mapping[str, Text] = {f"{make(n)!s}": make(n) for make in _MAKERS for n in range(MAX_NUMBER)}
"""Maps each default name in English to its translatable text."""
_COMPANION_NAMES = frozenset(f"{companion_name(n)!s}" for n in range(MAX_NUMBER))
