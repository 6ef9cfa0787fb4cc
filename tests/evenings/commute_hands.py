"""Hands that play Commute. They deal the cards themselves, or take the cards from an open tray while the companion
deals on phones."""

from __future__ import annotations

from collections import Counter

from companion.games.commute.components import CARDS, PIECE, card_component, piece_component
from companion.games.commute.mat import DECK, DISCARD, SHOW, UH_OH, UH_OH_DECK
from companion.games.commute.moves import Bump, Deal, Pick, Travel, UhOh
from companion.games.rules import Move
from tests.evenings.hand_acts import HandAct, Lay, Take, Tap
from tests.evenings.hands import BOX, TRAY, Hands, tap

TELL_RATE = 0.15
"""How often a player taps a new card on the phone instead of showing it to the camera."""


class CommuteHands(Hands):
    """The players' hands, not their cards, at a game of Commute. `is_dealt` says whether people deal the playing
    cards."""

    @property
    def is_dealt(self) -> bool:
        return self.group.dealers.get("cards") == "table"

    @property
    def is_uh_oh_dealt(self) -> bool:
        return self.group.dealers.get("uh_oh") == "table"

    def set_up(self) -> None:
        world = self.world
        playing = [component for component in world.components if component in CARDS]
        uh_oh = [
            component for component in world.components if component not in CARDS and not component.startswith(PIECE)
        ]
        for component in world.components:
            world.elsewhere[component] = BOX if component.startswith(PIECE) else TRAY
        world.decks = {DECK: [], UH_OH_DECK: []}
        for deck, cards, dealt in ((DECK, playing, self.is_dealt), (UH_OH_DECK, uh_oh, self.is_uh_oh_dealt)):
            if dealt:
                for component in self.rng.sample(cards, len(cards)):
                    world.put_on_deck(component, deck)

    def plan(self, move: Move) -> list[HandAct]:
        if not isinstance(move, Travel | Bump):
            return [tap(move)]
        target = self.state.bump.target if isinstance(move, Bump) else int(move.seat)
        if self.state.locations[target] == move.to or self.rng.random() < 0.05:
            return [tap(move)]
        piece = piece_component(self.state.board, target, self.state.houses[target])
        acts: list[HandAct] = [Lay(card_component(move.card), DISCARD), Lay(piece, move.to)]
        return acts if self.rng.random() < 0.65 else acts[::-1]

    def due(self) -> Move | None:
        """A move that the house may make now; None if there is none."""
        return next((move for move, _ in self.state.chances()), None)

    def deal(self) -> list[HandAct]:
        match self.due():
            case Deal(to=to):
                if not self.world.decks[DECK]:
                    return []
                top = self.world.decks[DECK][-1]
                if self.rng.random() < TELL_RATE:
                    report = {"seat": "house", "move": "deal", "to": int(to), "card": CARDS[top], "told": True}
                    return [Take(top, f"hand-{to}"), Tap(int(to), report)]
                return [Lay(top, SHOW)]
            case UhOh():
                return [Lay(self.world.decks[UH_OH_DECK][-1], UH_OH)] if self.world.decks[UH_OH_DECK] else []
            case Pick(from_=owner):
                possible = {move.face for move, weight in self.state.chances() if weight}
                hand = [
                    component for component in self.world.components_in(f"hand-{owner}") if CARDS[component] in possible
                ]
                return [Lay(self.rng.choice(hand), SHOW)] if hand else []
        return []

    def after_deal(self) -> list[HandAct]:
        """The acts by which the player who showed a card to the camera takes it into their hand."""
        shown = [component for component in self.world.components_in_zone(SHOW) if component in CARDS]
        return [Take(component, self._holder(component)) for component in shown]

    def _holder(self, component: str) -> str:
        """Where a card is in the match: in a hand, or else in the deck."""
        for place, kinds in self.group.layout.cards.items():
            if place.startswith("hand-") and component in kinds:
                return place
        picked = next((task.owner for task in self.state.uh_oh.tasks[:1] if hasattr(task, "owner")), None)
        return f"deck {DECK}" if picked is None else f"hand-{picked}"

    def home(self, component: str) -> str:
        if component.startswith(PIECE):
            return BOX
        if component in CARDS:
            return self._holder(component) if self.is_dealt else TRAY
        return f"deck {UH_OH_DECK}" if self.is_uh_oh_dealt else TRAY

    def tidy_off_mat(self) -> None:
        """Makes the players hold the same cards as in the match. Cards that are in no hand go back to the deck, which
        is shuffled unless a draw was undone."""
        is_after_undo = bool(self.group.acts) and self.group.acts[-1].kind == "undo"
        acts: list[HandAct] = self._hand_acts() if self.is_dealt else []
        for act in acts:
            self.group.do(act)
        if not is_after_undo and (acts or self._has_returned()):
            for deck in self.world.decks.values():
                self.rng.shuffle(deck)
        self._last_sizes = {zone: len(deck) for zone, deck in self.world.decks.items()}

    def _has_returned(self) -> bool:
        """Whether a pile was put back on its deck."""
        before = getattr(self, "_last_sizes", {})
        return any(len(deck) > before.get(zone, 0) for zone, deck in self.world.decks.items())

    def _hand_acts(self) -> list[HandAct]:
        layout, acts = self.group.layout, list[HandAct]()
        if any(f"hand-{seat}" not in layout.cards for seat in range(self.group.seats)):
            return []  # a card is being picked from one of them
        for seat in range(self.group.seats):
            place = f"hand-{seat}"
            wanted, here = Counter(layout.cards[place]), Counter(self.world.components_in(place))
            for component in here - wanted:
                acts.append(Take(component, self._holder(component)))
            for component in wanted - here:
                if not self.world.place_of(component).startswith("hand-"):
                    acts.append(Take(component, place))
        return acts
