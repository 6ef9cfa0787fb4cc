"""Hands that play System WON. They draw the cards and show them to the camera, or take the cards from an open tray
while the companion deals on phones."""

from __future__ import annotations

from collections import Counter

from companion.games.rules import Move
from companion.games.system_won.catalog import catalog
from companion.games.system_won.components import PREFIX, SPECIFICATION_KIND, role_component_id
from companion.games.system_won.mat import system_zone
from companion.games.system_won.moves import Deal, DealRole, Discard, Play, ShuffleBack
from companion.tabletop.components import BACK
from tests.evenings.hand_acts import Flip, HandAct, Lay, Take
from tests.evenings.hands import BOX, TRAY, Hands, tap

DECK, SHOW, ROLES, SPECIFICATIONS = "deck", "show", "roles", "specifications"
TAP_RATE = 0.08
"""How often a player plays or discards on the phone, and moves the card afterwards."""
EARLY_FLIP_RATE = 0.3
"""How often a specification is turned up before the discard that restores it."""


class WonHands(Hands):
    """The players' hands, not their cards, at a game of System WON."""

    @property
    def is_dealt(self) -> bool:
        """Whether people draw the cards."""
        return self.group.dealers.get("cards") == "table"

    def set_up(self) -> None:
        world = self.world
        cards = [component for component in world.components if self._is_card(component)]
        for component in world.components:
            world.elsewhere[component] = TRAY if component in cards else BOX
        world.decks = {DECK: []}
        if self.is_dealt:
            for component in self.rng.sample(cards, len(cards)):
                world.put_on_deck(component, DECK)

    def _is_card(self, component: str) -> bool:
        return self.group.game.physical.components.faces.get(self.kinds[component], "") in _faces()

    def plan(self, move: Move) -> list[HandAct]:
        if not isinstance(move, Play | Discard) or not self.is_dealt or self.rng.random() < TAP_RATE:
            return [tap(move)]
        component = self.component_in_slot(int(move.seat), move.slot)
        if component is None:
            return [tap(move)]
        if isinstance(move, Discard):
            down = [t for t in self.world.components_in_zone(SPECIFICATIONS) if self.kind_up(t).endswith(BACK)]
            early = down and self.rng.random() < EARLY_FLIP_RATE
            return [*([Flip(down[0])] if early else []), Lay(component, "discard")]
        color = next(color for color, letter in _letters().items() if component.removeprefix(PREFIX)[0] == letter)
        return [Lay(component, "play" if self.rng.random() < 0.6 else system_zone(color))]

    def component_in_slot(self, seat: int, slot: int) -> str | None:
        """The component for the card in a slot of a hand. If possible, this is the copy that was read when the card was
        dealt."""
        card = self.state.hands[seat][slot]
        by_deal = {number: code for code, number in self.group.match.history.deal_numbers().items()}
        own = self.world.components_in(f"hand-{seat}")
        if by_deal.get(card.deal_number) in own:
            return by_deal[card.deal_number]
        return next((component for component in own if self.kinds[component] == PREFIX + card.face), None)

    def deal(self) -> list[HandAct]:
        possible = [move for move, _ in self.state.chances()]
        match possible[:1]:
            case [DealRole()]:
                role = self.rng.choice([move.face for move in possible])
                return [Lay(role_component_id(role), ROLES)]
            case [ShuffleBack()]:
                discards = [self.kinds[t].removeprefix(PREFIX) for t in self.world.components_in_zone("discard")]
                drawn = self.rng.sample(discards, min(2, len(discards)))
                wanted = next((move for move in possible if Counter(move.cards) == Counter(drawn)), possible[0])
                return [tap(wanted)]
            case [Deal()] if self.world.decks[DECK]:
                return [Lay(self.world.decks[DECK][-1], SHOW)]
        return []

    def after_deal(self) -> list[HandAct]:
        """The acts by which the player who drew and showed a card takes it into their hand."""
        return [Take(component, self._holder(component)) for component in self.world.components_in_zone(SHOW)]

    def _holder(self, component: str) -> str:
        """Where a card is in the match: in a hand, which may hold one of several equal copies, or else in the deck."""
        number = self.group.match.history.deal_numbers().get(component)
        for seat, hand in enumerate(self.state.hands):
            if number is not None and any(card.deal_number == number for card in hand):
                return f"hand-{seat}"
        for seat, hand in enumerate(self.state.hands):
            wanted = sum(PREFIX + card.face == self.kinds[component] for card in hand)
            here = sum(self.kinds[other] == self.kinds[component] for other in self.world.components_in(f"hand-{seat}"))
            if wanted > here:
                return f"hand-{seat}"
        return f"deck {DECK}"

    def source(self, kind: str) -> str | None:
        """A card for the table: from the tray or, after a move on a phone, from the hand that no longer has it."""
        around = any(self.kinds[component] == kind for component in self.world.components_in("floor"))
        if self.is_dealt and not around and not kind.startswith(SPECIFICATION_KIND):
            layout = self.group.layout.cards
            for seat in range(self.group.seats):
                here = self.world.components_in(f"hand-{seat}")
                alike = [component for component in here if self.kinds[component] == kind]
                if len(alike) > layout.get(f"hand-{seat}", ()).count(kind):
                    return alike[0]
        return super().source(kind)

    def home(self, component: str) -> str:
        if not self._is_card(component):
            return BOX
        return self._holder(component) if self.is_dealt else TRAY

    def tidy_off_mat(self) -> None:
        """Makes the players hold the same cards as in the match. If a turn was undone, the cards that were drawn in it
        go back on top of the deck."""
        if not self.is_dealt:
            return
        before = len(self.world.decks[DECK])
        for seat in range(self.group.seats):
            self._restore_hand(seat)
        last, size = self.group.acts[-1:], len(self.world.decks[DECK])
        has_recycled = any(isinstance(step.move, ShuffleBack) for act in last for step in act.steps)
        if has_recycled and last[0].kind == "move" and size not in (before, self._deck_size):
            self.rng.shuffle(self.world.decks[DECK])
        self._deck_size = len(self.world.decks[DECK])

    _deck_size = -1

    def _restore_hand(self, seat: int) -> None:
        place = f"hand-{seat}"
        wanted = Counter(self.group.layout.cards.get(place, ()))
        here = Counter(self.kinds[component] for component in self.world.components_in(place))
        for kind, count in (here - wanted).items():
            newest = [
                component for component in reversed(self.world.components_in(place)) if self.kinds[component] == kind
            ]
            for component in newest[:count]:
                self.group.do(Take(component, f"deck {DECK}"))
        for kind, count in (wanted - here).items():
            for component in [
                component for component in reversed(self.world.decks[DECK]) if self.kinds[component] == kind
            ][:count]:
                self.group.do(Take(component, place))


def _letters() -> dict[str, str]:
    return {suit.color: suit.letter for suit in catalog().suits}


def _faces() -> frozenset[str]:
    return frozenset(catalog().cards)
