"""Hands that play System WON with cards that nobody shows to the camera. The match then knows a card only once somebody
says what it is, or once it lies on the table."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from companion.games.rules import UNSEEN, Move, Seat
from companion.games.system_won.catalog import catalog
from companion.games.system_won.components import PREFIX
from companion.games.system_won.moves import Discard, Play, ShuffleBack, Specify
from tests.evenings.hand_acts import HandAct, Take
from tests.evenings.hands import tap
from tests.evenings.simulated_group import SimulatedGroup
from tests.evenings.won_hands import DECK, WonHands

HINT_RATE, PLAY_RATE = 0.4, 0.6
"""How often players give a hint if they can, and how often they play a card instead of discarding it."""


class UnseenWonHands(WonHands):
    """The players' hands at a game of System WON in which people draw cards without reporting them."""

    def __init__(self, group: SimulatedGroup) -> None:
        super().__init__(group)
        self._drawn: dict[int, str] = {}
        """The component that was drawn for each deal, by the number of the deal."""
        self._shuffled_at = -1
        """The version of the last act after which the deck was shuffled."""

    @property
    def is_dealt(self) -> bool:
        return True

    def choose(self) -> Move:
        """A hint, a play or a discard. Each says which cards it is about, as far as nobody has seen them."""
        seat = Seat(self.state.turn)
        legal = [move for move in self.state.legal_moves() if move.seat == seat]
        hints = [self._pointed(move) for move in legal if isinstance(move, Specify)]
        hints = [move for move in hints if move.slots]
        if hints and self.rng.random() < HINT_RATE:
            return self.rng.choice(hints)
        kind = Play if self.rng.random() < PLAY_RATE else Discard
        return self._named(self.rng.choice([move for move in legal if isinstance(move, kind)]))

    def _named(self, move: Any) -> Move:
        """A play or a discard that names its card, if nobody has seen it."""
        card = self.state.hands[move.seat][move.slot]
        return replace(move, card=self._face(card)) if card.face == UNSEEN else move

    def _pointed(self, move: Specify) -> Specify:
        """A hint that points at all cards that match it."""
        values = catalog().hint_values
        hand = self.state.hands[move.target]
        return replace(move, slots=tuple(n for n, card in enumerate(hand) if move.value in values[self._face(card)]))

    def _face(self, card: Any) -> str:
        """The face of a card in a hand, whether or not the match knows it."""
        component = self._drawn.get(card.deal_number)
        return self.kinds[component].removeprefix(PREFIX) if component else card.face

    def plan(self, move: Move) -> list[HandAct]:
        """The acts of a move. If the table can't know which card of the hand was laid, the player then says so on the
        phone."""
        acts = super().plan(move)
        if isinstance(move, Play | Discard) and not any(act == tap(move) for act in acts) and not self._is_clear(move):
            acts.append(tap(move))
        return acts

    def _is_clear(self, move: Play | Discard) -> bool:
        """Whether only one unseen card of the hand can be the card of a move."""
        face = self._face(self.state.hands[move.seat][move.slot])
        possible = [card for card in self.state.hands[move.seat] if card.face == UNSEEN]
        return sum(card.knowledge.allows(catalog().cards[face]) for card in possible) == 1

    def component_in_slot(self, seat: int, slot: int) -> str | None:
        component = self._drawn.get(self.state.hands[seat][slot].deal_number)
        return component if component in self.world.components_in(f"hand-{seat}") else None

    def source(self, kind: str) -> str | None:
        """A card for the table: after a move on a phone, one from a hand that no longer has it."""
        numbers = {card.deal_number for hand in self.state.hands for card in hand}
        for number, component in self._drawn.items():
            in_hand = self.world.place_of(component).startswith("hand-")
            if in_hand and number not in numbers and self.kinds[component] == kind:
                return component
        return super().source(kind)

    def home(self, component: str) -> str:
        if not self._is_card(component):
            return super().home(component)
        number = self._number_of(component)
        seats = (seat for seat, hand in enumerate(self.state.hands) if number in {card.deal_number for card in hand})
        seat = next(seats, None)
        return f"deck {DECK}" if seat is None else f"hand-{seat}"

    def _number_of(self, component: str) -> int | None:
        """The number of the deal of a card that belongs in a hand. If this card does not, but an equal one does and is
        on the table, the two are interchanged."""
        numbers = [card.deal_number for hand in self.state.hands for card in hand]
        own = next((number for number in numbers if self._drawn.get(number) == component), None)
        if own is not None:
            return own
        for number in numbers:
            other = self._drawn.get(number)
            if other in self.world.lying and self.kinds[other] == self.kinds[component]:
                self._drawn[number] = component
                return number
        return None

    def tidy_off_mat(self) -> None:
        """Puts the cards of undone draws back on the deck, and draws the cards that the match has dealt."""
        self._shuffle_after_recycling()
        for seat in range(self.group.seats):
            for component in reversed(self.world.components_in(f"hand-{seat}")):
                if (home := self.home(component)) != f"hand-{seat}":
                    self.group.do(Take(component, home))
        cards = sorted((card.deal_number, seat) for seat, hand in enumerate(self.state.hands) for card in hand)
        for number, seat in cards:
            component = self._drawn.get(number)
            if component is None or self.world.place_of(component) not in (f"hand-{seat}", "table"):
                self._drawn[number] = self.world.decks[DECK][-1]
                self.group.do(Take(self._drawn[number], f"hand-{seat}"))

    def _shuffle_after_recycling(self) -> None:
        last = self.group.acts[-1:]
        has_recycled = any(isinstance(step.move, ShuffleBack) for act in last for step in act.steps)
        if has_recycled and last[0].kind == "move" and last[0].version != self._shuffled_at:
            self._shuffled_at = last[0].version
            self.rng.shuffle(self.world.decks[DECK])

    def deal(self) -> list[HandAct]:
        possible = [move for move, _ in self.state.chances()]
        if possible and isinstance(possible[0], ShuffleBack):
            discards = Counter(self.kinds[t].removeprefix(PREFIX) for t in self.world.components_in_zone("discard"))
            fitting = [move for move in possible if not Counter(move.cards) - discards]
            return [tap(self.rng.choice(fitting or possible))]
        return super().deal()
