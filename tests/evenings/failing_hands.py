"""Hands that play Systems Failing. They turn up the disasters themselves, or take the cards from an open tray while the
companion deals on phones. They move the cubes of the pools and of the cards, which the camera counts. The bag is
on the phones only."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from companion.games.rules import Move
from companion.games.systems_failing.catalog import PREFIX, catalog
from companion.games.systems_failing.components import FIRST_MARKER
from companion.games.systems_failing.cube_multiset import ALL_COLORS
from companion.games.systems_failing.moves import Advance, DealRole, Discard, EndTurn, Repair, Reveal, Scavenge
from tests.evenings.hand_acts import Carry, HandAct, Lay, Press
from tests.evenings.hands import BOX, TRAY, Hands, tap

DECK, ESCAPE, DISCARD = "deck", "escape", "discard"
BUTTON_RATE = 0.5
"""How often players press a button at the table instead of tapping."""
CUBES_FIRST_RATE = 0.3
"""How often the cubes are moved before the phone is tapped."""
SUPPLY = "supply"
"""Where all cubes are that are in no pool and on no card: the bag and the box."""


class FailingHands(Hands):
    """The players' hands, not their cards, at a game of Systems Failing."""

    @property
    def is_dealt(self) -> bool:
        """Whether people turn up the cards."""
        return self.group.dealers.get("cards") == "table"

    def set_up(self) -> None:
        world, cards = self.world, catalog()
        for component in world.components:
            world.elsewhere[component] = TRAY
        world.elsewhere[FIRST_MARKER] = BOX
        world.decks = {DECK: [], ESCAPE: []}
        world.tokens = {place: Counter() for place in ("pool-0", "pool-1", *world.fields, SUPPLY)}
        world.tokens[SUPPLY].update(dict.fromkeys(ALL_COLORS, 99))
        self._was_set_up = False
        if self.is_dealt:
            for zone, faces in ((DECK, list(cards.disasters)), (ESCAPE, list(cards.escapes))):
                for face in self.rng.sample(faces, len(faces)):
                    world.put_on_deck(PREFIX + face, zone)

    def plan(self, move: Move) -> list[HandAct]:
        if isinstance(move, EndTurn | Scavenge) and self.rng.random() < BUTTON_RATE:
            return [Press("next" if isinstance(move, EndTurn) else "draw")]
        return [*self._cubes_first(move), tap(move)]

    def _cubes_first(self, move: Move) -> list[HandAct]:
        """The acts that take the cubes of a move out of the pool, for a player who moves them before tapping."""
        if not isinstance(move, Repair | Discard) or self.rng.random() > CUBES_FIRST_RATE:
            return []
        pool = f"pool-{move.seat}"
        if isinstance(move, Repair):
            card = PREFIX + move.card
            return [Carry(color, pool, card, count) for color, count in Counter(move.cubes).items()]
        return [Carry(color, pool, SUPPLY, count) for color, count in self.world.counted(pool).items()]

    def token_acts(self) -> list[HandAct]:
        """The acts that carry cubes to the pools and away from there. Cubes that a card lacks go there at once."""
        lacking = {card: Counter(self._missing_on(card)) for card in self.world.fields}
        acts: list[HandAct] = []
        for act in super().token_acts():
            card = None
            if isinstance(act, Carry) and act.target == SUPPLY:
                card = next((card for card, cubes in lacking.items() if cubes[act.kind] >= act.count), None)
            if card is None or not isinstance(act, Carry):
                acts.append(act)
            else:
                lacking[card][act.kind] -= act.count
                acts.append(replace(act, target=card))
        return acts

    def _missing_on(self, card: str) -> Counter[str]:
        return Counter(self.group.layout.tokens.get(card, {})) - Counter(self.world.counted(card))

    def field_acts(self) -> list[HandAct]:
        acts: list[HandAct] = []
        for card in self.world.fields:
            surplus = Counter(self.world.counted(card)) - Counter(self.group.layout.tokens.get(card, {}))
            acts += [Carry(color, card, SUPPLY, count) for color, count in surplus.items()]
            acts += [Carry(color, SUPPLY, card, count) for color, count in self._missing_on(card).items()]
        return acts

    def deal(self) -> list[HandAct]:
        possible = [move for move, _ in self.state.chances()]
        match possible[:1]:
            case [Advance()]:
                return [Press("next")]
            case [DealRole(to=to)]:
                role = self.rng.choice([move.face for move in possible])
                return [Lay(catalog().roles[role].component, f"role-{to}")]
            case [Reveal()] if possible[0].face in catalog().escapes:
                return [Lay(self.world.decks[ESCAPE][-1], ESCAPE)]
            case [Reveal()] if self.world.decks[DECK]:
                return [Lay(top := self.world.decks[DECK][-1], self._zone_for(top))]
        return []

    def _zone_for(self, component: str) -> str:
        """Where players lay a card that they turn up."""
        face = component.removeprefix(PREFIX)
        if face in catalog().failing_cards:
            return DISCARD
        if self.state.phase == "setup":
            return f"zone-{self.state.starting_disasters.zones[0]}"
        return f"zone-{catalog().disasters[face].zone}"

    def home(self, component: str) -> str:
        if component == FIRST_MARKER:
            return BOX
        places = self.group.layout.cards.items()
        off_mat = next(
            (place for place, kinds in places if component in kinds and place.startswith(("esc", "aside"))), ""
        )
        if off_mat and off_mat != ESCAPE:
            return off_mat
        if not self.is_dealt or component.removeprefix(PREFIX) not in {*catalog().disasters, *catalog().failing_cards}:
            return f"deck {ESCAPE}" if self.is_dealt and component.removeprefix(PREFIX) in catalog().escapes else TRAY
        return f"deck {DECK}"

    def tidy_off_mat(self) -> None:
        """Builds the deck at the end of the set-up, and shuffles the discards when they become the deck."""
        if not self.is_dealt:
            return
        deck = self.world.decks[DECK]
        if self.state.phase != "setup" and not self._was_set_up:
            self._was_set_up = True
            self._build_deck(deck)
        elif len(self.state.stacks) == 1 and len(deck) > self._deck_size + 3:
            self.rng.shuffle(deck)
        self._deck_size = len(deck)

    _deck_size = 0

    def _build_deck(self, deck: list[str]) -> None:
        """Splits the deck into stacks, shuffles a systems-failing card into each, and puts the stacks on top of each
        other."""
        disasters = [*deck, *self.world.components_in("aside")]
        failing = [PREFIX + face for face in catalog().failing_cards]
        self.rng.shuffle(disasters)
        self.rng.shuffle(failing)
        stacks: list[list[str]] = []
        for stack in self.state.stacks:
            cards = [disasters.pop() for _ in range(stack.disasters)] + [failing.pop() for _ in range(stack.failing)]
            self.rng.shuffle(cards)
            stacks.append(cards)
        for component in (card for cards in reversed(stacks) for card in cards):
            self.world.put_on_deck(component, DECK)
