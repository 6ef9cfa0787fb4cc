"""A position of Systems Failing: plain data, and the facts that follow from it.

Law: pure.

Only the order of the deck, the bag and the escape sequences is secret. A position does not contain this order, so every
viewer knows the whole position.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self, TypeVar

from companion.games.ending import Ending
from companion.games.immutable import Immutable
from companion.games.rules import HOUSE, House, Seat, Viewer
from companion.games.systems_failing.catalog import Catalog, Region
from companion.games.systems_failing.cube_multiset import NO_CUBES, Cubes
from companion.games.systems_failing.position_json_types import CardJson, SystemsFailingPosition
from companion.games.systems_failing.position_parts import (
    FIRST_SEAT,
    CardInPlay,
    EndCause,
    Phase,
    Stack,
    StartingDisasters,
    ZoneCards,
    Zones,
)


class Position(Immutable, frozen=True):
    """A position of Systems Failing. It contains the cubes in the bag and the cards in play, but not the order in which
    cubes and cards will come."""

    catalog: Catalog
    difficulty: str
    is_beginner: bool
    """Whether the meter card lies with its beginner's side up."""
    stability: int
    damage: int = 0
    first_player: Seat = FIRST_SEAT
    active_player: Seat = FIRST_SEAT
    round: int = 1
    phase: Phase = "setup"
    actions_left: int = 0
    draws_left: int = 0
    """The number of cubes that the active player must still draw for a scavenge."""
    disasters_due: int = 0
    """The number of disasters that must still appear in this round."""
    bag: Cubes = NO_CUBES
    pools: tuple[Cubes, Cubes] = (NO_CUBES, NO_CUBES)
    zones: Zones = ((), (), ())
    starting_disasters: StartingDisasters = StartingDisasters()
    deck: frozenset[str] = frozenset()
    stacks: tuple[Stack, ...] = ()
    """The stacks of the deck, the top one first."""
    whites_on_deck: int = 0
    discard: tuple[str, ...] = ()
    """The discard pile, oldest card first."""
    active_escape: CardInPlay | None = None
    escape_deck: frozenset[str] = frozenset()
    """The escape sequences that are still face down."""
    repaired_escapes: tuple[tuple[str, Seat], ...] = ()
    """The repaired escape sequences, oldest first, each with the seat that repaired it."""
    roles: tuple[str | None, str | None] = (None, None)
    end_cause: EndCause | None = None

    @property
    def turn(self) -> Seat | House | None:
        """The seat that must act, or the house. None at the end of the game."""
        if self.is_over:
            return None
        return HOUSE if self.phase != "actions" or self.draws_left or not self.active_escape else self.active_player

    @property
    def is_over(self) -> bool:
        return self.end_cause is not None

    @property
    def is_won(self) -> bool:
        return self.end_cause == "escape"

    @property
    def cubes_to_return(self) -> int:
        """The number of cubes that the active player must return because the player's pool is over the limit. 0 while
        the player still has cubes to draw."""
        return 0 if self.draws_left else max(0, self.pools[self.active_player].total - self.catalog.max_pool)

    @property
    def region(self) -> Region:
        """The current region of the meter card."""
        return self.catalog.region(self.stability, self.damage, is_beginner=self.is_beginner)

    @property
    def ignored_color(self) -> str | None:
        """The color that the active player's role may ignore. None if the active player has no role yet."""
        role = self.roles[self.active_player]
        return self.catalog.roles[role].ignores if role else None

    def cards_in_play(self) -> Iterator[CardInPlay]:
        """Yields the active escape sequence, if any, then the disasters in zones 1 to 3."""
        if self.active_escape:
            yield self.active_escape
        for zone in self.zones:
            yield from zone

    def card_in_play(self, card: str) -> CardInPlay | None:
        """The card with the id `card`. None if it is not in play."""
        return next((found for found in self.cards_in_play() if found.card == card), None)

    def missing_cubes(self, card: CardInPlay) -> Cubes:
        """The cubes that a card still needs."""
        return self.catalog.needs_cubes(card.card) - card.cubes

    @property
    def ending(self) -> Ending | None:
        """How the game ended. None while the game goes on."""
        return Ending(self.is_won) if self.is_over else None

    def as_known_to(self, viewer: Viewer) -> Self:
        """The whole position, because nothing in it is hidden."""
        return self

    def to_json(self) -> SystemsFailingPosition:
        """The position as `tablekeeper play` prints it."""
        escape = self.active_escape
        return {
            "turn": self.turn,
            "first": self.first_player,
            "round": self.round,
            "phase": self.phase,
            "actions_left": self.actions_left,
            "must_return": self.cubes_to_return,
            "bag": self.bag.counts(),
            "pools": [pool.counts() for pool in self.pools],
            "zones": {str(number): list(map(_to_json, zone)) for number, zone in enumerate(self.zones, 1)},
            "deck": len(self.deck),
            "deck_whites": self.whites_on_deck,
            "discard": list(self.discard),
            "escape": {
                "active": escape.card if escape else None,
                "placed": escape.cubes.counts() if escape else {},
                "left": len(self.escape_deck),
                "done": [card for card, _ in self.repaired_escapes],
            },
            "stability": self.stability,
            "damage": self.damage,
            "region": self.region.name,
            "roles": list(self.roles),
            "difficulty": self.difficulty,
            "side": "beginner" if self.is_beginner else "normal",
            "over": self.is_over,
            "result": {"won": self.is_won, "cause": self.end_cause} if self.is_over else None,
        }

    def with_pool(self, seat: Seat, cubes: Cubes) -> Self:
        """A copy of the position in which the pool of `seat` is `cubes`."""
        return self.replace(pools=(cubes, self.pools[1]) if seat == 0 else (self.pools[0], cubes))

    def with_zone(self, number: int, zone: ZoneCards) -> Self:
        """A copy of the position in which zone `number` contains the cards `zone`."""
        one, two, three = self.zones
        return self.replace(
            zones=(zone if number == 1 else one, zone if number == 2 else two, zone if number == 3 else three)
        )


P = TypeVar("P", bound=Position)
"""The type of the position that a function takes, and of the changed copy that the function returns."""


def _to_json(card: CardInPlay) -> CardJson:
    return {"card": card.card, "placed": card.cubes.counts()}
