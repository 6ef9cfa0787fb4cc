"""The default names of players who have given no name."""

from __future__ import annotations

from companion.match.new_game import default_name
from companion.table.companion_seats import companion_name
from companion.text.translation import LANGUAGES, Translator
from companion.venue.messages import MAX_SEATS


def unnamed_players() -> frozenset[str]:
    """The default names in all languages: those of players who have given no name, such as "Player 1" and "Spieler 1",
    and those of seats that the companion plays from the start, such as "Companion"."""
    names = [name(seat) for name in (default_name, companion_name) for seat in range(MAX_SEATS)]
    return frozenset(Translator(code).render(name) for code in LANGUAGES for name in names)
