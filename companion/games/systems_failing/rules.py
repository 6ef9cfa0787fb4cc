"""The rules of Systems Failing.

Law: pure. A position waits either for a seat (its actions, or cubes to return) or for the house (a card, a
cube, the disasters' move); `play` carries a move out and then runs on to the next thing that waits.

`legality` says what is allowed, `chance` what the house may bring, `deeds` what a move does, `course` how set-up
and rounds run on. Quoted sentences are the rule text's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.games.rules import HOUSE, House, HouseMove, Move, Seat, Viewer
from companion.games.systems_failing import chance, effects, legality, phases
from companion.games.systems_failing.catalog import Catalog
from companion.games.systems_failing.cubes import NO_CUBES, ONE, Cubes
from companion.games.systems_failing.position_types import FIRST, Cause, Laid, Phase, Stack, Zone, Zones
from companion.text.refusals import IllegalMove


@dataclass(frozen=True)
class State:
    """A position of Systems Failing."""

    cards: Catalog = field(repr=False, compare=False)
    difficulty: str
    beginner: bool
    stability: int
    damage: int = 0
    first: Seat = FIRST
    player: Seat = FIRST
    round: int = 1
    phase: Phase = "setup"
    actions_left: int = 0
    to_draw: int = 0
    """Cubes still to be drawn by the scavenging player."""
    due: int = 0
    """Disasters still to appear in this round."""
    bag: Cubes = NO_CUBES
    pools: tuple[Cubes, Cubes] = (NO_CUBES, NO_CUBES)
    zones: Zones = ((), (), ())
    starting: tuple[int, ...] = ()
    """The zones that starting disasters are still to be dealt into."""
    replacing: int | None = None
    """The place in its zone, from the top, of the starting disaster that is being replaced."""
    aside: tuple[str, ...] = ()
    """Starting disasters that were replaced: in no pile until the start is settled."""
    deck: frozenset[str] = frozenset()
    stacks: tuple[Stack, ...] = ()
    deck_whites: int = 0
    discard: tuple[str, ...] = ()
    active: Laid | None = None
    sequences: frozenset[str] = frozenset()
    """Escape sequences still face down."""
    done: tuple[tuple[str, Seat], ...] = ()
    """Repaired escape sequences and the seat that has each in front of it."""
    roles: tuple[str | None, str | None] = (None, None)
    result: Cause | None = None

    # What a game is asked --------------------------------------------------------------------------

    @property
    def turn(self) -> Seat | House | None:
        if self.result:
            return None
        return HOUSE if self.phase != "actions" or self.to_draw or not self.active else self.player

    def play(self, move: Move) -> State:
        if refusal := legality.refusal(self, move):
            raise IllegalMove(refusal)
        return phases.flow(effects.carry_out(self, move))

    def legal_moves(self) -> Iterator[Move]:
        return legality.legal_moves(self)

    def chances(self) -> Iterator[tuple[HouseMove, int]]:
        return chance.chances(self)

    def seen_by(self, viewer: Viewer) -> dict[str, Any]:
        """All of it but the order of deck, bag and sequences, which no state holds: pools are public."""
        return {
            "turn": self.turn,
            "first": self.first,
            "round": self.round,
            "phase": self.phase,
            "actions_left": self.actions_left,
            "must_return": self.must_return,
            "bag": self.bag.counts(),
            "pools": [pool.counts() for pool in self.pools],
            "zones": {str(n): [_shown(laid) for laid in zone] for n, zone in enumerate(self.zones, 1)},
            "deck": len(self.deck),
            "deck_whites": self.deck_whites,
            "discard": list(self.discard),
            "escape": {
                "active": self.active.card if self.active else None,
                "placed": self.active.placed.counts() if self.active else {},
                "left": len(self.sequences),
                "done": [card for card, _ in self.done],
            },
            "stability": self.stability,
            "damage": self.damage,
            "region": self.region,
            "roles": list(self.roles),
            "difficulty": self.difficulty,
            "side": "beginner" if self.beginner else "normal",
            "over": self.result is not None,
            "result": {"won": self.result == "escape", "cause": self.result} if self.result else None,
        }

    # What the rules ask ----------------------------------------------------------------------------

    @property
    def must_return(self) -> int:
        """Cubes over the limit that the player has to return; 0 while cubes are still drawn."""
        return 0 if self.to_draw else max(0, self.pools[self.player].total - self.cards.at_most)

    @property
    def region(self) -> str:
        """The region of the meter card that counts."""
        return self.cards.region(self.stability, self.damage, beginner=self.beginner).name

    @property
    def ignores(self) -> str | None:
        """The color that the player's role may ignore."""
        role = self.roles[self.player]
        return self.cards.roles[role].ignores if role else None

    def in_play(self) -> Iterator[Laid]:
        """The active escape sequence and the disasters in the zones."""
        if self.active:
            yield self.active
        for zone in self.zones:
            yield from zone

    def laid(self, card: str) -> Laid | None:
        """The card in play, if it is."""
        return next((laid for laid in self.in_play() if laid.card == card), None)

    def missing(self, laid: Laid) -> Cubes:
        """The cubes that a card still needs."""
        return self.cards.needs_cubes(laid.card) - laid.placed

    def can_leave(self, laid: Laid) -> bool:
        """The active escape sequence and the top disaster of each zone leave at once when repaired."""
        return laid is self.active or any(zone and zone[0] is laid for zone in self.zones)

    # What the deeds make ---------------------------------------------------------------------------

    def but(self, **changes: Any) -> State:
        """`dataclasses.replace` at a tenth of its cost, which is most of the cost of a move."""
        other = object.__new__(State)
        other.__dict__.update(self.__dict__, **changes)
        return other

    def with_pool(self, seat: Seat, cubes: Cubes) -> State:
        """This position with other cubes in a pool."""
        return self.but(pools=(cubes, self.pools[1]) if seat == 0 else (self.pools[0], cubes))

    def gaining(self, seat: Seat, color: str) -> State:
        """This position with a cube more in a pool."""
        return self.with_pool(seat, self.pools[seat] + ONE[color])

    def with_zone(self, number: int, zone: Zone) -> State:
        """This position with other disasters in a zone."""
        one, two, three = self.zones
        return self.but(
            zones=(zone if number == 1 else one, zone if number == 2 else two, zone if number == 3 else three)
        )

    def discarding(self, laid: Laid) -> State:
        """This position with a disaster discarded that lies in no zone any more; its cubes go to the bag."""
        return self.but(discard=(*self.discard, laid.card), bag=self.bag + laid.placed)


def _shown(laid: Laid) -> Mapping[str, Any]:
    return {"card": laid.card, "placed": laid.placed.counts()}
