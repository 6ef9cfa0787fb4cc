"""What the table should look like, and the difference to what it looked like before or to what is seen.

Law: pure. A layout lists every physical thing that matters: coded things by zone (top first), tokens by
holder (a bag, a pool, a card), markers by track. Games make layouts; nothing here knows a game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Layout:
    """Where everything belongs.

    `cards` maps a place to the things in it, top first; a place is a zone of the mat or any other place
    that the game names (a deck's things are not listed: what is listed nowhere is in `stock`).
    `tokens` maps a holder (a place or a thing) to how many tokens of each kind it holds.
    `markers` maps a track to the position that its marker shows.
    """

    cards: Mapping[str, tuple[str, ...]]
    stock: str = "the deck"
    tokens: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    markers: Mapping[str, int | str] = field(default_factory=dict)

    def place_of(self, thing: str) -> tuple[str, int] | None:
        """The place of a thing and its position in it from the top, or None if it is in the stock."""
        for place, things in self.cards.items():
            if thing in things:
                return place, things.index(thing)
        return None
