"""The rules of Systems Failing.

Law: pure. A position waits either for a seat (its actions, or cubes to return) or for the house (a card, a
cube, the disasters' move); `play` carries a move out and then runs on to the next thing that waits.
Quoted sentences are the rule text's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Final, Literal

from companion.games.rules import HOUSE, House, HouseMove, IllegalMove, Move, Seat, Viewer
from companion.games.systems_failing.catalog import Catalog
from companion.games.systems_failing.cubes import COLORS, WHITE, Color, Cubes
from companion.games.systems_failing.moves import (
    Advance,
    CardId,
    DealRole,
    Discard,
    Draw,
    EndTurn,
    Repair,
    Return,
    Reveal,
    RoleId,
    Scavenge,
    Transfer,
)

Phase = Literal["setup", "actions", "stock_up", "advance", "appear"]
Cause = Literal["escape", "stability", "damage"]

ACTIONS: Final = 4
SCAVENGED: Final = 2
ZONE_HOLDS: Final = 3
STACKS: Final = 5
NO_CUBES: Final = Cubes()


@dataclass(frozen=True)
class Laid:
    """A card in play and the cubes placed on it."""

    card: str
    placed: Cubes = NO_CUBES


@dataclass(frozen=True)
class Stack:
    """A part of the face-down deck: how many disasters and how many systems-failing cards it holds."""

    disasters: int
    failing: int


Zone = tuple[Laid, ...]
Zones = tuple[Zone, Zone, Zone]
"""Zones 1 to 3; in each the top card first."""


@dataclass(frozen=True)
class State:
    """A position of Systems Failing."""

    cards: Catalog = field(repr=False, compare=False)
    difficulty: str
    beginner: bool
    stability: int
    damage: int = 0
    first: Seat = Seat(0)
    player: Seat = Seat(0)
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
    settled: bool = False
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

    # What waits ------------------------------------------------------------------------------------

    @property
    def turn(self) -> Seat | House | None:
        if self.result:
            return None
        if self.phase != "actions" or self.to_draw or not self.active:
            return HOUSE
        return self.player

    @property
    def must_return(self) -> int:
        """Cubes over the limit that the player has to return; 0 while cubes are still drawn."""
        return 0 if self.to_draw else max(0, self.pools[self.player].total - self.cards.at_most)

    @property
    def region(self) -> str:
        """The region of the meter card that counts."""
        return self.cards.region(self.stability, self.damage, beginner=self.beginner).name

    @property
    def _drawer(self) -> Seat | None:
        """The seat that the next cube out of the bag is for."""
        match self.phase:
            case "actions":
                return self.player if self.to_draw else None
            case "setup" if self.active and None not in self.roles:
                wanted = self.cards.first_hand
            case "stock_up":
                wanted = self.cards.stock_up_to
            case _:
                return None
        if not set(self.bag) - {WHITE}:
            return None
        order = (self.first, Seat(1 - self.first))
        return next((seat for seat in order if self.pools[seat].total < wanted), None)

    # Playing ---------------------------------------------------------------------------------------

    def play(self, move: Move) -> State:
        if refusal := self.refusal(move):
            raise IllegalMove(refusal)
        return self._carry_out(move)._flow()

    def _carry_out(self, move: Move) -> State:
        match move:
            case Scavenge():
                return self._spend(to_draw=SCAVENGED)
            case Transfer(color=color):
                other = Seat(1 - self.player)
                return self._spend()._pool(other, self.pools[other] - [color])._gain(color)
            case Repair():
                return self._spend()._repair(move)
            case Discard():
                return self._spend()._give_back(self.pools[self.player])
            case Return(cubes=cubes):
                return self._give_back(Cubes(cubes))
            case EndTurn():
                return replace(self, actions_left=0)
            case Draw(cube=cube):
                return self._draw(cube)
            case Reveal(card=card):
                return self._reveal(card)
            case DealRole(to=to, role=role):
                return replace(self, roles=(role, self.roles[1]) if to == 0 else (self.roles[0], role))
            case Advance():
                return self._advance()
        raise IllegalMove("This is no move of Systems Failing.")

    def _spend(self, **changes: Any) -> State:
        """An action is spent when it is taken."""
        return replace(self, actions_left=self.actions_left - 1, **changes)

    def _pool(self, seat: Seat, cubes: Cubes) -> State:
        return replace(self, pools=(cubes, self.pools[1]) if seat == 0 else (self.pools[0], cubes))

    def _gain(self, color: str) -> State:
        return self._pool(self.player, self.pools[self.player] + [color])

    def _give_back(self, cubes: Cubes) -> State:
        return replace(self._pool(self.player, self.pools[self.player] - cubes), bag=self.bag + cubes)

    def _draw(self, cube: str) -> State:
        seat = self._drawer
        assert seat is not None
        after = replace(self, bag=self.bag - [cube], to_draw=max(0, self.to_draw - 1))
        if cube == WHITE:  # "it must be placed on top of the disaster deck"
            after = replace(after, deck_whites=self.deck_whites + 1)._surge_by_white()
        else:
            after = after._pool(seat, self.pools[seat] + [cube])
        # "a bag that empties after one cube ends the draw"
        return after if after.bag else replace(after, to_draw=0)

    # Repairing -------------------------------------------------------------------------------------

    def laid(self, card: str) -> Laid | None:
        """The card in play, if it is."""
        return next((laid for laid in self._in_play() if laid.card == card), None)

    def _in_play(self) -> Iterator[Laid]:
        if self.active:
            yield self.active
        for zone in self.zones:
            yield from zone

    def missing(self, laid: Laid) -> Cubes:
        """The cubes that a card still needs."""
        return Cubes(self.cards.needs(laid.card)) - laid.placed

    def _can_leave(self, card: str) -> bool:
        """The active escape sequence and the top disaster of each zone leave at once when repaired."""
        return any(
            laid.card == card for laid in (self.active, *(zone[0] for zone in self.zones if zone)) if laid
        )

    def _ability_completes(self, laid: Laid, cubes: Cubes) -> bool:
        """ "Ignore a particular resource during a repair action, provided the action results in the immediate
        removal of a card." """
        rest, role = self.missing(laid) - cubes, self.roles[self.player]
        return bool(
            role and rest and set(rest) == {self.cards.roles[role].ignores} and self._can_leave(laid.card)
        )

    def _repair(self, move: Repair) -> State:
        laid, cubes = self.laid(move.card), Cubes(move.cubes)
        assert laid
        after = self._pool(self.player, self.pools[self.player] - cubes)
        put = Laid(laid.card, laid.placed + cubes)
        repaired = move.ability or not self.missing(put)
        if laid is self.active:
            return after._sequence_repaired(put) if repaired else replace(after, active=put)
        number = next(n for n, zone in enumerate(self.zones, 1) if laid in zone)
        zone = tuple(put if other is laid else other for other in self.zones[number - 1])
        after = after._with_zone(number, zone)
        return after._clear_top(number, ignoring=put.card if move.ability else None)

    def _sequence_repaired(self, put: Laid) -> State:
        """ "Immediately removed …, all cubes on top of it are returned to the bag …, the next sequence … active." """
        done = (*self.done, (put.card, self.player))
        won: Cause | None = None if self.sequences else "escape"
        return replace(self, active=None, done=done, bag=self.bag + put.placed, result=won)

    def _clear_top(self, number: int, ignoring: str | None = None) -> State:
        """ "If … the card underneath it is already repaired, that card is immediately removed as well." """
        state = self
        while zone := state.zones[number - 1]:
            top = zone[0]
            if top.card != ignoring and state.missing(top):
                break
            state = state._with_zone(number, zone[1:])._discarded(top)
        return state

    def _with_zone(self, number: int, zone: Zone) -> State:
        zones = list(self.zones)
        zones[number - 1] = zone
        return replace(self, zones=(zones[0], zones[1], zones[2]))

    def _discarded(self, laid: Laid) -> State:
        return replace(self, discard=(*self.discard, laid.card), bag=self.bag + laid.placed)

    # Surges and damage -----------------------------------------------------------------------------

    def _surge_by_white(self) -> State:
        """ "The surging zone is the rightmost zone containing at least one disaster." """
        number = next((n for n in (3, 2, 1) if self.zones[n - 1]), None)
        return self._surge(number) if number else self

    def _surge(self, number: int) -> State:
        """ "The bottommost disaster card of the surging zone is immediately moved to the top of the zone on
        its left. Any cubes on top of the disaster card are returned to the bag." """
        *rest, bottom = self.zones[number - 1]
        after = replace(self._with_zone(number, tuple(rest)), bag=self.bag + bottom.placed)
        return after._hit(Laid(bottom.card)) if number == 1 else after._lay(number - 1, bottom.card)

    def _lay(self, number: int, card: str) -> State:
        """Puts a card on top of a zone; "if a zone contains more than 3 disasters, the surge occurs"."""
        after = self._with_zone(number, (Laid(card), *self.zones[number - 1]))
        return after._surge(number) if len(after.zones[number - 1]) > ZONE_HOLDS else after

    def _hit(self, *core: Laid) -> State:
        """ "Any disasters in the core column immediately inflict damage … These cards are then discarded." """
        damage = self.damage + sum(self.cards.disasters[laid.card].damage for laid in core)
        state = replace(self, damage=min(damage, self.cards.damage_explodes_at))
        for laid in core:
            state = state._discarded(laid)
        return replace(state, result="damage") if damage >= self.cards.damage_explodes_at else state

    def _advance(self) -> State:
        """ "All disasters … shift one zone to the left"; the whites on the deck go back to the bag."""
        core, second, third = self.zones
        back = Cubes({WHITE: self.deck_whites})
        return (
            replace(self, zones=(second, third, ()), deck_whites=0, bag=self.bag + back)._hit(*core)._appear()
        )

    def _appear(self) -> State:
        """The number of cards "indicated in the center of the meter card", read once as the phase begins."""
        due = self.cards.region(self.stability, self.damage, beginner=self.beginner).draws
        return replace(self, phase="appear", due=due)

    # Cards off the decks ---------------------------------------------------------------------------

    def _reveal(self, card: str) -> State:
        if card in self.sequences:
            return replace(self, sequences=self.sequences - {card}, active=Laid(card))
        after = replace(
            self, deck=self.deck - {card}, stacks=_without(self.stacks, card in self.cards.failing)
        )
        if self.phase == "setup":
            return after._deal_start(card)
        if card in self.cards.failing:
            after = after._destabilise(card)
        else:
            after = replace(after, due=self.due - 1)._lay(self.cards.disasters[card].zone, card)
        return after if after.result or after.deck else after._reshuffle()

    def _destabilise(self, card: str) -> State:
        """ "Immediately increase the … meter and add an additional white cube to the bag. Discard the … card." """
        after = replace(self, stability=self.stability + 1, discard=(*self.discard, card))
        if after.stability >= self.cards.stability_explodes_at:
            return replace(after, result="stability")
        return replace(after, bag=self.bag + [WHITE])

    def _reshuffle(self) -> State:
        """ "If the disaster deck runs out, immediately shuffle the discard pile to form a new disaster deck." """
        failing = sum(card in self.cards.failing for card in self.discard)
        stacks = (Stack(len(self.discard) - failing, failing),)
        return replace(self, deck=frozenset(self.discard), stacks=stacks, discard=())

    # Setting up ------------------------------------------------------------------------------------

    def _deal_start(self, card: str) -> State:
        """A starting disaster: dealt ones go on top, a replacement takes the place of the card it replaces."""
        number = self.starting[0]
        zone, place = list(self.zones[number - 1]), self.replacing or 0
        zone.insert(place, Laid(card))
        after = replace(self._with_zone(number, tuple(zone)), starting=self.starting[1:], replacing=None)
        return after if after.starting else after._judge_start()

    def _judge_start(self) -> State:
        """ "The total … of the four starting disaster cards must be 7 or higher." Else the lowest leaves; of
        several "the lowest-numbered zone first (working your way from top to bottom within it)"."""
        lying = [
            (n, i, self.cards.disasters[laid.card])
            for n, z in enumerate(self.zones, 1)
            for i, laid in enumerate(z)
        ]
        if sum(disaster.damage for *_, disaster in lying) >= self.cards.start_damage:
            return self.settle_start()
        number, place, lowest = min(lying, key=lambda lie: (lie[2].damage, lie[0], lie[1]))
        zone = tuple(laid for laid in self.zones[number - 1] if laid.card != lowest.id)
        after = replace(self._with_zone(number, zone), starting=(number,), replacing=place)
        return replace(after, aside=(*self.aside, lowest.id))

    def settle_start(self) -> State:
        """ "Any discarded cards should then be shuffled back"; "separate the disaster deck into 5 separate stacks …
        Shuffle a systems failing card into each." """
        disasters = self.deck | set(self.aside)
        share, extra = divmod(len(disasters), STACKS)
        failing = len(self.cards.failing)
        stacks = tuple(
            Stack(share + (i < extra), failing // STACKS + (i < failing % STACKS)) for i in range(STACKS)
        )
        return replace(self, deck=disasters | set(self.cards.failing), stacks=stacks, aside=(), settled=True)

    # The course of a round -------------------------------------------------------------------------

    def _flow(self) -> State:
        """Runs on to the next thing that waits. "A phase with nothing to do is never shown"."""
        state = self
        while (after := state._step()) is not state:
            state = after
        return state

    def _step(self) -> State:
        if self.result:
            return self
        match self.phase:
            case "setup":
                return self._step_setup()
            case "actions" if (
                not self.to_draw and self.active and not self.actions_left and not self.must_return
            ):
                return self._end_turn()
            case "stock_up" if self._drawer is None:
                return replace(self, phase="advance")
            case "appear" if not self.due or not self.deck:
                return replace(
                    self, phase="actions", round=self.round + 1, actions_left=ACTIONS, player=self.first
                )
        return self

    def _step_setup(self) -> State:
        if not self.active or None in self.roles or self._drawer is not None:
            return self
        whites = self.cards.whites_at_zero + self.stability
        if self.bag[WHITE] < whites:  # they join in the ply of the twelfth cube
            return replace(self, bag=self.bag + {WHITE: whites})
        if not self.settled:
            return self if self.starting else self.settle_start()
        return replace(self, phase="actions", actions_left=ACTIONS, player=self.first)

    def _end_turn(self) -> State:
        """ "After both players have taken their turns the first player marker is passed to the next player." """
        other = Seat(1 - self.player)
        if self.player == self.first:
            return replace(self, player=other, actions_left=ACTIONS)
        return replace(self, phase="stock_up", first=Seat(1 - self.first))

    # What is legal ---------------------------------------------------------------------------------

    def refusal(self, move: Move) -> str | None:
        """Why the rules don't allow a move whose turn it is, or None if they do: the one place that says so."""
        if self.must_return and not isinstance(move, Return) and self.turn != HOUSE:
            return (
                f"Your pool is over {self.cards.at_most} cubes: return {self.must_return} to the bag first."
            )
        match move:
            case Scavenge():
                return None if self.bag else "The bag is empty, there is nothing to draw."
            case Transfer(seat=seat, color=color):
                has = color in self.pools[1 - int(seat)]
                return None if has else f"The other player has no {color} cube to give."
            case Discard(seat=seat):
                return None if self.pools[int(seat)] else "Your pool is empty already."
            case Return(seat=seat, cubes=cubes):
                return self._refuse_return(Cubes(cubes), len(cubes), self.pools[int(seat)])
            case Repair(seat=seat):
                return self._refuse_repair(move, self.pools[int(seat)])
            case HouseMove():
                return self._refuse_house(move)
        return None

    def _refuse_return(self, cubes: Cubes, count: int, pool: Cubes) -> str | None:
        if not self.must_return:
            return f"Cubes are returned only from a pool of more than {self.cards.at_most}."
        if count != self.must_return:
            return f"Return exactly {self.must_return}, not {count}."
        return None if cubes <= pool else "You can only return cubes that are in your pool."

    def _refuse_repair(self, move: Repair, pool: Cubes) -> str | None:
        laid, cubes = self.laid(move.card), Cubes(move.cubes)
        if laid is None:
            return f"{move.card} is not in play: repair the active escape sequence or a disaster in a zone."
        if not cubes and not move.ability:
            return "A repair places at least one cube."
        if not cubes <= pool:
            return "You can only place cubes that are in your pool."
        if not cubes <= self.missing(laid):
            needs = ", ".join(self.missing(laid).listed()) or "nothing"
            return f"{move.card} still needs {needs}, and no more than that may be placed."
        if move.ability and not self._ability_completes(laid, cubes):
            return self._refuse_ability(laid)
        return None

    def _refuse_ability(self, laid: Laid) -> str:
        if not self._can_leave(laid.card):
            return f"{laid.card} lies under other disasters and could not leave at once, so your ability does not help."
        ignores = self.cards.roles[self.roles[self.player] or ""].ignores
        return f"Your role ignores {ignores} only if nothing but {ignores} is then missing and {laid.card} leaves at once."

    def _refuse_house(self, move: HouseMove) -> str | None:
        if any(move == possible for possible, _ in self._possible()):
            return None
        match move:
            case Reveal(card=card):
                return f"{card} can't come now: {self._awaited()}."
            case Draw():
                return f"A {move.cube} cube for seat {move.to} can't come now: {self._awaited()}."
        return f"This can't come now: {self._awaited()}."

    def _awaited(self) -> str:
        if (seat := self._drawer) is not None:
            return f"a cube from the bag for seat {seat} is awaited"
        if self.phase == "advance":
            return "the disasters move next"
        if not self.active:
            return "the next escape sequence is awaited"
        return "a role is awaited" if None in self.roles else "a card from the disaster deck is awaited"

    def legal_moves(self) -> Iterator[Move]:
        if self.turn in (HOUSE, None):
            return
        for move in self._candidates(self.player):
            if self.refusal(move) is None:
                yield move

    def _candidates(self, seat: Seat) -> Iterator[Move]:
        if self.must_return:
            for cubes in self.pools[seat].parts():
                if cubes.total == self.must_return:
                    yield Return(seat=seat, cubes=_colors(cubes))
            return
        yield Scavenge(seat=seat)
        yield from (Transfer(seat=seat, color=color) for color in COLORS)
        for laid in self._in_play():
            for cubes in (self.missing(laid) & self.pools[seat]).parts():
                yield Repair(seat=seat, card=CardId(laid.card), cubes=_colors(cubes))
                yield Repair(seat=seat, card=CardId(laid.card), cubes=_colors(cubes), ability=True)
        yield Discard(seat=seat)
        yield EndTurn(seat=seat)

    # Chance ----------------------------------------------------------------------------------------

    def chances(self) -> Iterator[tuple[HouseMove, int]]:
        """What chance may bring next: each cube in the bag and each card of the deck's top stack alike."""
        if not self.stacks or self._awaits_other_than_deck():
            yield from self._possible()
            return
        top, in_deck = self.stacks[0], len(self.deck & set(self.cards.failing))
        disasters = len(self.deck) - in_deck
        for move, _ in self._possible():
            # All disasters together weigh top.disasters, all systems-failing cards top.failing.
            failing = move.face in self.cards.failing
            yield move, top.failing * max(1, disasters) if failing else top.disasters * max(1, in_deck)

    def _awaits_other_than_deck(self) -> bool:
        return not self.active or None in self.roles or self.phase != "appear"

    def _possible(self) -> Iterator[tuple[HouseMove, int]]:
        """Every house move that can come in this position. With cards dealt by hand the five stacks are the
        dealer's affair: any card that is still in the deck may come."""
        if self.turn != HOUSE:
            return
        if not self.active:
            yield from ((Reveal(card=CardId(card)), 1) for card in sorted(self.sequences))
        elif None in self.roles:
            to = Seat(self.roles.index(None))
            yield from ((DealRole(to=to, role=RoleId(r)), 1) for r in self.cards.roles if r not in self.roles)
        elif (seat := self._drawer) is not None:
            white = self.phase == "actions"
            yield from ((Draw(to=seat, cube=Color(c)), n) for c, n in self.bag.items() if white or c != WHITE)
        elif self.phase == "advance":
            yield Advance(), 1
        else:
            yield from ((Reveal(card=CardId(card)), 1) for card in sorted(self.deck))

    # Showing ---------------------------------------------------------------------------------------

    def seen_by(self, viewer: Viewer) -> dict[str, Any]:
        """All of it but the order of deck, bag and sequences, which no state holds: pools are public."""
        return {
            "turn": self.turn,
            "first": self.first,
            "round": self.round,
            "phase": self.phase,
            "actions_left": self.actions_left,
            "must_return": self.must_return,
            "bag": dict(self.bag),
            "pools": [dict(pool) for pool in self.pools],
            "zones": {str(n): [_shown(laid) for laid in zone] for n, zone in zip(count(1), self.zones)},
            "deck": len(self.deck),
            "deck_whites": self.deck_whites,
            "discard": list(self.discard),
            "escape": {
                "active": self.active.card if self.active else None,
                "placed": dict(self.active.placed) if self.active else {},
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


def _colors(cubes: Cubes) -> tuple[Color, ...]:
    return tuple(Color(color) for color in cubes.listed())


def _shown(laid: Laid) -> Mapping[str, Any]:
    return {"card": laid.card, "placed": dict(laid.placed)}


def _without(stacks: tuple[Stack, ...], failing: bool) -> tuple[Stack, ...]:
    """The stacks without one card of a kind, taken from the uppermost stack that has one."""
    left = list(stacks)
    for i, stack in enumerate(left):
        if stack.failing if failing else stack.disasters:
            left[i] = (
                replace(stack, failing=stack.failing - 1)
                if failing
                else replace(stack, disasters=stack.disasters - 1)
            )
            break
    return tuple(stack for stack in left if stack.failing or stack.disasters)
