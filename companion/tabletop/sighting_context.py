"""The context of a sighting: what follows from earlier sightings, and a game may know beside the sighting itself.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from companion.tabletop.copy_assignment import ZonesByCode

Turn = int | Literal["house"] | None
"""Whose turn it is: a seat or the house; None after the end of the game, or if it is unknown."""


@dataclass(frozen=True)
class SightingContext:
    """The context of a sighting for a game: the state of the table, which already includes the sighting."""

    zones: ZonesByCode = field(default_factory=dict)
    """The zone of every visible code, in the order of the last sightings. None for a code in no zone."""
    flips: Collection[str] = ()
    """The codes whose last sighting showed that the component was turned over where it lay."""
    recent_flips: Collection[str] = ()
    """The codes that have come into view since the last act because their components were turned over."""
    put_down: Collection[str] = ()
    """The codes of components that came to rest in this turn."""
    deal_numbers: Mapping[str, int] = field(default_factory=dict)
    """Maps the codes of cards to the numbers of their deals, for the cards whose codes were read when they were dealt.
    The number of a deal is the number of earlier moves of the same type."""
    codes_ever_dealt: Collection[str] = ()
    """The codes of all cards that were read when they were dealt in this match, even if the deal was undone later. All
    other cards have never left the deck, unless people dealt them without showing them."""
    read_deals: Collection[int] = ()
    """The numbers of all deals at which the card's code was read."""
    dealt_on_phones: Collection[str] = ()
    """The chance sources from which the companion deals. Phones hold the hands with these cards, so no card on the
    table comes from a hand."""


NO_CONTEXT: Final = SightingContext()
