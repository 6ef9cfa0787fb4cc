"""The default names of players who have given no name."""

from __future__ import annotations

from companion.text.default_names import companion_name, default_name
from companion.text.translation import LANGUAGES, Translator
from companion.venue.table_messages import MAX_SEATS

FORMER_WORDS = ("Spieler", "Jugador")
"""The words in the default names of earlier versions, such as "Spieler 1" and "Jugador 1". Those versions stored
default names in the language of the host."""


def all_default_names() -> frozenset[str]:
    """The default names in all languages: those of players who have given no name, such as "Player 1" and "Person 1",
    and those of seats that the companion plays from the start, such as "Companion"."""
    names = [name(seat) for name in (default_name, companion_name) for seat in range(MAX_SEATS)]
    former = {f"{word} {seat + 1}" for word in FORMER_WORDS for seat in range(MAX_SEATS)}
    return frozenset(former).union(Translator(code).render(name) for code in LANGUAGES for name in names)
